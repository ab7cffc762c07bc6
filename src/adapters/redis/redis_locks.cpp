#include "src/adapters/redis/redis_locks.hpp"

#include "src/adapters/redis/context.hpp"
#include "src/adapters/redis/lane.hpp"
#include "src/adapters/redis/mover.hpp"
#include "src/adapters/redis/prober.hpp"

#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <string>
#include <thread>
#include <utility>

namespace liftwarden::redis {
namespace {

// By their order, so that no two share a connection while there are enough of them.
std::map<core::ElevatorId, Elevator> spread(const ports::LockSettings& settings,
                                            std::vector<core::ElevatorId> ids,
                                            std::size_t lanes) {
    std::sort(ids.begin(), ids.end());
    std::map<core::ElevatorId, Elevator> elevators;
    for (const core::ElevatorId& id : ids) {
        elevators.emplace(id, Elevator{lock_names(settings.key, id), elevators.size() % lanes});
    }
    return elevators;
}

// The new thread inherits the mask: signals are for others, and SIGPIPE for nobody.
std::thread start_thread(const std::string& name, std::function<void()> body) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread thread(std::move(body));
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ::pthread_setname_np(thread.native_handle(), name.substr(0, 15).c_str());
    return thread;
}

// One number for several threads: it grows when each of them has moved since it last grew.
class Pulse {
  public:
    std::uint64_t take(const std::vector<std::uint64_t>& beats) {
        const std::lock_guard lock(mutex_);
        seen_.resize(beats.size());
        const bool all =
            std::equal(beats.begin(), beats.end(), seen_.begin(), [](auto now, auto then) {
                return now > then;
            });
        if (all) {
            seen_ = beats;
            ++value_;
        }
        return value_;
    }

  private:
    std::mutex mutex_;
    std::vector<std::uint64_t> seen_;
    std::uint64_t value_ = 0;
};

}  // namespace

struct RedisLocks::Parts {
    WakeEvent stop;
    Context context;
    std::vector<std::unique_ptr<Lane>> lanes;
    Prober prober;
    Mover mover;
    Pulse pulse;
    std::vector<std::thread> threads;

    Parts(const ports::LockSettings& settings,
          std::vector<core::ElevatorId> ids,
          std::size_t lane_count,
          ports::EventSink& events,
          const ports::Clock& clock,
          ReadSecret read_secret,
          Log log)
        : context{settings,
                  spread(settings, std::move(ids), lane_count),
                  events,
                  clock,
                  std::move(log),
                  stop,
                  Dialer(settings, std::move(read_secret), stop)},
          prober(context),
          mover(context) {
        for (std::size_t i = 0; i < lane_count; ++i) {
            lanes.push_back(std::make_unique<Lane>(context));
        }
    }
};

RedisLocks::RedisLocks(ports::LockSettings settings,
                       std::vector<core::ElevatorId> elevators,
                       ports::EventSink& events,
                       const ports::Clock& clock,
                       ReadSecret read_secret,
                       Log log) {
    const auto lanes = static_cast<std::size_t>(std::max(1, settings.connections));
    parts_ = std::make_unique<Parts>(settings,
                                     std::move(elevators),
                                     lanes,
                                     events,
                                     clock,
                                     std::move(read_secret),
                                     std::move(log));
}

RedisLocks::~RedisLocks() {
    stop();
}

void RedisLocks::start() {
    auto& threads = parts_->threads;
    threads.push_back(start_thread("redis-probe", [parts = parts_.get()] { parts->prober.run(); }));
    threads.push_back(start_thread("redis-move", [parts = parts_.get()] { parts->mover.run(); }));
    for (const auto& lane : parts_->lanes) {
        threads.push_back(start_thread("redis-check-" + std::to_string(threads.size() - 2),
                                       [lane = lane.get()] { lane->run(); }));
    }
}

void RedisLocks::stop() {
    parts_->stop.notify();
    for (std::thread& thread : parts_->threads) {
        thread.join();
    }
    parts_->threads.clear();
}

void RedisLocks::check(const core::CheckLock& question) {
    const auto elevator = parts_->context.elevators.find(question.elevator);
    if (elevator == parts_->context.elevators.end()) {
        parts_->context.events.post(core::LockChecked{
            question.elevator, question.grant, std::nullopt, "not an elevator of this gateway"});
        return;
    }
    parts_->lanes[elevator->second.lane]->put(question);
}

void RedisLocks::hold(const core::HoldLock& order) {
    if (!parts_->context.elevators.contains(order.elevator)) {
        parts_->context.events.post(core::LockMoved{
            order.elevator, false, core::LockDone::forbidden, "not an elevator of this gateway"});
        return;
    }
    parts_->mover.put(order);
}

void RedisLocks::give_back(const core::ReturnLock& order) {
    if (!parts_->context.elevators.contains(order.elevator)) {
        parts_->context.events.post(core::LockMoved{
            order.elevator, true, core::LockDone::forbidden, "not an elevator of this gateway"});
        return;
    }
    parts_->mover.put(order);
}

ports::LockServiceStatus RedisLocks::status() const {
    const Context& context = parts_->context;
    const std::lock_guard lock(context.mutex);
    return {context.address,
            context.health,
            context.probes,
            context.checks,
            context.unanswered,
            context.last_error};
}

std::uint64_t RedisLocks::heartbeats() const {
    std::vector<std::uint64_t> beats{parts_->prober.beats(), parts_->mover.beats()};
    for (const auto& lane : parts_->lanes) {
        beats.push_back(lane->beats());
    }
    return parts_->pulse.take(beats);
}

}  // namespace liftwarden::redis
