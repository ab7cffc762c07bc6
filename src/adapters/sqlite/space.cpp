#include "src/adapters/sqlite/space.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace liftwarden::sqlite {
namespace {

constexpr std::uint64_t most_margin = 32ULL << 20;
constexpr std::uint64_t least_margin = 256ULL << 10;
constexpr std::int64_t frame_header_bytes = 24;  // of the write-ahead log, for each page

std::uint64_t margin_for(const JournalFiles& files, std::uint64_t max_bytes) {
    return std::clamp(std::min(max_bytes, files.disk_bytes()) / 10, least_margin, most_margin);
}

}  // namespace

SpaceGuard::SpaceGuard(Connection& connection, JournalFiles files, std::uint64_t max_bytes)
    : connection_(connection),
      files_(std::move(files)),
      margin_(margin_for(files_, max_bytes)),
      page_size_(connection.integer("PRAGMA page_size")),
      max_pages_(std::max<std::int64_t>(static_cast<std::int64_t>(max_bytes) / page_size_, 1)),
      page_count_(connection, "PRAGMA page_count"),
      free_pages_(connection, "PRAGMA freelist_count") {
    // The pragma takes no bound value.
    connection_.exec(fmt::format("PRAGMA max_page_count={}", max_pages_).c_str());
    refresh();
}

std::int64_t SpaceGuard::value(Statement& statement) {
    Run run(statement);
    return run.step() ? run.integer(0) : 0;
}

bool SpaceGuard::refresh() {
    const std::int64_t pages = value(page_count_);
    const std::int64_t used = pages - value(free_pages_);
    const std::uint64_t free = files_.free_bytes();
    file_bytes_ = static_cast<std::uint64_t>(
        pages * page_size_ + connection_.wal_frames() * (page_size_ + frame_header_bytes));
    tend_reserve(free);
    disk_is_tight_ = free < margin_;

    const auto above = [&](std::int64_t percent) { return used * 100 >= max_pages_ * percent; };
    // Half of what is left below 95 %, because rows take more in pages than their texts.
    const std::int64_t pages_left = max_pages_ * 95 / 100 - used;
    const bool room = pages_left > 0 && free >= margin_ / 2;
    alarm_room_ = room ? static_cast<std::uint64_t>(pages_left * page_size_ / 2) : 0;
    const bool before = accepting_;
    if (above(90) || free < margin_) {
        accepting_ = false;
    } else if (!above(85) && free >= margin_ + margin_ / 2) {
        accepting_ = true;
    }
    return accepting_ != before;
}

void SpaceGuard::tend_reserve(std::uint64_t free) {
    has_reserve_ = files_.has_reserve();
    if (has_reserve_ && free < margin_ / 4) {
        files_.drop_reserve();
        has_reserve_ = false;
    } else if (!has_reserve_ && free >= margin_ + margin_ / 2) {
        files_.make_reserve(margin_ / 4);
        has_reserve_ = files_.has_reserve();
    }
}

void SpaceGuard::make_room(const JournalFiles& files, std::uint64_t max_bytes) {
    if (files.free_bytes() < margin_for(files, max_bytes) / 4) {
        files.drop_reserve();
    }
}

}  // namespace liftwarden::sqlite
