// Single values, addresses, words and URLs by themselves.
#include "src/adapters/config/scalars.hpp"

#include "src/adapters/config/addresses.hpp"
#include "src/adapters/config/nearest.hpp"
#include "src/adapters/config/network.hpp"
#include "src/adapters/config/report.hpp"
#include "src/adapters/config/utf8.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace liftwarden;
using namespace liftwarden::config;
using namespace std::chrono_literals;
using ports::RegisterTable;

TEST_CASE("scalars: integers have one spelling", "[config][scalars]") {
    CHECK(*parse_integer("0") == 0);
    CHECK(*parse_integer("-1") == -1);
    CHECK(*parse_integer("65535") == 65535);
    for (const char* text : {"",
                             "-",
                             "+1",
                             "01",
                             "-01",
                             "0x10",
                             "1_000",
                             "1.0",
                             "1e3",
                             " 1",
                             "1 ",
                             "9223372036854775808",
                             "one"}) {
        INFO(text);
        CHECK_FALSE(parse_integer(text).has_value());
    }
}

TEST_CASE("scalars: durations need a unit and no blank", "[config][scalars]") {
    CHECK(*parse_duration("200ms") == 200ms);
    CHECK(*parse_duration("3s") == 3s);
    CHECK(*parse_duration("4min") == 4min);
    CHECK(*parse_duration("2h") == 2h);
    CHECK(*parse_duration("30d") == 720h);
    CHECK(*parse_duration("0s") == 0s);
    CHECK(*parse_duration("0ms") == 0s);
    for (const char* text : {"",
                             "0",
                             "200",
                             "ms",
                             "3 s",
                             "3S",
                             "3sec",
                             "3m",
                             "1.5s",
                             "-1s",
                             "03s",
                             "3s ",
                             "3651d",
                             "9223372036854775807d",
                             "99999999999999999999ms"}) {
        INFO(text);
        CHECK_FALSE(parse_duration(text).has_value());
    }
}

TEST_CASE("scalars: durations are shown in the unit that fits", "[config][scalars]") {
    CHECK(to_text(200ms) == "200ms");
    CHECK(to_text(3s) == "3s");
    CHECK(to_text(90s) == "90s");
    CHECK(to_text(240s) == "4min");
    CHECK(to_text(720h) == "30d");
    CHECK(to_text(0s) == "0ms");
    CHECK(to_text(1750us) == "2ms");
}

TEST_CASE("scalars: shares and sizes", "[config][scalars]") {
    CHECK(*parse_share("1/2") == 0.5);
    CHECK(*parse_share("1/1") == 1.0);
    CHECK(*parse_share("0.25") == 0.25);
    for (const char* text : {"",
                             "/",
                             "1/",
                             "/2",
                             "0/2",
                             "3/2",
                             "1/0",
                             "0",
                             "-0.5",
                             "1.1",
                             "nan",
                             "inf",
                             "1e-1",
                             "50%",
                             "0.5x"}) {
        INFO(text);
        CHECK_FALSE(parse_share(text).has_value());
    }
    CHECK(*parse_size("512MiB") == 512ULL << 20U);
    CHECK(*parse_size("4GiB") == 4ULL << 30U);
    CHECK(size_text(512ULL << 20U) == "512MiB");
    for (const char* text : {"", "512", "512MB", "MiB", "1.5GiB", "99999999999GiB"}) {
        INFO(text);
        CHECK_FALSE(parse_size(text).has_value());
    }
}

TEST_CASE("addresses: 0-based and Modicon name the same register", "[config][addresses]") {
    const Address register_100{RegisterTable::holding, 100};
    CHECK(*parse_address("holding:100") == register_100);
    CHECK(*parse_address("40101") == register_100);
    CHECK(*parse_address("400101") == register_100);
    CHECK(*parse_address("00001") == Address{RegisterTable::coil, 0});
    CHECK(*parse_address("10008") == Address{RegisterTable::discrete, 7});
    CHECK(*parse_address("30001") == Address{RegisterTable::input, 0});
    CHECK(*parse_address("49999") == Address{RegisterTable::holding, 9998});
    CHECK(*parse_address("465536") == Address{RegisterTable::holding, 65535});
    CHECK(*parse_address("000010") == Address{RegisterTable::coil, 9});
}

TEST_CASE("addresses: every register survives being shown and read again", "[config][addresses]") {
    for (const RegisterTable table : {RegisterTable::coil,
                                      RegisterTable::discrete,
                                      RegisterTable::input,
                                      RegisterTable::holding}) {
        for (int number = 0; number <= 65535; number += 97) {
            const Address address{table, static_cast<std::uint16_t>(number)};
            REQUIRE(*parse_address(zero_based_text(address)) == address);
            REQUIRE(*parse_address(modicon_text(address)) == address);
        }
    }
}

TEST_CASE("addresses: ranges are shown in both notations", "[config][addresses]") {
    CHECK(zero_based_text({RegisterTable::holding, 100}, 4) == "holding:100..103");
    CHECK(modicon_text({RegisterTable::holding, 100}, 4) == "40101..40104");
    CHECK(modicon_text({RegisterTable::coil, 0}) == "00001");
    CHECK(modicon_text({RegisterTable::holding, 9998}, 2) == "409999..410000");
}

TEST_CASE("addresses: a table name with a Modicon number raises a doubt", "[config][addresses]") {
    REQUIRE(doubt_about({RegisterTable::holding, 40101}));
    CHECK_THAT(*doubt_about({RegisterTable::holding, 40101}), Catch::Contains("holding:100"));
    CHECK(doubt_about({RegisterTable::input, 30001}));
    CHECK(doubt_about({RegisterTable::discrete, 10001}));
    CHECK_FALSE(doubt_about({RegisterTable::holding, 40000}));
    CHECK_FALSE(doubt_about({RegisterTable::holding, 30001}));
    CHECK_FALSE(doubt_about({RegisterTable::coil, 1}));
}

TEST_CASE("addresses: bits", "[config][addresses]") {
    CHECK(*parse_bits("7") == ports::BitRange{7, 7});
    CHECK(*parse_bits("0..3") == ports::BitRange{0, 3});
    CHECK(bits_text({7, 7}) == "bit 7");
    CHECK(bits_text({0, 3}) == "bits 0..3");
    for (const char* text : {"", "16", "3..0", "0..", "..3", "0-3", "0...3", "0..3..4", "-1"}) {
        INFO(text);
        CHECK_FALSE(parse_bits(text).has_value());
    }
}

TEST_CASE("nearest: typing mistakes are one step each", "[config][nearest]") {
    CHECK(edit_distance("poll", "poll") == 0);
    CHECK(edit_distance("pol", "poll") == 1);
    CHECK(edit_distance("plol", "poll") == 1);
    CHECK(edit_distance("pall", "poll") == 1);
    CHECK(edit_distance("Ack-Timeout", "ack_timeout") == 0);
    CHECK(edit_distance("", "abc") == 3);
    CHECK(edit_distance("ca", "abc") == 3);
}

TEST_CASE("nearest: only a near word is suggested", "[config][nearest]") {
    const std::vector<std::string> words = {"poll", "port", "response_timeout"};
    CHECK(nearest("pol", words) == "poll");
    CHECK(nearest("prot", words) == "port");
    CHECK(nearest("respone_timout", words) == "response_timeout");
    CHECK_FALSE(nearest("xyz", words));
    CHECK_FALSE(nearest("po", words));
    CHECK_FALSE(nearest(std::string(1000, 'p'), words));
    CHECK_FALSE(nearest("", words));
}

TEST_CASE("network: broker URLs", "[config][network]") {
    CHECK(*parse_broker_url("mqtt://b") == BrokerUrl{false, "b", 1883});
    CHECK(*parse_broker_url("mqtts://b.example") == BrokerUrl{true, "b.example", 8883});
    CHECK(*parse_broker_url("mqtts://10.0.0.1:443/") == BrokerUrl{true, "10.0.0.1", 443});
    CHECK(*parse_broker_url("mqtt://[::1]:1884") == BrokerUrl{false, "::1", 1884});
    for (const char* text : {"",
                             "b",
                             "mqtt:b",
                             "http://b",
                             "MQTT://b",
                             "mqtt://",
                             "mqtt://:1883",
                             "mqtt://b:",
                             "mqtt://b:0",
                             "mqtt://b:65536",
                             "mqtt://b:x",
                             "mqtt://b/t",
                             "mqtt://::1",
                             "mqtt://[::1",
                             "mqtt://[b]",
                             "mqtt://[::1]x",
                             "mqtt://a b",
                             "mqtt://-b",
                             "mqtt://b?x",
                             "mqtt://b:1883:1"}) {
        INFO(text);
        CHECK_FALSE(parse_broker_url(text).has_value());
    }
}

TEST_CASE("network: a login in the URL is refused without repeating it", "[config][network]") {
    const auto url = parse_broker_url("mqtts://user:secret@broker");
    REQUIRE_FALSE(url.has_value());
    CHECK_THAT(url.error().text, !Catch::Contains("secret"));
}

TEST_CASE("network: addresses that need no name server", "[config][network]") {
    CHECK(is_numeric_address("10.0.0.5"));
    CHECK(is_numeric_address("::1"));
    for (const char* text :
         {"", "localhost", "10.0.0", "10.0.0.5:502", "010.0.0.5", "[::1]", "1"}) {
        INFO(text);
        CHECK_FALSE(is_numeric_address(text));
    }
    CHECK(is_loopback("127.0.0.1"));
    CHECK(is_loopback("::1"));
    CHECK_FALSE(is_loopback("127.example"));
}

TEST_CASE("report: problems come sorted by file, line and column", "[config][report]") {
    Report report;
    const auto a = report.add_file("b.yaml");
    const auto b = report.add_file("a.yaml");
    report.error({b, 1, 1}, "4");
    report.warning({a, 2, 1}, "3");
    report.error({a, 1, 9}, "2");
    report.error({a, 0, 0}, "1");
    std::string order;
    for (const Problem& problem : report.problems()) {
        order += problem.text;
    }
    CHECK(order == "1234");
    CHECK(report.errors() == 3);
    CHECK(to_string(report.problems()[0]) == "b.yaml: error: 1");
    CHECK(to_string(report.problems()[2]) == "b.yaml:2:1: warning: 3");
}

TEST_CASE("report: quoted text stays on one line and short", "[config][report]") {
    CHECK(quoted("a\nb") == "\"a\\x0ab\"");
    CHECK(quoted(std::string(1000, 'x')).size() < 70);
    const std::string umlauts = quoted(std::string(59, 'x') + "\xc3\xbc\xc3\xbc");
    CHECK_FALSE(first_bad_byte(umlauts));
}

TEST_CASE("utf8: what RFC 3629 forbids is found", "[config][utf8]") {
    CHECK_FALSE(first_bad_byte("plain \xc3\xbc \xe2\x82\xac \xf0\x9f\x9b\x97\t\r\n"));
    for (const char* text : {"\x80",
                             "\xc1\xbf",
                             "\xe0\x9f\xbf",
                             "\xed\xa0\x80",
                             "\xf4\x90\x80\x80",
                             "\xf5\x80\x80\x80",
                             "\xc3",
                             "\xe2\x82",
                             "\xe2\x28\xa1",
                             "\x1b",
                             "\x7f"}) {
        CHECK(first_bad_byte(text));
    }
}
