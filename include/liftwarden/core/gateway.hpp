// The decisions' public face.
#pragma once

#include <liftwarden/core/action.hpp>
#include <liftwarden/core/config.hpp>
#include <liftwarden/core/event.hpp>
#include <liftwarden/core/journal.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace liftwarden::core {

// What an operator sees of one elevator; see `liftwarden status`.
struct ElevatorStatus {
    StateView state;
    SessionView session;
    LockOut lock_out = LockOut::none;
    std::string lock_out_detail;
    std::optional<CommandRef> in_flight;
};

// The deterministic machine behind the gateway: events in, actions out, time as an argument. It
// does no IO, reads no clock, starts no thread and writes no log; the same configuration, recovery
// and events give the same actions, byte for byte. One thread at a time may call it; the app's loop
// thread owns it. `now` must never go backwards between calls (asserted).
class Gateway {
  public:
    // `boot_id` is the kernel's; durable times with another one are not comparable with `now`.
    Gateway(GatewayConfig config, std::string boot_id, const Recovered& recovered, TimePoint now);
    ~Gateway();
    Gateway(const Gateway&) = delete;
    Gateway& operator=(const Gateway&) = delete;

    // Takes in one event and appends what follows from it to `out`.
    void handle(TimePoint now, const Event& event, Actions& out);

    // To be called when `next_deadline()` has passed; calling it earlier or later is harmless.
    void on_time(TimePoint now, Actions& out);

    // When on_time wants to be called; nullopt: only after another event.
    [[nodiscard]] std::optional<TimePoint> next_deadline() const;

    [[nodiscard]] std::vector<ElevatorStatus> status(TimePoint now) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace liftwarden::core
