#include "tests/component/redis/fixture.hpp"
#include "tests/support/mosquitto.hpp"
#include "tests/support/net.hpp"

#include <catch2/catch.hpp>

namespace liftwarden::test {
namespace {

using core::Health;

// A settings file's worth of login, with the password in a file.
struct Account {
    TempDir dir;
    std::optional<std::string> username;

    void password(const std::string& text) { write_file(dir.file("password"), text); }
    ports::LockSettings settings(std::uint16_t port) const {
        auto result = lock_settings(port);
        result.username = username;
        result.password_file = dir.file("password");
        return result;
    }
};

void expect_misconfigured(Service& service, const std::string& detail) {
    const auto probe = service.probe(Health::misconfigured);
    CAPTURE(probe.detail);
    CHECK(contains(probe.detail, detail));
}

bool never_an_outage(const Service& service) {
    const auto probes = service.events.of<core::LockProbed>();
    return std::none_of(probes.begin(), probes.end(), [](const auto& probe) {
        return probe.health == Health::outage;
    });
}

TEST_CASE("redis login: a password, alone or with a name", "[component][redis]") {
    Account account;
    account.password("secret\n");
    SECTION("alone") {
        RedisServer server({"requirepass secret"});
        Service service(account.settings(server.port()));
        service.wait_until_usable();
    }
    SECTION("with a name") {
        RedisServer server({"user default off", "user gw on >secret ~* &* +@all"});
        account.username = "gw";
        Service service(account.settings(server.port()));
        service.wait_until_usable();
        CHECK(service.hold("gw:1").done == core::LockDone::ours);
    }
}

TEST_CASE("redis login: what is refused is our own fault, and is named", "[component][redis]") {
    RedisServer server({"requirepass secret"});
    Account account;
    SECTION("no password") {
        Service service(lock_settings(server.port()));
        expect_misconfigured(service, "NOAUTH");
        CHECK_FALSE(service.check("uuid:1").reading);
        CHECK(service.hold("gw:1").done == core::LockDone::forbidden);
        CHECK(never_an_outage(service));
        CHECK(service.locks.status().health == Health::misconfigured);
        CHECK(service.log.contain("our own login"));
    }
    SECTION("a wrong one, corrected without a restart") {
        account.password("secret-wrong");
        Service service(account.settings(server.port()));
        expect_misconfigured(service, "WRONGPASS");
        CHECK_FALSE(service.log.contain("secret-wrong"));
        CHECK(never_an_outage(service));
        account.password("secret");
        service.wait_until_usable();
    }
    SECTION("a file that is not there") {
        Service service(account.settings(server.port()));
        expect_misconfigured(service, account.dir.file("password"));
        CHECK(never_an_outage(service));
    }
    SECTION("a password where none is wanted") {
        RedisServer open;
        account.password("secret");
        Service service(account.settings(open.port()));
        expect_misconfigured(service, "AUTH");
    }
}

TEST_CASE("redis login: missing permissions are our own fault", "[component][redis]") {
    RedisServer server({"user gw on >secret ~* &* +@all"});
    RedisClient admin(server.port());
    Account account;
    account.password("secret");
    account.username = "gw";
    RedissonThread node(server.port(), lock_key, "uuid:1");
    REQUIRE(node.try_lock(60s));
    SECTION("to write the probe: verification goes on") {
        admin.command({"ACL", "SETUSER", "gw", "-set"});
        Service service(account.settings(server.port()));
        expect_misconfigured(service, "NOPERM");
        CHECK(service.reading("uuid:1").claim_matches);
        CHECK(never_an_outage(service));
    }
    SECTION("to read the lock") {
        admin.command({"ACL", "SETUSER", "gw", "resetkeys", "~liftwarden:*"});
        Service service(account.settings(server.port()));
        service.probe(Health::usable);
        CHECK(wait_until([&] {
            const auto answer = service.check("uuid:1");
            return !answer.reading && contains(answer.detail, "access");
        }));
    }
    SECTION("to run scripts") {
        admin.command({"ACL", "SETUSER", "gw", "-eval_ro"});
        Service service(account.settings(server.port()));
        expect_misconfigured(service, "NOPERM");
    }
    SECTION("taken away while it runs") {
        Service service(account.settings(server.port()));
        service.wait_until_usable();
        admin.command({"ACL", "SETUSER", "gw", "-@all"});
        expect_misconfigured(service, "NOPERM");
        CHECK(never_an_outage(service));
        admin.command({"ACL", "SETUSER", "gw", "+@all"});
        service.wait_until_usable();
    }
    SECTION("the documented ones are enough") {
        admin.command({"ACL",
                       "SETUSER",
                       "gw",
                       "reset",
                       "on",
                       ">secret",
                       "+auth",
                       "+select",
                       "+client|setname",
                       "+ping",
                       "+info",
                       "+role",
                       "+time",
                       "+eval",
                       "+eval_ro",
                       "+type",
                       "+get",
                       "+hget",
                       "+hlen",
                       "+hkeys",
                       "+pttl",
                       "+set",
                       "+hexists",
                       "+hset",
                       "+pexpire",
                       "+del",
                       "+publish",
                       "~liftwarden:probe:*",
                       "~agv:lift:control:*",
                       "~redisson_lock_token:*",
                       "resetchannels",
                       "&redisson_lock__channel:*"});
        auto settings = account.settings(server.port());
        settings.rules.scheme = core::LockScheme::redisson_fenced;
        settings.database = 1;
        Service service(settings);
        service.wait_until_usable();
        CHECK(service.hold("gw:1").done == core::LockDone::ours);
        CHECK(service.reading("gw:1").claim_matches);
        CHECK(service.reading("uuid:1").holder == "gw:1");
        const auto returned = service.give_back("gw:1", 7);
        CHECK(returned.done == core::LockDone::ours);
        CHECK(returned.detail.empty());
    }
}

TEST_CASE("redis login: a command that does not exist is our own fault", "[component][redis]") {
    RedisServer server({"rename-command SET \"\""});
    Service service(lock_settings(server.port()));
    expect_misconfigured(service, "unknown command");
}

TEST_CASE("redis login: a database that does not exist is our own fault", "[component][redis]") {
    RedisServer server;
    auto settings = lock_settings(server.port());
    settings.database = 99;
    Service service(settings);
    expect_misconfigured(service, "DB index");
}

TEST_CASE("redis login: a host name is no address", "[component][redis]") {
    auto settings = lock_settings(1);
    settings.addresses = {{"localhost", 6379}};
    Service service(settings);
    expect_misconfigured(service, "numeric");
}

TEST_CASE("redis login: a Sentinel in the place of a server is our own fault",
          "[component][redis]") {
    RedisServer server;
    RedisSentinel sentinel(server.port(), 5'000);
    Service service(lock_settings(sentinel.port()));
    service.probe(Health::misconfigured);
    CHECK_FALSE(service.check("uuid:1").reading);
}

TEST_CASE("redis login: a port that speaks TLS is not taken for a dead server",
          "[component][redis]") {
    TempDir certificates;
    make_certificates(certificates, "127.0.0.1");
    const std::uint16_t tls_port = free_port();
    RedisServer server({"tls-port " + std::to_string(tls_port),
                        "tls-cert-file " + certificates.file("server.crt"),
                        "tls-key-file " + certificates.file("server.key"),
                        "tls-ca-cert-file " + certificates.file("ca.crt")});
    Service service(lock_settings(tls_port));
    expect_misconfigured(service, "");
}

}  // namespace
}  // namespace liftwarden::test
