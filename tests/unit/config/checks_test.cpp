// Faults between places that are each fine by themselves.
#include "tests/unit/config/sample.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace liftwarden;
using namespace liftwarden::config;
using namespace liftwarden::config::test;
using namespace std::chrono_literals;

namespace {

// The sample with a second elevator whose block is the first one's after `from` became `to`.
std::string two_elevators(std::string_view from, std::string_view to) {
    const std::string& text = sample();
    const std::string block = text.substr(text.find("  EL001:"));
    return text + replaced(replaced(block, "EL001", "EL002"), from, to);
}

// The sample on a serial line.
std::string on_rtu(const std::string& baud) {
    return changed("type: tcp\n    host: 10.0.0.5",
                   "type: rtu\n    device: /dev/serial/by-id/x\n    baud: " + baud);
}

void expect_only(
    const std::string& text, Severity severity, int line, int column, const std::string& fragment) {
    const Loaded loaded = load_sample(text);
    INFO(all_texts(loaded.problems));
    REQUIRE(loaded.problems.size() == 1);
    const Problem& problem = loaded.problems[0];
    CHECK(problem.severity == severity);
    CHECK(problem.line == line);
    CHECK(problem.column == column);
    CHECK_THAT(problem.text, Catch::Contains(fragment));
    CHECK(loaded.ok() == (severity == Severity::warning));
}

void expect_error(const std::string& text, int line, int column, const std::string& fragment) {
    expect_only(text, Severity::error, line, column, fragment);
}

void expect_warning(const std::string& text, int line, int column, const std::string& fragment) {
    expect_only(text, Severity::warning, line, column, fragment);
}

std::string with_key(const std::string& key) {
    return changed("    unit: 1\n", "    unit: 1\n    " + key + "\n");
}

}  // namespace

TEST_CASE("checks: floors with one value are told apart by nothing", "[config][checks]") {
    expect_error(changed("\"2\": {value: 2}", "\"2\": {value: 1}"),
                 16,
                 20,
                 "floor \"2\" has the same value 1 as floor \"1\" at a.yaml:15:7");
}

TEST_CASE("checks: registers of one elevator must not overlap", "[config][checks]") {
    expect_error(changed("ack: holding:110", "ack: holding:103"),
                 19,
                 12,
                 "ack at holding:103..104 (40104..40105) overlaps command at holding:100..103");
    expect_error(
        changed("fault: {at: input:5, none: 0}", "fault: {at: holding:9, bits: 3, none: 0}"),
        27,
        14,
        "fault at holding:9 (40010) bit 3 overlaps mode at holding:9 (40010) bits 0..3");
    CHECK(load_sample(changed("fault: {at: input:5, none: 0}",
                              "fault: {at: holding:9, bits: 4..7, none: 0}"))
              .problems.empty());
}

TEST_CASE("checks: elevators of one unit need registers of their own", "[config][checks]") {
    const Loaded loaded = load_sample(two_elevators("unit: 1", "unit: 1"));
    INFO(all_texts(loaded.problems));
    REQUIRE(loaded.problems.size() == 1);
    CHECK(loaded.problems[0].line == 42);
    CHECK_THAT(loaded.problems[0].text,
               Catch::Contains("overlaps command of elevator \"EL001\" at a.yaml:9:3"));
    CHECK(load_sample(two_elevators("unit: 1", "unit: 2")).problems.empty());
}

TEST_CASE("checks: an elevator named twice names both places", "[config][checks]") {
    const std::string& text = sample();
    const Loaded loaded =
        load_text("a.yaml",
                  text,
                  drivers(),
                  {{"elevators.d/b.yaml", "elevators:\n" + text.substr(text.find("  EL001:"))}});
    REQUIRE(loaded.problems.size() == 1);
    CHECK(loaded.problems[0].file == "elevators.d/b.yaml");
    CHECK(loaded.problems[0].line == 2);
    CHECK_THAT(loaded.problems[0].text, Catch::Contains("already given at a.yaml:9:3"));
}

TEST_CASE("checks: a file of elevators.d holds elevators only", "[config][checks]") {
    const Loaded loaded = load_text(
        "a.yaml", sample(), drivers(), {{"b.yaml", "buses: {}\n"}, {"c.yaml", "elevators: [\n"}});
    INFO(all_texts(loaded.problems));
    REQUIRE(loaded.problems.size() == 3);
    CHECK_THAT(loaded.problems[0].text, Catch::Contains("belongs in the main file"));
    CHECK_THAT(loaded.problems[1].text, Catch::Contains("no key \"elevators\""));
    CHECK(loaded.problems[2].file == "c.yaml");
    CHECK_THAT(loaded.problems[2].text, Catch::Contains("not valid YAML"));
}

TEST_CASE("checks: a configuration needs an elevator somewhere", "[config][checks]") {
    const std::string& text = sample();
    const std::string main = text.substr(0, text.find("elevators:"));
    expect_error(main, 1, 1, "has no elevators");
    CHECK(load_text("a.yaml", main, drivers(), {{"b.yaml", text.substr(main.size())}}).ok());
}

TEST_CASE("checks: two buses on one line are refused", "[config][checks]") {
    expect_error(
        changed("elevators:", "  plc-b:\n    type: tcp\n    host: 10.0.0.5\nelevators:") +
            replaced(replaced(sample().substr(sample().find("  EL001:")), "EL001", "EL002"),
                     "bus: plc-a",
                     "bus: plc-b"),
        10,
        11,
        "bus \"plc-b\" is the same line as bus \"plc-a\" at a.yaml:5:3: 10.0.0.5 port 502");
}

TEST_CASE("checks: a bus without elevators is pointed out", "[config][checks]") {
    expect_warning(changed("elevators:", "  plc-b: {type: tcp, host: 10.0.0.6}\nelevators:"),
                   8,
                   3,
                   "no elevator uses bus \"plc-b\"");
}

TEST_CASE("checks: a device whose name changes is pointed out", "[config][checks]") {
    expect_warning(changed("type: tcp\n    host: 10.0.0.5",
                           "type: rtu\n    baud: 115200\n    device: /dev/ttyUSB0"),
                   8,
                   13,
                   "/dev/serial/by-id");
}

TEST_CASE("checks: a Modicon number behind a table name is pointed out", "[config][checks]") {
    expect_warning(changed("command: holding:100", "command: holding:40101"),
                   18,
                   16,
                   "write 40101 or holding:100");
}

TEST_CASE("checks: a password in clear text is pointed out", "[config][checks]") {
    const std::string login = "\n  username: u\n  password_file: /pw";
    expect_warning(changed("mqtts://broker.example:8883", "mqtt://broker" + login),
                   5,
                   3,
                   "goes to broker in clear text");
    CHECK(load_sample(changed("mqtts://broker.example:8883", "mqtt://127.0.0.1" + login))
              .problems.empty());
}

TEST_CASE("checks: polling that does not fit a serial line is an error", "[config][checks]") {
    expect_error(on_rtu("1200"), 5, 3, "it does not fit");
    expect_warning(on_rtu("9600"), 5, 3, "commands may have to wait");
    CHECK(load_sample(on_rtu("38400")).problems.empty());
}

TEST_CASE("checks: on TCP the load is an estimate and only warned of", "[config][checks]") {
    expect_warning(with_key("poll: 40ms"), 5, 3, "(estimated)");
}

TEST_CASE("checks: an acknowledgement needs a scan, better two", "[config][checks]") {
    const Loaded slow = load_sample(with_key("ack_timeout: 700ms\n    scan: 1s"));
    REQUIRE_FALSE(slow.ok());
    CHECK(slow.problems[0].column == 18);
    CHECK_THAT(slow.problems[0].text, Catch::Contains("shorter than the PLC's scan of 1s"));
    expect_warning(with_key("ack_timeout: 700ms\n    scan: 400ms"), 12, 18, "two scans of 400ms");
    expect_error(replaced(on_rtu("1200"),
                          "    unit: 1\n",
                          "    unit: 1\n    poll: 10s\n    scan: 50ms\n    effect_timeout: 20s\n   "
                          " ack_timeout: 500ms\n"),
                 16,
                 18,
                 "before command and acknowledgement have been transmitted");
}

TEST_CASE("checks: an effect must be visible in time", "[config][checks]") {
    expect_error(with_key("effect_timeout: 100ms"), 12, 21, "shorter than the PLC's scan of 200ms");
    expect_warning(with_key("effect_timeout: 300ms"), 12, 21, "a poll cycle together, 400ms");
    expect_error(with_key("served_timeout: 4s"), 12, 21, "shorter than effect_timeout 5s");
}

TEST_CASE("checks: stale_after must outlast the poll cycle", "[config][checks]") {
    expect_error(with_key("stale_after: 200ms"), 12, 18, "against a poll cycle of 200ms");
    expect_warning(with_key("stale_after: 300ms"), 12, 18, "one lost reading");
    // Fourteen elevators need an estimated 560 ms a round; 500 ms may still do.
    std::string many = with_key("poll: 400ms\n    stale_after: 500ms");
    const std::string block = many.substr(many.find("  EL001:"));
    for (int unit = 2; unit <= 14; ++unit) {
        many += replaced(replaced(block, "EL001", "EL" + std::to_string(100 + unit)),
                         "unit: 1",
                         "unit: " + std::to_string(unit));
    }
    const Loaded loaded = load_sample(many);
    INFO(all_texts(loaded.problems));
    CHECK(loaded.ok());
    CHECK_THAT(all_texts(loaded.problems),
               Catch::Contains("stale_after 500ms against a poll cycle"));
}

TEST_CASE("checks: response_timeout against scan, acknowledgement and line",
          "[config][checks][D57]") {
    const auto with_response = [](const std::string& value) {
        return changed("    host:", "    response_timeout: " + value + "\n    host:");
    };
    expect_warning(with_response("150ms"), 7, 23, "shorter than the scan of 200ms");
    expect_warning(with_response("3s"), 10, 3, "one lost answer uses it up");
    expect_error(
        replaced(replaced(on_rtu("2400"), "    baud", "    response_timeout: 50ms\n    baud"),
                 "    unit: 1\n",
                 "    unit: 1\n    poll: 5s\n    scan: 50ms\n    effect_timeout: 20s\n"),
        8,
        23,
        "has been transmitted");
}

TEST_CASE("checks: a TTL shorter than an acknowledgement is pointed out", "[config][checks]") {
    expect_warning(changed("buses:", "queue: {default_ttl: {door_commands: 2s}}\nbuses:"),
                   4,
                   38,
                   "default TTL 2s of door commands is shorter than the ack_timeout 3s");
    expect_warning(with_key("ack_timeout: 11s"), 12, 18, "default TTL 10s of door commands");
}

TEST_CASE("checks: a heartbeat faster than the scan is pointed out", "[config][checks]") {
    expect_warning(replaced(with_key("scan: 400ms"), "period: 2s", "period: 200ms"),
                   30,
                   18,
                   "heartbeat period 200ms is shorter than the PLC's scan of 400ms");
}

TEST_CASE("checks: keys that contradict each other", "[config][checks]") {
    expect_error(
        with_key("parks_open: true\n    unowned_open: 5s"), 13, 19, "contradicts parks_open");
    const std::string no_mode = replaced(
        replaced(
            sample(),
            "      mode: {at: \"holding:9\", bits: 0..3, values: {1: normal, 2: agv, 3: fire}}\n",
            ""),
        ", set_mode: 6",
        "");
    const Loaded loaded =
        load_sample(replaced(no_mode, "unit: 1\n", "unit: 1\n    require_mode: agv\n"));
    INFO(all_texts(loaded.problems));
    REQUIRE(loaded.problems.size() == 2);  // the other is the driver's warning about the mode
    CHECK(loaded.problems[0].line == 12);
    CHECK_THAT(loaded.problems[0].text, Catch::Contains("needs the service mode"));
}

TEST_CASE("checks: what the driver finds is put at its place", "[config][checks]") {
    expect_error(
        changed("results: {1: accepted, ", "results: {"), 31, 14, "no number means accepted");
    expect_error(changed("    sides: {front: 0, rear: 1}", "    sides: {front: 0, rear: 0}"),
                 32,
                 29,
                 "already means");
    expect_error(
        changed("      door_rear: {at: input:3, values: {0: closed, 1: opening, 2: open, 3: "
                "closing}}\n",
                ""),
        18,
        7,
        "door_rear is not mapped");
}

TEST_CASE("checks: stale_after follows the computed poll cycle", "[config][checks]") {
    const auto stale_after = [](const std::string& text) {
        const Loaded loaded = load_sample(text);
        INFO(all_texts(loaded.problems));
        REQUIRE(loaded.ok());
        return loaded.settings.elevators.at(0).core.stale_after;
    };
    CHECK(stale_after(sample()) == 1s);
    CHECK(stale_after(with_key("poll: 500ms")) == 1500ms);
    CHECK(stale_after(with_key("poll: 500ms\n    stale_after: 2s")) == 2s);
}

TEST_CASE("checks: response_timeout grows by the time of transmission", "[config][checks][D57]") {
    const auto timeout = [](const std::string& text) {
        const Loaded loaded = load_sample(text);
        INFO(all_texts(loaded.problems));
        REQUIRE(loaded.ok());
        return loaded.settings.buses.at(0).response_timeout;
    };
    CHECK(timeout(sample()) == 500ms);
    // The longest transaction writes four registers: 25 bytes of 11 bits and twice 1.75 ms.
    CHECK(timeout(on_rtu("38400")) == 500ms + 11ms);
}

TEST_CASE("checks: everything wrong shows in one run, in the order of the file",
          "[config][checks]") {
    std::string text = sample();
    for (const auto& [from, to] : std::vector<std::pair<const char*, const char*>>{
             {"site: dc-east", "site: dc/east"},
             {"mqtts:", "tcp:"},
             {"10.0.0.5", "plc"},
             {"unit: 1", "unit: 0\n    pol: 1s"},
             {"\"2\": {value: 2}", "\"2\": {value: 1}"},
             {"ack: holding:110", "ack: 110"},
             {"bits: 0..3", "bits: 0..30"},
             {"3: busy", "4: bussy"}}) {
        text = replaced(text, from, to);
    }
    const Loaded loaded = load_sample(text + "lock: {}\n");
    INFO(all_texts(loaded.problems));
    std::vector<std::pair<int, int>> places;
    for (const Problem& problem : loaded.problems) {
        places.emplace_back(problem.line, problem.column);
    }
    CHECK(places == std::vector<std::pair<int, int>>{{1, 28},
                                                     {3, 8},
                                                     {7, 11},
                                                     {11, 11},
                                                     {12, 5},
                                                     {17, 20},
                                                     {20, 12},
                                                     {27, 37},
                                                     {32, 43},
                                                     {34, 7},
                                                     {34, 7}});
}

TEST_CASE("checks: a wrong duration does not hide what is wrong with the map", "[config][checks]") {
    const Loaded loaded = load_sample(replaced(with_key("poll: 1"), "holding:110", "holding:100"));
    INFO(all_texts(loaded.problems));
    REQUIRE(loaded.problems.size() == 2);
    CHECK_THAT(loaded.problems[1].text, Catch::Contains("overlaps command"));
}

TEST_CASE("checks: a lock block becomes the lock service's settings", "[config][lock]") {
    const Loaded loaded = load_sample(sample() +
                                      "lock: {redis: \"redis://10.0.0.2:6380/3\", scheme: "
                                      "redisson_fenced, takeover_after: 45s}\n");
    INFO(all_texts(loaded.problems));
    REQUIRE(loaded.ok());
    REQUIRE(loaded.settings.lock);
    CHECK(loaded.settings.lock->addresses == std::vector<ports::HostPort>{{"10.0.0.2", 6380}});
    CHECK(loaded.settings.lock->database == 3);
    CHECK(loaded.settings.core_config().lock->scheme == core::LockScheme::redisson_fenced);
    CHECK(loaded.settings.core_config().lock->takeover_after == 45s);
    const Loaded sentinels = load_sample(
        sample() + "lock: {sentinels: [10.0.0.2, \"10.0.0.3:7\"], master: m, scheme: string}\n");
    INFO(all_texts(sentinels.problems));
    REQUIRE(sentinels.settings.lock);
    CHECK(sentinels.settings.lock->addresses ==
          std::vector<ports::HostPort>{{"10.0.0.2", 26379}, {"10.0.0.3", 7}});
}

TEST_CASE("checks: what would make a lock block useless or dangerous is an error",
          "[config][lock]") {
    const auto [block, words] = GENERATE(table<std::string, std::string>({
        {"{scheme: redisson}", "lock needs redis"},
        {"{redis: \"redis://10.0.0.2\"}", "scheme"},
        {"{redis: \"redis://10.0.0.2\", scheme: redison}", "redisson"},
        {"{redis: \"redis://lock-server\", scheme: string}", "numeric address"},
        {"{redis: \"rediss://10.0.0.2\", scheme: string}", "TLS"},
        {"{redis: \"redis://u:p@10.0.0.2\", scheme: string}", "login"},
        {"{redis: \"redis://10.0.0.2/x\", scheme: string}", "database"},
        {"{redis: \"redis://10.0.0.2\", scheme: string, key: \"lift:lock\"}", "{elevator}"},
        {"{redis: \"redis://10.0.0.2\", scheme: string, key: \"a:{elevater}\"}", "brace"},
        {"{redis: \"redis://10.0.0.2\", scheme: string, takeover_after: 20s}", "max_lease"},
        {"{redis: \"redis://10.0.0.2\", scheme: string, max_lease: 60s}", "max_lease"},
        {"{redis: \"redis://10.0.0.2\", scheme: string, master: m}", "sentinels"},
        {"{sentinels: [10.0.0.2], scheme: string}", "master"},
        {"{redis: \"redis://10.0.0.2\", scheme: string, password: x}", "password_file"},
        {"{redis: \"redis://10.0.0.2\", scheme: string, verify: always}", "required"},
    }));
    const Loaded loaded = load_sample(sample() + "lock: " + block + "\n");
    INFO(block << "\n" << all_texts(loaded.problems));
    CHECK_FALSE(loaded.ok());
    CHECK_THAT(all_texts(loaded.problems), Catch::Contains(words));
}
