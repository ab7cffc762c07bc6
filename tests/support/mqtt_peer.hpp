#pragma once

#include "tests/support/mqtt_wire.hpp"
#include "tests/support/wait.hpp"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace liftwarden::test {

struct PeerMessage {
    std::string topic;
    std::string payload;
    bool retained = false;  // the flag as it came
    MqttProperties properties;
    std::chrono::steady_clock::time_point at{};
};

struct PeerWill {
    std::string topic;
    std::string payload;
    bool retained = false;
};

struct PeerOptions {
    std::uint16_t port = 0;
    std::string client_id;
    std::string username;
    std::string password;
    std::uint32_t session_expiry_s = 0;  // above 0: an existing session is resumed
    std::optional<PeerWill> will;
};

struct PeerPublish {
    std::string topic;
    std::string payload;
    bool retained = false;
    MqttProperties properties;
};

// A dispatch node or an observer in a test: MQTT 5 over plain TCP to 127.0.0.1, QoS 1. It brings
// its own protocol code and thread because the client library under test has one lock and one
// receive thread for the whole process. The constructor throws std::runtime_error when the broker
// refuses. Any thread may call.
class MqttPeer {
  public:
    explicit MqttPeer(const PeerOptions& options);
    MqttPeer(std::uint16_t port, const std::string& client_id);
    ~MqttPeer();
    MqttPeer(const MqttPeer&) = delete;
    MqttPeer& operator=(const MqttPeer&) = delete;

    // Returns when the broker confirmed it; throws std::runtime_error when it refused.
    void subscribe(const std::string& filter);
    // The broker's reason code (0: taken, 16: nobody listens, from 128 on: refused), or nullopt
    // when no acknowledgement came within `limit`.
    std::optional<unsigned> publish(const PeerPublish& message, Millis limit = 10s);

    // QoS 0, without waiting for anybody: for floods.
    void throw_at(const PeerPublish& message);

    [[nodiscard]] std::vector<PeerMessage> messages() const;
    void clear();
    // All that have come, and forgets them.
    [[nodiscard]] std::vector<PeerMessage> take();
    // The first collected message that fits, in order of arrival.
    using Predicate = std::function<bool(const PeerMessage&)>;
    [[nodiscard]] std::optional<PeerMessage> wait_for(const Predicate& fits,
                                                      Millis limit = 10s) const;
    // DISCONNECT, so that the broker forgets the will; without it closing means its death.
    void disconnect();
    void drop();

  private:
    void connect(const PeerOptions& options);
    void send(const std::string& bytes);
    bool read_exactly(std::string& into, std::size_t count) const;
    bool read_packet(unsigned& first_byte, std::string& body) const;
    void receive_loop();
    void handle(unsigned first_byte, const std::string& body);
    std::optional<unsigned> await_answer(std::uint16_t id, Millis limit);

    int socket_ = -1;
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::vector<PeerMessage> messages_;
    std::map<std::uint16_t, unsigned> answers_;  // packet id -> reason code
    std::uint16_t last_id_ = 0;
    std::mutex send_mutex_;
    std::thread thread_;
};

}  // namespace liftwarden::test
