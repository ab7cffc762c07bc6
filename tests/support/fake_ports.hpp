// Scripted stand-ins for the ports: they record what was asked and answer when the test says so.
#pragma once

#include <liftwarden/core/action.hpp>
#include <liftwarden/ports/broker.hpp>
#include <liftwarden/ports/clock.hpp>
#include <liftwarden/ports/elevator_link.hpp>
#include <liftwarden/ports/event_sink.hpp>
#include <liftwarden/ports/journal.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace liftwarden::test {

// Moves when told to. Any thread.
class ManualClock final : public ports::Clock {
  public:
    [[nodiscard]] core::TimePoint now() const override {
        return core::TimePoint{core::Duration{ticks_.load()}};
    }
    [[nodiscard]] core::WallTime wall() const override {
        return core::WallTime{
            std::chrono::milliseconds{1'700'000'000'000 + core::to_ms(now().time_since_epoch())}};
    }
    [[nodiscard]] bool wall_is_synchronised() const override { return true; }
    void advance(core::Duration by) { ticks_ += by.count(); }

  private:
    std::atomic<std::int64_t> ticks_{1'000'000'000};
};

// Collects events. Any thread.
class EventLog final : public ports::EventSink {
  public:
    void post(core::Event event) override {
        const std::lock_guard lock(mutex_);
        events_.push_back(std::move(event));
    }
    [[nodiscard]] std::vector<core::Event> events() const {
        const std::lock_guard lock(mutex_);
        return events_;
    }
    template <class Kind>
    [[nodiscard]] std::vector<Kind> of() const {
        std::vector<Kind> found;
        for (const auto& event : events()) {
            if (const auto* kind = std::get_if<Kind>(&event)) {
                found.push_back(*kind);
            }
        }
        return found;
    }

  private:
    mutable std::mutex mutex_;
    std::vector<core::Event> events_;
};

// Keeps an outbox like the real one, but answers a fetch only when told to. `look_up` calls
// `on_look_up`, on the caller's thread. The rest is for one thread.
class FakeJournal final : public ports::Journal {
  public:
    void look_up(core::CommandReceived event) override {
        if (on_look_up) {
            on_look_up(event);
        }
    }
    void commit(ports::JournalBatch batch) override { batches.push_back(std::move(batch)); }
    void published(ports::OutboxId id) override {
        confirmed.push_back(id.value());
        std::erase_if(stored, [&](const auto& message) { return message.id == id; });
    }
    void fetch_outbox(ports::OutboxId after, std::size_t limit) override {
        fetches.push_back({after, limit});
    }
    [[nodiscard]] ports::JournalStatus status() const override { return {}; }
    [[nodiscard]] std::uint64_t heartbeats() const override { return 1; }

    // A commit that adds messages with these ids; returns what the sink is told.
    std::vector<ports::OutboxMessage> add(std::uint64_t first, std::uint64_t last) {
        std::vector<ports::OutboxMessage> added;
        for (auto id = first; id <= last; ++id) {
            added.push_back({ports::OutboxId{id}, "topic", std::to_string(id), std::nullopt});
        }
        stored.insert(stored.end(), added.begin(), added.end());
        return added;
    }
    // The answer to the oldest unanswered fetch.
    std::vector<ports::OutboxMessage> answer() {
        const auto [after, limit] = fetches.front();
        fetches.pop_front();
        std::vector<ports::OutboxMessage> found;
        for (const auto& message : stored) {
            if (message.id > after && found.size() < limit) {
                found.push_back(message);
            }
        }
        return found;
    }

    std::function<void(const core::CommandReceived&)> on_look_up;
    std::vector<ports::JournalBatch> batches;
    std::vector<ports::OutboxMessage> stored;  // unconfirmed
    std::vector<std::uint64_t> confirmed;
    std::deque<std::pair<ports::OutboxId, std::size_t>> fetches;
};

// Keeps what was published until the test confirms or fails it. One thread.
class FakeBroker final : public ports::Broker {
  public:
    struct Sent {
        ports::OutboundMessage message;
        std::function<void(bool)> done;
    };
    void publish(ports::OutboundMessage message, std::function<void(bool)> done) override {
        if (full) {
            done(false);
            return;
        }
        sent.push_back({std::move(message), std::move(done)});
    }
    [[nodiscard]] ports::BrokerStatus status() const override { return {}; }
    [[nodiscard]] std::uint64_t heartbeats() const override { return 1; }

    // Answers the oldest message that waits.
    void finish(bool delivered) {
        auto done = std::move(sent.front().done);
        history.push_back(std::move(sent.front().message));
        sent.pop_front();
        done(delivered);
    }
    void finish_all(bool delivered) {
        for (auto count = sent.size(); count > 0; --count) {
            finish(delivered);
        }
    }
    [[nodiscard]] std::vector<std::string> payloads() const {
        std::vector<std::string> payloads;
        for (const auto& one : sent) {
            payloads.push_back(one.message.payload);
        }
        return payloads;
    }

    std::deque<Sent> sent;                        // not answered yet
    std::vector<ports::OutboundMessage> history;  // answered
    bool full = false;                            // refuses at once, like a full send queue
};

// Writes down every call. One thread.
class FakeLink final : public ports::ElevatorLink {
  public:
    void request_grant(const core::RequestGrant& action) override { calls.emplace_back(action); }
    void release_grant(const core::ReleaseGrant& action) override { calls.emplace_back(action); }
    void write(const core::WriteCommand& action) override { calls.emplace_back(action); }
    void read(const core::RequestRead& action) override { calls.emplace_back(action); }
    void heartbeat(const core::WriteHeartbeat& action) override { calls.emplace_back(action); }
    void reset(const core::ResetLink& action) override { calls.emplace_back(action); }
    [[nodiscard]] ports::BusStatus status() const override { return {}; }
    [[nodiscard]] std::uint64_t heartbeats() const override { return 1; }

    core::Actions calls;
};

// A loop thread that is the test's own: deferred work runs when run() is called. Any thread may
// defer.
class DeferredWork {
  public:
    void operator()(std::function<void()> work) {
        const std::lock_guard lock(mutex_);
        work_.push_back(std::move(work));
    }
    // Everything that waits, also what is added meanwhile.
    void run() {
        while (auto work = next()) {
            work();
        }
    }
    [[nodiscard]] std::size_t waiting() const {
        const std::lock_guard lock(mutex_);
        return work_.size();
    }

  private:
    std::function<void()> next() {
        const std::lock_guard lock(mutex_);
        if (work_.empty()) {
            return nullptr;
        }
        auto work = std::move(work_.front());
        work_.pop_front();
        return work;
    }
    mutable std::mutex mutex_;
    std::deque<std::function<void()>> work_;
};

}  // namespace liftwarden::test
