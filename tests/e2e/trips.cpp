#include "tests/e2e/trips.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <exception>
#include <thread>

namespace liftwarden::test {
namespace {

constexpr Millis pause{100};
const std::string lock_name = "agv:lift:control:EL001";

bool wants_lock(const std::string& mode) {
    return mode == "lock" || mode == "suspect" || mode == "handback";
}

}  // namespace

TripNode::TripNode(Site& site, std::uint16_t redis_port, const std::string& name)
    : name_(name),
      redis_port_(redis_port),
      node_(site, name),
      session_(site.broker().port(), name + "-session") {
    session_.subscribe("lift/test/EL001/session");
}

std::string TripNode::mode() const {
    const auto messages = session_.messages();
    if (messages.empty()) {
        return "";
    }
    const auto session = boost::json::parse(messages.back().payload);
    return std::string(session.as_object().at("mode").as_string());
}

void TripNode::drop_lock() {
    if (redis_ && locked_) {
        try {
            redis_->unlock();
        } catch (const std::exception&) {
            redis_.reset();
        }
    }
    locked_ = false;
}

bool TripNode::ready_to_send() {
    const std::string now = mode();
    // A trip that began without a lock ends without one: the gateway holds it for the trip's sake.
    if (!wants_lock(now) || (now == "handback" && owns_without_lock_)) {
        return !now.empty();
    }
    try {
        if (!redis_) {
            redis_.emplace(redis_port_, lock_name, "5d1f8a52-" + name_ + ":58");
        }
        locked_ = locked_ ? redis_->renew() : redis_->try_lock().has_value();
    } catch (const std::exception&) {
        redis_.reset();  // as a client whose server is gone: it tries again
        locked_ = false;
    }
    return locked_;
}

bool TripNode::give_up(const std::string& why) {
    trouble_ = name_ + ": " + why;
    return false;
}

std::size_t TripNode::count(const std::string& status) const {
    return static_cast<std::size_t>(std::count(finals_.begin(), finals_.end(), status));
}

bool TripNode::step(const std::string& fields,
                    const Trip& trip,
                    bool is_call,
                    Clock::time_point until) {
    while (Clock::now() < until) {
        if (!ready_to_send()) {
            std::this_thread::sleep_for(pause);
            continue;
        }
        const std::string seq = name_ + ":" + std::to_string(++sent_);
        const std::string lock =
            locked_ ? R"(,"lock":{"owner":")" + redis_->id() + "\"}" : std::string();
        node_.send("\"seq\":\"" + seq + "\"," + fields + ",\"ttl_ms\":30000,\"task\":\"" +
                   trip.name + "\"" + lock);
        const auto final = node_.final_of(seq, 60s);
        const std::string status(final.at("status").as_string());
        finals_.push_back(status);
        if (status == "acked") {
            owns_without_lock_ = !locked_;
            return !is_call || wait_until(
                                   [&] {
                                       return node_.count(seq, "served") > 0 ||
                                              node_.count(seq, "not_served") > 0;
                                   },
                                   30s);
        }
        if (!final.at("reason").is_null() &&
            std::string(final.at("reason").as_string()).rfind("lock", 0) == 0) {
            drop_lock();
        }
        std::this_thread::sleep_for(pause);
    }
    return give_up("no end of " + trip.name + ": " + fields);
}

bool TripNode::ride(const Trip& trip, Clock::time_point until) {
    const bool driven =
        step(R"("action":"hall_call","floor":")" + trip.from + "\"", trip, true, until) &&
        step(R"("action":"car_call","floor":")" + trip.to + "\"", trip, true, until) &&
        step(R"("action":"close_door")", trip, true, until) &&
        step(R"("action":"release")", trip, false, until);
    drop_lock();
    owns_without_lock_ = false;
    return driven;
}

bool TripNode::run(const std::vector<Trip>& trips, Millis limit) {
    const auto until = Clock::now() + limit;
    try {
        for (const Trip& trip : trips) {
            if (!ride(trip, until)) {
                return trouble_.empty() ? give_up("a call of " + trip.name + " was not followed up")
                                        : false;
            }
            ++done_;
        }
    } catch (const std::exception& error) {
        return give_up(error.what());
    }
    return true;
}

}  // namespace liftwarden::test
