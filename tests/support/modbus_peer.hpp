#pragma once

#include "tests/support/modbus_registers.hpp"
#include "tests/support/wait.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace liftwarden::test {

struct PeerRequest {
    std::size_t number = 0;      // over all connections, from 0
    std::size_t connection = 0;  // from 0
    std::uint16_t transaction = 0;
    std::uint8_t unit = 0;
    Bytes pdu;
};

// The other end of one connection, for a behaviour to misuse. Errors are ignored: the client may
// have gone.
class PeerConnection {
  public:
    PeerConnection(int fd, const std::atomic<bool>& ending) : fd_(fd), ending_(ending) {}

    void send(const Bytes& raw);
    // The reply as it should be framed.
    void reply(const PeerRequest& request, const Bytes& pdu);
    void send_in_pieces(const Bytes& raw, std::size_t size, Millis gap);
    void close();
    void reset();
    // The client has sent more although this request is not answered yet.
    [[nodiscard]] bool more_waits() const;
    // Ends early when the test does.
    void sleep(Millis time) const;

  private:
    int fd_;
    const std::atomic<bool>& ending_;
};

[[nodiscard]] Bytes mbap(std::uint16_t transaction, std::uint8_t unit, const Bytes& pdu);

// A Modbus TCP server on raw sockets that does what a test tells it to do with each request. Every
// connection has its own thread; all end with the object.
class ModbusPeer {
  public:
    // Called for each request, on the connection's thread. `good` is the right reply, already
    // carried out on `registers()`... unless the behaviour never calls it.
    using Good = std::function<Bytes()>;
    using Behaviour = std::function<void(PeerConnection&, const PeerRequest&, const Good& good)>;

    ModbusPeer();  // well-behaved
    // On any free port, or on that one.
    explicit ModbusPeer(Behaviour behaviour, std::uint16_t port = 0);
    ~ModbusPeer();
    ModbusPeer(const ModbusPeer&) = delete;
    ModbusPeer& operator=(const ModbusPeer&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] ModbusRegisters& registers() { return registers_; }
    void behave(Behaviour behaviour);
    // For tests with so many that they would count: number in requests stays 0.
    void forget_requests() { forget_ = true; }
    // More clients than this at a time are disconnected at once.
    void allow_clients(std::size_t most) { clients_most_ = most; }

    [[nodiscard]] std::vector<PeerRequest> requests() const;
    [[nodiscard]] std::size_t connections() const { return connections_; }
    [[nodiscard]] std::size_t refused() const { return refused_; }
    // Connections that the client ended by a reset.
    [[nodiscard]] std::size_t resets() const { return resets_; }

    static void well_behaved(PeerConnection& peer, const PeerRequest& request, const Good& good);

  private:
    void accept_clients();
    void serve(int fd, std::size_t connection);
    void handle(PeerConnection& peer, PeerRequest request);

    int listener_;
    std::uint16_t port_ = 0;
    ModbusRegisters registers_;
    mutable std::mutex mutex_;
    Behaviour behaviour_;
    std::vector<PeerRequest> requests_;
    std::vector<std::thread> threads_;
    std::atomic<std::size_t> clients_most_{1000};
    std::atomic<std::size_t> clients_{0};
    std::atomic<std::size_t> connections_{0};
    std::atomic<std::size_t> refused_{0};
    std::atomic<std::size_t> resets_{0};
    std::atomic<bool> forget_{false};
    std::atomic<bool> ending_{false};
    std::thread acceptor_;
};

}  // namespace liftwarden::test
