// After kill -9, fresh commands were `expired` although they had waited nowhere: the journal told
// the next process of a contact with the broker that was up to 20 s old.
#include "tests/support/site/site.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::test;

namespace {

// Neither expiry nor issued_at: nothing but the gateway's own absence tells how old it may be.
std::string open_door(const std::string& seq, int ttl_ms) {
    return R"("seq":")" + seq + R"(","action":"open_door","ttl_ms":)" + std::to_string(ttl_ms);
}

void pass(Millis time) {
    std::this_thread::sleep_for(time);  // the age of what is remembered is what this is about
}

}  // namespace

TEST_CASE("regress: a fresh command after kill -9 is executed, however long the gateway was up",
          "[regress]") {
    Site site;
    Node node(site, "node-a");
    // More than the TTL; what is stored 5 s after a resumed session is only known from then on.
    pass(9s);
    site.crash_daemon();
    site.wait_ready();
    node.send(open_door("1", 8000));
    CHECK(node.final_of("1").at("status") == "acked");
}

TEST_CASE("regress: a fresh command after kill -9 in the first second is executed", "[regress]") {
    SiteOptions options;
    options.start_daemon = false;
    Site site(options);
    site.start_daemon();
    site.wait_ready();
    site.crash_daemon();
    site.wait_ready();
    Node node(site, "node-a");
    node.send(open_door("1", 8000));
    CHECK(node.final_of("1").at("status") == "acked");
}

TEST_CASE("regress: what the broker held while the gateway was dead for long still expires",
          "[regress]") {
    Site site;
    Node node(site, "node-a");
    site.daemon().kill();
    node.send(open_door("1", 2000));
    pass(4s);
    site.start_daemon();
    const auto result = node.final_of("1");
    CHECK(result.at("status") == "expired");
    CHECK(result.at("reason") == "ttl");
}
