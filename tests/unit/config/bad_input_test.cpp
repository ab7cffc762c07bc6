// One fault in an otherwise valid file: exactly one problem, at its place, with the text that
// helps.
#include "tests/unit/config/sample.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace liftwarden::config;
using namespace liftwarden::config::test;

namespace {

struct Bad {
    const char* from;
    const char* to;
    int line;
    int column;
    const char* text;
};

void check_all(const std::vector<Bad>& cases) {
    for (const Bad& bad : cases) {
        INFO("with " << bad.to << " for " << bad.from);
        const Loaded loaded = load_sample(changed(bad.from, bad.to));
        INFO(all_texts(loaded.problems));
        CHECK_FALSE(loaded.ok());
        REQUIRE(loaded.problems.size() == 1);
        const Problem& problem = loaded.problems.front();
        CHECK(problem.file == "a.yaml");
        CHECK(problem.line == bad.line);
        CHECK(problem.column == bad.column);
        CHECK_THAT(problem.text, Catch::Contains(bad.text));
    }
}

}  // namespace

TEST_CASE("config: a wrong key names its place and the key that was meant", "[config][bad]") {
    check_all({
        {"gateway: {id", "Gateway: {}\ngateway: {id", 1, 1, "did you mean \"gateway\"?"},
        {"site: dc-east", "site: dc-east, sight: x", 1, 37, "unknown key \"sight\" in gateway"},
        {"  url:", "  prefx: lift\n  url:", 3, 3, "\"prefx\" in mqtt; did you mean \"prefix\"?"},
        {"    host:", "    prot: 502\n    host:", 7, 5, "did you mean \"port\"?"},
        {"    host:", "    baud: 9600\n    host:", 7, 5, "\"baud\" belongs to buses of type rtu"},
        {"    unit: 1", "    unit: 1\n    pol: 200ms", 12, 5, "did you mean \"poll\"?"},
        {"    unit: 1", "    unit: 1\n    ack-timeout: 3s", 12, 5, "did you mean \"ack_timeout\"?"},
        {"    unit: 1", "    unit: 1\n    zzz: 3s", 12, 5, "key \"zzz\" in elevator \"EL001\""},
        {"      ack: hold", "      flor: input:9\n      ack: hold", 19, 7, "mean \"floor\"?"},
        {"values: {0: stopped", "valus: {}, values: {0: stopped", 21, 32, "mean \"values\"?"},
        {"period: 2s", "perid: 2s", 29, 36, "did you mean \"period\"?"},
        {"{value: 0}", "{value: 0, door: [front]}", 14, 22, "did you mean \"doors\"?"},
        {"hall_call: 1", "hal_call: 1", 30, 15, "did you mean \"hall_call\"?"},
        {"sides: {front: 0", "sides: {left: 5, front: 0", 32, 13, "unknown key \"left\" in sides"},
        {"url: m", "password: secret\n  url: m", 3, 3, "\"password\" must not stand here"},
    });
}

TEST_CASE("config: a key given twice names both places", "[config][bad]") {
    check_all({
        {"buses:", "mqtt: {}\nbuses:", 4, 1, "already given at a.yaml:2:1"},
        {"    unit: 1", "    unit: 1\n    unit: 2", 12, 5, "duplicate key \"unit\""},
        {"\"2\": {value: 2}",
         "\"1\": {value: 2}",
         16,
         7,
         "\"1\"; it is already given at a.yaml:15:7"},
        {"1: up, 2: down", "1: up, 1: down", 21, 60, "duplicate key \"1\""},
    });
}

TEST_CASE("config: a missing key is reported at its mapping", "[config][bad]") {
    check_all({
        {"id: gw-01, ", "", 1, 10, "gateway has no key \"id\""},
        {"gateway: {id: gw-01, site: dc-east}\n", "", 1, 1, "no key \"gateway\""},
        {"  url: mqtts://broker.example:8883", "  version: 5", 3, 3, "mqtt has no key \"url\""},
        {"    type: tcp\n", "", 6, 5, "bus \"plc-a\" has no key \"type\""},
        {"    host: 10.0.0.5\n", "", 6, 5, "bus \"plc-a\" has no key \"host\""},
        {"    unit: 1\n", "", 10, 5, "elevator \"EL001\" has no key \"unit\""},
        {"    driver: mailbox\n", "", 10, 5, "has no key \"driver\""},
        {"B1: {value: 0}",
         "B1: {doors: [front]}",
         14,
         11,
         "floor \"B1\" of elevator \"EL001\" has no"},
        {"      ack: holding:110\n",
         "",
         18,
         7,
         "registers of elevator \"EL001\" has no key \"ack\""},
        {"{at: input:1, values", "{values", 21, 18, "register \"direction\" has no key \"at\""},
        {"    results: {1: accepted, 2: refused, 3: busy}\n", "", 10, 5, "has no key \"results\""},
        {"direction: {at: input:1, values: {0: stopped, 1: up, 2: down}}",
         "direction: input:1",
         21,
         18,
         "direction needs values"},
    });
}

TEST_CASE("config: a value of the wrong kind says what was expected", "[config][bad]") {
    check_all({
        {"gateway: {id: gw-01, site: dc-east}", "gateway: gw-01", 1, 10, "must be a mapping"},
        {"type: tcp", "type: [tcp]", 6, 11, "type must be one of tcp, rtu, not a list"},
        {"unit: 1", "unit:", 11, 5, "unit has no value; it must be a whole number from 1 to 247"},
        {"unit: 1", "unit: \"1\"", 11, 11, "remove the quotes"},
        {"unit: 1", "unit: 010", 11, 11, "no leading zeros), not \"010\""},
        {"unit: 1", "unit: 0x1", 11, 11, "not \"0x1\""},
        {"unit: 1", "unit: 1.5", 11, 11, "not \"1.5\""},
        {"unit: 1", "unit: {a: 1}", 11, 11, "not a mapping"},
        {"unit: 1", "unit: 1\n    parks_open: yes", 12, 17, "must be true or false, not \"yes\""},
        {"unit: 1", "unit: 1\n    parks_open: \"true\"", 12, 17, "remove the quotes"},
        {"unit: 1", "unit: 1\n    hold_door_max: 60s", 12, 20, "from 1 to 3600"},
        {"doors: [front, rear]", "doors: front", 15, 30, "doors must be a list"},
        {"doors: [front, rear]", "doors: []", 15, 30, "at least one side"},
        {"actions: {hall_call: 1,", "actions: {hall_call: one,", 30, 26, "not \"one\""},
        {"results: {1: accepted", "results: {one: accepted", 31, 15, "not \"one\""},
    });
}

TEST_CASE("config: a value outside its range names the range", "[config][bad]") {
    check_all({
        {"unit: 1", "unit: 0", 11, 11, "a whole number from 1 to 247, not \"0\""},
        {"unit: 1", "unit: 248", 11, 11, "not \"248\""},
        {"unit: 1", "unit: 99999999999999999999", 11, 11, "from 1 to 247"},
        {"{value: 0}", "{value: 65536}", 14, 19, "from -32768 to 65535"},
        {"host:", "port: 0\n    host:", 7, 11, "port must be a whole number from 1 to 65535"},
        {"unit: 1", "unit: 1\n    poll: 5ms", 12, 11, "from 20ms to 1min, not \"5ms\""},
        {"period: 2s", "period: 1h", 29, 44, "from 100ms to 1min"},
        {"actions: {hall_call: 1,", "actions: {hall_call: -1,", 30, 26, "from 0 to 65535"},
        {"results: {1:", "results: {0:", 31, 15, "from 1 to 65535, not \"0\""},
        {"values: {1: normal", "values: {16: normal", 26, 52, "16 can never be read here"},
        {"fault: {at: input:5, none: 0}",
         "fault: {at: discrete:5, none: 2}",
         27,
         37,
         "possible are 0 to 1"},
    });
}

TEST_CASE("config: a duration needs a unit", "[config][bad]") {
    check_all({
        {"unit: 1", "unit: 1\n    poll: 200", 12, 11, "a number with a unit"},
        {"unit: 1", "unit: 1\n    poll: 0", 12, 11, "a number with a unit"},
        {"unit: 1", "unit: 1\n    poll: 4m", 12, 11, "(ms, s, min, h, d), such as 200ms"},
        {"unit: 1", "unit: 1\n    poll: 1.5s", 12, 11, "not \"1.5s\""},
        {"unit: 1", "unit: 1\n    poll: 200 ms", 12, 11, "not \"200 ms\""},
        {"unit: 1", "unit: 1\n    poll: -1s", 12, 11, "not \"-1s\""},
        {"unit: 1", "unit: 1\n    poll: [200ms]", 12, 11, "not a list"},
        {"unit: 1", "unit: 1\n    poll: 99999999d", 12, 11, "at most 3650d"},
    });
}

TEST_CASE("config: an address that cannot be is explained", "[config][bad]") {
    check_all({
        {"ack: holding:110", "ack: 110", 19, 12, "is no register address"},
        {"ack: holding:110", "ack: holdng:110", 19, 12, "did you mean \"holding\"?"},
        {"ack: holding:110", "ack: holding:-1", 19, 12, "0 to 65535"},
        {"ack: holding:110", "ack: holding:x", 19, 12, "is no register address"},
        {"ack: holding:110", "ack: holding:65535", 19, 12, "no room for the 2 registers of ack"},
        {"ack: holding:110", "ack: 40000", 19, 12, "begin with 1"},
        {"ack: holding:110", "ack: 20001", 19, 12, "stands for no table"},
        {"ack: holding:110", "ack: 465537", 19, 12, "1 to 65536"},
        {"ack: holding:110", "ack: 00010", 19, 12, "it may stand in holding, input"},
        {"ack: holding:110", "ack: [40111]", 19, 12, "not a list"},
        {"bits: 0..3", "bits: 3..0", 26, 37, "the lower one first, not \"3..0\""},
        {"bits: 0..3", "bits: 0..16", 26, 37, "within 0..15"},
        {"command: holding:100", "command: {at: holding:100, function: 6}", 18, 44, "one of 16"},
        {"command: holding:100", "command: {at: holding:100, bits: 1}", 18, 34, "is not possible"},
        {"occupied: discrete:0", "occupied: {at: discrete:0, bits: 0}", 28, 40, "is one bit"},
    });
}

TEST_CASE("config: a word outside the vocabulary is refused", "[config][bad]") {
    check_all({
        {"driver: mailbox", "driver: mailbx", 12, 13, "did you mean \"mailbox\"?"},
        {"1: opening, 2: open", "1: openning, 2: open", 24, 32, "did you mean \"opening\"?"},
        {"2: refused", "2: refuse", 31, 31, "did you mean \"refused\"?"},
        {"2: refused", "2: accepted", 31, 31, "\"accepted\" is already number 1"},
        {"[front, rear]", "[front, back]", 15, 38, "one of front, rear, not \"back\""},
        {"[front, rear]", "[front, rear, front]", 15, 44, "names \"front\" twice"},
        {"unit: 1", "unit: 1\n    require_mode: fire", 12, 19, "one of none, agv"},
        {"unit: 1", "unit: 1\n    calls_while_moving: yes", 12, 25, "one of hold, allow"},
        {"url: m", "version: 4\n  url: m", 3, 12, "one of 5, 3.1.1, not \"4\""},
    });
}

TEST_CASE("config: names that cannot stand in a topic are refused", "[config][bad]") {
    check_all({
        {"id: gw-01", "id: \"gw/01\"", 1, 15, "\"gw/01\" must be 1 to 64 characters"},
        {"site: dc-east", "site: \"\"", 1, 28, "\"\" must be 1 to 64 characters"},
        {"  EL001:", "  EL+1:", 9, 3, "elevator \"EL+1\" must be"},
        {"  EL001:", "  any:", 9, 3, "is a word of the topics"},
        {"  EL001:", "  reply:", 9, 3, "is a word of the topics"},
        {"  url: m", "  prefix: a/b\n  url: m", 3, 11, "\"a/b\" must be"},
        {"      B1:", "      \" B1\":", 14, 7, "must not begin or end with a blank"},
        {"      B1:", "      \"\":", 14, 7, "1 to 64 bytes long"},
    });
}

TEST_CASE("config: brokers and buses must be reachable as written", "[config][bad]") {
    check_all({
        {"mqtts://broker.example:8883", "tcp://broker:1883", 3, 8, "must begin with mqtt://"},
        {"mqtts://broker.example:8883", "mqtts://u:p@broker", 3, 8, "must not contain a login"},
        {"mqtts://broker.example:8883", "mqtts://broker:99999", 3, 8, "\"99999\" is none"},
        {"mqtts://broker.example:8883", "mqtts://", 3, 8, "has no host name"},
        {"mqtts://broker.example:8883", "mqtts://a/b", 3, 8, "remove \"/b\""},
        {"mqtts://broker.example:8883", "\"mqtts://[::g]\"", 3, 8, "no IPv6 address"},
        {"host: 10.0.0.5", "host: plc.local", 7, 11, "looking up a name could block the bus"},
        {"host: 10.0.0.5", "host: 10.0.0.256", 7, 11, "numeric IPv4 or IPv6"},
        {"bus: plc-a", "bus: plc_b", 10, 10, "unknown bus \"plc_b\"; did you mean \"plc-a\"?"},
        {"url: m", "keepalive: 5500ms\n  url: m", 3, 14, "must be whole seconds"},
        {"url: m", "password_file: pw\n  username: u\n  url: m", 3, 18, "an absolute path"},
        {"url: m", "password_file: /pw\n  url: m", 3, 3, "password_file needs username"},
        {"url: m", "cert_file: /c\n  url: m", 3, 3, "cert_file needs key_file"},
        {"mqtts://broker.example:8883", "mqtt://b\n  ca_file: /c", 4, 3, "no effect with mqtt://"},
    });
}

TEST_CASE("config: what this version cannot do is refused, never ignored", "[config][bad]") {
    check_all({
        {"buses:", "banks: {east: [EL001]}\nbuses:", 4, 1, "not supported by this version"},
        {"buses:", "rides: {any: false}\nbuses:", 4, 1, "not supported by this version"},
        {"unit: 1", "unit: 1\n    profile: mailbox-v1", 12, 5, "not supported by this version"},
    });
}

TEST_CASE("config: process-wide sections are checked like all others", "[config][bad]") {
    check_all({
        {"buses:", "control: {socket: x.sock}\nbuses:", 4, 19, "an absolute path"},
        {"buses:", "journal: {retention: 1h}\nbuses:", 4, 22, "from 1d to 3650d"},
        {"buses:", "journal: {max_size: 512}\nbuses:", 4, 21, "such as 512MiB"},
        {"buses:", "journal: {max_size: 1MiB}\nbuses:", 4, 21, "from 8MiB to 64GiB"},
        {"buses:", "queue: {depth: 0}\nbuses:", 4, 16, "from 1 to 1024"},
        {"buses:", "queue: {source_share: 3/2}\nbuses:", 4, 23, "such as 1/2 or 0.5"},
        {"buses:", "queue: {source_share: 0}\nbuses:", 4, 23, "such as 1/2 or 0.5"},
        {"buses:", "queue: {depth: 1}\nbuses:", 4, 8, "less than one place"},
        {"buses:", "queue: {default_ttl: 5min}\nbuses:", 4, 22, "must be a mapping"},
        {"buses:", "queue: {default_ttl: {calls: 20min}}\nbuses:", 4, 30, "from 100ms to 10min"},
        {"buses:", "source_groups: {a: []}\nbuses:", 4, 20, "must list 1 to 64 sources"},
        {"buses:", "source_groups: {a: n1}\nbuses:", 4, 20, "must be a list of sources"},
        {"buses:", "source_groups: {a: [n/1]}\nbuses:", 4, 21, "source \"n/1\" must be"},
        {"buses:",
         "source_groups: {a: [n1], b: [n1]}\nbuses:",
         4,
         30,
         "already in a group, at a.yaml:4:21"},
        {"buses:",
         "source_groups: {a: [n1], n1: [n2]}\nbuses:",
         4,
         26,
         "has the name of a source in group \"a\""},
    });
}
