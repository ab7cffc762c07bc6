#pragma once

#include "src/adapters/redis/options.hpp"

#include <liftwarden/core/ids.hpp>
#include <liftwarden/ports/clock.hpp>
#include <liftwarden/ports/event_sink.hpp>
#include <liftwarden/ports/lock_service.hpp>

#include <memory>
#include <vector>

namespace liftwarden::redis {

// The site's locks in Redis, over hiredis in plain text to a numeric address or to the master the
// Sentinels name. It connects by itself, in the background and for ever; a missing server or a
// wrong password is a state, told by each LockProbed. Between start() and the return of stop():
// each check() gets one LockChecked within about 80 ms, each hold() and give_back() one LockMoved
// within about half a second. A reading is never passed on before a LockProbed that names the
// server it comes from, by its instance and with a clock that agrees with it.
// Any thread may call, except that start() and stop() belong to the owner.
class RedisLocks final : public ports::LockService {
  public:
    // `elevators`: those that will be asked about. `read_secret` is needed when the settings name a
    // password file. Sink, clock and what `log` uses must outlive it.
    RedisLocks(ports::LockSettings settings,
               std::vector<core::ElevatorId> elevators,
               ports::EventSink& events,
               const ports::Clock& clock,
               ReadSecret read_secret,
               Log log);
    ~RedisLocks() override;  // stop(), if that was not done before
    RedisLocks(const RedisLocks&) = delete;
    RedisLocks& operator=(const RedisLocks&) = delete;

    void start();
    // Ends the threads, whatever the server does: every wait of theirs ends at once. What has not
    // been answered by then never is. Locks that are held stay until their lease ends.
    void stop();

    void check(const core::CheckLock& question) override;
    void hold(const core::HoldLock& order) override;
    void give_back(const core::ReturnLock& order) override;
    [[nodiscard]] ports::LockServiceStatus status() const override;
    // Grows when each of the threads has made progress since the last call.
    [[nodiscard]] std::uint64_t heartbeats() const override;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace liftwarden::redis
