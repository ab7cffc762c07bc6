#include "tests/e2e/load.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <utility>

namespace liftwarden::test {
namespace {

using std::chrono::steady_clock;

constexpr Millis repeat_after = 2s;  // the contract's
constexpr Millis ttls[] = {300ms, 1000ms, 4000ms, 20000ms, 60000ms};
const char* const floors[] = {"1", "2", "3", "4"};

}  // namespace

SiteOptions quick_site() {
    SiteOptions options;
    options.elevators = {"EL001", "EL002"};
    options.elevator_keys = {"scan: 50ms",
                             "poll: 50ms",
                             "owner_grace: 1s",
                             "boarding_grace: 5s",
                             "parks_open: true",
                             "settle: 200ms",
                             "effect_timeout: 1s"};
    options.car.floor_time = 150ms;  // longer than a scan, or nobody could follow
    options.car.door.opening = 150ms;
    options.car.door.closing = 150ms;
    options.car.dwell = 50ms;
    // The broker must not be the one that forgets.
    options.broker.extra = {"max_queued_messages 100000", "max_inflight_messages 1000"};
    return options;
}

LoadNode::LoadNode(Site& site,
                   std::string source,
                   std::vector<std::string> elevators,
                   std::size_t robots,
                   std::uint64_t seed)
    : source_(std::move(source)), peer_(site.broker().port(), source_), random_(seed) {
    for (const std::string& elevator : elevators) {
        peer_.subscribe("lift/test/" + elevator + "/result/" + source_);
        for (std::size_t i = 0; i < robots; ++i) {
            Robot robot;
            robot.elevator = elevator;
            robots_.push_back(robot);
        }
    }
    thread_ = std::thread([this] { run(); });
}

LoadNode::~LoadNode() {
    stopping_ = true;
    if (thread_.joinable()) {
        thread_.join();
    }
}

bool LoadNode::finish(Millis limit) {
    winding_down_ = true;
    const bool done = wait_until([this] { return idle_.load(); }, limit);
    stopping_ = true;
    thread_.join();
    take_results();
    return done;
}

std::string LoadNode::unfinished() const {
    std::string text;
    for (const Order& order : orders_) {
        if (!order.final) {
            text += order.elevator + " " + order.seq + " " + order.content +
                    (order.accepted ? " (accepted)\n" : "\n");
        }
    }
    return text;
}

void LoadNode::run() {
    while (!stopping_) {
        take_results();
        bool idle = true;
        for (Robot& robot : robots_) {
            drive(robot);
            idle = idle && !robot.under_way;
        }
        if (!orders_.empty() && roll(200) == 0) {
            Order& any =
                orders_[orders_.size() - 1 - roll(std::min<std::size_t>(orders_.size(), 20))];
            publish(any);
        }
        idle_ = idle && winding_down_;
        std::this_thread::sleep_for(5ms);
    }
}

void LoadNode::take_results() {
    for (PeerMessage& message : peer_.take()) {
        auto result = boost::json::parse(message.payload).as_object();
        const auto& seq = result.at("seq");
        const auto found = seq.is_string()
                               ? by_seq_.find(std::string{result.at("elevator").as_string()} + " " +
                                              std::string{seq.as_string()})
                               : by_seq_.end();
        if (found != by_seq_.end()) {
            Order& order = orders_[found->second];
            order.accepted = order.accepted || result.at("status") == "accepted";
            if (result.at("final").as_bool() && !order.final) {
                order.final = true;
                ++finals_;
            }
        }
        results_.push_back(std::move(result));
    }
}

void LoadNode::drive(Robot& robot) {
    if (robot.under_way) {
        Order& order = orders_[robot.order];
        if (!order.final) {
            if (!order.accepted && steady_clock::now() > order.last_published + repeat_after) {
                publish(order);
            }
            return;
        }
        robot.under_way = false;
        ++robot.step;
    }
    if (robot.step >= robot.steps) {
        if (winding_down_) {
            return;
        }
        ++robot.trip;
        robot.step = 0;
        robot.steps = 2 + roll(3);
    }
    send_next(robot);
}

void LoadNode::send_next(Robot& robot) {
    Order order;
    order.elevator = robot.elevator;
    order.source = source_;
    order.seq = source_ + ":" + std::to_string(orders_.size());
    order.ttl = ttls[roll(std::size(ttls))];
    std::string fields;
    const std::size_t kind = robot.step == 0 ? roll(3) : roll(5);
    if (robot.step + 1 == robot.steps) {
        order.ttl = 60s;  // or the elevator is nobody's only after a grace
        order.content = "release";
        fields = R"("action":"release")";
    } else if (kind == 4) {
        order.content = "close_door";
        fields = R"("action":"close_door")";
    } else {
        const std::string floor = floors[roll(std::size(floors))];
        order.content = (kind == 0 ? "hall_call " : "car_call ") + floor;
        fields = std::string{R"("action":")"} + (kind == 0 ? "hall_call" : "car_call") +
                 R"(","floor":")" + floor + "\"";
    }
    const std::size_t number =
        static_cast<std::size_t>(&robot - robots_.data()) + robots_.size() * robot.trip;
    order.body = R"({"seq":")" + order.seq + "\"," + fields +
                 ",\"ttl_ms\":" + std::to_string(order.ttl.count()) + ",\"task\":\"t" +
                 std::to_string(number) + "\"}";
    order.first_published = steady_clock::now();
    order.first_published_ns = system::SystemClock{}.now().time_since_epoch().count();
    robot.order = orders_.size();
    robot.under_way = true;
    by_seq_[order.elevator + " " + order.seq] = orders_.size();
    orders_.push_back(std::move(order));
    publish(orders_.back());
}

// Message Expiry as the rules for publishers have it, in whole seconds.
void LoadNode::publish(Order& order) {
    MqttProperties properties;
    if (order.ttl >= 1s) {
        properties.expiry_s =
            static_cast<std::uint32_t>(std::chrono::floor<std::chrono::seconds>(order.ttl).count());
    }
    order.last_published = steady_clock::now();
    (void)peer_.publish(
        {"lift/test/" + order.elevator + "/dispatch/" + source_, order.body, false, properties});
}

Evidence gather(const Site& site, const std::vector<const LoadNode*>& nodes) {
    Evidence evidence;
    for (const LoadNode* node : nodes) {
        evidence.orders.insert(evidence.orders.end(), node->orders().begin(), node->orders().end());
        evidence.results.insert(
            evidence.results.end(), node->results().begin(), node->results().end());
    }
    evidence.truth = site.truth();
    evidence.fresh = 1s;
    return evidence;
}

std::size_t LoadNode::roll(std::size_t below) {
    return std::uniform_int_distribution<std::size_t>{0, below - 1}(random_);
}

}  // namespace liftwarden::test
