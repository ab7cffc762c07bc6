// The built daemon between a real broker and a simulated PLC without a scan delay.
#pragma once

#include "tests/bench/bare_parts.hpp"
#include "tests/bench/stats.hpp"

#include <chrono>
#include <cstddef>

namespace liftwarden::bench {

struct Latency {
    Samples write;         // publish to the PLC's receipt of the write
    Samples bare_publish;  // measured in the same run, between the commands
    Samples bare_commits;
    ModbusParts bare_modbus;
};
[[nodiscard]] Latency publish_to_write(std::size_t times);

struct Footprint {
    double resident_mib = 0;
    double cpu_percent = 0;
    double reads_per_s = 0;
};
[[nodiscard]] Footprint idle_footprint(std::size_t elevators, std::chrono::seconds during);

struct Throughput {
    double acked_per_s = 0;
};
[[nodiscard]] Throughput commands_per_second(std::size_t elevators, std::chrono::seconds during);

}  // namespace liftwarden::bench
