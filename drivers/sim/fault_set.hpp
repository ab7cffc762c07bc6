#pragma once

#include "drivers/sim/fault.hpp"

#include <optional>
#include <string>
#include <vector>

namespace liftwarden::sim {

// The lasting faults of one elevator and how much is left of them. Time is handed in; one thread.
class FaultSet {
  public:
    // A later fault of a kind comes into effect when the earlier one is over.
    void add(Fault fault, core::TimePoint now);
    void clear() { active_.clear(); }
    // The fault of this kind that is to happen now, using up one of its times.
    [[nodiscard]] std::optional<Fault> hit(FaultKind kind, core::TimePoint now);
    // The same for faults that are a state and have no count.
    [[nodiscard]] std::optional<Fault> on(FaultKind kind, core::TimePoint now);
    // What is active, as it was written, with what is left.
    [[nodiscard]] std::vector<std::string> describe(core::TimePoint now);

  private:
    struct Active {
        Fault fault;
        std::optional<core::TimePoint> ends;
    };
    using Position = std::vector<Active>::iterator;
    void drop_ended(core::TimePoint now);
    [[nodiscard]] Position find(FaultKind kind, core::TimePoint now);

    std::vector<Active> active_;
};

}  // namespace liftwarden::sim
