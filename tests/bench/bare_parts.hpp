// The parts that a command cannot do without, each by itself and as plainly as possible.
#pragma once

#include "tests/bench/stats.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace liftwarden::bench {

// From publish() of one client to the receive callback of another, QoS 1, through the broker.
[[nodiscard]] Samples publish_to_callback(std::uint16_t broker_port, std::size_t times);
// Two commits of one row each, WAL, synchronous=FULL, in a file of its own in `folder`.
[[nodiscard]] Samples two_commits(const std::string& folder, std::size_t times);

struct ModbusParts {
    Samples read;   // status registers in one request
    Samples write;  // four registers in one request
};
[[nodiscard]] ModbusParts modbus_transactions(std::uint16_t plc_port, std::size_t times);

}  // namespace liftwarden::bench
