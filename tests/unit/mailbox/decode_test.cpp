#include "drivers/mailbox/decode.hpp"

#include "tests/unit/mailbox/map_fixture.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden;
using core::AckResult;
using core::DoorState;
using core::ServiceMode;
using core::Travel;
using mailbox::Snapshot;
using ports::RegisterTable;

namespace {

// floor, direction, door, mode, fault, target, rear door; occupied, door_blocked.
Snapshot state(std::vector<std::uint16_t> words, std::vector<std::uint16_t> bits = {0, 0}) {
    Snapshot snapshot;
    const auto count = static_cast<std::uint16_t>(words.size());
    snapshot.add({3, RegisterTable::input, 0, count}, std::move(words));
    snapshot.add({3, RegisterTable::discrete, 0, 2}, std::move(bits));
    return snapshot;
}

core::Observation decode(std::vector<std::uint16_t> words,
                         std::vector<std::uint16_t> bits = {0, 0}) {
    return mailbox::decode_state(test::full_map(), state(std::move(words), std::move(bits)));
}

core::Acknowledgement ack(std::uint16_t echo, std::uint16_t result) {
    Snapshot snapshot;
    snapshot.add({3, RegisterTable::holding, 110, 2}, {echo, result});
    return mailbox::decode_ack(test::full_map(), snapshot);
}

}  // namespace

TEST_CASE("mailbox decode: registers become words of the map", "[mailbox][decode]") {
    const auto seen = decode({1, 2, 3, 2, 0, 2, 1}, {1, 0});
    CHECK(seen.floor == core::FloorLabel{"1"});
    CHECK(seen.travel == Travel::down);
    CHECK(seen.front == DoorState::closing);
    CHECK(seen.rear == DoorState::opening);
    CHECK(seen.mode == ServiceMode::agv);
    CHECK_FALSE(seen.fault);
    CHECK(seen.target == core::FloorLabel{"2"});
    CHECK(seen.occupied == true);
    CHECK(seen.door_blocked == false);
    CHECK_FALSE(seen.undecodable);
}

TEST_CASE("mailbox decode: a fault code is passed on, none is no fault", "[mailbox][decode]") {
    CHECK(decode({0, 0, 0, 1, 17, 255, 0}).fault == 17);
    auto map = test::full_map();
    map.registers["fault"].none = 1;
    CHECK_FALSE(mailbox::decode_state(map, state({0, 0, 0, 1, 1, 255, 0})).fault);
    CHECK(mailbox::decode_state(map, state({0, 0, 0, 1, 0, 255, 0})).fault == 0);
}

TEST_CASE("mailbox decode: unknown door, direction and floor codes make it undecodable",
          "[mailbox][decode]") {
    CHECK(decode({7, 0, 0, 1, 0, 255, 0}).undecodable == "floor 7");
    CHECK(decode({1, 9, 0, 1, 0, 255, 0}).undecodable == "direction 9");
    CHECK(decode({1, 0, 4, 1, 0, 255, 0}).undecodable == "door 4");
    CHECK(decode({1, 0, 0, 1, 0, 255, 65535}).undecodable == "door_rear 65535");
    const auto first = decode({7, 9, 4, 1, 0, 255, 8});
    CHECK(first.undecodable == "floor 7");
    CHECK_FALSE(first.floor);
    CHECK_FALSE(first.front);
    CHECK_FALSE(first.rear);
}

TEST_CASE("mailbox decode: an unknown mode code refuses everything, no mapping is normal",
          "[mailbox][decode]") {
    CHECK(decode({1, 0, 0, 99, 0, 255, 0}).mode == ServiceMode::unknown);
    auto map = test::full_map();
    map.registers.erase("mode");
    CHECK(mailbox::decode_state(map, state({1, 0, 0, 99, 0, 255, 0})).mode == ServiceMode::normal);
}

TEST_CASE("mailbox decode: between floors and without target are not faults", "[mailbox][decode]") {
    auto map = test::full_map();
    map.registers["floor"].none = 99;
    const auto seen = mailbox::decode_state(map, state({99, 1, 0, 1, 0, 255, 0}));
    CHECK_FALSE(seen.floor);
    CHECK_FALSE(seen.target);
    CHECK_FALSE(seen.undecodable);
    CHECK_FALSE(decode({1, 0, 0, 1, 0, 44, 0}).undecodable);  // an unknown target hurts nobody
}

TEST_CASE("mailbox decode: fields lie in bits of a register", "[mailbox][decode]") {
    auto map = test::full_map();
    for (const char* key : {"floor", "direction", "door", "mode"}) {
        map.registers[key].address = 0;
    }
    map.registers["floor"].bits = ports::BitRange{0, 3};
    map.registers["direction"].bits = ports::BitRange{4, 5};
    map.registers["door"].bits = ports::BitRange{6, 7};
    map.registers["mode"].bits = ports::BitRange{12, 15};
    const auto seen = mailbox::decode_state(map, state({0x4F92, 0, 0, 0, 0, 255, 0}));
    CHECK(seen.floor == core::FloorLabel{"2"});
    CHECK(seen.travel == Travel::up);
    CHECK(seen.front == DoorState::open);
    CHECK(seen.mode == ServiceMode::inspection);
}

TEST_CASE("mailbox decode: basements may be negative", "[mailbox][decode]") {
    auto map = test::full_map();
    map.floors[0].value = -1;
    const auto seen = mailbox::decode_state(map, state({0xFFFF, 0, 0, 1, 0, 255, 0}));
    CHECK(seen.floor == core::FloorLabel{"B1"});
}

TEST_CASE("mailbox decode: an inverted contact is a matter of the map", "[mailbox][decode]") {
    auto map = test::full_map();
    map.registers["occupied"].values = {{1, "free"}, {0, "occupied"}};
    const auto with = [&map](std::uint16_t bit) {
        return mailbox::decode_state(map, state({1, 0, 0, 1, 0, 255, 0}, {bit, 0})).occupied;
    };
    CHECK(with(1) == false);
    CHECK(with(0) == true);
    // A number that nobody explained is taken for the case in which nothing is released.
    map.registers["occupied"].table = RegisterTable::input;
    map.registers["occupied"].address = 5;
    CHECK(mailbox::decode_state(map, state({1, 0, 0, 1, 0, 255, 0})).occupied == true);
}

TEST_CASE("mailbox decode: what is not mapped is not known", "[mailbox][decode]") {
    auto map = test::full_map();
    for (const char* key : {"target", "occupied", "door_blocked", "door_rear", "fault"}) {
        map.registers.erase(key);
    }
    const auto seen = mailbox::decode_state(map, state({1, 0, 0, 1, 5, 2, 2}));
    CHECK_FALSE(seen.target);
    CHECK_FALSE(seen.occupied);
    CHECK_FALSE(seen.door_blocked);
    CHECK_FALSE(seen.rear);
    CHECK_FALSE(seen.fault);
}

TEST_CASE("mailbox decode: echo and result", "[mailbox][decode]") {
    CHECK(ack(812, 1).result == AckResult::accepted);
    CHECK(ack(812, 2).result == AckResult::refused);
    CHECK(ack(812, 3).result == AckResult::busy);
    CHECK(ack(812, 1).echo == core::Echo{812});
    CHECK(ack(0, 0).result == AckResult::none);
    CHECK(ack(812, 0).result == AckResult::unrecognised);
    const auto odd = ack(812, 77);
    CHECK(odd.result == AckResult::unrecognised);
    CHECK(odd.raw_result == 77);
}
