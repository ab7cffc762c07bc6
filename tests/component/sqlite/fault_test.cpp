// The disk fails at every possible moment of a command's life; nothing acknowledged may be lost.
#include "tests/component/sqlite/journal_fixture.hpp"
#include "tests/support/faulty_vfs.hpp"

#include <catch2/catch.hpp>

#include <condition_variable>
#include <map>
#include <set>

namespace liftwarden::test {
namespace {

using core::Status;
using Fault = FaultyVfs::Fault;

// What the outside may rely on.
struct Acknowledged {
    std::map<std::string, int> steps;   // seq: how many of its steps were committed
    std::set<std::string> unconfirmed;  // payloads in the outbox
    std::set<std::string> confirmed;    // payloads whose removal may be durable
};

constexpr Status life[] = {Status::accepted, Status::sent, Status::acked, Status::served};

std::string payload(const std::string& seq, int step) {
    return seq + " " + core::to_string(life[step]);
}

// True when the journal answered; false when it died.
bool answered(const JournalFixture& f, const std::atomic<int>& deaths, std::uint64_t ticket) {
    REQUIRE(f.told->wait([&] { return deaths > 0 || f.told->has_committed(ticket); }));
    return f.told->has_committed(ticket);
}

void confirm_oldest(JournalFixture& f, Acknowledged& known) {
    const auto messages = f.told->messages();
    const auto next = messages.begin() + static_cast<std::ptrdiff_t>(known.confirmed.size());
    if (next != messages.end()) {
        f.journal->published(next->id);
        known.unconfirmed.erase(next->payload);
        known.confirmed.insert(next->payload);
    }
}

// Opens, takes three commands through their lives and closes, until the journal dies.
Acknowledged live(JournalFixture& f, const std::atomic<int>& deaths) {
    Acknowledged known;
    auto result = sqlite::SqliteJournal::open(
        f.settings, f.boot_id, f.elevators, f.clock, *f.told, *f.told, f.hooks);
    if (!result) {
        return known;
    }
    f.journal = std::move(result->journal);
    for (const std::string seq : {"1", "2", "3"}) {
        for (int step = 0; step < 4; ++step) {
            const std::uint64_t ticket =
                f.enqueue({command_row("EL1", seq, life[step]), elevator_row("EL1")},
                          {message("result", payload(seq, step))});
            if (!answered(f, deaths, ticket)) {
                return known;
            }
            known.steps[seq] = step + 1;
            known.unconfirmed.insert(payload(seq, step));
            if (step == 2) {
                confirm_oldest(f, known);
            }
        }
    }
    f.close();
    return known;
}

// Opens the same files on a sound disk and compares.
void check_nothing_lost(JournalFixture& f, const Acknowledged& known) {
    f.open();
    CHECK_FALSE(f.opened.recovered.ledger_lost);
    CHECK(f.opened.notes.empty());
    for (const auto& [seq, steps] : known.steps) {
        const auto row = f.row("EL1", seq);
        REQUIRE(row);
        // The step after the last acknowledged one may have reached the disk too.
        const bool as_acknowledged = row->status == life[steps - 1];
        const bool one_further = steps < 4 && row->status == life[steps];
        CHECK((as_acknowledged || one_further));
    }
    f.journal->fetch_outbox(ports::OutboxId(0), 100);
    REQUIRE(f.told->wait([&] { return f.told->outbox_calls() == 1; }));
    std::set<std::string> stored;
    for (const auto& stored_message : f.told->messages()) {
        stored.insert(stored_message.payload);
    }
    for (const std::string& expected : known.unconfirmed) {
        CAPTURE(expected);
        CHECK(stored.count(expected) == 1);
    }
}

// Returns whether the planned fault happened at all.
bool one_life(int n, Fault fault, std::uint64_t seed) {
    FaultyVfs disk;
    JournalFixture f;
    std::atomic<int> deaths{0};
    f.hooks.vfs = disk.name();
    f.hooks.fatal = [&](const std::string&) { ++deaths; };
    disk.fail_at(n, fault);
    const Acknowledged known = live(f, deaths);
    f.close();
    const bool failed = disk.failed();
    disk.heal();
    if (fault == Fault::power_cut) {
        disk.lose_unsynced(seed);
    }
    deaths = 0;
    check_nothing_lost(f, known);
    f.close();
    CHECK(deaths == 0);
    return failed;
}

void every_moment(Fault fault, std::uint64_t seed = 0) {
    int n = 1;
    for (bool failed = true; failed; ++n) {
        CAPTURE(n, seed);
        failed = one_life(n, fault, seed);
    }
    CHECK(n > 60);  // the faults really were spread over the whole life
}

TEST_CASE("faults: one failing write or sync, at every moment", "[sqlite][faults]") {
    every_moment(Fault::io_error);
}

TEST_CASE("faults: the disk is full, at every moment", "[sqlite][faults]") {
    every_moment(Fault::full);
}

// Includes a device that merely goes away.
TEST_CASE("faults: power is cut and unsynced sectors are lost, at every moment",
          "[sqlite][faults]") {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        every_moment(Fault::power_cut, seed);
    }
}

TEST_CASE("faults: after a failed commit nothing is answered any more", "[sqlite][faults]") {
    FaultyVfs disk;
    JournalFixture f;
    std::atomic<int> deaths{0};
    std::string last_words;
    f.hooks.vfs = disk.name();
    f.hooks.fatal = [&](const std::string& text) {
        last_words = text;
        ++deaths;
    };
    f.open();
    f.commit({command_row("EL1", "1")});
    disk.fail_at(1, Fault::io_error);  // once: the next commit would seem to succeed
    f.enqueue({command_row("EL1", "2")});
    f.look_up("EL1", "1", 1);
    REQUIRE(wait_until([&] { return deaths == 1; }));
    CHECK_THAT(last_words, Catch::Matchers::Contains(f.settings.path));
    f.enqueue({command_row("EL1", "3")});
    f.look_up("EL1", "1", 2);
    f.close();
    CHECK(f.told->words() == std::vector<std::string>{"committed 1"});
    CHECK(deaths == 1);
}

// Holds the journal thread inside its first answer until let go.
class Gate {
  public:
    explicit Gate(Told& told) {
        told.on_event = [this](const core::Event&) {
            std::unique_lock lock(mutex_);
            inside_ = true;
            changed_.notify_all();
            changed_.wait(lock, [this] { return open_; });
        };
    }
    void wait_inside() {
        std::unique_lock lock(mutex_);
        REQUIRE(changed_.wait_for(lock, 10s, [this] { return inside_; }));
    }
    void open() {
        const std::lock_guard lock(mutex_);
        open_ = true;
        changed_.notify_all();
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool inside_ = false;
    bool open_ = false;
};

TEST_CASE("group commit: batches that wait together share one sync", "[sqlite][faults]") {
    FaultyVfs disk;
    JournalFixture f;
    f.hooks.vfs = disk.name();
    f.open();
    f.commit({command_row("EL1", "first")});
    Gate gate(*f.told);
    f.enqueue({command_row("EL1", "held")});
    gate.wait_inside();
    const int before = disk.syncs();
    for (int i = 0; i < 100; ++i) {
        f.enqueue({command_row("EL1", std::to_string(i))});
    }
    gate.open();
    REQUIRE(f.wait_committed(f.last_ticket));
    CHECK(disk.syncs() - before == 1);
    CHECK(f.told->committed().size() == 102);
}

TEST_CASE("group commit: a commit alone costs one sync", "[sqlite][faults]") {
    FaultyVfs disk;
    JournalFixture f;
    f.hooks.vfs = disk.name();
    f.open();
    f.commit({command_row("EL1", "first")});
    const int before = disk.syncs();
    for (int i = 0; i < 20; ++i) {
        f.commit({command_row("EL1", std::to_string(i))}, {message("t", "p")});
    }
    CHECK(disk.syncs() - before == 20);
}

}  // namespace
}  // namespace liftwarden::test
