#include "src/adapters/redis/prober.hpp"

#include <algorithm>
#include <utility>

namespace liftwarden::redis {

Prober::Prober(Context& context) : context_(context) {
    const std::string lock = context.elevators.empty()
                                 ? lock_name(context.settings.key, core::ElevatorId("none"))
                                 : context.elevators.begin()->second.names.lock;
    key_ = beside("liftwarden:probe", lock);
}

void Prober::run() {
    const auto period = context_.settings.rules.probe;
    std::uniform_real_distribution<double> jitter(0.9, 1.1);
    Deadline next = std::chrono::steady_clock::now();
    while (wait_for(-1, 0, {}, context_.stop) != Ready::stopped) {
        probe_once();
        next += std::chrono::duration_cast<Deadline::duration>(period * jitter(random_));
        // A probe that took longer than a period is not made up for.
        next = std::max(next, std::chrono::steady_clock::now());
        sleep_until(next);
    }
}

void Prober::sleep_until(Deadline moment) {
    for (;;) {
        ++beats_;
        const Deadline now = std::chrono::steady_clock::now();
        const Deadline until = std::min(moment, now + thread_tick);
        if (now >= moment || wait_for(-1, 0, until, context_.stop) == Ready::stopped) {
            return;
        }
    }
}

void Prober::probe_once() {
    const core::TimePoint started_at = context_.clock.now();
    const Deadline deadline = std::chrono::steady_clock::now() + probe_limit;
    look_for_another_master(deadline);
    const bool kept = session_.has_value();
    ProbeFinding finding = kept ? attempt(deadline) : attempt_anew(deadline);
    // A connection from before may have ended, or lead to what is no master any more, without any
    // harm to the service: only a fresh one, with the master looked up again, can tell.
    if (kept && finding.failure && finding.failure->kind != Failure::Kind::late &&
        health_of(*finding.failure) == core::Health::outage) {
        ProbeFinding fresh = attempt_anew(deadline);
        if (!fresh.failure || finding.failure->kind == Failure::Kind::lost) {
            finding = std::move(fresh);
        }
    }
    if (finding.failure && finding.failure->kind == Failure::Kind::stopped) {
        return;
    }
    post(started_at, finding);
    if (!finding.failure && !sentinels_checked_) {
        warn_of_slow_sentinels();
    }
}

// A master that was replaced while nobody could tell it goes on as one.
void Prober::look_for_another_master(Deadline deadline) {
    const Deadline now = std::chrono::steady_clock::now();
    if (!session_ || !context_.dialer.has_sentinels() || now - resolved_at_ < resolve_again) {
        return;
    }
    resolved_at_ = now;
    const auto named = context_.dialer.named_master(std::min(deadline, now + sentinel_limit));
    if (named && *named != session_->address) {
        context_.say(LogLevel::warning, "the Sentinels name another master: " + *named);
        session_.reset();
    }
}

ProbeFinding Prober::attempt(Deadline deadline) {
    ProbeFinding finding = probe(*session_, key_, context_.clock, deadline);
    if (finding.failure) {
        session_.reset();
    }
    return finding;
}

ProbeFinding Prober::attempt_anew(Deadline deadline) {
    session_.reset();
    auto session = context_.dialer.dial(deadline);
    if (!session) {
        ProbeFinding finding;
        finding.failure = session.error();
        return finding;
    }
    session_ = std::move(*session);
    resolved_at_ = std::chrono::steady_clock::now();
    address_ = session_->address;
    return attempt(deadline);
}

void Prober::post(core::TimePoint started_at, const ProbeFinding& finding) {
    core::LockProbed event;
    event.started_at = started_at;
    event.health = finding.failure ? health_of(*finding.failure) : core::Health::usable;
    event.instance = finding.instance;
    event.detail = finding.failure ? finding.failure->text : "";
    if (finding.time) {
        event.server_time = finding.time->shown;
    }
    report(event.health, event.detail);
    const bool adopted = event.health != core::Health::outage;
    context_.events.post(std::move(event));
    // Only now may readings of this server follow. What a failed probe met is not taken for the
    // lock service yet.
    if (adopted) {
        context_.known.tell(finding.instance, finding.time);
    }
}

void Prober::report(core::Health health, const std::string& detail) {
    ++context_.probes;
    {
        const std::lock_guard lock(context_.mutex);
        context_.health = health;
        context_.address = address_;
        if (!detail.empty()) {
            context_.last_error = detail;
        }
    }
    if (health == core::Health::usable) {
        const std::string text = "locks can be taken at " + address_;
        if (std::exchange(reported_, text) != text) {
            context_.say(LogLevel::info, text);
        }
        return;
    }
    const std::string text = health == core::Health::outage
                                 ? "no lock can be taken: " + detail
                                 : "our own login or configuration is refused: " + detail;
    if (std::exchange(reported_, text) != text) {
        context_.say(health == core::Health::outage ? LogLevel::warning : LogLevel::error, text);
    }
}

void Prober::warn_of_slow_sentinels() {
    sentinels_checked_ = true;
    if (!context_.dialer.has_sentinels()) {
        return;
    }
    const auto warning =
        context_.dialer.slow_sentinels(std::chrono::steady_clock::now() + probe_limit);
    if (warning) {
        context_.say(LogLevel::warning, *warning);
    }
}

}  // namespace liftwarden::redis
