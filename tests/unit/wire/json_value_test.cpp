#include "src/wire/json_value.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace liftwarden;
using namespace liftwarden::wire;
using Kind = JsonValue::Kind;

namespace {

constexpr JsonLimits limits{8192, 8};

JsonValue parse(std::string_view text) {
    auto value = parse_json(text, limits);
    REQUIRE(value.has_value());
    return *value;
}

std::string fault(std::string_view text) {
    const auto value = parse_json(text, limits);
    REQUIRE(value.has_error());
    CHECK(value.error().kind == core::ErrorClass::permanent);
    return value.error().text;
}

}  // namespace

TEST_CASE("json: values keep their kind, order and text", "[wire][json]") {
    const JsonValue root = parse(R"({"a":"x\n\u00e9","b":[1,true,null],"c":{"d":-2.50}})");
    REQUIRE(root.items.size() == 3);
    CHECK(root.find("a")->text == "x\n\xc3\xa9");
    CHECK(root.items[1].key == "b");
    REQUIRE(root.items[1].items.size() == 3);
    CHECK(root.items[1].items[0].kind == Kind::number);
    CHECK(root.items[1].items[1].text == "true");
    CHECK(root.items[1].items[2].kind == Kind::null);
    CHECK(root.find("c")->find("d")->text == "-2.50");
    CHECK(root.find("d") == nullptr);
    CHECK(root.items[1].find("a") == nullptr);
}

TEST_CASE("json: only integers of 64 bits count as integers", "[wire][json]") {
    CHECK(parse("17").as_int64() == 17);
    CHECK(parse("-9223372036854775808").as_int64() == INT64_MIN);
    CHECK(parse("9223372036854775807").as_int64() == INT64_MAX);
    CHECK(parse("-0").as_int64() == 0);
    CHECK(parse("18446744073709551615").as_uint64() == UINT64_MAX);
    CHECK_FALSE(parse("-1").as_uint64());
    for (const char* text :
         {"9223372036854775808", "1.0", "1e3", "1E0", "0.5", "1e400", "\"1\"", "true", "[1]"}) {
        INFO(text);
        CHECK_FALSE(parse(text).as_int64());
    }
}

TEST_CASE("json: a number keeps its spelling whatever its size", "[wire][json]") {
    for (const std::string& text : {std::string("1e400"),
                                    std::string("-0.0"),
                                    std::string("1E+05"),
                                    std::string("18446744073709551616"),
                                    std::string(5000, '9')}) {
        CHECK(parse(text).text == text);
    }
}

TEST_CASE("json: a key that stands twice is refused at any depth and in any spelling",
          "[wire][json]") {
    CHECK(fault(R"({"a":1,"a":1})") == R"(the key "a" stands twice in one object)");
    CHECK(fault(R"([{"b":{"c":1,"d":2,"\u0063":3}}])") ==
          R"(the key "c" stands twice in one object)");
    CHECK(fault(R"({"":1,"":2})") == R"(the key "" stands twice in one object)");
    CHECK(parse(R"([{"a":1},{"a":1}])").items.size() == 2);
}

TEST_CASE("json: duplicates are found among many keys too", "[wire][json]") {
    std::string text = "{";
    for (int i = 0; i < 800; ++i) {
        text += "\"k" + std::to_string(i) + "\":0,";
    }
    CHECK(parse(text + "\"last\":0}").items.size() == 801);
    CHECK(fault(text + "\"k17\":0}") == R"(the key "k17" stands twice in one object)");
}

TEST_CASE("json: depth and size have limits", "[wire][json]") {
    CHECK(parse("[[[[[[[[1]]]]]]]]").items.size() == 1);
    CHECK(fault("[[[[[[[[[1]]]]]]]]]") ==
          "arrays and objects lie within each other more than 8 deep");
    CHECK(fault(std::string(4000, '[')) ==
          "arrays and objects lie within each other more than 8 deep");
    CHECK(parse("1" + std::string(8191, ' ')).as_int64() == 1);
    CHECK(fault("1" + std::string(8192, ' ')) == "it has 8193 bytes, more than 8192");
}

TEST_CASE("json: what RFC 8259 forbids is refused", "[wire][json]") {
    for (const char* text : {"",
                             "{",
                             "[1,]",
                             "{\"a\":1,}",
                             "{a:1}",
                             "01",
                             "+1",
                             ".5",
                             "1.",
                             "1e",
                             "0x10",
                             "NaN",
                             "Infinity",
                             "tru",
                             "'a'",
                             "\"a\nb\"",
                             "\"\\x\"",
                             "\"\\u12\"",
                             "\"\\udc00\"",
                             "\"\xff\"",
                             "\"\xc0\x80\"",
                             "\"\xed\xa0\x80\"",
                             "1 2",
                             "// c\n1"}) {
        INFO(text);
        CHECK(parse_json(text, limits).has_error());
    }
}

TEST_CASE("json: a syntax error says at which byte, and what stands there", "[wire][json]") {
    const auto [text, words] = GENERATE(table<std::string, std::string>({
        {R"({"seq":"1" "action":"release"})", R"(at byte 11, where ""action":"release"}" stands)"},
        {"{'seq':'1'}", R"(at byte 1, where "'seq':'1'}" stands)"},
        {R"({"seq":"1","action":"release",})", R"(at byte 30, where "}" stands)"},
        {R"({"seq":01})", R"(at byte 8, where "1}" stands)"},
        {R"({"seq":NaN})", R"(at byte 7, where "NaN}" stands)"},
        {"go to 2, please, and then open the door",
         R"(at byte 0, where "go to 2, please, and the" stands)"},
        {"{\"a\":\"x\ny\"}", R"(at byte 7, where "\x0ay"}" stands)"},
        {"{\"a\":\"\xff\"}", R"(where "\xff"}" stands)"},
        {R"({"seq":"1")", "it ends too early, after 10 bytes"},
        {"", "it is not valid JSON: it is empty"},
        {"1 2", R"(it is not valid JSON: there is more text after byte 2: "2")"},
        {R"({} {"seq":1})", R"(there is more text after byte 3: "{"seq":1}")"},
    }));
    INFO(text);
    CHECK_THAT(fault(text), Catch::Contains(words));
}

TEST_CASE("json: values are shown to people briefly", "[wire][json]") {
    CHECK(parse("\"a\"").shown() == "\"a\"");
    CHECK(parse("1e3").shown() == "1e3");
    CHECK(parse("null").shown() == "null");
    CHECK(parse("[1]").shown() == "an array");
    CHECK(parse("{}").shown() == "an object");
    CHECK(parse(std::string(500, '1')).shown() == std::string(40, '1') + "...");
}
