// A dispatch node that follows the rules: it takes the site's lock when the session says so.
#pragma once

#include "tests/support/redis_client.hpp"
#include "tests/support/site/site.hpp"

#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace liftwarden::test {

// One AGV's way: called to `from`, carried to `to`.
struct Trip {
    std::string name;
    std::string from;
    std::string to;
};

// Drives trips through one elevator, one after the other, with Redisson's locks as a Java node
// would take them. Built by one thread; run() may be another's.
class TripNode {
  public:
    TripNode(Site& site, std::uint16_t redis_port, const std::string& name);

    // Returns false, with the reason in `trouble`, if a trip could not be finished within `limit`.
    bool run(const std::vector<Trip>& trips, Millis limit);

    [[nodiscard]] std::size_t done() const { return done_; }
    [[nodiscard]] const std::string& trouble() const { return trouble_; }
    // Every final status of every command, "acked 17" and so on.
    [[nodiscard]] std::size_t count(const std::string& status) const;
    [[nodiscard]] const Node& node() const { return node_; }

  private:
    using Clock = std::chrono::steady_clock;
    bool ride(const Trip& trip, Clock::time_point until);
    bool step(const std::string& fields, const Trip& trip, bool is_call, Clock::time_point until);
    // True if a command may be sent now; takes or renews the lock where the session wants one.
    bool ready_to_send();
    [[nodiscard]] std::string mode() const;
    void drop_lock();
    bool give_up(const std::string& why);

    std::string name_;
    std::uint16_t redis_port_;
    Node node_;
    MqttPeer session_;
    std::optional<RedissonThread> redis_;
    bool locked_ = false;
    bool owns_without_lock_ = false;
    int sent_ = 0;
    std::atomic<std::size_t> done_{0};
    std::vector<std::string> finals_;
    std::string trouble_;
};

}  // namespace liftwarden::test
