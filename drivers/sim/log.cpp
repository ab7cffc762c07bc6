#include "drivers/sim/log.hpp"

#include <boost/json/serialize.hpp>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace liftwarden::sim {

std::string wall_text(core::WallTime wall) {
    const auto day = std::chrono::floor<std::chrono::days>(wall);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{wall - day};
    std::array<char, 64> text{};
    std::snprintf(text.data(),
                  text.size(),
                  "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ",
                  static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()),
                  static_cast<unsigned>(date.day()),
                  static_cast<int>(time.hours().count()),
                  static_cast<int>(time.minutes().count()),
                  static_cast<int>(time.seconds().count()),
                  static_cast<int>(time.subseconds().count()));
    return text.data();
}

core::Result<Log> Log::open(const std::string& path, const ports::Clock& clock) {
    if (path.empty()) {
        return Log{nullptr, clock};
    }
    std::FILE* file = path == "-" ? stdout : std::fopen(path.c_str(), "we");
    if (file == nullptr) {
        return core::Error{core::ErrorClass::permanent,
                           "cannot write the log " + path + ": " + std::strerror(errno)};
    }
    return Log{file, clock};
}

void Log::write(Note note) {
    if (!file_) {
        return;
    }
    // A note may be a little older than now: the model knows the exact moment.
    const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(clock_->now() - note.at);
    boost::json::object line{{"t", note.at.time_since_epoch().count()},
                             {"wall", wall_text(clock_->wall() - age)},
                             {"what", note.what}};
    for (auto& entry : note.data) {
        line.insert_or_assign(entry.key(), std::move(entry.value()));
    }
    const std::string text = boost::json::serialize(line) + "\n";
    std::fwrite(text.data(), 1, text.size(), file_.get());
}

void Log::flush() {
    if (file_) {
        std::fflush(file_.get());
    }
}

}  // namespace liftwarden::sim
