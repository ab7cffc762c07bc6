#include "src/wire/rfc3339.hpp"

#include <algorithm>
#include <chrono>

namespace liftwarden::wire {
namespace {

using std::chrono::milliseconds;

constexpr core::WallTime earliest =
    std::chrono::sys_days{std::chrono::year{0} / std::chrono::January / 1};
constexpr core::WallTime latest =
    std::chrono::sys_days{std::chrono::year{10000} / std::chrono::January / 1} - milliseconds{1};

// Takes text off the front piece by piece; once something did not fit, `ok` stays false.
struct Scanner {
    std::string_view rest;
    bool ok = true;

    int number(std::size_t width, int most) {
        int value = 0;
        for (std::size_t i = 0; i < width; ++i) {
            value = value * 10 + digit();
        }
        ok = ok && value <= most;
        return value;
    }

    int digit() {
        if (!ok || rest.empty() || rest.front() < '0' || rest.front() > '9') {
            ok = false;
            return 0;
        }
        const int value = rest.front() - '0';
        rest.remove_prefix(1);
        return value;
    }

    char one_of(std::string_view choices) {
        if (!ok || rest.empty() || choices.find(rest.front()) == std::string_view::npos) {
            ok = false;
            return '\0';
        }
        const char c = rest.front();
        rest.remove_prefix(1);
        return c;
    }

    milliseconds fraction() {
        constexpr std::size_t digits_max = 9;
        if (!ok || rest.empty() || rest.front() != '.') {
            return milliseconds{0};
        }
        rest.remove_prefix(1);
        int value = 0;
        std::size_t digits = 0;
        do {
            const int next = digit();
            value += digits == 0 ? next * 100 : digits == 1 ? next * 10 : digits == 2 ? next : 0;
            ++digits;
        } while (ok && !rest.empty() && rest.front() >= '0' && rest.front() <= '9');
        ok = ok && digits <= digits_max;
        return milliseconds{value};
    }

    std::chrono::minutes offset() {
        const char sign = one_of("Zz+-");
        if (sign != '+' && sign != '-') {
            return std::chrono::minutes{0};
        }
        const int hours = number(2, 23);
        one_of(":");
        const std::chrono::minutes ahead{hours * 60 + number(2, 59)};
        return sign == '+' ? ahead : -ahead;
    }
};

void append_padded(std::string& out, std::int64_t value, std::size_t width) {
    const std::string digits = std::to_string(value);
    out.append(width > digits.size() ? width - digits.size() : 0, '0');
    out += digits;
}

}  // namespace

std::optional<core::WallTime> parse_rfc3339(std::string_view text) {
    Scanner scan{text};
    const int year = scan.number(4, 9999);
    scan.one_of("-");
    const int month = scan.number(2, 12);
    scan.one_of("-");
    const int day = scan.number(2, 31);
    scan.one_of("Tt");
    const int hour = scan.number(2, 23);
    scan.one_of(":");
    const int minute = scan.number(2, 59);
    scan.one_of(":");
    const int second = scan.number(2, 60);
    const milliseconds fraction = scan.fraction();
    const std::chrono::minutes offset = scan.offset();
    const std::chrono::year_month_day date{std::chrono::year{year},
                                           std::chrono::month{static_cast<unsigned>(month)},
                                           std::chrono::day{static_cast<unsigned>(day)}};
    if (!scan.ok || !scan.rest.empty() || !date.ok()) {
        return std::nullopt;
    }
    return core::WallTime{std::chrono::sys_days{date}} + std::chrono::hours{hour} +
           std::chrono::minutes{minute} + std::chrono::seconds{second} +
           (second == 60 ? milliseconds{0} : fraction) - offset;
}

std::string format_rfc3339(core::WallTime time) {
    time = std::clamp(time, earliest, latest);
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss<milliseconds> clock{time - day};
    std::string out;
    out.reserve(24);
    append_padded(out, static_cast<int>(date.year()), 4);
    out += '-';
    append_padded(out, static_cast<unsigned>(date.month()), 2);
    out += '-';
    append_padded(out, static_cast<unsigned>(date.day()), 2);
    out += 'T';
    append_padded(out, clock.hours().count(), 2);
    out += ':';
    append_padded(out, clock.minutes().count(), 2);
    out += ':';
    append_padded(out, clock.seconds().count(), 2);
    out += '.';
    append_padded(out, clock.subseconds().count(), 3);
    out += 'Z';
    return out;
}

}  // namespace liftwarden::wire
