#include "tests/bench/lock_check.hpp"

#include "src/adapters/redis/redis_locks.hpp"
#include "src/adapters/redis/scripts.hpp"
#include "src/adapters/system/system_clock.hpp"
#include "tests/support/redis_client.hpp"
#include "tests/support/redis_server.hpp"

#include <hiredis/hiredis.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace liftwarden::bench {
namespace {

using Clock = std::chrono::steady_clock;

const std::string holder = "5d1f8a52-7c1e-4b7f-9d39-0a2f4c3b9e10:58";
const std::string key = "agv:lift:control:EL001";

double us(Clock::duration span) {
    return std::chrono::duration<double, std::micro>(span).count();
}

// Waits for the answer to one question; the others only pass.
class Answers final : public ports::EventSink {
  public:
    void post(core::Event event) override {
        const auto* checked = std::get_if<core::LockChecked>(&event);
        if (checked == nullptr || checked->grant.value() == 0) {
            return;
        }
        const std::lock_guard lock(mutex_);
        at_ = Clock::now();
        answered_ = checked->reading && checked->reading->claim_matches;
        arrived_ = true;
        changed_.notify_one();
    }
    // When it came; nullopt: without a reading.
    std::optional<Clock::time_point> wait() {
        std::unique_lock lock(mutex_);
        if (!changed_.wait_for(lock, std::chrono::seconds{10}, [this] { return arrived_; })) {
            throw std::runtime_error("the lock service did not answer");
        }
        arrived_ = false;
        return answered_ ? std::optional(at_) : std::nullopt;
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    Clock::time_point at_;
    bool arrived_ = false;
    bool answered_ = false;
};

class Bench {
  public:
    Bench() {
        test::RedissonThread(server_.port(), key, holder).try_lock(std::chrono::minutes{10});
        bare_.reset(::redisConnect("127.0.0.1", server_.port()));
        ports::LockSettings settings;
        settings.addresses = {{"127.0.0.1", server_.port()}};
        std::vector<core::ElevatorId> elevators{core::ElevatorId("EL001")};
        for (const char* other : {"EL002", "EL003", "EL004"}) {
            others_.emplace_back(other);
            elevators.emplace_back(other);
        }
        locks_ = std::make_unique<redis::RedisLocks>(
            settings, elevators, answers_, clock_, nullptr, nullptr);
        locks_->start();
        while (!verify()) {
            std::this_thread::sleep_for(std::chrono::milliseconds{20});
        }
    }

    double bare() {
        const auto start = Clock::now();
        const std::unique_ptr<void, void (*)(void*)> reply(::redisCommand(bare_.get(),
                                                                          "EVAL_RO %s 1 %s %s n",
                                                                          redis::check_script,
                                                                          key.c_str(),
                                                                          holder.c_str()),
                                                           ::freeReplyObject);
        if (reply == nullptr) {
            throw std::runtime_error("Redis does not answer");
        }
        return us(Clock::now() - start);
    }

    std::optional<double> verify() {
        const auto start = Clock::now();
        locks_->check({core::ElevatorId("EL001"), core::GrantId{1}, {holder, std::nullopt}});
        const auto end = answers_.wait();
        return end ? std::optional(us(*end - start)) : std::nullopt;
    }

    // 1 000 questions a second about locks that nobody holds, until `done`.
    void crowd(const std::atomic<bool>& done) {
        for (std::size_t i = 0; !done; ++i) {
            locks_->check(
                {others_[i % others_.size()], core::GrantId{0}, {"nobody", std::nullopt}});
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
    }

  private:
    struct Free {
        void operator()(redisContext* context) const { ::redisFree(context); }
    };
    test::RedisServer server_;
    std::unique_ptr<redisContext, Free> bare_;
    system::SystemClock clock_;
    Answers answers_;
    std::vector<core::ElevatorId> others_;
    std::unique_ptr<redis::RedisLocks> locks_;
};

}  // namespace

LockCheck lock_check(std::size_t times) {
    // As often as a busy elevator at most, so that every thread has gone to sleep in between.
    constexpr std::chrono::milliseconds pause{5};
    Bench bench;
    LockCheck result;
    for (std::size_t i = 0; i < times; ++i) {
        std::this_thread::sleep_for(pause);
        result.bare.add(bench.bare());
        std::this_thread::sleep_for(pause);
        if (const auto taken = bench.verify()) {
            result.verified.add(*taken);
        }
    }
    std::atomic<bool> done{false};
    std::thread crowd([&] { bench.crowd(done); });
    for (std::size_t i = 0; i < times; ++i) {
        std::this_thread::sleep_for(pause);
        if (const auto taken = bench.verify()) {
            result.crowded.add(*taken);
        }
    }
    done = true;
    crowd.join();
    return result;
}

}  // namespace liftwarden::bench
