// The checker of the laws is checked: sound evidence passes, each kind of breach is found.
#include "tests/e2e/load.hpp"

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>

using namespace liftwarden::test;

namespace {

// One command's life as the simulator logs it; times in milliseconds after an arbitrary start.
std::string frame(int at, int function) {
    return R"({"t":)" + std::to_string(at) + R"(000000,"wall":"2026-05-02T14:32:01.000Z",)" +
           R"("what":"frame","elevator":"EL001","dir":"out","fn":)" + std::to_string(function) +
           "}\n";
}

std::string line(int at, const std::string& what, int wire_seq, const std::string& rest = "") {
    char wall[40];
    std::snprintf(wall, sizeof wall, "2026-05-02T14:32:%02d.%03dZ", at / 1000, at % 1000);
    return R"({"t":)" + std::to_string(at) + R"(000000,"wall":")" + wall + R"(","what":")" + what +
           R"(","elevator":"EL001","wire_seq":)" + std::to_string(wire_seq) + rest + "}\n";
}

std::string executed(int at, int wire_seq, const std::string& content) {
    return line(at, "command", wire_seq, R"(,"decision":"executed","content":")" + content + "\"");
}

boost::json::object result(const std::string& seq,
                           const std::string& status,
                           const std::string& wire_seq,
                           const std::string& at = "2026-05-02T14:32:00.900Z") {
    const bool final = status != "accepted" && status != "sent";
    return boost::json::parse(R"({"elevator":"EL001","seq":")" + seq + R"(","status":")" + status +
                              R"(","final":)" + (final ? "true" : "false") + R"(,"wire_seq":)" +
                              wire_seq + R"(,"at":")" + at + R"("})")
        .as_object();
}

Order order(const std::string& seq, const std::string& content) {
    Order made;
    made.elevator = "EL001";
    made.source = "node-a";
    made.seq = seq;
    made.content = content;
    made.ttl = 5s;
    made.first_published_ns = 900'000'000;
    return made;
}

struct Case {
    TempDir dir;
    std::string log = frame(900, 4) + line(1000, "mailbox_write", 7) +
                      executed(1050, 7, "car_call 2") + frame(1900, 4) +
                      line(2000, "mailbox_write", 8) + executed(2050, 8, "close_door");
    std::vector<boost::json::object> results{result("1", "accepted", "null"),
                                             result("1", "acked", "7"),
                                             result("2", "accepted", "null"),
                                             result("2", "acked", "8"),
                                             result("3", "accepted", "null"),
                                             result("3", "expired", "null")};
    bool received_at_once = false;

    [[nodiscard]] std::string found() const {
        write_file(dir.file("log"), log);
        Evidence evidence;
        evidence.orders = {
            order("1", "car_call 2"), order("2", "close_door"), order("3", "car_call 4")};
        evidence.results = results;
        evidence.truth = SimLog::load(dir.file("log"));
        evidence.fresh = 1s;
        evidence.received_at_once = received_at_once;
        std::string all;
        for (const std::string& breach : breaches(evidence)) {
            all += breach + "\n";
        }
        return all;
    }
};

using Catch::Matchers::Contains;

}  // namespace

TEST_CASE("the checker passes sound evidence", "[laws]") {
    CHECK(Case{}.found().empty());
}

TEST_CASE("the checker finds each breach", "[laws]") {
    Case made;
    SECTION("a second final outcome") {
        made.results.push_back(result("3", "rejected", "null"));
        CHECK_THAT(made.found(), Contains("law 10: EL001 3"));
    }
    SECTION("no final outcome") {
        made.results.pop_back();
        CHECK_THAT(made.found(), Contains("law 10: EL001 3"));
    }
    SECTION("executed and never told") {
        made.log +=
            frame(2500, 4) + line(2600, "mailbox_write", 9) + executed(2650, 9, "car_call 3");
        CHECK_THAT(made.found(), Contains("is nobody's"));
    }
    SECTION("executed and reported expired") {
        made.results.back() = result("3", "expired", "9");
        made.log +=
            frame(2500, 4) + line(2600, "mailbox_write", 9) + executed(2650, 9, "car_call 4");
        CHECK_THAT(made.found(), Contains("was not reported acked"));
    }
    SECTION("acked and not executed") {
        made.results.back() = result("3", "acked", "9");
        CHECK_THAT(made.found(), Contains("reported acked and not executed"));
    }
    SECTION("executed for another content") {
        made.log.replace(made.log.find("car_call 2"), 10, "car_call 3");
        CHECK_THAT(made.found(), Contains("was executed for car_call 2"));
    }
    SECTION("executed twice under two numbers") {
        made.log +=
            frame(2500, 4) + line(2600, "mailbox_write", 9) + executed(2650, 9, "car_call 2");
        made.results.push_back(result("1", "acked", "9"));
        CHECK_THAT(made.found(), Contains("several wire_seq"));
    }
    SECTION("written twice") {
        made.log += frame(2500, 4) + line(2600, "mailbox_write", 8);
        CHECK_THAT(made.found(), Contains("law 4") && Contains("written again"));
    }
    SECTION("written before the one before was taken") {
        made.log = frame(900, 4) + line(1000, "mailbox_write", 7) + line(1010, "mailbox_write", 8) +
                   executed(1050, 8, "close_door");
        CHECK_THAT(made.found(), Contains("law 2"));
    }
    SECTION("taken for a duplicate by the PLC") {
        made.log += line(2600, "command", 8, R"(,"decision":"duplicate","content":"close_door")");
        CHECK_THAT(made.found(), Contains("duplicate"));
    }
    SECTION("written without a fresh read") {
        made.log.erase(0, made.log.find('\n') + 1);
        CHECK_THAT(made.found(), Contains("law 8"));
    }
    SECTION("written after its TTL, from `accepted` on") {
        made.results[2] = result("2", "accepted", "null", "2026-05-02T14:31:56.000Z");
        CHECK_THAT(made.found(), Contains("law 11: EL001 2"));
    }
    SECTION("written after its TTL, from its publication on") {
        made.received_at_once = true;
        made.log +=
            frame(6900, 4) + line(7000, "mailbox_write", 9) + executed(7050, 9, "car_call 4");
        made.results.back() = result("3", "acked", "9");
        CHECK_THAT(made.found(), Contains("law 11: EL001 3"));
    }
    SECTION("a door turned round") {
        made.log += R"({"t":3000000000,"wall":"2026-05-02T14:32:03.000Z","what":"reversal",)"
                    R"("elevator":"EL001"})"
                    "\n";
        CHECK_THAT(made.found(), Contains("law 7"));
    }
}
