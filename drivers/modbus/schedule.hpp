#pragma once

#include <liftwarden/core/ids.hpp>
#include <liftwarden/core/observation.hpp>
#include <liftwarden/core/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace liftwarden::modbus {

// What to do next on a bus. `unit` counts from 0 in the order of the constructor's list.
struct Job {
    enum class Kind {
        grant,         // `grant`
        read,          // `read`
        heartbeat,     // `heartbeat`
        poll,          // a full reading; answers an outstanding read request too
        reject_grant,  // the unit is suspended: no transaction
        reject_read,
    };
    Kind kind = Kind::poll;
    std::size_t unit = 0;
    core::GrantId grant;
    core::ReadKind read = core::ReadKind::full;
    std::uint16_t heartbeat = 0;
    friend bool operator==(const Job&, const Job&) = default;
};

// Decides the order of service on one bus: grants, requested reads, heartbeats, polls by deadline.
// Before a grant goes one poll of a unit whose state is older than twice its poll (or twice what a
// round of all units takes, if that is longer), so that commands cannot blind the gateway; but
// never two in a row, so that polling cannot starve the commands. A unit that does not answer is
// asked once more at its pace, as one lost answer is no outage, and from then on left alone for
// rest_share times as long as it took to fail, so that it costs the units that answer one time-out
// each such period and less than a tenth of their polling. Where no other unit answers there is
// nobody to spare, and it is asked every other time-out. Bounded: one grant, one read and one
// heartbeat a unit. Pure; one thread at a time.
class Schedule {
  public:
    // `polls`: each unit's polling period.
    Schedule(const std::vector<core::Duration>& polls, core::TimePoint now);

    // The grant that this one pushes out of its place, if the last one was not served yet.
    std::optional<core::GrantId> request_grant(std::size_t unit, core::GrantId grant);
    // False: no such grant is waiting.
    bool withdraw_grant(std::size_t unit, core::GrantId grant);
    // Two requests become one, a full one if either was.
    void request_read(std::size_t unit, core::ReadKind kind);
    // The newest value counts. Dropped while the unit does not answer.
    void request_heartbeat(std::size_t unit, std::uint16_t value);

    // Takes the next job, if there is one now.
    [[nodiscard]] std::optional<Job> next(core::TimePoint now);
    // When to ask again if nothing is requested before; nullopt without units.
    [[nodiscard]] std::optional<core::TimePoint> wake_at() const;

    // How a job went.
    enum class Outcome {
        fresh,     // a full reading that began at `started`
        answered,  // something less: an acknowledgement read, a write
        refused,   // an exception: the unit is there, but a reading was not to be had
        silent,    // nothing that could be used, at the price of a time-out or a connection
    };
    void completed(std::size_t unit,
                   Outcome outcome,
                   core::TimePoint started,
                   core::TimePoint finished);

    [[nodiscard]] bool suspended(std::size_t unit, core::TimePoint now) const;

    // A suspension in units of what it saves.
    static constexpr int rest_share = 12;

  private:
    struct Unit {
        core::Duration poll{};
        core::TimePoint poll_at{};
        core::TimePoint state_at{};     // start of the last full reading
        core::Duration reading_time{};  // smoothed
        bool silent = false;            // it did not answer when it was last asked
        bool asked_again = false;       // since it fell silent
        std::optional<core::GrantId> grant;
        std::uint64_t grant_order = 0;
        std::optional<core::ReadKind> read;
        std::uint64_t read_order = 0;
        std::optional<std::uint16_t> heartbeat;
    };

    [[nodiscard]] std::optional<Job> take_rejection(core::TimePoint now);
    [[nodiscard]] std::optional<Job> take_overdue_poll(core::TimePoint now);
    [[nodiscard]] std::optional<Job> take_grant();
    [[nodiscard]] std::optional<Job> take_read();
    [[nodiscard]] std::optional<Job> take_heartbeat();
    [[nodiscard]] std::optional<Job> take_due_poll(core::TimePoint now);
    [[nodiscard]] Job take_poll(std::size_t unit);
    [[nodiscard]] core::Duration round_time() const;
    [[nodiscard]] core::Duration rest_after(std::size_t unit, core::Duration cost);

    std::vector<Unit> units_;
    std::uint64_t order_ = 0;
    bool poll_went_first_ = false;
};

}  // namespace liftwarden::modbus
