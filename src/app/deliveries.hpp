// MQTT messages whose acknowledgement to the broker waits for the core.
#pragma once

#include <liftwarden/core/ids.hpp>
#include <liftwarden/core/time.hpp>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>

namespace liftwarden::app {

// A delivery is opened and awaited by the client library's receive thread and settled by the loop.
// Thread-safe; holds at most one delivery per waiting thread.
class Deliveries {
  public:
    [[nodiscard]] core::DeliveryId open();
    // Settling one that nobody waits for any more is harmless.
    void settle(core::DeliveryId delivery);
    // False if it was not settled within `limit`. Either way the delivery is closed.
    [[nodiscard]] bool wait(core::DeliveryId delivery, core::Duration limit);

  private:
    std::mutex mutex_;
    std::condition_variable settled_;
    std::uint64_t last_ = 0;
    std::set<core::DeliveryId> open_;
};

}  // namespace liftwarden::app
