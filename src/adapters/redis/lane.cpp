#include "src/adapters/redis/lane.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <utility>

namespace liftwarden::redis {

void Lane::put(const core::CheckLock& question) {
    ++context_.checks;
    std::string why;
    {
        const std::lock_guard lock(mutex_);
        if (!ready_) {
            why = not_ready_;
        } else if (queue_.size() >= check_queue_limit) {
            why = "too many questions wait for this connection";
        } else {
            queue_.push_back({question, std::chrono::steady_clock::now() + check_limit});
        }
    }
    if (!why.empty()) {
        refuse(question, why);
        return;
    }
    work_.notify();
}

void Lane::run() {
    while (!stopping()) {
        ++beats_;
        if (!session_) {
            connect();
        } else if (const auto question = next()) {
            serve(*question);
        } else {
            wait_for_work();
        }
    }
    const std::lock_guard lock(mutex_);
    ready_ = false;
    not_ready_ = "stopping";
}

bool Lane::stopping() const {
    return wait_for(-1, 0, {}, context_.stop) == Ready::stopped;
}

std::optional<Lane::Question> Lane::next() {
    const std::lock_guard lock(mutex_);
    if (queue_.empty()) {
        return std::nullopt;
    }
    Question question = std::move(queue_.front());
    queue_.pop_front();
    return question;
}

void Lane::connect() {
    const Deadline tick = std::chrono::steady_clock::now() + thread_tick;
    if (!backoff_.is_due()) {
        static_cast<void>(wait_for(-1, 0, std::min(backoff_.due(), tick), context_.stop));
        return;
    }
    auto session = context_.dialer.dial(std::chrono::steady_clock::now() + dial_limit);
    if (!session) {
        drop(session.error().text);
        return;
    }
    session_ = std::move(*session);
    used_at_ = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex_);
    ready_ = true;
}

void Lane::wait_for_work() {
    const Deadline now = std::chrono::steady_clock::now();
    if (now - used_at_ >= idle_ping) {
        ping();
        return;
    }
    std::array<pollfd, 3> sources{pollfd{work_.fd(), POLLIN, 0},
                                  pollfd{context_.stop.fd(), POLLIN, 0},
                                  pollfd{session_->link->fd(), POLLIN, 0}};
    static_cast<void>(
        ::poll(sources.data(), sources.size(), static_cast<int>(thread_tick.count())));
    work_.drain();
    if (sources[2].revents != 0) {
        drop("the server closed the connection");
    }
}

void Lane::serve(const Question& question) {
    if (std::chrono::steady_clock::now() >= question.deadline) {
        refuse(question.text, "its time was over before it could be asked");
        return;
    }
    const auto& elevator = context_.elevators.at(question.text.elevator);
    auto answer = ask_lock(*session_,
                           context_.settings.rules.scheme,
                           elevator.names,
                           question.text.claim,
                           fresh_nonce(),
                           context_.clock,
                           question.deadline);
    used_at_ = std::chrono::steady_clock::now();
    if (!answer) {
        refuse(question.text, answer.error().text);
        drop(answer.error().text);
        return;
    }
    backoff_.succeeded();
    reported_.clear();
    switch (context_.known.judge(session_->instance, answer->time)) {
        case KnownServer::Verdict::same:
            context_.events.post(core::LockChecked{question.text.elevator,
                                                   question.text.grant,
                                                   std::move(answer->reading),
                                                   std::move(answer->detail)});
            return;
        case KnownServer::Verdict::not_probed:
            refuse(question.text, "the server has not been probed yet");
            return;
        case KnownServer::Verdict::clock_set:
            refuse(question.text, "the server's clock was set; the next probe will tell");
            return;
        case KnownServer::Verdict::other:
            refuse(question.text, "another server than the last probe saw");
            drop("another server than the last probe saw");
            return;
    }
}

void Lane::ping() {
    const auto pong = session_->link->ask({"PING"}, std::chrono::steady_clock::now() + check_limit);
    used_at_ = std::chrono::steady_clock::now();
    if (!pong) {
        drop(pong.error().text);
    } else if (pong->value().is_error()) {
        drop(printable(pong->value().error()));
    } else {
        backoff_.succeeded();
    }
}

void Lane::drop(const std::string& why) {
    session_.reset();
    backoff_.failed();
    std::deque<Question> left;
    {
        const std::lock_guard lock(mutex_);
        ready_ = false;
        not_ready_ = "not connected: " + why;
        left.swap(queue_);
    }
    for (const Question& question : left) {
        refuse(question.text, why);
    }
    if (!stopping() && why != reported_) {
        reported_ = why;
        context_.note_error(why);
        context_.say(LogLevel::warning, "a connection for verification was closed: " + why);
    }
}

void Lane::refuse(const core::CheckLock& question, const std::string& why) {
    ++context_.unanswered;
    context_.events.post(core::LockChecked{question.elevator, question.grant, std::nullopt, why});
}

}  // namespace liftwarden::redis
