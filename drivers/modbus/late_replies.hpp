#pragma once

#include "drivers/modbus/rtu_frames.hpp"
#include "drivers/modbus/waiter.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace liftwarden::modbus {

// Which replies may still come on a serial line, and what may be asked meanwhile. On a line without
// transaction ids a late reply is a perfect reply to the next equal question, for ever; so after a
// time-out its unit is left alone for a quiet time, at least as long as the worst lateness seen,
// and then first asked something whose answer cannot be mistaken for what is missing: a unit
// answers in order, so that answer settles all that came before. Pure; time is an argument.
class LateReplies {
  public:
    // `configured` zero: the quiet time starts at `response_timeout` and grows with what is seen.
    LateReplies(IoClock::duration response_timeout, IoClock::duration configured);

    // The reply to a request did not come by its deadline, `now`.
    void missed(const ReplyKind& kind, IoClock::time_point now);
    // It came after all. `at` is when, if that was seen; it may have lain there for some time.
    void arrived(const ReplyKind& kind, std::optional<IoClock::time_point> at);
    // The unit has answered something that could not be mistaken. To be called for every answer.
    void answered(std::uint8_t unit);

    // What may still come, of all units.
    [[nodiscard]] std::vector<ReplyKind> awaited(IoClock::time_point now);
    // Until when nothing may be sent to this unit.
    [[nodiscard]] IoClock::time_point unit_quiet_until(std::uint8_t unit) const;
    // Until when nothing may be sent at all: a unit that answered so far is probably only slow, and
    // its answer would collide with another's. One that has missed before costs the others nothing.
    [[nodiscard]] IoClock::time_point line_quiet_until() const { return line_quiet_until_; }
    // True if a late reply could be taken for the answer to this.
    [[nodiscard]] bool confusable(const ReplyKind& kind, IoClock::time_point now);

    [[nodiscard]] IoClock::duration quiet_time() const { return quiet_time_; }

  private:
    struct Missing {
        ReplyKind kind;
        IoClock::time_point deadline;
    };
    struct Unit {
        std::vector<Missing> missing;
        IoClock::time_point quiet_until{};
    };

    void forget_old(IoClock::time_point now);

    IoClock::duration quiet_time_;
    bool adaptive_;
    std::map<std::uint8_t, Unit> units_;
    std::set<std::uint8_t> answering_;  // units whose last word was an answer
    IoClock::time_point line_quiet_until_{};
    std::optional<std::uint8_t> line_waits_for_;
};

}  // namespace liftwarden::modbus
