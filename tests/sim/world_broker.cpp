// Nodes and broker: messages, their ages, redelivery and repeats.
#include "src/wire/ttl.hpp"
#include "tests/sim/world.hpp"

#include <utility>

namespace liftwarden::sim_test {

using namespace std::chrono_literals;

core::WallTime World::wall() const {
    constexpr std::chrono::milliseconds base{1'777'732'321'251};
    return core::WallTime{base + std::chrono::floor<std::chrono::milliseconds>(
                                     scheduler_.now().time_since_epoch() + wall_offset_)};
}

void World::publish(const Input& input) {
    Message message{*input.command, scheduler_.now(), input.expiry, std::nullopt};
    message.command.lock = claim_of(message.command, sites_[input.elevator]);
    if (script_->issued_at) {
        // The node's own clock is right; ours may have been stepped.
        message.issued = wall() - std::chrono::floor<std::chrono::milliseconds>(wall_offset_);
    }
    const bool repeat = answered_.contains(input.command->seq.str());
    broker_.push_back(message);
    deliver_next();
    if (repeat) {
        return;
    }
    // Publishers repeat once what is not answered within two seconds.
    scheduler_.in(2s, [this, message] {
        if (!calm_ && !answered_.contains(message.command.seq.str())) {
            trace("node repeats " + message.command.seq.str());
            broker_.push_back(message);
            deliver_next();
        }
    });
}

// One message at a time, the next only after the one before was settled; what was not settled when
// the process died comes again.
void World::deliver_next() {
    if (delivering_ || broker_.empty() || !gateway_) {
        return;
    }
    delivering_ = true;
    const std::uint64_t delivery = ++delivery_;
    scheduler_.in_process(1ms, [this, generation = generation_, delivery] {
        if (generation != generation_ || delivery != delivery_) {
            return;
        }
        const Message message = broker_.front();
        if (message.expiry && scheduler_.now() >= message.sent + *message.expiry) {
            trace("broker drops " + message.command.seq.str());
            broker_.pop_front();
            delivering_ = false;
            deliver_next();
            return;
        }
        deliver(message);
    });
}

void World::deliver(const Message& message) {
    const core::TimePoint now = scheduler_.now();
    wire::TtlFacts facts;
    facts.asked = message.command.ttl;
    core::TimePoint deadline = now + facts.asked;
    if (message.expiry) {
        const core::TimePoint end = message.sent + *message.expiry;
        facts.expiry = std::chrono::ceil<std::chrono::seconds>(end - now);
        deadline = std::min(deadline, end + 1s);
    }
    facts.issued_at = message.issued;
    facts.wall = wall();
    facts.wall_synchronised = script_->wall_synchronised;
    const core::Duration away = started_ - died_;
    if (boots_ + static_cast<int>(summary_.seen["crashes"]) > 1 && now < started_ + 5s) {
        facts.away = away;
        const bool dated = message.expiry || (message.issued && script_->wall_synchronised);
        if (!dated && message.sent < started_ && away > facts.asked) {
            deadline = now;  // it may be as old as we were away
        }
    }
    core::CommandReceived event;
    event.delivery = core::DeliveryId{delivery_};
    event.command = message.command;
    event.command.ttl = wire::remaining_ttl(facts);
    event.received_at = now;
    checker_.delivered(event.command, deadline);
    journal_->look_up(std::move(event));
}

}  // namespace liftwarden::sim_test
