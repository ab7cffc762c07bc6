#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace liftwarden::test {

// Stands between the service and a real server on 127.0.0.1 and, on request, spoils the answer to
// every question that contains certain words. For tests of one folder; any thread may call.
class RedisProxy {
  public:
    enum class Fault {
        none,
        silence,  // the answer never comes
        drip,     // a byte each 10 ms
        replace,  // by other bytes
        repeat,   // by the answer to the question before
        hang_up,
    };

    explicit RedisProxy(std::uint16_t server);
    ~RedisProxy();
    RedisProxy(const RedisProxy&) = delete;
    RedisProxy& operator=(const RedisProxy&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] int connections() const { return connections_; }  // made so far
    void spoil(Fault fault, const std::string& words, const std::string& bytes = {});
    void heal() { spoil(Fault::none, {}); }

  private:
    struct Order {
        Fault fault = Fault::none;
        std::string words;
        std::string bytes;
    };
    class Link;

    void accept_all();
    [[nodiscard]] Order order() const;

    std::uint16_t server_;
    int listener_;
    std::uint16_t port_ = 0;
    std::atomic<int> connections_{0};
    std::atomic<bool> ending_{false};
    mutable std::mutex mutex_;
    Order order_;
    std::vector<std::thread> links_;
    std::thread thread_;
};

}  // namespace liftwarden::test
