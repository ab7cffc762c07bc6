#pragma once

#include "drivers/sim/pdu.hpp"
#include "drivers/sim/plc.hpp"

#include <boost/json/object.hpp>

#include <span>

namespace liftwarden::sim {

// What a unit does about one request.
struct Exchange {
    enum class What { reply, silence, reset };  // reset: the connection is broken
    What what = What::reply;
    Bytes reply;  // PDU
    core::Duration delay{};
    boost::json::object in;   // the request, for the log
    boost::json::object out;  // the reply, for the log
};

// Lets the PLC carry out a request, with the faults of the link that are in effect. `now` must not
// go back.
[[nodiscard]] Exchange serve(Plc& plc, std::span<const std::uint8_t> pdu, core::TimePoint now);

// A request to a unit that does not exist here, for the log.
[[nodiscard]] boost::json::object describe_request(std::span<const std::uint8_t> pdu);

}  // namespace liftwarden::sim
