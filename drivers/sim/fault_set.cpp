#include "drivers/sim/fault_set.hpp"

#include <algorithm>
#include <utility>

namespace liftwarden::sim {

void FaultSet::add(Fault fault, core::TimePoint now) {
    std::optional<core::TimePoint> ends;
    if (fault.time) {
        ends = now + *fault.time;
    }
    active_.push_back({std::move(fault), ends});
}

void FaultSet::drop_ended(core::TimePoint now) {
    std::erase_if(active_, [now](const Active& active) {
        return (active.ends && *active.ends <= now) || active.fault.count == 0U;
    });
}

FaultSet::Position FaultSet::find(FaultKind kind, core::TimePoint now) {
    drop_ended(now);
    return std::find_if(active_.begin(), active_.end(), [kind](const Active& active) {
        return active.fault.kind == kind;
    });
}

std::optional<Fault> FaultSet::hit(FaultKind kind, core::TimePoint now) {
    const auto found = find(kind, now);
    if (found == active_.end()) {
        return std::nullopt;
    }
    if (found->fault.count) {
        --*found->fault.count;
    }
    return found->fault;
}

std::optional<Fault> FaultSet::on(FaultKind kind, core::TimePoint now) {
    const auto found = find(kind, now);
    return found == active_.end() ? std::nullopt : std::optional{found->fault};
}

std::vector<std::string> FaultSet::describe(core::TimePoint now) {
    drop_ended(now);
    std::vector<std::string> lines;
    for (const Active& active : active_) {
        std::string line = active.fault.text;
        if (active.fault.count) {
            line += " (" + std::to_string(*active.fault.count) + " left)";
        } else if (active.ends) {
            line += " (" + std::to_string(core::to_ms(*active.ends - now)) + " ms left)";
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace liftwarden::sim
