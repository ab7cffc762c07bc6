#include "src/wire/text.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::wire;

TEST_CASE("text: well-formed UTF-8 is told from the rest", "[wire][text]") {
    for (const char* good : {"", "a", "é", "€", "😀", "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf"}) {
        CHECK(is_utf8(good));
    }
    for (const char* bad : {"\x80",
                            "\xff",
                            "\xc3",
                            "\xc0\x80",          // overlong
                            "\xe0\x9f\x80",      // overlong
                            "\xf0\x8f\x80\x80",  // overlong
                            "\xed\xa0\x80",      // surrogate
                            "\xf4\x90\x80\x80",  // above U+10FFFF
                            "\xe2\x82",
                            "\xe2\x28\xa1",
                            "a\xe2\x82\x28"}) {
        CHECK_FALSE(is_utf8(bad));
    }
}

TEST_CASE("text: control characters are found, C1 included", "[wire][text]") {
    CHECK(has_control("a\nb"));
    CHECK(has_control("\x7f"));
    CHECK(has_control("\xc2\x9b"));
    CHECK(has_control(std::string_view("\0", 1)));
    CHECK_FALSE(has_control("plain é € \xc2\xa0"));
    CHECK_FALSE(has_control(""));
}

TEST_CASE("text: a quoted value is harmless and bounded", "[wire][text]") {
    CHECK(quoted("a b") == "\"a b\"");
    CHECK(quoted("a\x1b[2J\xff") == R"("a\x1b[2J\xff")");
    CHECK(quoted("\xc2\x85") == R"("\xc2\x85")");
    CHECK(quoted(std::string(1000, 'x')) == "\"" + std::string(64, 'x') + "...\"");
    CHECK(is_utf8(quoted(std::string(63, 'x') + "€€€")));
}

TEST_CASE("text: hex goes both ways and refuses what is none", "[wire][text]") {
    std::string all;
    for (int byte = 0; byte < 256; ++byte) {
        all += static_cast<char>(byte);
    }
    CHECK(from_hex(to_hex(all)) == all);
    CHECK(to_hex("\x0f\xa0") == "0fa0");
    CHECK(from_hex("0FA0") == "\x0f\xa0");
    CHECK(from_hex("") == "");
    CHECK_FALSE(from_hex("0"));
    CHECK_FALSE(from_hex("0g"));
    CHECK_FALSE(from_hex("/0"));
}
