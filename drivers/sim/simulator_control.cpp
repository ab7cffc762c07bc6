// The control language: faults and questions, one line each.
#include "drivers/sim/simulator.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

namespace liftwarden::sim {

std::string Simulator::execute(const std::string& line) {
    if (line == "ping") {
        return "ok";
    }
    if (line == "state") {
        return state_of("*");
    }
    if (line.starts_with("state ")) {
        return state_of(line.substr(6));
    }
    return apply(line.starts_with("fault ") ? line.substr(6) : line);
}

std::string Simulator::state_of(const std::string& elevator) {
    boost::json::array states;
    for (Site& site : sites_) {
        if (elevator == "*" || elevator == site.plc->id().str()) {
            states.emplace_back(site.plc->state(clock_.now()));
        }
    }
    if (states.empty()) {
        return "error: there is no elevator '" + elevator + "'";
    }
    return "ok " + (elevator == "*" ? boost::json::serialize(states)
                                    : boost::json::serialize(states.front()));
}

std::string Simulator::apply(const std::string& text) {
    const auto fault = parse_fault(text);
    if (!fault) {
        return "error: " + fault.error().text;
    }
    const core::TimePoint now = clock_.now();
    bool found = false;
    for (Site& site : sites_) {
        if (fault->elevator != "*" && fault->elevator != site.plc->id().str()) {
            continue;
        }
        found = true;
        if (const auto done = site.plc->apply(*fault, now); !done) {
            return "error: " + done.error().text;
        }
        apply_to_endpoint(*fault, site.endpoint, now);
    }
    return found ? "ok" : "error: there is no elevator '" + fault->elevator + "'";
}

// What concerns the whole address concerns every elevator behind it.
void Simulator::apply_to_endpoint(const Fault& fault, std::size_t endpoint, core::TimePoint now) {
    if (endpoint >= endpoints_.size()) {
        return;
    }
    switch (fault.kind) {
        case FaultKind::drop_link:
            endpoints_[endpoint]->drop(now);
            break;
        case FaultKind::refuse_connections:
        case FaultKind::reboot:
            if (fault.time) {
                endpoints_[endpoint]->refuse(now, now + *fault.time);
            }
            break;
        default:
            break;
    }
}

}  // namespace liftwarden::sim
