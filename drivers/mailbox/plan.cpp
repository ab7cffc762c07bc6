#include "drivers/mailbox/plan.hpp"

#include "drivers/mailbox/codes.hpp"
#include "drivers/mailbox/schema.hpp"

#include <algorithm>
#include <cstdint>
#include <tuple>

namespace liftwarden::mailbox {
namespace {

using ports::ReadRequest;
using ports::RegisterTable;

// Limits of the Modbus application protocol for one read.
constexpr std::uint32_t registers_max = 125;
constexpr std::uint32_t bits_max = 2000;

std::uint32_t limit(RegisterTable table) {
    const bool bits = table == RegisterTable::coil || table == RegisterTable::discrete;
    return bits ? bits_max : registers_max;
}

std::uint32_t end_of(const ReadRequest& request) {
    return static_cast<std::uint32_t>(request.address) + request.count;
}

// Everything of the map that is read, one request a key.
std::vector<ReadRequest> single_reads(const ports::ElevatorMap& map,
                                      const std::vector<std::string>& keys) {
    std::vector<ReadRequest> reads;
    for (const std::string& key : keys) {
        if (const ports::RegisterSpec* spec = find_register(map, key)) {
            const std::uint16_t count = key == "ack" ? ack_registers : std::uint16_t{1};
            reads.push_back({map.unit, spec->table, spec->address, count});
        }
    }
    return reads;
}

std::vector<ReadRequest> join(std::vector<ReadRequest> reads) {
    std::sort(reads.begin(), reads.end(), [](const ReadRequest& a, const ReadRequest& b) {
        return std::tie(a.table, a.address) < std::tie(b.table, b.address);
    });
    std::vector<ReadRequest> joined;
    for (const ReadRequest& read : reads) {
        if (!joined.empty() && joined.back().table == read.table &&
            read.address <= end_of(joined.back())) {
            ReadRequest& last = joined.back();
            const std::uint32_t end = std::max(end_of(last), end_of(read));
            if (end - last.address <= limit(read.table)) {
                last.count = static_cast<std::uint16_t>(end - last.address);
                continue;
            }
        }
        joined.push_back(read);
    }
    return joined;
}

bool covers(const ReadRequest& request, const ports::RegisterSpec& spec) {
    return request.table == spec.table && request.address <= spec.address &&
           spec.address < end_of(request);
}

}  // namespace

ReadPlan plan_reads(const ports::ElevatorMap& map) {
    std::vector<std::string> keys;
    for (const ports::RegisterKey& key : schema().registers) {
        if (key.name != "command") {
            keys.push_back(key.name);
        }
    }
    ReadPlan plan;
    plan.full = join(single_reads(map, keys));
    const ports::RegisterSpec* ack = find_register(map, "ack");
    if (ack == nullptr) {
        return plan;
    }
    std::stable_partition(plan.full.begin(), plan.full.end(), [ack](const ReadRequest& request) {
        return covers(request, *ack);
    });
    // The heartbeat register comes along only where it costs no transaction of its own.
    plan.acknowledgement = join(single_reads(map, {"ack", "heartbeat"}));
    std::erase_if(plan.acknowledgement,
                  [ack](const ReadRequest& request) { return !covers(request, *ack); });
    return plan;
}

}  // namespace liftwarden::mailbox
