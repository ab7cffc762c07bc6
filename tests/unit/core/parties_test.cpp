#include "src/core/parties.hpp"

#include "tests/support/core_builders.hpp"
#include "tests/support/core_print.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::core;
using namespace liftwarden::test;

namespace {

// Assigns and keeps the trips, as the machine does.
struct Parties {
    std::vector<Trip> trips;
    std::optional<Owner> owner;

    Party of(const Command& it, const std::string& who = "node-a") {
        return assign_party(it, who, owner, trips).party;
    }
    void own(const Party& party) { owner = Owner{party, std::nullopt, false, {}}; }
};

Party trip(const std::string& name, const std::string& who = "node-a") {
    return {who, Party::Kind::trip, name};
}

}  // namespace

TEST_CASE("party: ride comes before task, task before the source's trips", "[core][parties]") {
    Parties parties;
    CHECK(parties.of(command("1").car_call("2").task("T-1").ride("R-1")) ==
          Party{"node-a", Party::Kind::ride, "R-1"});
    CHECK(parties.of(command("2").car_call("2").task("T-1")) ==
          Party{"node-a", Party::Kind::task, "T-1"});
    CHECK(parties.of(command("3").car_call("2")) == trip("3"));
}

TEST_CASE("party: two AGVs of one node are two parties, the same task of two nodes too",
          "[core][parties]") {
    Parties parties;
    CHECK(parties.of(command("1").car_call("2").task("T-1")) !=
          parties.of(command("2").car_call("2").task("T-2")));
    CHECK(parties.of(command("3").car_call("2").task("T-1")) !=
          parties.of(command("4").car_call("2").task("T-1"), "node-b"));
}

TEST_CASE("party: the first command of a source begins its trip, the rest belongs to it",
          "[core][parties]") {
    Parties parties;
    CHECK(parties.of(command("1").hall_call("2")) == trip("1"));
    CHECK(parties.of(command("2").open()) == trip("1"));
    CHECK(parties.of(command("3").car_call("4")) == trip("1"));
    CHECK(parties.of(command("4").release()) == trip("1"));
}

TEST_CASE("party: a hall call to another floor begins a new trip, to the same floor does not",
          "[core][parties]") {
    Parties parties;
    CHECK(parties.of(command("1").hall_call("2")) == trip("1"));
    CHECK(parties.of(command("2").hall_call("2")) == trip("1"));
    CHECK(parties.of(command("3").hall_call("3")) == trip("3"));
    CHECK(parties.of(command("4").car_call("5")) == trip("3"));
}

TEST_CASE("party: a trip begun by a car call has no hall floor, any hall call begins another",
          "[core][parties]") {
    Parties parties;
    CHECK(parties.of(command("1").car_call("2")) == trip("1"));
    CHECK(parties.of(command("2").hall_call("2")) == trip("2"));
}

TEST_CASE("party: the owning trip is the present one, else the newest", "[core][parties]") {
    Parties parties;
    const Party owning = parties.of(command("1").hall_call("2"));
    parties.own(owning);
    CHECK(parties.of(command("2").hall_call("5")) == trip("2"));
    CHECK(parties.of(command("3").car_call("4")) == owning);
    CHECK(parties.of(command("4").hall_call("2")) == owning);
    // Compared with the owning trip, not with the newest.
    CHECK(parties.of(command("5").hall_call("5")) == trip("5"));
    parties.owner.reset();
    CHECK(parties.of(command("6").car_call("1")) == trip("5"));
}

TEST_CASE("party: an owning trip is kept however many others begin", "[core][parties]") {
    Parties parties;
    const Party owning = parties.of(command("own").hall_call("2"));
    parties.own(owning);
    for (int i = 0; i < 200; ++i) {
        parties.of(command("s" + std::to_string(i)).hall_call("3"), "src-" + std::to_string(i));
    }
    CHECK(parties.trips.size() <= 64);
    CHECK(parties.of(command("x").car_call("4")) == owning);
}

TEST_CASE("party: members of a group share its trips", "[core][parties]") {
    Parties parties;
    CHECK(parties.of(command("1").from("node-a").hall_call("2"), "dispatch") ==
          trip("1", "dispatch"));
    CHECK(parties.of(command("2").from("node-b").car_call("3"), "dispatch") ==
          trip("1", "dispatch"));
}

TEST_CASE("party: a trip ordered while the first is not acknowledged yet takes nothing from it",
          "[core][parties]") {
    Parties parties;
    const Party first = parties.of(command("1").hall_call("1"));
    CHECK(parties.of(command("2").hall_call("2")) == trip("2"));
    parties.own(first);
    CHECK(parties.of(command("3").hold(5)) == first);
    CHECK(parties.of(command("4").hall_call("1")) == first);
    CHECK(parties.of(command("5").release()) == first);
    for (int i = 10; i < 20; ++i) {  // however many more it orders
        parties.of(command(std::to_string(i)).hall_call(std::to_string(2 + i % 2)));
    }
    CHECK(parties.of(command("6").release()) == first);
}
