#include "tests/support/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

namespace liftwarden::test {
namespace {

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& extra) {
    std::vector<std::string> result;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        if (!extra.contains(text.substr(0, text.find('=')))) {
            result.push_back(text);
        }
    }
    for (const auto& [name, value] : extra) {
        result.push_back(name + "=" + value);
    }
    return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (std::string& text : texts) {
        result.push_back(text.data());
    }
    result.push_back(nullptr);
    return result;
}

void redirect(posix_spawn_file_actions_t& actions, int fd, const std::string& file) {
    ::posix_spawn_file_actions_addopen(&actions,
                                       fd,
                                       file.empty() ? "/dev/null" : file.c_str(),
                                       O_WRONLY | O_CREAT | O_APPEND,
                                       0600);
}

void default_signals(posix_spawnattr_t& attributes) {
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

}  // namespace

Process::Process(const ProcessOptions& options) {
    std::vector<std::string> arguments = options.argv;
    std::vector<std::string> environment = merged_environment(options.env);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    redirect(actions, STDOUT_FILENO, options.stdout_file);
    redirect(actions, STDERR_FILENO, options.stderr_file);
    default_signals(attributes);
    const int error = ::posix_spawnp(&pid_,
                                     arguments.at(0).c_str(),
                                     &actions,
                                     &attributes,
                                     pointers(arguments).data(),
                                     pointers(environment).data());
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    if (error != 0) {
        throw std::runtime_error("cannot start " + arguments[0] + ": " + std::strerror(error));
    }
}

Process::~Process() {
    kill();
}

bool Process::running() {
    return !wait(0ms).has_value();
}

void Process::signal(int number) {
    if (running()) {
        ::kill(pid_, number);
    }
}

std::optional<int> Process::wait(Millis limit) {
    const bool ended = wait_until(
        [this] {
            if (!status_) {
                int raw = 0;
                if (::waitpid(pid_, &raw, WNOHANG) == pid_) {
                    status_ = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
                }
            }
            return status_.has_value();
        },
        limit);
    return ended ? status_ : std::nullopt;
}

std::optional<int> Process::stop(Millis limit) {
    signal(SIGTERM);
    const std::optional<int> status = wait(limit);
    if (!status) {
        kill();
    }
    return status;
}

int Process::kill() {
    signal(SIGKILL);
    return wait(30s).value_or(-1);
}

void run(const std::vector<std::string>& argv) {
    Process process({argv, {}, {}, {}});
    if (process.wait(30s) != 0) {
        std::string line;
        for (const std::string& word : argv) {
            line += word + " ";
        }
        throw std::runtime_error("failed: " + line);
    }
}

}  // namespace liftwarden::test
