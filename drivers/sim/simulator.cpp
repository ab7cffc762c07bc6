#include "drivers/sim/simulator.hpp"

#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

namespace liftwarden::sim {

using core::TimePoint;

Simulator::Simulator(Log log, const ports::Clock& clock)
    : clock_(clock), log_(std::move(log)), wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

Simulator::~Simulator() {
    stop();
}

void Simulator::start() {
    stopping_ = false;
    {
        const std::lock_guard lock{mutex_};
        running_ = true;
    }
    thread_ = std::thread{[this] { run(); }};
}

void Simulator::stop() {
    stopping_ = true;
    ::eventfd_write(wake_.get(), 1);
    if (thread_.joinable()) {
        thread_.join();
    }
}

void Simulator::run(int stop_fd) {
    {
        const std::lock_guard lock{mutex_};
        running_ = true;
    }
    do {
        work(clock_.now());
    } while (wait(stop_fd) && !stopping_);
    {
        const std::lock_guard lock{mutex_};
        running_ = false;
    }
    take_orders();
    write_notes();
    log_.flush();
}

// Everything that is due; the log is on its way before anybody can see a consequence.
void Simulator::work(TimePoint now) {
    for (Site& site : sites_) {
        site.plc->run(now);
    }
    write_notes();
    for (auto& endpoint : endpoints_) {
        endpoint->release(now);
    }
    log_.flush();
    for (auto& endpoint : endpoints_) {
        endpoint->transmit();
    }
}

std::optional<TimePoint> Simulator::deadline() {
    std::optional<TimePoint> next;
    const auto earlier = [&next](const std::optional<TimePoint>& candidate) {
        if (candidate && (!next || *candidate < *next)) {
            next = candidate;
        }
    };
    for (Site& site : sites_) {
        earlier(site.plc->deadline());
    }
    for (const auto& endpoint : endpoints_) {
        earlier(endpoint->deadline());
    }
    return next;
}

// False when it is time to end.
bool Simulator::wait(int stop_fd) {
    std::vector<pollfd> polls{{wake_.get(), POLLIN, 0}, {stop_fd, POLLIN, 0}};
    std::vector<std::size_t> firsts;
    for (auto& endpoint : endpoints_) {
        firsts.push_back(polls.size());
        endpoint->watch(polls);
    }
    const std::size_t control = polls.size();
    if (control_) {
        control_->watch(polls);
    }
    timespec limit{};
    const auto next = deadline();
    if (next) {
        const auto left = std::max(*next - clock_.now(), core::Duration{});
        limit.tv_sec = std::chrono::floor<std::chrono::seconds>(left).count();
        limit.tv_nsec = (left % std::chrono::seconds{1}).count();
    }
    if (::ppoll(polls.data(), polls.size(), next ? &limit : nullptr, nullptr) <= 0) {
        return true;
    }
    const std::span<const pollfd> all{polls};
    const TimePoint now = clock_.now();
    for (std::size_t i = 0; i < endpoints_.size(); ++i) {
        endpoints_[i]->receive(all.subspan(firsts[i]), now);
    }
    if (control_) {
        control_->receive(all.subspan(control));
    }
    if (polls[0].revents != 0) {
        eventfd_t ignored = 0;
        ::eventfd_read(wake_.get(), &ignored);
        take_orders();
    }
    return polls[1].revents == 0;
}

void Simulator::write_notes() {
    for (Site& site : sites_) {
        for (Note& note : site.plc->drain()) {
            log_.write(std::move(note));
        }
    }
}

std::vector<std::string> Simulator::addresses() const {
    std::vector<std::string> all;
    for (const auto& endpoint : endpoints_) {
        all.push_back(endpoint->describe());
    }
    return all;
}

std::string Simulator::command(const std::string& line) {
    std::future<std::string> answer;
    {
        const std::lock_guard lock{mutex_};
        if (!running_) {
            return execute(line);
        }
        orders_.emplace_back(line, std::promise<std::string>{});
        answer = orders_.back().second.get_future();
    }
    ::eventfd_write(wake_.get(), 1);
    return answer.get();
}

void Simulator::take_orders() {
    std::vector<Order> orders;
    {
        const std::lock_guard lock{mutex_};
        orders.swap(orders_);
    }
    for (auto& [line, answer] : orders) {
        answer.set_value(execute(line));
    }
}

}  // namespace liftwarden::sim
