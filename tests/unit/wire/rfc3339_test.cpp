#include "src/wire/rfc3339.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden;
using namespace liftwarden::wire;
using namespace std::chrono_literals;

namespace {
const core::WallTime sample{1'777'732'321'402ms};
}

TEST_CASE("rfc3339: a time is written in UTC with milliseconds", "[wire][rfc3339]") {
    CHECK(format_rfc3339(sample) == "2026-05-02T14:32:01.402Z");
    CHECK(format_rfc3339(core::WallTime{0ms}) == "1970-01-01T00:00:00.000Z");
    CHECK(format_rfc3339(core::WallTime{-1ms}) == "1969-12-31T23:59:59.999Z");
}

TEST_CASE("rfc3339: years that do not fit are written as the nearest that does",
          "[wire][rfc3339]") {
    CHECK(format_rfc3339(core::WallTime::max()) == "9999-12-31T23:59:59.999Z");
    CHECK(format_rfc3339(core::WallTime::min()) == "0000-01-01T00:00:00.000Z");
}

TEST_CASE("rfc3339: every spelling of a moment is read", "[wire][rfc3339]") {
    for (const char* text : {"2026-05-02T14:32:01.402Z",
                             "2026-05-02t14:32:01.402z",
                             "2026-05-02T14:32:01.4029999Z",
                             "2026-05-02T14:32:01.402000000Z",
                             "2026-05-02T16:32:01.402+02:00",
                             "2026-05-02T09:02:01.402-05:30",
                             "2026-05-03T00:02:01.402+09:30",
                             "2026-05-02T14:32:01.402+00:00",
                             "2026-05-02T14:32:01.402-00:00"}) {
        INFO(text);
        CHECK(parse_rfc3339(text) == sample);
    }
    CHECK(parse_rfc3339("2026-05-02T14:32:01Z") == sample - 402ms);
    CHECK(parse_rfc3339("2026-05-02T14:32:01.4Z") == sample - 2ms);
    CHECK(parse_rfc3339("2026-05-02T14:32:01.40Z") == sample - 2ms);
}

TEST_CASE("rfc3339: leap days and leap seconds exist", "[wire][rfc3339]") {
    CHECK(parse_rfc3339("2024-02-29T00:00:00Z").has_value());
    CHECK(parse_rfc3339("2016-12-31T23:59:60Z") == parse_rfc3339("2017-01-01T00:00:00Z"));
    CHECK(parse_rfc3339("2016-12-31T23:59:60.5Z") == parse_rfc3339("2017-01-01T00:00:00Z"));
}

TEST_CASE("rfc3339: what is no date-time is refused", "[wire][rfc3339]") {
    for (const char* text : {"",
                             "2026-05-02",
                             "14:32:01Z",
                             "2026-05-02T14:32:01",
                             "2026-05-02 14:32:01Z",
                             "2026-05-02T14:32Z",
                             "2026-5-2T14:32:01Z",
                             "26-05-02T14:32:01Z",
                             "2026-13-02T14:32:01Z",
                             "2026-00-02T14:32:01Z",
                             "2026-02-29T14:32:01Z",
                             "2026-04-31T14:32:01Z",
                             "2026-05-00T14:32:01Z",
                             "2026-05-02T24:00:00Z",
                             "2026-05-02T14:60:01Z",
                             "2026-05-02T14:32:61Z",
                             "2026-05-02T14:32:01.Z",
                             "2026-05-02T14:32:01.4020000000Z",
                             "2026-05-02T14:32:01,402Z",
                             "2026-05-02T14:32:01+0200",
                             "2026-05-02T14:32:01+24:00",
                             "2026-05-02T14:32:01+02",
                             "2026-05-02T14:32:01ZZ",
                             " 2026-05-02T14:32:01Z",
                             "+026-05-02T14:32:01Z",
                             "1777732321402"}) {
        INFO(text);
        CHECK_FALSE(parse_rfc3339(text));
    }
}

TEST_CASE("rfc3339: what is written is read back", "[wire][rfc3339]") {
    for (std::int64_t ms = -62'000'000'000'000; ms < 250'000'000'000'000; ms += 987'654'321'987) {
        const core::WallTime time{std::chrono::milliseconds{ms}};
        CHECK(parse_rfc3339(format_rfc3339(time)) == time);
    }
}
