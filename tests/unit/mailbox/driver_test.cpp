#include "drivers/mailbox/driver.hpp"

#include "tests/unit/mailbox/map_fixture.hpp"

#include <catch2/catch.hpp>

#include <optional>
#include <string>

using namespace liftwarden;
using ports::BusFault;
using ports::ReadRequest;
using ports::RegisterTable;
using ports::WriteRequest;
using Outcome = core::WriteOutcome::Kind;

namespace {

class Ticks final : public ports::Clock {
  public:
    core::TimePoint now() const override { return core::TimePoint{std::chrono::seconds{++time_}}; }
    core::WallTime wall() const override { return {}; }
    bool wall_is_synchronised() const override { return false; }

  private:
    mutable int time_ = 0;
};

// Holds registers whose value is their address, and notes what is asked of it.
class NotingBus final : public ports::RegisterBus {
  public:
    ports::BusResult<std::vector<std::uint16_t>> read(const ReadRequest& request) override {
        reads.push_back(request);
        if (reads.size() == fail_at) {
            return BusFault{BusFault::Kind::silent, 0, "no answer in time"};
        }
        if (reads.size() == reconnect_at) {
            ++links;
        }
        std::vector<std::uint16_t> words;
        for (std::uint16_t i = 0; i < request.count; ++i) {
            words.push_back(request.table == RegisterTable::holding
                                ? static_cast<std::uint16_t>(request.address + i)
                                : std::uint16_t{1});
        }
        return words;
    }
    core::WriteOutcome write(const WriteRequest& request) override {
        writes.push_back(request);
        return {Outcome::confirmed, std::nullopt, {}};
    }
    void abort() override {}
    std::uint64_t link() const override { return links; }

    std::vector<ReadRequest> reads;
    std::vector<WriteRequest> writes;
    std::size_t fail_at = 0;
    std::size_t reconnect_at = 0;
    std::uint64_t links = 4;
};

}  // namespace

TEST_CASE("mailbox driver: a full reading has state, echo, heartbeat, link and its first moment",
          "[mailbox][driver]") {
    const mailbox::MailboxDriver driver(test::full_map());
    NotingBus bus;
    const auto reading = driver.read(bus, core::ReadKind::full, Ticks{});
    REQUIRE(reading.has_value());
    CHECK(reading->at == core::TimePoint{std::chrono::seconds{1}});
    CHECK(reading->link == 4);
    CHECK(reading->ack.echo == core::Echo{110});
    CHECK(reading->ack.raw_result == 111);
    CHECK(reading->heartbeat == 120);
    CHECK(reading->observation->floor == core::FloorLabel{"1"});
    CHECK(bus.reads.size() == 4);
}

TEST_CASE("mailbox driver: an acknowledgement is one transaction and no observation",
          "[mailbox][driver]") {
    const mailbox::MailboxDriver driver(test::full_map());
    NotingBus bus;
    const auto reading = driver.read(bus, core::ReadKind::acknowledgement, Ticks{});
    REQUIRE(reading.has_value());
    CHECK_FALSE(reading->observation.has_value());
    CHECK_FALSE(reading->heartbeat);
    CHECK(bus.reads == std::vector<ReadRequest>{{3, RegisterTable::holding, 110, 2}});
}

TEST_CASE("mailbox driver: the first fault ends a reading", "[mailbox][driver]") {
    const mailbox::MailboxDriver driver(test::full_map());
    NotingBus bus;
    bus.fail_at = 2;
    const auto reading = driver.read(bus, core::ReadKind::full, Ticks{});
    REQUIRE_FALSE(reading.has_value());
    CHECK(reading.error().kind == BusFault::Kind::silent);
    CHECK(bus.reads.size() == 2);
}

TEST_CASE("mailbox driver: half a reading from each of two connections is none",
          "[mailbox][driver]") {
    const mailbox::MailboxDriver driver(test::full_map());
    NotingBus bus;
    bus.reconnect_at = 3;
    CHECK_FALSE(driver.read(bus, core::ReadKind::full, Ticks{}).has_value());
}

TEST_CASE("mailbox driver: a command is one write of four registers", "[mailbox][driver]") {
    const mailbox::MailboxDriver driver(test::full_map());
    NotingBus bus;
    core::Content content;
    content.action = core::ActionKind::car_call;
    content.floor = core::FloorLabel{"2"};
    CHECK(driver.write(bus, {content, core::WireSeq{812}}).kind == Outcome::confirmed);
    CHECK(bus.writes == std::vector<WriteRequest>{{3, 16, 100, {2, 2, 0, 812}}});
    content.floor = core::FloorLabel{"nowhere"};
    const auto outcome = driver.write(bus, {content, core::WireSeq{813}});
    CHECK(outcome.kind == Outcome::not_written);
    CHECK(outcome.detail == "the map cannot carry car_call nowhere");
    CHECK(bus.writes.size() == 1);
}

TEST_CASE("mailbox driver: the heartbeat is written with the map's function", "[mailbox][driver]") {
    auto map = test::full_map();
    NotingBus bus;
    CHECK(mailbox::MailboxDriver(map).heartbeat(bus, 9).kind == Outcome::confirmed);
    map.registers["heartbeat"].function = 16;
    CHECK(mailbox::MailboxDriver(map).heartbeat(bus, 10).kind == Outcome::confirmed);
    CHECK(bus.writes == std::vector<WriteRequest>{{3, 6, 120, {9}}, {3, 16, 120, {10}}});
    map.registers.erase("heartbeat");
    CHECK(mailbox::MailboxDriver(map).heartbeat(bus, 11).kind == Outcome::not_written);
    CHECK(bus.writes.size() == 2);
}
