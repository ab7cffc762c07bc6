#pragma once

#include "tests/support/wait.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace liftwarden::test {

// A TCP relay from 127.0.0.1:port() to another port of this machine, in the way of everything that
// passes: it can delay, hold back at a chosen place, and reset. What one side has sent when its
// connection ends is lost unless it was let through before. Its thread ends with the object.
class Relay {
  public:
    enum class Direction { to_server, to_client };

    explicit Relay(std::uint16_t target);
    virtual ~Relay();
    Relay(const Relay&) = delete;
    Relay& operator=(const Relay&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    // Everything arrives this much later, in order.
    void set_delay(Millis delay) { delay_ms_ = delay.count(); }
    // Resets every connection.
    void reset() { reset_ = true; }

  protected:
    // How many bytes of `waiting` may go on now; asked again when more came and every few
    // milliseconds. Called by the relay's thread.
    virtual std::size_t let_through(Direction direction, const std::string& waiting);
    // Derived classes call both: the thread must not outlive what it calls.
    void start();
    void stop();

  private:
    struct Chunk {
        std::chrono::steady_clock::time_point due;
        std::string bytes;
    };
    struct Half {
        int from = -1;
        int to = -1;
        Direction direction = Direction::to_server;
        std::string waiting;
        std::deque<Chunk> on_the_way;
    };
    struct Link {
        Half up;
        Half down;
        bool ended = false;
    };

    void run();
    void accept_one();
    void move(Link& link, Half& half);
    void flush(Link& link, Half& half);
    static void close(Link& link, bool abortive);

    std::uint16_t target_;
    std::uint16_t port_ = 0;
    int listener_ = -1;
    std::atomic<std::int64_t> delay_ms_{0};
    std::atomic<bool> reset_{false};
    std::atomic<bool> stopping_{false};
    std::list<Link> links_;
    std::thread thread_;
};

// The plain relay.
class PlainRelay final : public Relay {
  public:
    explicit PlainRelay(std::uint16_t target) : Relay(target) { start(); }
    ~PlainRelay() override { stop(); }
};

// A relay for Modbus TCP that can stop the world at the write of a command, a request of function
// 16 that covers `command_register`, or at a read. Any thread may call.
class ModbusRelay final : public Relay {
  public:
    enum class Place { request, answer, read_answer };

    ModbusRelay(std::uint16_t target, std::uint16_t command_register);
    ~ModbusRelay() override;

    // The next such write, its confirmation, or the answer to the next read of anything, waits here
    // until release() or the connection's end.
    void hold_next(Place place);
    // True when something is held.
    [[nodiscard]] bool wait_held(Millis limit = 10s) const;
    void release();

  private:
    enum class State { idle, armed, asked, held };

    std::size_t let_through(Direction direction, const std::string& waiting) override;
    [[nodiscard]] bool holds(Direction direction, const std::string& frame);
    [[nodiscard]] bool fits(const std::string& request) const;

    std::uint16_t command_register_;
    mutable std::mutex mutex_;  // guards the rest
    State state_ = State::idle;
    Place place_ = Place::request;
    std::string transaction_;
};

}  // namespace liftwarden::test
