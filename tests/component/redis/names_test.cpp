#include "src/adapters/redis/names.hpp"

#include "src/adapters/redis/failure.hpp"

#include <catch2/catch.hpp>

namespace liftwarden::redis {
namespace {

std::string named(const std::string& pattern) {
    return lock_name(pattern, core::ElevatorId("EL001"));
}

TEST_CASE("redis names: the pattern makes the lock's key", "[component][redis]") {
    CHECK(named("agv:lift:control:{elevator}") == "agv:lift:control:EL001");
    CHECK(named("{elevator}") == "EL001");
    CHECK(named("lift:{{{elevator}}}:lock") == "lift:{EL001}:lock");
    CHECK(named("{{elevator}}:{elevator}") == "{elevator}:EL001");
    CHECK(named("{elevator}-{elevator}") == "EL001-EL001");
    CHECK(named("a{b}c{") == "a{b}c{");
}

TEST_CASE("redis names: what stands beside a lock shares its slot", "[component][redis]") {
    const LockNames plain = lock_names("lift:{elevator}", core::ElevatorId("EL001"));
    CHECK(plain.counter == "redisson_lock_token:{lift:EL001}");
    CHECK(plain.channel == "redisson_lock__channel:{lift:EL001}");
    const LockNames tagged = lock_names("lift:{{{elevator}}}", core::ElevatorId("EL001"));
    CHECK(tagged.counter == "redisson_lock_token:lift:{EL001}");
    CHECK(tagged.channel == "redisson_lock__channel:lift:{EL001}");
}

TEST_CASE("redis: errors of a server are an outage or our own fault", "[component][redis]") {
    const auto health = [](const std::string& text) {
        return health_of({Failure::Kind::refused, text});
    };
    for (const char* text : {"LOADING Redis is loading the dataset in memory",
                             "MASTERDOWN Link with MASTER is down",
                             "CLUSTERDOWN Hash slot not served",
                             "BUSY Redis is busy running a script",
                             "MISCONF Errors writing to the AOF file",
                             "OOM command not allowed when used memory > 'maxmemory'.",
                             "NOREPLICAS Not enough good replicas to write.",
                             "READONLY You can't write against a read only replica.",
                             "TRYAGAIN Multiple keys request during rehashing of slot",
                             "ERR max number of clients reached",
                             "ERR something new"}) {
        CAPTURE(text);
        CHECK(health(text) == core::Health::outage);
    }
    for (const char* text : {"NOAUTH Authentication required.",
                             "WRONGPASS invalid username-password pair or user is disabled.",
                             "NOPERM this user has no permissions to run the 'set' command",
                             "ERR The user executing the script can't run this command",
                             "ERR unknown command 'SET', with args beginning with: ",
                             "ERR AUTH <password> called without any password configured",
                             "ERR invalid password",
                             "ERR DB index is out of range",
                             "DENIED Redis is running in protected mode",
                             "MOVED 1234 10.0.0.3:6379"}) {
        CAPTURE(text);
        CHECK(health(text) == core::Health::misconfigured);
    }
}

}  // namespace
}  // namespace liftwarden::redis
