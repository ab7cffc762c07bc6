#include "src/adapters/config/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

namespace liftwarden::config {
namespace {

namespace fs = std::filesystem;

class Descriptor {
  public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0) {
            close(number_);
        }
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int number() const { return number_; }

  private:
    int number_;
};

std::string errno_text() {
    return std::error_code(errno, std::generic_category()).message();
}

core::Error wrong(std::string text) {
    return {core::ErrorClass::permanent, std::move(text)};
}

}  // namespace

core::Result<std::string> read_file(const std::string& path) {
    // Not blocking: opening a pipe would otherwise wait for a writer.
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status {};
    if (file.number() < 0 || fstat(file.number(), &status) != 0) {
        return wrong(fmt::format("cannot be read: {}", errno_text()));
    }
    if (!S_ISREG(status.st_mode)) {
        return wrong("is not a regular file");
    }
    std::string text;
    std::string chunk(64 * 1024, '\0');
    while (text.size() <= file_bytes_max) {
        const ssize_t got = read(file.number(), chunk.data(), chunk.size());
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return wrong(fmt::format("cannot be read: {}", errno_text()));
        }
        if (got == 0) {
            return text;
        }
        text.append(chunk, 0, static_cast<std::size_t>(got));
    }
    return wrong(fmt::format("is larger than {} bytes", file_bytes_max));
}

std::vector<std::string> elevator_files(Report& report,
                                        std::uint32_t main_file,
                                        const std::string& main_path) {
    const fs::path folder = fs::path(main_path).parent_path() / "elevators.d";
    std::error_code fault;
    std::vector<std::string> files;
    if (!fs::exists(fs::symlink_status(folder, fault))) {
        if (fault && fault != std::errc::no_such_file_or_directory) {
            report.error({main_file, 0, 0},
                         fmt::format("{}: {}", folder.string(), fault.message()));
        }
        return files;
    }
    fs::directory_iterator item(folder, fault);
    for (; !fault && item != fs::directory_iterator(); item.increment(fault)) {
        const fs::path& path = item->path();
        const std::string name = path.filename().string();
        if (name.front() == '.') {
            continue;
        }
        if (path.extension() == ".yaml") {
            files.push_back(path.string());
        } else if (path.extension() == ".yml" || path.extension() == ".json") {
            const std::uint32_t file = report.add_file(path.string());
            report.warning({file, 0, 0}, "not loaded: files of elevators.d end in .yaml");
        }
    }
    if (fault) {
        report.error({main_file, 0, 0},
                     fmt::format("{} cannot be read: {}", folder.string(), fault.message()));
    }
    std::sort(files.begin(), files.end());
    if (files.size() > elevator_files_max) {
        report.error({main_file, 0, 0},
                     fmt::format("{} holds {} files; at most {} are possible",
                                 folder.string(),
                                 files.size(),
                                 elevator_files_max));
        files.resize(elevator_files_max);
    }
    return files;
}

void check_file(Report& report, const FileUse& use) {
    struct stat status {};
    const bool exists = stat(use.path.c_str(), &status) == 0;
    if (use.made_by_us) {
        // A socket of that name is what a daemon left behind.
        if (exists && !S_ISREG(status.st_mode) && !S_ISSOCK(status.st_mode)) {
            report.error(
                use.place,
                S_ISDIR(status.st_mode)
                    ? fmt::format("{}: {} is a directory; name a file in it", use.key, use.path)
                    : fmt::format("{}: {} is not a regular file", use.key, use.path));
        }
        return;
    }
    if (!exists) {
        report.error(use.place, fmt::format("{}: {}: {}", use.key, use.path, errno_text()));
        return;
    }
    if (!S_ISREG(status.st_mode)) {
        report.error(use.place, fmt::format("{}: {} is not a regular file", use.key, use.path));
        return;
    }
    if (access(use.path.c_str(), R_OK) != 0) {
        report.error(use.place, fmt::format("{}: {}: {}", use.key, use.path, errno_text()));
    }
    if (use.secret && (status.st_mode & 07U) != 0) {
        report.error(use.place,
                     fmt::format("{}: {} may be used by everybody on this machine (mode {:04o}); "
                                 "chmod o= it",
                                 use.key,
                                 use.path,
                                 status.st_mode & 07777U));
    }
}

}  // namespace liftwarden::config
