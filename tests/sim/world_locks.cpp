// The site's lock service, and how nodes use it.
#include "tests/sim/world.hpp"

#include <algorithm>

namespace liftwarden::sim_test {

using namespace std::chrono_literals;

namespace {

constexpr core::Duration node_lease = 8s;
constexpr core::Duration check_limit = 80ms;   // the adapter's own
constexpr core::Duration probe_limit = 500ms;  // likewise

}  // namespace

// What a source would send with a command: the lock it has, or had. Most take it first if it is
// free; node-b claims what it never got.
std::optional<core::LockClaim> World::claim_of(const core::Command& command, Site& at) {
    if (!at.lock || command.content.action == core::ActionKind::query) {
        return std::nullopt;
    }
    const std::string owner = "uuid-" + command.source.str() + ":1";
    auto& claim = claims_[{command.elevator.str(), owner}];
    const core::TimePoint now = scheduler_.now();
    const std::string holder = at.lock->holder(now);
    if (command.content.action == core::ActionKind::release) {
        if (holder == owner) {
            at.lock->release();
        }
        return claim;
    }
    if (at.lock->online && (holder.empty() || holder == owner)) {
        const bool again = holder == owner && claim;
        const std::int64_t token = at.lock->acquire(now, owner, node_lease);
        const bool fenced = script_->config.lock->scheme == core::LockScheme::redisson_fenced;
        claim = core::LockClaim{owner, fenced ? std::optional{token} : std::nullopt};
        summary_.seen[again ? "lock renewed" : "lock taken"]++;
    }
    if (!claim && command.source.str() == "node-b") {
        return core::LockClaim{owner, 1000};
    }
    return claim;
}

void World::answer_in(core::Duration delay, core::Event event) {
    scheduler_.in_process(delay, [this, event = std::move(event), generation = generation_] {
        if (generation == generation_) {
            post(event);
        }
    });
}

void World::check_lock(const core::CheckLock& question) {
    Site& at = site(question.elevator);
    core::LockChecked answer = at.lock->answer(scheduler_.now(), question);
    core::Duration delay = 2ms + lock_slow_;
    if (delay > check_limit || !answer.reading) {
        delay = answer.reading ? check_limit : std::min<core::Duration>(delay, check_limit);
        answer.reading.reset();
        answer.detail = "no answer";
    } else {
        answer.reading->answered_at = scheduler_.now() + delay;
    }
    answer_in(delay, std::move(answer));
}

void World::probe_locks() {
    if (!script_->config.lock) {
        return;
    }
    core::LockProbed probed = sites_.front().lock->probe(scheduler_.now());
    const core::Duration delay =
        probed.health == core::Health::usable ? 2ms + lock_slow_ : probe_limit;
    if (delay > probe_limit) {
        probed.health = core::Health::outage;
        probed.instance.clear();
        probed.server_time.reset();
        probed.detail = "too slow";
    }
    answer_in(std::min<core::Duration>(delay, probe_limit), std::move(probed));
    scheduler_.in_process(script_->config.lock->probe, [this, generation = generation_] {
        if (generation == generation_) {
            probe_locks();
        }
    });
}

void World::play_locks(const Input& input, Site& at) {
    if (!at.lock) {
        return;
    }
    const auto all = [this](auto change) {
        for (Site& it : sites_) {
            change(*it.lock);
        }
    };
    switch (input.kind) {
        case Kind::lock_outage:
            all([](test::LockSite& lock) { lock.online = false; });
            scheduler_.in(input.lasts, [all, memory = input.number] {
                all([memory](test::LockSite& lock) {
                    lock.online = true;
                    if (memory % 2 == 1) {  // it comes back without its memory
                        lock.release();
                        lock.lose_counter();
                        lock.memory += "'";
                    }
                });
            });
            break;
        case Kind::lock_slow:
            lock_slow_ = std::chrono::milliseconds{static_cast<std::int64_t>(input.number)};
            scheduler_.in(input.lasts, [this] { lock_slow_ = {}; });
            break;
        case Kind::lock_stolen:
            // Also for longer than the gateway was told.
            at.lock->acquire(scheduler_.now(), "uuid-stranger:1", 5 * input.lasts);
            break;
        case Kind::lock_forbidden:
            all([](test::LockSite& lock) { lock.may_write = false; });
            scheduler_.in(input.lasts,
                          [all] { all([](test::LockSite& lock) { lock.may_write = true; }); });
            break;
        case Kind::lock_misconfigured:
            all([](test::LockSite& lock) { lock.health = core::Health::misconfigured; });
            scheduler_.in(input.lasts, [all] {
                all([](test::LockSite& lock) { lock.health = core::Health::usable; });
            });
            break;
        default:  // failover to a replica that had not heard the newest
            all([](test::LockSite& lock) {
                lock.set_counter(std::max<std::int64_t>(1, lock.counter().value_or(1) - 2));
                lock.memory += "+";
            });
            break;
    }
}

void World::calm_locks() {
    lock_slow_ = {};
    for (Site& it : sites_) {
        if (it.lock) {
            it.lock->online = true;
            it.lock->may_write = true;
            it.lock->health = core::Health::usable;
        }
    }
}

}  // namespace liftwarden::sim_test
