#pragma once

#include "drivers/sim/endpoint.hpp"
#include "drivers/sim/file_descriptor.hpp"
#include "drivers/sim/pdu.hpp"

#include <deque>
#include <memory>

namespace liftwarden::sim {

// A Modbus TCP server for several units and any number of clients up to clients_max, never
// blocking. Requests of one connection are answered in their order, however slow. A unit that is
// not there gets exception 0x0B, as from a gateway whose device does not answer.
class TcpEndpoint : public Endpoint {
  public:
    static constexpr std::size_t clients_max = 128;

    // `host` is a numeric address; port 0 lets the system choose. `log_frames` false: frames are
    // not logged, connections still are.
    [[nodiscard]] static core::Result<std::unique_ptr<TcpEndpoint>> listen(
        const std::string& host, std::uint16_t port, Units units, Log& log, bool log_frames);

    [[nodiscard]] std::uint16_t port() const { return port_; }

    void release(core::TimePoint now) override;
    void transmit() override;
    void watch(std::vector<pollfd>& polls) override;
    void receive(std::span<const pollfd> polls, core::TimePoint now) override;
    [[nodiscard]] std::optional<core::TimePoint> deadline() const override;
    void drop(core::TimePoint now) override;
    void refuse(core::TimePoint now, core::TimePoint until) override;
    [[nodiscard]] std::string describe() const override;

  private:
    struct Reply {
        core::TimePoint due{};
        Bytes frame;
        boost::json::object line;
    };
    struct Client {
        FileDescriptor fd;
        std::uint64_t id = 0;
        Bytes received;
        std::deque<Reply> replies;
        Bytes unsent;
        bool gone = false;
    };

    TcpEndpoint(std::string host, std::uint16_t port, Units units, Log& log, bool log_frames);
    [[nodiscard]] std::optional<std::string> bind_and_listen();
    void accept_clients(core::TimePoint now);
    void receive_from(Client& client, core::TimePoint now);
    void take_frames(Client& client, core::TimePoint now);
    void take_frame(Client& client, std::span<const std::uint8_t> frame, core::TimePoint now);
    void answer(Client& client,
                std::span<const std::uint8_t> header,
                Exchange exchange,
                core::TimePoint now);
    void close(Client& client, bool abortive, core::TimePoint now, const char* why);
    void log_frame(core::TimePoint now, boost::json::object line);

    std::string host_;
    std::uint16_t port_;
    Units units_;
    Log& log_;
    bool log_frames_;
    FileDescriptor listener_;
    std::vector<Client> clients_;
    std::size_t watched_ = 0;  // clients that the last watch() named
    std::uint64_t last_client_ = 0;
    std::optional<core::TimePoint> refused_until_;
};

}  // namespace liftwarden::sim
