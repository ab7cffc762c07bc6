// The lock block, as field engineers get it wrong.
#include "tests/unit/config/sample.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace liftwarden;
using namespace liftwarden::config;
using namespace liftwarden::config::test;
using namespace std::chrono_literals;

namespace {

Loaded with_lock(const std::string& block) {
    return load_sample(sample() + "lock: " + block + "\n");
}

// At one server of this machine, with these keys as well.
Loaded with_local_lock(const std::string& keys) {
    return with_lock("{redis: \"redis://127.0.0.1\", scheme: redisson, " + keys + "}");
}

void expect_only(const Loaded& loaded, Severity severity, const std::string& words) {
    INFO(all_texts(loaded.problems));
    REQUIRE(loaded.problems.size() == 1);
    CHECK(loaded.problems[0].severity == severity);
    CHECK_THAT(loaded.problems[0].text, Catch::Contains(words));
}

}  // namespace

TEST_CASE("lock: a wrong address says what was meant", "[config][lock]") {
    const auto [redis, words] = GENERATE(table<std::string, std::string>({
        {"127.0.0.1:6379",
         "must begin with redis://, not \"127.0.0.1:6379\"; did you mean "
         "\"redis://127.0.0.1:6379\"?"},
        {"tcp://127.0.0.1/3", "did you mean \"redis://127.0.0.1/3\"?"},
        {"redis://::1", "brackets around its IPv6 address"},
        {"redis://fe80::1:6379", "the port behind them: [fe80::1]:6379"},
        {"redis://[::1", "no IPv6 address between its brackets"},
        {"redis://[fe80::1%eth0]", "no IPv6 address between its brackets"},
        {"redis://127.0.0.1:6379?db=1", "ends at the database; remove everything from \"?\" on"},
        {"redis://127.0.0.1/1024", "has no database from 0 to 1023; \"1024\" is none"},
        {"redis://127.0.0.1:x", "has no port from 1 to 65535; \"x\" is none"},
        {"redis://redis.local", "needs a numeric address, not \"redis.local\""},
        {"redis://", "has no host name or address"},
    }));
    INFO(redis);
    expect_only(with_lock("{redis: \"" + redis + "\", scheme: string}"), Severity::error, words);
}

TEST_CASE("lock: a wrong list of Sentinels says what was meant", "[config][lock]") {
    const auto [list, words] = GENERATE(table<std::string, std::string>({
        {"127.0.0.1:26379", "must be a list such as [10.0.0.2, 10.0.0.3:26379], not \"127"},
        {"[redis://127.0.0.1]", "is an address without a scheme; remove \"redis://\""},
        {"[127.0.0.1/0]", "ends at the port; remove \"/0\""},
        {"[127.0.0.1, s2]", "\"s2\" needs a numeric address"},
        {"[\"::1\"]", "brackets around its IPv6 address"},
        {"[127.0.0.1, 127.0.0.1:26379]", "sentinels names \"127.0.0.1:26379\" twice"},
        {"[{host: 127.0.0.1}]", "an entry is an address such as 10.0.0.2:26379, not a mapping"},
        {"[u:p@127.0.0.1]", "must not contain a login"},
        {"[]", "must list 1 to 16 addresses"},
    }));
    const Loaded loaded = with_lock("{sentinels: " + list + ", master: m, scheme: string}");
    INFO(list);
    expect_only(loaded, Severity::error, words);
    CHECK(all_texts(loaded.problems).find("u:p") == std::string::npos);
}

TEST_CASE("lock: Sentinels may have IPv6 addresses", "[config][lock]") {
    const Loaded loaded =
        with_lock("{sentinels: [\"[::1]\", \"[::1]:7\"], master: m, scheme: string}");
    INFO(all_texts(loaded.problems));
    REQUIRE(loaded.ok());
    CHECK(loaded.settings.lock->addresses ==
          std::vector<ports::HostPort>{{"::1", 26379}, {"::1", 7}});
}

TEST_CASE("lock: a port of the other kind of server is doubted", "[config][lock]") {
    expect_only(with_lock("{redis: \"redis://127.0.0.1:26379\", scheme: string}"),
                Severity::warning,
                "port 26379 is that of a Sentinel");
    expect_only(with_lock("{sentinels: [127.0.0.1:6379], master: m, scheme: string}"),
                Severity::warning,
                "port 6379 is that of a Redis server");
}

TEST_CASE("lock: a key that names no elevator shows the mistake", "[config][lock]") {
    const auto [key, words] = GENERATE(table<std::string, std::string>({
        {"\"lift:EL001\"", "does not contain {elevator}"},
        {"\"lift:{Elevator}\"", "has \"{Elevator}\", which is not {elevator}"},
        {"\"lift:{id}\"", "has \"{id}\", which is not {elevator}"},
        {"\"lift:{elevator\"", "has \"{elevator\", which is not {elevator}"},
        {"\"lift:{{elevator}}\"", "braces twice, which stands for the braces as such"},
        {"\"lift:<elevator>\"", "does not contain {elevator}"},
        {"{elevator}", "must be text; put it in quotes, such as \"agv:lift:control:{elevator}\""},
        {"\"\"", "must be text of 1 to 256 bytes"},
    }));
    INFO(key);
    expect_only(with_local_lock("key: " + key), Severity::error, words);
}

TEST_CASE("lock: keys of the connection belong into its URL", "[config][lock]") {
    for (const char* key : {"host: 127.0.0.1", "port: 6379", "database: 1", "url: x"}) {
        INFO(key);
        expect_only(with_local_lock(key), Severity::error, "goes into the URL: redis: \"redis://");
    }
}

TEST_CASE("lock: the client's class is not the name of the scheme", "[config][lock]") {
    const auto [given, meant] = GENERATE(table<std::string, std::string>({
        {"RLock", "is written redisson"},
        {"RFencedLock", "is written redisson_fenced"},
        {"SETNX", "is written string"},
        {"redisson-fenced", "did you mean \"redisson_fenced\"?"},
    }));
    expect_only(
        with_lock("{redis: \"redis://127.0.0.1\", scheme: " + given + "}"), Severity::error, meant);
}

TEST_CASE("lock: units and misspelt keys are told as everywhere", "[config][lock]") {
    const auto [key, words] = GENERATE(table<std::string, std::string>({
        {"freshness: 200", "a number with a unit"},
        {"freshness: 0.2s", "not \"0.2s\""},
        {"takeover_after: 45", "takeover_after must be a number with a unit"},
        {"take_over_after: 45s", "did you mean \"takeover_after\"?"},
        {"max-lease: 20s", "did you mean \"max_lease\"?"},
        {"probe: 8s", "no time for three probes before takeover_after 30s"},
        {"connections: 0", "from 1 to 32"},
        {"username: u", "username needs password_file beside it"},
        {"max_lease: 3200ms", "does not outlast the ack_timeout 3s of elevator \"EL001\""},
    }));
    INFO(key);
    expect_only(with_local_lock(key), Severity::error, words);
    CHECK(with_local_lock("max_lease: 3201ms").ok());
}

TEST_CASE("lock: an empty block is one problem", "[config][lock]") {
    expect_only(with_lock(""), Severity::error, "lock has no value; it must be a mapping");
    expect_only(with_lock("redisson"), Severity::error, "lock must be a mapping");
}

TEST_CASE("lock: a server elsewhere that anybody may write to is doubted", "[config][lock]") {
    const std::string words = "there is no password_file: if 10.0.0.2 takes anybody";
    expect_only(
        with_lock("{redis: \"redis://10.0.0.2\", scheme: string}"), Severity::warning, words);
    expect_only(with_lock("{sentinels: [127.0.0.1, 10.0.0.2], master: m, scheme: string}"),
                Severity::warning,
                words);
    for (const char* own : {"127.0.0.1", "[::1]"}) {
        INFO(own);
        CHECK(with_lock("{redis: \"redis://" + std::string(own) + "\", scheme: string}")
                  .problems.empty());
    }
    CHECK(with_lock("{redis: \"redis://10.0.0.2\", password_file: /pw, scheme: string}")
              .problems.empty());
}
