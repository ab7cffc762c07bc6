#include "src/wire/json_writer.hpp"

#include "src/wire/json_value.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>

using namespace liftwarden::wire;

TEST_CASE("json writer: commas stand between and never else", "[wire][json]") {
    JsonWriter out;
    out.begin_object().member("a", "x").flag("b", true).key("c").begin_array();
    out.number(1).null().begin_object().end_object().begin_array().end_array().text("y");
    out.end_array().count("d", -5).key("e").begin_object().end_object().end_object();
    CHECK(out.take() == R"({"a":"x","b":true,"c":[1,null,{},[],"y"],"d":-5,"e":{}})");
    CHECK(out.begin_array().end_array().take() == "[]");
}

TEST_CASE("json writer: the largest numbers are exact", "[wire][json]") {
    JsonWriter out;
    out.begin_array().number(INT64_MIN).number(UINT64_MAX).number(std::uint16_t{65535}).end_array();
    CHECK(out.take() == "[-9223372036854775808,18446744073709551615,65535]");
}

TEST_CASE("json writer: text is escaped and always valid", "[wire][json]") {
    const auto written = [](std::string_view text) { return JsonWriter().text(text).take(); };
    CHECK(written("a\"b\\c/") == R"("a\"b\\c/")");
    CHECK(written("\n\r\t\b") == R"("\n\r\t\u0008")");
    CHECK(written(std::string_view("\0\x1f\x7f", 3)) == R"("\u0000\u001f\u007f")");
    CHECK(written("é€😀") == "\"é€😀\"");
    CHECK(written("a\xff\xc3") == "\"a\xef\xbf\xbd\xef\xbf\xbd\"");
}

TEST_CASE("json writer: any UTF-8 text comes back as it was", "[wire][json]") {
    std::string text;
    for (int c = 0; c < 128; ++c) {
        text += static_cast<char>(c);
        text += "ü";
    }
    const auto value = parse_json(JsonWriter().text(text).take(), {8192, 1});
    REQUIRE(value.has_value());
    CHECK(value->text == text);
}
