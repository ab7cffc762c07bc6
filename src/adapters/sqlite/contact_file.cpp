#include "src/adapters/sqlite/contact_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <string_view>
#include <utility>

namespace liftwarden::sqlite {

ContactFile::ContactFile(std::string path, std::string boot_id)
    : boot_id_(std::move(boot_id)), fd_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640)) {}

ContactFile::~ContactFile() {
    if (fd_ >= 0) {
        close(fd_);
    }
}

// "MILLISECONDS BOOT_ID\n", the number always as wide: one write replaces one text of its length.
void ContactFile::save(core::TimePoint moment) {
    const std::string line =
        fmt::format("{:020} {}\n", core::to_ms(moment.time_since_epoch()), boot_id_);
    (void)!pwrite(fd_, line.data(), line.size(), 0);
}

std::optional<core::TimePoint> ContactFile::load() const {
    std::array<char, 128> space{};
    const ssize_t size = pread(fd_, space.data(), space.size(), 0);
    const std::string_view text(space.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    const std::size_t blank = text.find(' ');
    const std::size_t end = text.find('\n');
    if (blank == std::string_view::npos || end == std::string_view::npos || end < blank ||
        text.substr(blank + 1, end - blank - 1) != boot_id_) {
        return std::nullopt;
    }
    std::int64_t ms = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + blank, ms);
    if (error != std::errc{} || stop != text.data() + blank) {
        return std::nullopt;
    }
    return core::TimePoint{std::chrono::milliseconds{ms}};
}

}  // namespace liftwarden::sqlite
