#include "tests/support/core_plc.hpp"

#include <algorithm>

namespace liftwarden::test {

void Plc::write(core::TimePoint now, const core::WireCommand& command) {
    PlcAnswer answer;
    if (!next.empty()) {
        answer = next.front();
        next.pop_front();
    }
    if (answer.takes && command.wire_seq.value() != echo) {
        due_.push_back({now + answer.after, command, answer.result});
    }
    settle(now);
}

void Plc::settle(core::TimePoint now) {
    for (const Due& it : due_) {
        if (it.at > now) {
            continue;
        }
        echo = it.command.wire_seq.value();
        result = it.result;
        if (result == core::AckResult::accepted) {
            executed.push_back(it.command);
            if (on_execute) {
                on_execute(it.command);
            }
        }
    }
    due_.erase(
        std::remove_if(due_.begin(), due_.end(), [now](const Due& it) { return it.at <= now; }),
        due_.end());
}

core::Reading Plc::read(core::TimePoint now, core::ReadKind kind) {
    settle(now);
    core::Reading made;
    made.at = now;
    made.link = link;
    if (kind == core::ReadKind::full) {
        made.observation = state;
    }
    made.ack = {core::Echo{echo}, result, static_cast<std::uint16_t>(result)};
    made.heartbeat = heartbeat;
    return made;
}

void Plc::restart() {
    echo = 0;
    result = core::AckResult::none;
    heartbeat = 0;
    ++link;
    due_.clear();
}

}  // namespace liftwarden::test
