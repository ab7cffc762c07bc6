// Dispatch nodes at work, and the laws their results and the PLCs' own log are held against.
#pragma once

#include "tests/support/site/site.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace liftwarden::test {

// One command a node has published, for ever the same.
struct Order {
    std::string elevator;
    std::string source;
    std::string seq;
    std::string content;  // as the simulator writes it: "car_call 2"; "release" for a release
    std::string body;     // JSON
    Millis ttl{};
    std::chrono::steady_clock::time_point first_published;
    std::int64_t first_published_ns = 0;  // on the clock of the simulator's log
    std::chrono::steady_clock::time_point last_published;
    // From its results.
    bool accepted = false;
    bool final = false;
};

// A dispatch node with several robots at each elevator, each on a trip of its own: calls, door
// commands, a release. It sends the next step when the one before is final, repeats what was not
// accepted within 2 s, and now and then repeats something at random, as the rules for publishers
// have it. A thread of its own, between construction and finish().
class LoadNode {
  public:
    LoadNode(Site& site,
             std::string source,
             std::vector<std::string> elevators,
             std::size_t robots,
             std::uint64_t seed);
    ~LoadNode();
    LoadNode(const LoadNode&) = delete;
    LoadNode& operator=(const LoadNode&) = delete;

    // No new trips from now on; true once every command has its final outcome.
    [[nodiscard]] bool finish(Millis limit);
    [[nodiscard]] std::size_t finals() const { return finals_; }
    // After finish(): all that was sent, and every result as it came.
    [[nodiscard]] const std::vector<Order>& orders() const { return orders_; }
    [[nodiscard]] const std::vector<boost::json::object>& results() const { return results_; }
    [[nodiscard]] std::string unfinished() const;

  private:
    struct Robot {
        std::string elevator;
        std::size_t trip = 0;
        std::size_t step = 0;
        std::size_t steps = 0;
        std::size_t order = 0;  // index of the one under way
        bool under_way = false;
    };

    void run();
    void take_results();
    void drive(Robot& robot);
    void send_next(Robot& robot);
    void publish(Order& order);
    [[nodiscard]] std::size_t roll(std::size_t below);

    std::string source_;
    MqttPeer peer_;
    std::mt19937_64 random_;
    std::vector<Robot> robots_;
    std::vector<Order> orders_;
    std::map<std::string, std::size_t> by_seq_;  // "EL001 seq" -> index
    std::vector<boost::json::object> results_;
    std::atomic<std::size_t> finals_{0};
    std::atomic<bool> winding_down_{false};
    std::atomic<bool> idle_{false};
    std::atomic<bool> stopping_{false};
    std::thread thread_;
};

// What a run is judged by.
struct Evidence {
    std::vector<Order> orders;
    std::vector<boost::json::object> results;
    SimLog truth;
    Millis fresh{};  // `stale_after` of the elevators
    // The daemon ran all the time, so that a TTL counts from the first publication.
    bool received_at_once = false;
    // Times in results can be compared with the simulator's.
    bool wall_is_sound = true;
};

// After the nodes' finish().
[[nodiscard]] Evidence gather(const Site& site, const std::vector<const LoadNode*>& nodes);

// Every breach of a law, one sentence each; empty: none. The PLCs must be without faults of their
// own. Laws 1 to 4, 7 (as far as the doors and the PLC's own refusals tell), 8, 10 and 11.
[[nodiscard]] std::vector<std::string> breaches(const Evidence& evidence);

// The elevators of these tests: quick cars, short scans.
[[nodiscard]] SiteOptions quick_site();

}  // namespace liftwarden::test
