#include "drivers/modbus/schedule.hpp"

#include <catch2/catch.hpp>

#include <map>

using namespace liftwarden;
using namespace std::chrono_literals;
using modbus::Job;
using modbus::Schedule;
using Kind = Job::Kind;
using Outcome = Schedule::Outcome;

namespace {

constexpr core::TimePoint start{1000s};

// A schedule in its world: every transaction takes `cost`, a silent unit `timeout`.
struct Bus {
    explicit Bus(std::size_t units, core::Duration poll = 200ms)
        : schedule(std::vector<core::Duration>(units, poll), start) {}

    // One job, at once or when it becomes due.
    Job step() {
        for (;;) {
            if (auto job = schedule.next(now)) {
                carry_out(*job);
                return *job;
            }
            REQUIRE(*schedule.wake_at() > now);
            now = *schedule.wake_at();
        }
    }

    void carry_out(const Job& job) {
        if (job.kind == Kind::reject_grant || job.kind == Kind::reject_read) {
            return;
        }
        const auto started = now;
        const bool answers = !silent.count(job.unit);
        now += answers ? cost : timeout;
        const bool full = job.kind == Kind::poll || job.kind == Kind::grant ||
                          (job.kind == Kind::read && job.read == core::ReadKind::full);
        schedule.completed(job.unit,
                           !answers ? Outcome::silent
                           : full   ? Outcome::fresh
                                    : Outcome::answered,
                           started,
                           now);
        if (full && answers) {
            const auto before = last.emplace(job.unit, started).first;
            worst_age[job.unit] = std::max(worst_age[job.unit], started - before->second);
            before->second = started;
        }
        ++jobs[{job.kind, job.unit}];
    }

    Schedule schedule;
    core::TimePoint now = start;
    core::Duration cost = 10ms;
    core::Duration timeout = 500ms;
    std::map<std::size_t, bool> silent;
    std::map<std::size_t, core::TimePoint> last;
    std::map<std::size_t, core::Duration> worst_age;
    std::map<std::pair<Kind, std::size_t>, int> jobs;
};

// All units polled once, the time just after it.
Bus fresh_bus(std::size_t units) {
    Bus bus(units);
    for (std::size_t i = 0; i < units; ++i) {
        const Job job = bus.step();
        REQUIRE(job.kind == Kind::poll);
    }
    return bus;
}

}  // namespace

TEST_CASE("schedule: polls come by deadline and keep their period", "[modbus][schedule]") {
    Bus bus(2);
    std::vector<std::size_t> order;
    for (int i = 0; i < 6; ++i) {
        order.push_back(bus.step().unit);
    }
    CHECK(order == std::vector<std::size_t>{0, 1, 0, 1, 0, 1});
    CHECK(bus.now == start + 400ms + 20ms);
}

TEST_CASE("schedule: grants, then reads, then heartbeats, then polls", "[modbus][schedule][C40]") {
    Bus bus = fresh_bus(4);
    bus.now += 200ms;  // every poll is due
    bus.schedule.request_heartbeat(0, 77);
    bus.schedule.request_read(1, core::ReadKind::acknowledgement);
    bus.schedule.request_grant(2, core::GrantId{5});
    CHECK(bus.step() == Job{Kind::grant, 2, core::GrantId{5}, {}, 0});
    CHECK(bus.step() == Job{Kind::read, 1, {}, core::ReadKind::acknowledgement, 0});
    CHECK(bus.step() == Job{Kind::heartbeat, 0, {}, {}, 77});
    CHECK(bus.step().kind == Kind::poll);
}

TEST_CASE("schedule: grants of several units are served in the order they came",
          "[modbus][schedule]") {
    Bus bus = fresh_bus(3);
    bus.schedule.request_grant(2, core::GrantId{1});
    bus.schedule.request_grant(0, core::GrantId{2});
    bus.schedule.request_grant(1, core::GrantId{3});
    CHECK(bus.step().unit == 2);
    CHECK(bus.step().unit == 0);
    CHECK(bus.step().unit == 1);
}

TEST_CASE("schedule: a unit has one grant, one read and one heartbeat waiting",
          "[modbus][schedule]") {
    Bus bus = fresh_bus(1);
    CHECK_FALSE(bus.schedule.request_grant(0, core::GrantId{1}));
    CHECK(bus.schedule.request_grant(0, core::GrantId{2}) == core::GrantId{1});
    bus.schedule.request_read(0, core::ReadKind::full);
    bus.schedule.request_read(0, core::ReadKind::acknowledgement);
    bus.schedule.request_heartbeat(0, 1);
    bus.schedule.request_heartbeat(0, 2);
    CHECK(bus.step().grant == core::GrantId{2});
    const Job read = bus.step();
    CHECK(read.kind == Kind::read);
    CHECK(read.read == core::ReadKind::full);
    CHECK(bus.step().heartbeat == 2);
    CHECK(bus.step().kind == Kind::poll);
}

TEST_CASE("schedule: a grant that is withdrawn is not served", "[modbus][schedule]") {
    Bus bus = fresh_bus(1);
    bus.schedule.request_grant(0, core::GrantId{1});
    CHECK_FALSE(bus.schedule.withdraw_grant(0, core::GrantId{2}));
    CHECK(bus.schedule.withdraw_grant(0, core::GrantId{1}));
    CHECK_FALSE(bus.schedule.next(bus.now));
}

TEST_CASE("schedule: a due poll answers the read that waits for the same unit",
          "[modbus][schedule]") {
    Bus bus = fresh_bus(1);
    bus.now += 10s;
    bus.schedule.request_read(0, core::ReadKind::acknowledgement);
    CHECK(bus.step().kind == Kind::poll);
    CHECK_FALSE(bus.schedule.next(bus.now));
}

TEST_CASE("schedule: commands without end do not let any state grow old",
          "[modbus][schedule][M21]") {
    Bus bus = fresh_bus(4);
    for (std::uint64_t i = 0; i < 2000; ++i) {
        bus.schedule.request_grant(0, core::GrantId{i});
        bus.schedule.request_read(1, core::ReadKind::acknowledgement);
        bus.step();
    }
    for (std::size_t unit = 1; unit < 4; ++unit) {
        INFO("unit " << unit);
        CHECK(bus.worst_age[unit] <= 2 * 200ms + 4 * 2 * bus.cost);
    }
    CHECK(bus.jobs[{Kind::grant, 0}] > 1500);
}

TEST_CASE("schedule: polling that cannot keep up does not hold commands back",
          "[modbus][schedule][B22][C40]") {
    Bus bus(20);
    bus.cost = 60ms;  // a round takes 1.2 s, six times the poll
    for (int i = 0; i < 40; ++i) {
        bus.step();
    }
    for (std::uint64_t i = 0; i < 200; ++i) {
        bus.schedule.request_grant(7, core::GrantId{i});
        if (bus.step().kind != Kind::grant) {
            CHECK(bus.step().kind == Kind::grant);
        }
    }
    CHECK(bus.jobs[{Kind::grant, 7}] == 200);
}

TEST_CASE("schedule: a silent unit is asked once more, then left alone for long",
          "[modbus][schedule]") {
    Bus bus(2);
    bus.silent[1] = true;
    std::vector<core::TimePoint> probes;
    while (bus.now < start + 60s) {
        const auto before = bus.now;
        if (bus.step().unit == 1) {
            probes.push_back(before);
        }
    }
    REQUIRE(probes.size() > 5);
    CHECK(probes[1] - probes[0] <= bus.timeout + 200ms + bus.cost);
    for (std::size_t i = 2; i < probes.size(); ++i) {
        const auto rest = probes[i] - probes[i - 1] - bus.timeout;
        CHECK(rest >= Schedule::rest_share * bus.timeout);
        CHECK(rest <= Schedule::rest_share * bus.timeout + bus.cost);
    }
}

TEST_CASE("schedule: one dead unit of eight costs the others under a tenth",
          "[modbus][schedule][M22][C39]") {
    for (const core::Duration timeout : {60ms, 500ms, 2000ms}) {
        const auto polls_of_the_others = [timeout](bool dead) {
            Bus bus(8);
            bus.timeout = timeout;
            if (dead) {
                bus.silent[3] = true;
            }
            // From the second failure on.
            while (dead && bus.jobs[{Kind::poll, 3}] < 2) {
                bus.step();
            }
            bus.jobs.clear();
            const auto from = bus.now;
            while (bus.now < from + 120s) {
                bus.step();
            }
            int polls = 0;
            for (std::size_t unit = 0; unit < 8; ++unit) {
                polls += unit == 3 ? 0 : bus.jobs[{Kind::poll, unit}];
            }
            return polls;
        };
        INFO(timeout.count());
        CHECK(polls_of_the_others(true) > polls_of_the_others(false) * 9 / 10);
    }
}

TEST_CASE("schedule: commands wait for a dead unit once per its back-off period",
          "[modbus][schedule][C39]") {
    Bus bus(8);
    bus.silent[3] = true;
    while (bus.jobs[{Kind::poll, 3}] < 2) {
        bus.step();
    }
    int waited_long = 0;
    const auto from = bus.now;
    for (std::uint64_t i = 0; bus.now < from + 60s; ++i) {
        bus.schedule.request_grant(0, core::GrantId{i});
        const auto asked = bus.now;
        while (bus.step().kind != Kind::grant) {
        }
        CHECK(bus.now - asked <= bus.timeout + 2 * bus.cost);
        waited_long += bus.now - asked > bus.timeout ? 1 : 0;
        // The commands come at any time, also while the dead unit is asked.
        bus.now += 7ms;
        if (const auto job = bus.schedule.next(bus.now)) {
            bus.carry_out(*job);
        }
    }
    CHECK(waited_long <= 60s / (Schedule::rest_share * bus.timeout) + 1);
}

TEST_CASE("schedule: where nobody answers, nobody is spared", "[modbus][schedule]") {
    for (const std::size_t units : {std::size_t{1}, std::size_t{3}}) {
        Bus bus(units);
        for (std::size_t i = 0; i < units; ++i) {
            bus.silent[i] = true;
        }
        while (bus.now < start + 60s) {
            bus.step();
        }
        bus.silent.clear();
        const auto back = bus.now;
        while (bus.last.size() < units) {
            bus.step();
        }
        CHECK(bus.now - back <= 2 * bus.timeout);
    }
}

TEST_CASE("schedule: a failure that cost nothing is asked again at the usual pace",
          "[modbus][schedule]") {
    Bus bus(2);
    bus.silent[1] = true;
    bus.timeout = 0ms;  // no connection
    for (int i = 0; i < 40; ++i) {
        bus.step();
    }
    CHECK(bus.jobs[{Kind::poll, 1}] == 20);
}

TEST_CASE("schedule: a question that took an hour, on a machine that slept, is no long rest",
          "[modbus][schedule]") {
    Bus bus(2);
    bus.silent[1] = true;
    bus.timeout = 3600s;
    while (bus.jobs[{Kind::poll, 1}] < 2) {
        bus.step();
    }
    bus.silent.clear();
    const auto before = bus.now;
    while (!bus.last.count(1)) {
        bus.step();
    }
    CHECK(bus.now - before <= 61s);
}

TEST_CASE("schedule: what is asked of a suspended unit is rejected at once", "[modbus][schedule]") {
    Bus bus(1);
    bus.silent[0] = true;
    bus.step();
    REQUIRE(bus.schedule.suspended(0, bus.now));
    bus.schedule.request_grant(0, core::GrantId{9});
    bus.schedule.request_read(0, core::ReadKind::full);
    bus.schedule.request_heartbeat(0, 3);
    CHECK(bus.schedule.next(bus.now) == Job{Kind::reject_grant, 0, core::GrantId{9}, {}, 0});
    CHECK(bus.schedule.next(bus.now) == Job{Kind::reject_read, 0, {}, {}, 0});
    CHECK_FALSE(bus.schedule.next(bus.now));
}

TEST_CASE("schedule: a unit that answers again is back at once", "[modbus][schedule]") {
    Bus bus(1);
    bus.silent[0] = true;
    for (int i = 0; i < 8; ++i) {
        bus.step();
    }
    bus.silent.clear();
    bus.step();
    CHECK_FALSE(bus.schedule.suspended(0, bus.now));
    const auto before = bus.now;
    bus.step();
    CHECK(bus.now - before <= 200ms);
}

TEST_CASE("schedule: an exception keeps the pace and suspends nobody", "[modbus][schedule]") {
    Schedule schedule({200ms}, start);
    REQUIRE(schedule.next(start)->kind == Kind::poll);
    schedule.completed(0, Outcome::refused, start, start + 10ms);
    CHECK_FALSE(schedule.suspended(0, start + 10ms));
    CHECK_FALSE(schedule.next(start + 199ms));
    CHECK(schedule.next(start + 200ms));
}

TEST_CASE("schedule: a bus without units has nothing to do", "[modbus][schedule]") {
    Schedule schedule({}, start);
    CHECK_FALSE(schedule.next(start));
    CHECK_FALSE(schedule.wake_at());
}
