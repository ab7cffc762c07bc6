#pragma once

#include "drivers/sim/log.hpp"
#include "drivers/sim/serve.hpp"

#include <liftwarden/core/ids.hpp>

#include <poll.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace liftwarden::sim {

// Something that Modbus masters reach: an IP address with a port, or a serial line. All calls come
// from the simulator's thread, each round in this order: release, (the log is flushed), transmit,
// watch, (poll), receive.
class Endpoint {
  public:
    virtual ~Endpoint() = default;
    // Logs the replies that are due and hands them to transmit().
    virtual void release(core::TimePoint now) = 0;
    virtual void transmit() = 0;
    // Appends what poll(2) is to watch; the answers come back in the same order.
    virtual void watch(std::vector<pollfd>& polls) = 0;
    virtual void receive(std::span<const pollfd> polls, core::TimePoint now) = 0;
    // When release() has something to do without any input.
    [[nodiscard]] virtual std::optional<core::TimePoint> deadline() const = 0;

    // Breaks all connections abortively; a serial line just loses what is on it.
    virtual void drop(core::TimePoint now) = 0;
    // The same, and takes no new ones until `until`.
    virtual void refuse(core::TimePoint now, core::TimePoint until) = 0;
    [[nodiscard]] virtual std::string describe() const = 0;  // "127.0.0.1:1502"
};

}  // namespace liftwarden::sim
