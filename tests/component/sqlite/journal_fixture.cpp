#include "tests/component/sqlite/journal_fixture.hpp"

#include <catch2/catch.hpp>
#include <sqlite3.h>

#include <algorithm>

namespace liftwarden::test {

void Told::post(core::Event event) {
    if (on_event) {
        on_event(event);
    }
    const std::lock_guard lock(mutex_);
    if (const auto* done = std::get_if<core::Committed>(&event)) {
        newest_ticket_ = std::max(newest_ticket_, done->ticket.value());
    }
    events_.push_back(std::move(event));
    ++answers_;
    changed_.notify_all();
}

std::size_t Told::answers() const {
    const std::lock_guard lock(mutex_);
    return answers_;
}

void Told::outbox(std::vector<ports::OutboxMessage> messages) {
    const std::lock_guard lock(mutex_);
    ++outbox_calls_;
    messages_.insert(messages_.end(), messages.begin(), messages.end());
    ++answers_;
    changed_.notify_all();
}

std::vector<core::Event> Told::events() const {
    const std::lock_guard lock(mutex_);
    return events_;
}

std::vector<std::string> Told::words() const {
    std::vector<std::string> words;
    for (const core::Event& event : events()) {
        if (const auto* done = std::get_if<core::Committed>(&event)) {
            words.push_back("committed " + std::to_string(done->ticket.value()));
        } else if (const auto* received = std::get_if<core::CommandReceived>(&event)) {
            std::string word = "received " + std::to_string(received->delivery.value());
            if (received->ledger) {
                word += std::string(" ") + core::to_string(received->ledger->status);
            }
            words.push_back(word);
        } else if (const auto* pressure = std::get_if<core::JournalPressure>(&event)) {
            words.push_back(pressure->accepting ? "pressure off" : "pressure on");
        }
    }
    return words;
}

std::vector<ports::OutboxMessage> Told::messages() const {
    const std::lock_guard lock(mutex_);
    return messages_;
}

std::size_t Told::outbox_calls() const {
    const std::lock_guard lock(mutex_);
    return outbox_calls_;
}

std::vector<std::uint64_t> Told::committed() const {
    std::vector<std::uint64_t> tickets;
    for (const core::Event& event : events()) {
        if (const auto* done = std::get_if<core::Committed>(&event)) {
            tickets.push_back(done->ticket.value());
        }
    }
    return tickets;
}

bool Told::has_committed(std::uint64_t ticket) const {
    // Tickets are answered in their order.
    const std::lock_guard lock(mutex_);
    return newest_ticket_ >= ticket;
}

bool Told::accepting() const {
    bool accepting = true;
    for (const core::Event& event : events()) {
        if (const auto* pressure = std::get_if<core::JournalPressure>(&event)) {
            accepting = pressure->accepting;
        }
    }
    return accepting;
}

JournalFixture::JournalFixture() {
    settings.path = dir.file("journal.db");
}

void JournalFixture::open() {
    close();
    told = std::make_unique<Told>();
    auto result =
        sqlite::SqliteJournal::open(settings, boot_id, elevators, clock, *told, *told, hooks);
    if (!result) {
        FAIL("open: " << result.error());
    }
    opened = std::move(*result);
    journal = std::move(opened.journal);
}

core::Error JournalFixture::open_error() {
    close();
    auto result =
        sqlite::SqliteJournal::open(settings, boot_id, elevators, clock, *told, *told, hooks);
    REQUIRE_FALSE(result.has_value());
    return result.error();
}

std::uint64_t JournalFixture::enqueue(std::vector<core::JournalWrite> writes,
                                      std::vector<ports::OutboxMessage> outbox,
                                      bool urgent) {
    ports::JournalBatch batch;
    batch.ticket = core::Ticket(++last_ticket);
    batch.writes = std::move(writes);
    batch.outbox = std::move(outbox);
    batch.urgent = urgent;
    journal->commit(std::move(batch));
    return last_ticket;
}

void JournalFixture::commit(std::vector<core::JournalWrite> writes,
                            std::vector<ports::OutboxMessage> outbox) {
    REQUIRE(wait_committed(enqueue(std::move(writes), std::move(outbox))));
}

bool JournalFixture::wait_committed(std::uint64_t ticket) {
    return told->wait([&] { return told->has_committed(ticket); });
}

void JournalFixture::look_up(const std::string& elevator,
                             const std::string& seq,
                             std::uint64_t delivery) {
    core::CommandReceived event;
    event.delivery = core::DeliveryId(delivery);
    event.command.elevator = core::ElevatorId(elevator);
    event.command.seq = core::Seq(seq);
    journal->look_up(std::move(event));
}

std::optional<core::CommandRow> JournalFixture::row(const std::string& elevator,
                                                    const std::string& seq) {
    static std::uint64_t delivery = 1'000'000;
    const std::uint64_t mine = ++delivery;
    look_up(elevator, seq, mine);
    std::optional<core::CommandRow> found;
    REQUIRE(told->wait([&] {
        for (const core::Event& event : told->events()) {
            const auto* received = std::get_if<core::CommandReceived>(&event);
            if (received != nullptr && received->delivery.value() == mine) {
                found = received->ledger;
                return true;
            }
        }
        return false;
    }));
    return found;
}

core::CommandRow command_row(const std::string& elevator,
                             const std::string& seq,
                             core::Status status,
                             const std::string& detail) {
    core::CommandRow row;
    row.command.elevator = core::ElevatorId(elevator);
    row.command.source = core::SourceId("node-a");
    row.command.seq = core::Seq(seq);
    row.command.content.action = core::ActionKind::car_call;
    row.command.content.floor = core::FloorLabel("3");
    row.command.ttl = std::chrono::seconds{300};
    row.party = {"node-a", core::Party::Kind::trip, seq};
    row.boot_id = "boot-1";
    row.received_at = core::TimePoint(std::chrono::seconds{1000});
    row.deadline = core::TimePoint(std::chrono::seconds{1300});
    row.status = status;
    row.detail = detail;
    if (status == core::Status::sent || status == core::Status::unknown) {
        row.wire_seq = core::WireSeq{2};
        row.echo_before = core::Echo{1};
    }
    return row;
}

core::ElevatorRow elevator_row(const std::string& elevator, std::uint64_t epoch) {
    core::ElevatorRow row;
    row.elevator = core::ElevatorId(elevator);
    row.boot_id = "boot-1";
    row.epoch = epoch;
    return row;
}

core::Alarm alarm(const std::string& elevator, const std::string& kind, const std::string& detail) {
    core::Alarm alarm;
    alarm.elevator = core::ElevatorId(elevator);
    alarm.kind = kind;
    alarm.detail = detail;
    return alarm;
}

ports::OutboxMessage message(const std::string& topic, const std::string& payload) {
    ports::OutboxMessage message;
    message.topic = topic;
    message.payload = payload;
    return message;
}

void run_sql(const std::string& path, const std::string& sql) {
    sqlite3* handle = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &handle) == SQLITE_OK);
    char* error = nullptr;
    const int code = sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, &error);
    INFO((error == nullptr ? "" : error));
    REQUIRE(code == SQLITE_OK);
    sqlite3_close(handle);
}

}  // namespace liftwarden::test
