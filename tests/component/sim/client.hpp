// A Modbus TCP client that shows every byte; it shares no code with the product.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace liftwarden::sim::test {

using Bytes = std::vector<std::uint8_t>;

class Client {
  public:
    explicit Client(std::uint16_t port);  // throws std::runtime_error if refused
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    void send_raw(const Bytes& bytes);
    // Frame for a PDU with the next transaction id.
    void send(std::uint8_t unit, const Bytes& pdu);
    // PDU of the next reply, which must carry the transaction id and unit of `send`s in order.
    // nullopt: none within `limit_ms`, or the connection is gone, see lost().
    std::optional<Bytes> receive(int limit_ms = 5000);
    std::optional<Bytes> ask(std::uint8_t unit, const Bytes& pdu);

    // How the connection ended: "", "closed" or "reset".
    [[nodiscard]] const std::string& lost() const { return lost_; }

    // Registers or input registers; throws if the reply is anything else than their values.
    std::vector<std::uint16_t> read(std::uint8_t unit,
                                    std::uint8_t function,
                                    std::uint16_t address,
                                    std::uint16_t count);
    std::optional<Bytes> write_command(std::uint8_t unit,
                                       std::uint16_t address,
                                       const std::vector<std::uint16_t>& values);

  private:
    bool fill(std::size_t size, int limit_ms);

    int socket_;
    std::uint16_t sent_ = 0;
    std::uint16_t answered_ = 0;
    std::vector<std::uint8_t> units_;  // of the requests, by transaction id
    Bytes received_;
    std::string lost_;
};

}  // namespace liftwarden::sim::test
