#pragma once

#include "drivers/sim/car.hpp"
#include "drivers/sim/fault_set.hpp"
#include "drivers/sim/image.hpp"
#include "drivers/sim/mailbox.hpp"
#include "drivers/sim/note.hpp"

#include <liftwarden/core/error.hpp>
#include <liftwarden/core/ids.hpp>
#include <liftwarden/ports/elevator_map.hpp>

#include <boost/json/object.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace liftwarden::sim {

struct PlcConfig {
    core::ElevatorId id;
    ports::ElevatorMap map;
    // Zero: no cycle; a write is taken at once and outputs are always up to date.
    core::Duration scan = std::chrono::milliseconds{200};
    InputKind input = InputKind::latch;
    bool protect = true;  // false: no duplicate check, whatever is written is executed
    CarConfig car;        // its floors are taken from the map
};

// One elevator's PLC: registers, scan cycle, the PLC's half of the mailbox and the car. What a
// client reads changes only once a scan, and what it writes is looked at only once a scan. Register
// accesses, faults and time are handed in and nothing else has an effect: deterministic. One
// thread.
class Plc {
  public:
    Plc(PlcConfig config, core::TimePoint start);

    // Scans that are due, at most one: a PLC that was held up does not make up for lost scans.
    void run(core::TimePoint now);
    // When run() is to be called next; nothing if only an access can change anything.
    [[nodiscard]] std::optional<core::TimePoint> deadline();

    // A client's access. nullopt or false: illegal data address, nothing done.
    [[nodiscard]] std::optional<std::vector<std::uint16_t>> read(ports::RegisterTable table,
                                                                 std::uint16_t address,
                                                                 std::uint16_t count) const;
    [[nodiscard]] bool write(ports::RegisterTable table,
                             std::uint16_t address,
                             std::span<const std::uint16_t> values,
                             core::TimePoint now);

    // True if a write of these registers is a command: it covers the wire_seq.
    [[nodiscard]] bool is_command(ports::RegisterTable table,
                                  std::uint16_t address,
                                  std::uint16_t count) const;

    // Makes a fault happen or come into effect; an error (class permanent) if this map cannot carry
    // it. Faults of the link only are kept in faults() for whoever serves the frames.
    [[nodiscard]] core::Result<void> apply(const Fault& fault, core::TimePoint now);
    [[nodiscard]] FaultSet& faults() { return faults_; }

    [[nodiscard]] const core::ElevatorId& id() const { return config_.id; }
    [[nodiscard]] const ports::ElevatorMap& map() const { return config_.map; }
    [[nodiscard]] const Car& car() const { return car_; }
    // What the car is really doing, for people and tests.
    [[nodiscard]] boost::json::object state(core::TimePoint now);
    // Notes since the last call, oldest first; each has "elevator" in its data.
    [[nodiscard]] Notes drain();

  private:
    struct Answer {
        std::uint16_t echo = 0;
        std::uint16_t result = 0;
    };
    struct LateAnswer {
        core::TimePoint due{};
        Answer answer;
    };
    struct Decision {
        std::string word;  // executed, refused, busy
        std::uint16_t result = 0;
        std::string why;
        std::string content;
    };

    void scan(core::TimePoint now);
    void take_command(core::TimePoint now);
    [[nodiscard]] Decision decide(const CommandBlock& block, core::TimePoint now);
    void note_command(core::TimePoint now, const CommandBlock& block, const Decision& decision);
    void answer(core::TimePoint now, Answer answer);
    void show_late_answer(core::TimePoint now);
    void supervise_heartbeat(core::TimePoint now);
    void publish(core::TimePoint now);
    void publish_word(const char* name, const char* word);
    void publish_door(const char* name, core::Side side, core::TimePoint now);
    void publish_floors();
    void reboot(core::TimePoint now);
    [[nodiscard]] core::Result<void> foreign_write(const Fault& fault, core::TimePoint now);
    [[nodiscard]] core::Result<void> apply_to_car(const Fault& fault, core::TimePoint now);
    [[nodiscard]] std::uint16_t result_code(const char* word) const;
    [[nodiscard]] CommandBlock block() const;
    void collect_car_notes();
    void note(core::TimePoint now, std::string what, boost::json::object data = {});

    PlcConfig config_;
    RegisterImage image_;
    MailboxInput input_;
    Car car_;
    FaultSet faults_;
    core::TimePoint next_scan_{};
    Answer shown_;
    Answer last_answer_;
    std::optional<LateAnswer> late_;
    std::uint16_t heartbeat_ = 0;
    core::TimePoint heartbeat_at_{};
    bool heartbeat_alive_ = false;
    Notes notes_;
};

}  // namespace liftwarden::sim
