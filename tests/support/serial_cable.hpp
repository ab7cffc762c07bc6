#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace liftwarden::test {

// A serial cable between two programs, over two pseudo terminals, with the gateway's adapter at
// one end: it can be pulled out and put back, and what passes can be changed or held back. It knows
// no protocol; bytes come in the pieces in which they were written, mostly.
class SerialCable {
  public:
    using Bytes = std::vector<std::uint8_t>;
    enum class Way { to_plc, to_gateway };
    // Called for all that passes, on a thread of the cable's; may change it or call hold().
    using Tamper = std::function<void(Way, Bytes&)>;

    SerialCable(std::string gateway_end, std::string plc_end);
    ~SerialCable();
    SerialCable(const SerialCable&) = delete;
    SerialCable& operator=(const SerialCable&) = delete;

    [[nodiscard]] const std::string& gateway_end() const { return gateway_end_; }
    [[nodiscard]] const std::string& plc_end() const { return plc_end_; }

    void unplug();
    void plug_in();
    void tamper(Tamper tamper);
    // The adapter sends back what it gets.
    void echo(bool on) { echo_ = on; }
    // Like a converter with a large buffer on a path that stalls: nothing passes, nothing is lost,
    // and all of it arrives when that ends.
    void hold(bool on) { hold_ = on; }

  private:
    void run();
    // True if something came.
    bool carry(Way way);

    std::string gateway_end_;
    std::string plc_end_;
    std::mutex mutex_;  // the descriptors and all that waits
    int gateway_ = -1;
    int plc_ = -1;
    Bytes to_gateway_;
    Bytes to_plc_;
    Tamper tamper_;
    std::atomic<bool> echo_{false};
    std::atomic<bool> hold_{false};
    std::atomic<bool> ending_{false};
    std::thread thread_;
};

}  // namespace liftwarden::test
