#include "src/adapters/redis/mover.hpp"

#include "src/adapters/redis/scripts.hpp"

#include <poll.h>

#include <algorithm>
#include <utility>

namespace liftwarden::redis {
namespace {

const core::ElevatorId& elevator_of(const Mover::Order& order) {
    return std::visit([](const auto& one) -> const core::ElevatorId& { return one.elevator; },
                      order);
}

// A login may not write, or the key is used for something else: nothing that time would cure.
core::LockDone done_of(const Failure& failure) {
    return health_of(failure) == core::Health::misconfigured ? core::LockDone::forbidden
                                                             : core::LockDone::no_answer;
}

}  // namespace

void Mover::put(Order order) {
    bool full = false;
    {
        const std::lock_guard lock(mutex_);
        full = queue_.size() >= move_queue_limit;
        if (!full) {
            queue_.push_back({order, std::chrono::steady_clock::now() + move_limit});
        }
    }
    if (full) {
        answer(order, core::LockDone::no_answer, "too many orders wait for this connection");
        return;
    }
    work_.notify();
}

void Mover::run() {
    for (;;) {
        ++beats_;
        const Deadline tick = std::chrono::steady_clock::now() + thread_tick;
        if (wait_for(work_.fd(), POLLIN, tick, context_.stop) == Ready::stopped) {
            return;
        }
        work_.drain();
        while (const auto job = next()) {
            ++beats_;
            serve(*job);
        }
    }
}

std::optional<Mover::Job> Mover::next() {
    const std::lock_guard lock(mutex_);
    if (queue_.empty()) {
        return std::nullopt;
    }
    Job job = std::move(queue_.front());
    queue_.pop_front();
    return job;
}

void Mover::serve(const Job& job) {
    const auto reply = ask(job);
    if (!reply) {
        session_.reset();
        if (reply.error().kind != Failure::Kind::stopped) {
            answer(job.order, done_of(reply.error()), reply.error().text);
        }
        return;
    }
    backoff_.succeeded();
    const std::string verdict = reply->value().at(0).text().value_or("");
    const std::string detail = printable(reply->value().at(1).text().value_or(""));
    if (verdict == "ours" || verdict == "gone") {
        const bool held = verdict == "gone" && !detail.empty();
        answer(job.order, core::LockDone::ours, held ? "held by " + detail : detail);
    } else if (verdict == "foreign") {
        answer(job.order, core::LockDone::foreign, detail);
    } else {
        session_.reset();
        answer(job.order, core::LockDone::no_answer, "an answer of another form");
    }
}

Outcome<Reply> Mover::ask(const Job& job) {
    if (auto failure = make_ready(job.deadline)) {
        return *failure;
    }
    std::visit([this](const auto& order) { append(order); }, job.order);
    if (auto failure = session_->link->send(job.deadline)) {
        return *failure;
    }
    auto reply = session_->link->receive(job.deadline);
    if (reply && reply->value().is_error()) {
        return Failure{Failure::Kind::refused, printable(reply->value().error())};
    }
    return reply;
}

std::optional<Failure> Mover::make_ready(Deadline deadline) {
    if (std::chrono::steady_clock::now() >= deadline) {
        return Failure{Failure::Kind::late, "its time was over before it could be asked"};
    }
    if (session_ && session_->link->is_quiet() && context_.known.is(session_->instance)) {
        return std::nullopt;
    }
    session_.reset();
    if (!backoff_.is_due()) {
        return Failure{Failure::Kind::late, "not connected: " + last_failure_};
    }
    auto session = context_.dialer.dial(deadline);
    if (!session) {
        backoff_.failed();
        last_failure_ = session.error().text;
        return session.error();
    }
    // A counter raised anywhere else than where the nodes take their locks would be lost.
    if (!context_.known.is(session->instance)) {
        return Failure{Failure::Kind::late, "another server than the last probe saw"};
    }
    session_ = std::move(*session);
    return std::nullopt;
}

void Mover::append(const core::HoldLock& order) {
    const LockNames& names = context_.elevators.at(order.elevator).names;
    const auto lease = std::chrono::ceil<std::chrono::milliseconds>(order.lease);
    const std::string life = std::to_string(std::max<std::int64_t>(1, lease.count()));
    const char* script = context_.settings.rules.scheme == core::LockScheme::string
                             ? hold_string_script
                             : hold_hash_script;
    session_->link->append({"EVAL", script, "1", names.lock, order.holder, life});
}

void Mover::append(const core::ReturnLock& order) {
    const LockNames& names = context_.elevators.at(order.elevator).names;
    const std::string counter = std::to_string(std::max<std::int64_t>(0, order.counter));
    Connection& link = *session_->link;
    switch (context_.settings.rules.scheme) {
        case core::LockScheme::string:
            link.append({"EVAL", return_string_script, "1", names.lock, order.holder});
            return;
        case core::LockScheme::redisson:
            link.append({"EVAL",
                         return_hash_script,
                         "1",
                         names.lock,
                         order.holder,
                         counter,
                         names.channel});
            return;
        case core::LockScheme::redisson_fenced:
            link.append({"EVAL",
                         return_hash_script,
                         "2",
                         names.lock,
                         names.counter,
                         order.holder,
                         counter,
                         names.channel});
            return;
    }
}

void Mover::answer(const Order& order, core::LockDone done, std::string detail) {
    context_.events.post(core::LockMoved{elevator_of(order),
                                         std::holds_alternative<core::ReturnLock>(order),
                                         done,
                                         std::move(detail)});
}

}  // namespace liftwarden::redis
