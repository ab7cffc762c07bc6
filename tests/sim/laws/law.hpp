// One or a few of the laws, as a judge who looks on from outside.
#pragma once

#include "tests/sim/facts.hpp"

#include <string>
#include <variant>

namespace liftwarden::sim_test {

// Told of everything that crosses the borders; throws Violation. Judges know the design and share
// no code with the core. `posted`, `executed` and `started` come after the facts were noted, the
// others before.
class Law {
  public:
    explicit Law(Facts& facts) : facts_(facts) {}
    virtual ~Law() = default;
    Law(const Law&) = delete;
    Law& operator=(const Law&) = delete;

    virtual void posted(const core::Event&) {}
    virtual void acted(const core::Action&) {}
    virtual void turn_over() {}
    virtual void durable(const core::JournalWrite&) {}
    // A write leaves for the PLC, inside the grant `reading` belongs to.
    virtual void writing(const core::WriteCommand&, const core::CommandRow&, const core::Reading&) {
    }
    virtual void executed(const core::ElevatorId&, const Execution&) {}
    virtual void grant_over(const core::ElevatorId&) {}
    virtual void started(bool /*rebooted*/) {}
    virtual void ledger_lost() {}
    virtual void finish() {}

  protected:
    [[noreturn]] void fail(const std::string& law,
                           const core::ElevatorId& elevator,
                           const std::string& what) const {
        throw Violation(law,
                        ", " + elevator.str() +
                            ", t=" + std::to_string(core::to_ms(facts_.now().time_since_epoch())) +
                            " ms: " + what);
    }
    [[nodiscard]] ElevatorFacts& of(const core::ElevatorId& elevator) const {
        return facts_.elevators.at(elevator);
    }

    Facts& facts_;
};

}  // namespace liftwarden::sim_test
