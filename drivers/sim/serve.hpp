#pragma once

#include "drivers/sim/pdu.hpp"
#include "drivers/sim/plc.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <map>
#include <span>

namespace liftwarden::sim {

// The PLCs behind one line or address, by unit number. Whoever holds this does not own them.
using Units = std::map<std::uint8_t, Plc*>;

// What a unit does about one request.
struct Exchange {
    enum class What { reply, silence, reset };  // reset: the connection is broken
    What what = What::reply;
    Bytes reply;  // PDU
    core::Duration delay{};
    boost::json::object in;   // the request, for the log
    boost::json::object out;  // the reply, for the log
};

// Lets a unit carry out a request (a PDU that is not empty), with the faults of the link that are
// in effect. A unit that is not there gets exception 0x0B, as from a gateway whose device does not
// answer. `now` must not go back.
[[nodiscard]] Exchange serve(const Units& units,
                             std::uint8_t unit,
                             std::span<const std::uint8_t> pdu,
                             core::TimePoint now);

}  // namespace liftwarden::sim
