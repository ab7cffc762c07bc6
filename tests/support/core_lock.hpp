// The site's lock service in the test's hands.
#pragma once

#include <liftwarden/core/action.hpp>
#include <liftwarden/core/event.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace liftwarden::test {

// Answers what the core asks of a lock service as a real one would, and does what it is told:
// silent, forgetful, forbidding. Locks end with their lease.
class LockSite {
  public:
    explicit LockSite(core::LockScheme scheme) : scheme_(scheme) {}

    bool online = true;                          // else nothing is answered and probes fail
    bool may_write = true;                       // the gateway's login
    core::Health health = core::Health::usable;  // of a probe while online
    std::string memory = "run-1";
    core::Duration clock_error{};

    // Somebody acquires the lock, whoever has it; the token of this acquisition.
    std::int64_t acquire(core::TimePoint now,
                         const std::string& owner,
                         core::Duration lease = std::chrono::seconds{30});
    // For ever, as a client without leases does.
    void acquire_for_ever(const std::string& owner);
    void release();
    void lose_counter() { counter_.reset(); }
    void set_counter(std::int64_t value) { counter_ = value; }
    [[nodiscard]] std::string holder(core::TimePoint now) const;
    [[nodiscard]] std::optional<std::int64_t> counter() const { return counter_; }
    [[nodiscard]] int wake_ups() const { return wake_ups_; }
    [[nodiscard]] int checks() const { return checks_; }
    // Makes the key something that no scheme expects.
    void spoil(core::LockReading::Kind kind) { kind_ = kind; }

    [[nodiscard]] core::LockChecked answer(core::TimePoint now, const core::CheckLock& question);
    [[nodiscard]] core::LockMoved answer(core::TimePoint now, const core::HoldLock& order);
    [[nodiscard]] core::LockMoved answer(core::TimePoint now, const core::ReturnLock& order);
    [[nodiscard]] core::LockProbed probe(core::TimePoint now) const;

  private:
    [[nodiscard]] bool free(core::TimePoint now) const;

    core::LockScheme scheme_;
    std::optional<core::LockReading::Kind> kind_;
    std::string holder_;
    std::optional<core::TimePoint> lease_end_;
    std::optional<std::int64_t> counter_;
    int wake_ups_ = 0;
    int checks_ = 0;
};

}  // namespace liftwarden::test
