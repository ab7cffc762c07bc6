// Short words for commands, readings and configurations in tests of the core.
#pragma once

#include <liftwarden/core/config.hpp>
#include <liftwarden/core/event.hpp>
#include <liftwarden/core/observation.hpp>

#include <optional>
#include <string>
#include <utility>

namespace liftwarden::test {

using namespace std::chrono_literals;

inline const core::ElevatorId el001{"EL001"};

// command("1001").from("node-a").car_call("2"): a Command as validation hands it on, so a door
// command of the default elevator means its only side.
class CommandBuilder {
  public:
    explicit CommandBuilder(std::string seq) {
        it_.elevator = el001;
        it_.source = core::SourceId{"node-a"};
        it_.seq = core::Seq{std::move(seq)};
        it_.ttl = 60s;
    }
    CommandBuilder& from(const std::string& source) {
        it_.source = core::SourceId{source};
        return *this;
    }
    CommandBuilder& to(const std::string& elevator) {
        it_.elevator = core::ElevatorId{elevator};
        return *this;
    }
    CommandBuilder& hall_call(const std::string& floor) {
        return call(core::ActionKind::hall_call, floor);
    }
    CommandBuilder& car_call(const std::string& floor) {
        return call(core::ActionKind::car_call, floor);
    }
    CommandBuilder& open() { return door_command(core::ActionKind::open_door); }
    CommandBuilder& close() { return door_command(core::ActionKind::close_door); }
    CommandBuilder& hold(std::int32_t seconds) {
        it_.content.seconds = seconds;
        return door_command(core::ActionKind::hold_door);
    }
    CommandBuilder& set_mode(core::OrderedMode mode) {
        it_.content.action = core::ActionKind::set_mode;
        it_.content.mode = mode;
        return *this;
    }
    CommandBuilder& release() {
        it_.content.action = core::ActionKind::release;
        return *this;
    }
    CommandBuilder& query() {
        it_.content.action = core::ActionKind::query;
        return *this;
    }
    // Any action, with what it needs filled in: floor "3", 5 s, agv.
    CommandBuilder& action(core::ActionKind kind);
    CommandBuilder& at_floor(const std::string& floor) {
        it_.content.floor = core::FloorLabel{floor};
        return *this;
    }
    CommandBuilder& side(core::Side side) {
        it_.content.door = side;
        return *this;
    }
    CommandBuilder& up() {
        it_.content.direction = core::Direction::up;
        return *this;
    }
    CommandBuilder& task(const std::string& name) {
        it_.task = name;
        return *this;
    }
    CommandBuilder& ride(const std::string& name) {
        it_.ride = name;
        return *this;
    }
    CommandBuilder& ttl(core::Duration ttl) {
        it_.ttl = ttl;
        return *this;
    }
    CommandBuilder& wait(bool may_wait) {
        it_.wait = may_wait;
        return *this;
    }
    CommandBuilder& msg_id(const std::string& id) {
        it_.msg_id = id;
        return *this;
    }
    CommandBuilder& holding(const std::string& owner,
                            std::optional<std::int64_t> token = std::nullopt) {
        it_.lock = core::LockClaim{owner, token};
        return *this;
    }
    CommandBuilder& reply_to(const std::string& topic, const std::string& correlation) {
        it_.reply = core::ReplyTo{topic, correlation};
        return *this;
    }
    operator core::Command() const { return it_; }  // NOLINT(google-explicit-constructor)
    [[nodiscard]] const core::Content& content() const { return it_.content; }

  private:
    CommandBuilder& call(core::ActionKind kind, const std::string& floor) {
        it_.content.action = kind;
        return at_floor(floor);
    }
    CommandBuilder& door_command(core::ActionKind kind) {
        it_.content.action = kind;
        if (!it_.content.door) {
            it_.content.door = core::Side::front;
        }
        return *this;
    }
    core::Command it_;
};

[[nodiscard]] inline CommandBuilder command(std::string seq) {
    return CommandBuilder(std::move(seq));
}

// state().at_floor("2").door(closed): stopped, door closed, normal, unless said otherwise.
class StateBuilder {
  public:
    StateBuilder() {
        it_.floor = core::FloorLabel{"1"};
        it_.front = core::DoorState::closed;
    }
    StateBuilder& at_floor(const std::string& floor) {
        it_.floor = core::FloorLabel{floor};
        return *this;
    }
    StateBuilder& no_floor() {
        it_.floor.reset();
        return *this;
    }
    StateBuilder& door(core::DoorState state) {
        it_.front = state;
        return *this;
    }
    StateBuilder& rear(core::DoorState state) {
        it_.rear = state;
        return *this;
    }
    StateBuilder& travel(core::Travel travel) {
        it_.travel = travel;
        return *this;
    }
    StateBuilder& mode(core::ServiceMode mode) {
        it_.mode = mode;
        return *this;
    }
    StateBuilder& fault(std::int64_t code) {
        it_.fault = code;
        return *this;
    }
    StateBuilder& target(const std::string& floor) {
        it_.target = core::FloorLabel{floor};
        return *this;
    }
    StateBuilder& occupied(bool occupied) {
        it_.occupied = occupied;
        return *this;
    }
    StateBuilder& undecodable(const std::string& what) {
        it_.undecodable = what;
        return *this;
    }
    operator core::Observation() const { return it_; }  // NOLINT(google-explicit-constructor)

  private:
    core::Observation it_;
};

[[nodiscard]] inline StateBuilder state() {
    return {};
}

// A reading by hand, for tests that answer for the PLC themselves.
[[nodiscard]] inline core::Reading reading(core::TimePoint at,
                                           core::Observation seen,
                                           std::uint16_t echo = 0,
                                           core::AckResult result = core::AckResult::none) {
    core::Reading made;
    made.at = at;
    made.link = 1;
    made.observation = std::move(seen);
    made.ack = {core::Echo{echo}, result, static_cast<std::uint16_t>(result)};
    return made;
}

// One elevator EL001 with floors 1 to 5, a front door at each, everything mapped that can be.
[[nodiscard]] core::ElevatorConfig elevator_config();
// The same with front and rear at floor 1, only the rear at floor 2.
[[nodiscard]] core::ElevatorConfig two_sided_config();
// A gateway with that elevator.
[[nodiscard]] core::GatewayConfig site(core::ElevatorConfig elevator = elevator_config());
// The same with a lock service.
[[nodiscard]] core::GatewayConfig lock_site(core::LockScheme scheme = core::LockScheme::redisson);

}  // namespace liftwarden::test
