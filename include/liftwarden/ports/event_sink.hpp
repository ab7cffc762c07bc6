#pragma once

#include <liftwarden/core/event.hpp>

namespace liftwarden::ports {

// How a worker thread reaches the core. post() never blocks and may be called from any thread;
// events of one thread arrive in their order. App implements it.
class EventSink {
  public:
    virtual ~EventSink() = default;
    virtual void post(core::Event event) = 0;
};

}  // namespace liftwarden::ports
