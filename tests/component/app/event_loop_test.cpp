#include "src/app/event_loop.hpp"

#include "tests/support/core_builders.hpp"
#include "tests/support/fake_ports.hpp"
#include "tests/support/wait.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

namespace app = liftwarden::app;
namespace core = liftwarden::core;
using namespace liftwarden::test;

namespace {

core::GatewayConfig one_elevator() {
    core::GatewayConfig config;
    config.id = core::GatewayId{"gw-01"};
    config.site = "site";
    core::ElevatorConfig elevator;
    elevator.id = el001;
    elevator.floors = {{core::FloorLabel{"1"}, 1, {core::Side::front}}};
    config.elevators.push_back(elevator);
    return config;
}

// The loop in a thread of its own, with the real core behind it.
class RunningLoop {
  public:
    RunningLoop() : guard_(boost::asio::make_work_guard(io_)) {}
    ~RunningLoop() {
        guard_.reset();
        io_.stop();
        if (thread_.joinable()) {
            thread_.join();
        }
    }
    RunningLoop(const RunningLoop&) = delete;
    RunningLoop& operator=(const RunningLoop&) = delete;

    void start() {
        loop.attach(gateway_, [this](const core::Actions& actions) {
            const std::lock_guard lock(mutex_);
            done_.insert(done_.end(), actions.begin(), actions.end());
        });
        thread_ = std::thread([this] { io_.run(); });
    }
    template <class Kind>
    [[nodiscard]] std::vector<Kind> done() {
        const std::lock_guard lock(mutex_);
        std::vector<Kind> found;
        for (const auto& action : done_) {
            if (const auto* kind = std::get_if<Kind>(&action)) {
                found.push_back(*kind);
            }
        }
        return found;
    }

  private:
    boost::asio::io_context io_{1};

  public:
    ManualClock clock;
    app::EventLoop loop{io_, clock};

  private:
    core::Gateway gateway_{one_elevator(), "boot", {}, clock.now()};
    std::mutex mutex_;
    core::Actions done_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_;
    std::thread thread_;
};

core::ResetRequested question(std::uint64_t id) {
    return {core::RequestId{id}, core::ElevatorId{"nowhere"}, core::TookEffect::no, false, "bob"};
}

}  // namespace

TEST_CASE("event loop: events that came before the core are handled when it is there",
          "[app][loop]") {
    RunningLoop running;
    running.loop.post(question(1));
    running.start();
    CHECK(wait_until([&] { return running.done<core::ControlReply>().size() == 1; }));
}

TEST_CASE("event loop: the events of each thread are handled in their order, none is lost",
          "[app][loop]") {
    RunningLoop running;
    running.start();
    constexpr std::uint64_t each = 500;
    std::vector<std::thread> threads;
    for (std::uint64_t thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&running, thread] {
            for (std::uint64_t i = 0; i < each; ++i) {
                running.loop.post(question(thread * each + i));
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    REQUIRE(wait_until([&] { return running.done<core::ControlReply>().size() == 4 * each; }));
    std::vector<std::uint64_t> next{0, each, 2 * each, 3 * each};
    for (const auto& reply : running.done<core::ControlReply>()) {
        const auto id = reply.request.value();
        CHECK(id == next[id / each]++);
    }
}

TEST_CASE("event loop: a deadline of the core is met without any event", "[app][loop]") {
    RunningLoop running;
    running.start();
    REQUIRE(wait_until([&] { return running.loop.turns() > 0; }));
    const auto before = running.done<core::PublishState>().size();
    running.clock.advance(core::publish_period);
    CHECK(wait_until([&] { return running.done<core::PublishState>().size() > before; }));
}

TEST_CASE("event loop: sleeps while nothing happens", "[app][loop]") {
    RunningLoop running;
    running.start();
    REQUIRE(wait_until([&] { return running.loop.turns() > 0; }));
    const auto before = running.loop.turns();
    // The clock of the core stands still, so only the longest sleep of 1 s ends. Two of them must
    // take about 2 s: a loop that spins would make thousands of turns before.
    const auto start = std::chrono::steady_clock::now();
    REQUIRE(wait_until([&] { return running.loop.turns() >= before + 3; }));
    CHECK(std::chrono::steady_clock::now() - start > 1s);
}
