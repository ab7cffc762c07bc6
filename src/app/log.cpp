#include "src/app/log.hpp"

#include <spdlog/async.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace liftwarden::app {
namespace {

// Lines waiting for stderr; each takes some 400 bytes from the start.
constexpr std::size_t ring_lines = 1024;

// spdlog's registry is not used: what it owns is gone at its end, while a thread of a library may
// still want to say something. The logger stays for ever; only its thread ends.
struct Backend {
    std::shared_ptr<spdlog::details::thread_pool> pool;
    std::shared_ptr<spdlog::async_logger> logger;
    std::atomic<bool> open{true};
};
std::atomic<Backend*> backend{nullptr};

spdlog::level::level_enum to_spdlog(LogLevel level) {
    switch (level) {
        case LogLevel::debug:
            return spdlog::level::debug;
        case LogLevel::info:
            return spdlog::level::info;
        case LogLevel::warning:
            return spdlog::level::warn;
        case LogLevel::error:
            return spdlog::level::err;
    }
    return spdlog::level::err;
}

// %* in the pattern: the level as syslog numbers it, which journald reads off the line.
class SyslogLevel final : public spdlog::custom_flag_formatter {
  public:
    void format(const spdlog::details::log_msg& message,
                const std::tm&,
                spdlog::memory_buf_t& out) override {
        char number = '6';
        switch (message.level) {
            case spdlog::level::trace:
            case spdlog::level::debug:
                number = '7';
                break;
            case spdlog::level::warn:
                number = '4';
                break;
            case spdlog::level::err:
                number = '3';
                break;
            case spdlog::level::critical:
                number = '2';
                break;
            default:
                break;
        }
        out.push_back('<');
        out.push_back(number);
        out.push_back('>');
    }
    [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
        return std::make_unique<SyslogLevel>();
    }
};

void append_value(std::string& line, std::string_view value) {
    static constexpr char hex[] = "0123456789abcdef";
    const bool quote = value.find_first_of(" \"=\\") != std::string_view::npos;
    if (quote) {
        line += '"';
    }
    for (const char c : value) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) {
            line += "\\x";
            line += hex[byte >> 4];
            line += hex[byte & 0xf];
        } else if (c == '"' || c == '\\') {
            line += '\\';
            line += c;
        } else {
            line += c;
        }
    }
    if (quote) {
        line += '"';
    }
}

}  // namespace

std::string log_line(std::string_view event, Fields fields) {
    std::string line{event};
    for (const Field& field : fields) {
        if (!field.value.empty()) {
            line += ' ';
            line += field.key;
            line += '=';
            append_value(line, field.value);
        }
    }
    return line;
}

bool stderr_is_journald() {
    const char* stream = std::getenv("JOURNAL_STREAM");
    struct stat status {};
    if (stream == nullptr || ::fstat(STDERR_FILENO, &status) != 0) {
        return false;
    }
    return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino) == stream;
}

void start_log(bool journald, LogLevel least) {
    auto pool = std::make_shared<spdlog::details::thread_pool>(ring_lines, 1);
    auto logger =
        std::make_shared<spdlog::async_logger>("liftwarden",
                                               std::make_shared<spdlog::sinks::stderr_sink_mt>(),
                                               pool,
                                               spdlog::async_overflow_policy::overrun_oldest);
    auto formatter = std::make_unique<spdlog::pattern_formatter>();
    formatter->add_flag<SyslogLevel>('*').set_pattern(journald ? "%*%v"
                                                               : "%Y-%m-%dT%H:%M:%S.%e %l %v");
    logger->set_formatter(std::move(formatter));
    logger->set_level(to_spdlog(least));
    backend = new Backend{std::move(pool), std::move(logger)};
}

std::size_t lost_log_lines() {
    const Backend* running = backend;
    return running != nullptr && running->open ? running->pool->overrun_counter() : 0;
}

void stop_log() {
    Backend* running = backend;
    if (running != nullptr && running->open.exchange(false)) {
        running->pool.reset();  // its destructor writes what waits
    }
}

void log(LogLevel level, std::string_view event, Fields fields) {
    const Backend* running = backend;
    if (running == nullptr || !running->open) {
        return;
    }
    const auto at = to_spdlog(level);
    if (running->logger->should_log(at)) {
        running->logger->log(at, log_line(event, fields));
    }
}

void last_words(std::string_view text) noexcept {
    // One write, so that lines of several threads do not mix; if it fails there is nobody to tell.
    char line[512];
    const int length = std::snprintf(line,
                                     sizeof line,
                                     "%s%.*s\n",
                                     stderr_is_journald() ? "<2>" : "",
                                     static_cast<int>(text.size()),
                                     text.data());
    const auto bytes = static_cast<std::size_t>(length) < sizeof line
                           ? static_cast<std::size_t>(length)
                           : sizeof line - 1;
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line, bytes);
}

}  // namespace liftwarden::app
