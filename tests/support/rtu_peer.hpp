#pragma once

#include "tests/support/modbus_registers.hpp"
#include "tests/support/wait.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace liftwarden::test {

struct RtuRequest {
    std::size_t number = 0;  // from 0
    std::uint8_t unit = 0;
    Bytes pdu;
    std::chrono::steady_clock::time_point at;  // its last byte
};

[[nodiscard]] Bytes rtu_frame(std::uint8_t unit, const Bytes& pdu);

// A serial line with Modbus units on it, over a pseudo terminal. Does what a test tells it to do
// with each request; the replies of one behaviour come in order, as on a line they do. The other
// end is named by a symbolic link that can be taken away and put back, like an adapter's.
class RtuPeer {
  public:
    // `good` is the right reply, carried out on registers() when it is called.
    using Good = std::function<Bytes()>;
    using Behaviour = std::function<void(RtuPeer&, const RtuRequest&, const Good& good)>;

    explicit RtuPeer(std::string link, Behaviour behaviour = well_behaved);
    ~RtuPeer();
    RtuPeer(const RtuPeer&) = delete;
    RtuPeer& operator=(const RtuPeer&) = delete;

    [[nodiscard]] const std::string& device() const { return link_; }
    [[nodiscard]] ModbusRegisters& registers() { return registers_; }
    void behave(Behaviour behaviour);
    // The adapter sends back what it gets.
    void echo(bool on) { echo_ = on; }
    [[nodiscard]] std::vector<RtuRequest> requests() const;

    void unplug();
    void plug_in();

    // For behaviours.
    void send(const Bytes& raw);
    void reply(const RtuRequest& request, const Bytes& pdu);
    void send_in_pieces(const Bytes& raw, std::size_t size, Millis gap);
    void sleep(Millis time) const;
    // More has come although this request is not answered yet.
    [[nodiscard]] bool more_waits();

    static void well_behaved(RtuPeer& peer, const RtuRequest& request, const Good& good);

  private:
    void serve();
    // What has come, if anything.
    Bytes receive();
    void take_frames(Bytes& pending);

    std::string link_;
    ModbusRegisters registers_;
    std::mutex terminal_;  // the descriptor is not closed under somebody's hands
    int master_ = -1;
    std::atomic<bool> echo_{false};
    std::atomic<bool> ending_{false};
    mutable std::mutex mutex_;
    Behaviour behaviour_;
    std::vector<RtuRequest> requests_;
    std::thread thread_;
};

}  // namespace liftwarden::test
