#include "src/core/echo_rules.hpp"

#include <liftwarden/core/assert.hpp>

#include <algorithm>

namespace liftwarden::core {

EchoVerdict judge_echo_at_rest(const ElevatorRow& row, Echo echo, const RestartSigns& signs) {
    if (!row.baseline) {
        return echo.value() == 0 ? EchoVerdict::first_sight : EchoVerdict::ledger_lost;
    }
    if (echo == *row.baseline) {
        return EchoVerdict::as_expected;
    }
    if (echo.value() == 0 && (signs.link_lost || signs.heartbeat_changed)) {
        return EchoVerdict::restarted;
    }
    const auto& failed = row.failed_wire_seqs;
    const bool ours =
        std::find(failed.begin(), failed.end(), WireSeq{echo.value()}) != failed.end();
    return ours ? EchoVerdict::late_execution : EchoVerdict::foreign_writer;
}

WireSeq next_wire_seq(std::optional<WireSeq> last, Echo echo) {
    std::uint16_t next = last ? last->value() : 0;
    do {
        next = next == 65535 ? std::uint16_t{1} : static_cast<std::uint16_t>(next + 1);
    } while (next == echo.value());
    LIFTWARDEN_ASSERT(next != 0);
    return WireSeq{next};
}

bool heartbeat_holds(std::optional<std::uint16_t> value,
                     std::optional<std::uint16_t> written,
                     std::uint16_t slack) {
    if (!value || !written || *value == 0) {
        return false;
    }
    // Distance on the circle of 65535 values 1..65535, in both directions.
    const int ahead = (static_cast<int>(*value) - static_cast<int>(*written) + 65535) % 65535;
    return ahead <= slack || ahead >= 65535 - slack;
}

bool proves_not_taken(const CommandRow& row, const Reading& reading) {
    LIFTWARDEN_ASSERT(row.echo_before.has_value());
    if (reading.ack.echo != *row.echo_before) {
        return false;
    }
    const bool heartbeat_stands = row.heartbeat_before && *row.heartbeat_before != 0 &&
                                  reading.heartbeat == row.heartbeat_before;
    return row.echo_before->value() != 0 || heartbeat_stands;
}

}  // namespace liftwarden::core
