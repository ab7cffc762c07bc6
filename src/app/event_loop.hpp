// The one thread that owns the core: events in, actions out, one timer.
#pragma once

#include <liftwarden/core/gateway.hpp>
#include <liftwarden/ports/clock.hpp>
#include <liftwarden/ports/event_sink.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace liftwarden::app {

// Takes events from any thread and hands them to the core on the thread that runs the io_context,
// in the order of post(). All events that wait are handled in one turn, then their actions are
// carried out in order, then the timer is set to the core's next deadline. The loop sleeps in
// between; nothing is polled. attach() before the io_context runs; the core and `execute` must
// outlive the last turn.
class EventLoop final : public ports::EventSink {
  public:
    using Execute = std::function<void(const core::Actions&)>;

    EventLoop(boost::asio::io_context& io, const ports::Clock& clock);

    void attach(core::Gateway& gateway, Execute execute);
    void post(core::Event event) override;

    // Turns completed; grows only while the loop lives. Any thread.
    [[nodiscard]] std::uint64_t turns() const { return turns_; }

  private:
    void turn();
    void arm_timer();

    boost::asio::io_context& io_;
    const ports::Clock& clock_;
    boost::asio::steady_timer timer_;
    core::Gateway* gateway_ = nullptr;
    Execute execute_;
    core::Actions actions_;              // kept for its storage
    std::vector<core::Event> handling_;  // likewise
    std::atomic<std::uint64_t> turns_{0};

    std::mutex mutex_;                  // guards what follows
    std::vector<core::Event> waiting_;  // a turn is scheduled whenever this is not empty
};

}  // namespace liftwarden::app
