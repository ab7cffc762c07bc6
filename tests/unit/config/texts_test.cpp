// Messages that must say what was meant, not only that it was wrong.
#include "tests/unit/config/sample.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace liftwarden::config;
using namespace liftwarden::config::test;

namespace {

struct Meant {
    const char* from;
    const char* to;
    const char* text;
};

void check_all(const std::vector<Meant>& cases) {
    for (const Meant& one : cases) {
        INFO("with " << one.to << " for " << one.from);
        const Loaded loaded = load_sample(changed(one.from, one.to));
        INFO(all_texts(loaded.problems));
        REQUIRE(loaded.problems.size() == 1);
        CHECK_THAT(loaded.problems[0].text, Catch::Contains(one.text));
    }
}

}  // namespace

TEST_CASE("texts: what must be a mapping says what goes into it", "[config][texts]") {
    check_all({
        {"\"2\": {value: 2}",
         "\"2\": 2",
         "floor \"2\" of elevator \"EL001\" must be a mapping such as {value: 2}, not \"2\""},
        {"\"2\": {value: 2}", "\"2\": [2]", "such as {value: ...}, not a list"},
        {"\"2\": {value: 2}", "\"2\":", "floor \"2\" of elevator \"EL001\" has no value; it must"},
        {"gateway: {id: gw-01, site: dc-east}",
         "gateway: gw-01",
         "gateway must be a mapping such as {id: ..., site: ...}, not \"gw-01\""},
        {"    type: tcp\n    host: 10.0.0.5",
         "    tcp",
         "bus \"plc-a\" must be a mapping such as {type: tcp}, not \"tcp\""},
    });
}

TEST_CASE("texts: a key without a blank after its colon is shown with one", "[config][texts]") {
    check_all({
        {"{value: 0}", "{value: 0, doors:front}", "did you mean \"doors: front\"?"},
        {"{at: input:5, none: 0}",
         "{at: input:5, none:0}",
         "\"none:0\" in register \"fault\" has no blank after its colon; did you mean \"none: "
         "0\"?"},
    });
}

TEST_CASE("texts: a number of a register names its register", "[config][texts]") {
    check_all({
        {"0: stopped, 1: up, 2: down", "1: up, 2: down", "direction: no number means stopped"},
        {"2: down}",
         "2: dwn}",
         "2 of the values of direction must be one of stopped, up, down, not \"dwn\"; did you mean "
         "\"down\"?"},
        {"{0: stopped", "{x: stopped", "a key of the values of direction must be a whole number"},
        {"2: refused", "2: no", "2 of results must be one of accepted, refused, busy, not \"no\""},
        {"{0: closed, 1: opening, 2: open, 3: closing}\n      door_rear",
         "{1: opening, 2: open, 3: closing}\n      door_rear",
         "door: no number means closed"},
        {"1: normal, 2: agv",
         "1: normal, 4: agv, 2: agv",
         "mode: set_mode needs exactly one number that means agv, here are 2"},
    });
}

TEST_CASE("texts: a missing section is called by its name", "[config][texts]") {
    check_all({
        {"    sides: {front: 0, rear: 1}\n",
         "",
         "the key \"sides\" is required, with the PLC's numbers for both"},
        {"sides: {front: 0, rear: 1}", "sides: {front: 0}", "sides has no number for rear"},
    });
}

TEST_CASE("texts: a misspelt `buses` is told once", "[config][texts]") {
    for (const char* name : {"bus", "busses", "Buses", "buss"}) {
        const Loaded loaded = load_sample(changed("buses:", std::string(name) + ":"));
        INFO(all_texts(loaded.problems));
        REQUIRE(loaded.problems.size() == 2);
        CHECK_THAT(all_texts(loaded.problems), Catch::Contains("did you mean \"buses\"?"));
        CHECK_THAT(all_texts(loaded.problems), Catch::Contains("no key \"buses\""));
    }
    const Loaded list = load_sample(
        changed("buses:\n  plc-a:\n    type: tcp\n    host: 10.0.0.5", "buses: [plc-a]"));
    INFO(all_texts(list.problems));
    CHECK(list.problems.size() == 1);
}

TEST_CASE("texts: other endings of a word are near it", "[config][texts]") {
    check_all({
        {"    unit: 1", "    unit: 1\n    polling: 1s", "unknown key \"polling\""},
        {"registers:\n      command",
         "registers:\n      doors: input:9\n      command",
         "did you mean \"door\"?"},
    });
    for (const auto& [from, to] : {std::pair{"    floors:", "    floor:"},
                                   std::pair{"    results:", "    result:"},
                                   std::pair{"    registers:", "    register:"},
                                   std::pair{"    actions:", "    action:"}}) {
        const Loaded loaded = load_sample(changed(from, to));
        INFO(all_texts(loaded.problems));
        CHECK_THAT(all_texts(loaded.problems), Catch::Contains("did you mean"));
    }
}

TEST_CASE("texts: a host says what is wrong with it", "[config][texts]") {
    check_all({
        {"host: 10.0.0.5",
         "host: 10.0.0.5:502",
         "the port goes into a key of its own: host: \"10.0.0.5\", port: 502"},
        {"host: 10.0.0.5", "host: \"[fe80::1]:502\"", "host: \"fe80::1\", port: 502"},
        {"host: 10.0.0.5", "host: \"[fe80::1]\"", "did you mean \"fe80::1\"?"},
        {"host: 10.0.0.5", "host: tcp://10.0.0.5", "remove \"tcp://\""},
        {"host: 10.0.0.5", "host: 10.0.0.256", "four numbers from 0 to 255"},
        {"host: 10.0.0.5", "host: 10.0.5", "four numbers from 0 to 255"},
        {"host: 10.0.0.5", "host: plc.local", "looking up a name could block the bus"},
    });
}

TEST_CASE("texts: a broker's URL without its scheme, or with another's", "[config][texts]") {
    check_all({
        {"mqtts://broker.example:8883", "broker:1883", "did you mean \"mqtt://broker:1883\"?"},
        {"mqtts://broker.example:8883", "tcp://broker:1883", "did you mean \"mqtt://broker:1883\""},
        {"mqtts://broker.example:8883",
         "ssl://broker:8883",
         "did you mean \"mqtts://broker:8883\""},
        {"mqtts://broker.example:8883", "\"mqtts://fe80::1\"", "brackets around its IPv6 address"},
    });
}

TEST_CASE("texts: the protocol's level is not its version", "[config][texts]") {
    check_all({
        {"url: m",
         "version: 4\n  url: m",
         "must be one of 5, 3.1.1, not \"4\"; did you mean 3.1.1?"},
        {"url: m", "version: 3.1\n  url: m", "did you mean 3.1.1?"},
        {"url: m", "version: 5.0\n  url: m", "did you mean 5?"},
        {"url: m", "version: 6\n  url: m", "must be one of 5, 3.1.1, not \"6\""},
    });
    CHECK_THAT(load_sample(changed("url: m", "version: 6\n  url: m")).problems[0].text,
               !Catch::Contains("did you mean"));
}

TEST_CASE("texts: a duration written otherwise is shown as it is written", "[config][texts]") {
    check_all({
        {"    unit: 1", "    unit: 1\n    poll: 200 ms", "did you mean 200ms?"},
        {"    unit: 1", "    unit: 1\n    poll: 1m", "did you mean 1min?"},
        {"    unit: 1", "    unit: 1\n    poll: 1.5s", "did you mean 1500ms?"},
        {"    unit: 1", "    unit: 1\n    poll: 0.5 min", "did you mean 30s?"},
        {"    unit: 1", "    unit: 1\n    poll: 2 Sec", "did you mean 2s?"},
        {"    unit: 1", "    unit: 1\n    poll: 2 seconds", "did you mean 2s?"},
        {"    unit: 1", "    unit: 1\n    poll: 200", "its unit is missing: 200ms, 200s?"},
        {"    unit: 1", "    unit: 1\n    poll: 200MS", "did you mean 200ms?"},
        {"buses:", "journal: {max_size: 512MB}\nbuses:", "did you mean 512MiB?"},
        {"buses:", "journal: {max_size: 1 GiB}\nbuses:", "did you mean 1GiB?"},
        {"buses:", "queue: {source_share: 50%}\nbuses:", "did you mean 0.5?"},
    });
    for (const char* text : {"", "s", "-1s", "fast", "99999999999s", "1e3s", "1parsec", "0x10"}) {
        const Loaded loaded = load_sample(
            changed("    unit: 1", "    unit: 1\n    poll: \"" + std::string(text) + "\""));
        INFO(all_texts(loaded.problems));
        REQUIRE(loaded.problems.size() == 1);
        CHECK_THAT(loaded.problems[0].text, !Catch::Contains("did you mean"));
    }
}

TEST_CASE("texts: invisible characters are shown by their number", "[config][texts]") {
    check_all({
        {"    unit: 1",
         "    unit: 1\n    \xc2\xa0poll: 1s",
         "unknown key \"<U+00A0>poll\" in elevator \"EL001\"; did you mean \"poll\"?"},
        {"type: tcp", "type: tcp\xe2\x80\x8b", "not \"tcp<U+200B>\""},
    });
}
