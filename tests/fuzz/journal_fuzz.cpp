// Rows of a hostile database: every body either decodes to something that encodes to the same, or
// is corruption; and a core that starts from what decodes does not fall.
#include "src/adapters/sqlite/database.hpp"
#include "src/adapters/sqlite/log_scan.hpp"
#include "src/adapters/sqlite/schema.hpp"
#include "src/adapters/sqlite/store.hpp"
#include "src/wire/journal_text.hpp"
#include "tests/fuzz/check.hpp"

#include <liftwarden/core/gateway.hpp>
#include <liftwarden/core/plausible.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace {

using namespace liftwarden;
using fuzz::check;

// One database for the life of the process; its rows are replaced.
struct Database {
    sqlite::Connection connection{":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, ""};
    std::optional<sqlite::Store> store;
    std::optional<sqlite::Statement> put;
    std::optional<sqlite::Statement> put_alarm;

    Database() {
        sqlite::create_tables(connection, false);
        store.emplace(connection);
        put.emplace(connection,
                    "INSERT OR REPLACE INTO command(id, elevator, seq, status, source, at,"
                    " changed_at, uptime, changed_uptime, body) VALUES(1, 'EL1', 's', ?, 'n', ?, ?,"
                    " 0, 0, ?)");
        put_alarm.emplace(connection,
                          "INSERT OR REPLACE INTO audit(id, at, uptime, elevator, kind, alarm,"
                          " source, seq, detail) VALUES(1, ?, 0, ?, 'x', ?, NULL, NULL, ?)");
    }
};

void read_rows(std::string_view body, std::int64_t number) {
    static Database database;
    sqlite::Run(*database.put).bind("sent").bind(number).bind(number).bind(body).finish();
    sqlite::Run(*database.put_alarm).bind(number).bind(body).bind(number).bind(body).finish();
    try {
        (void)database.store->look_up(core::ElevatorId{"EL1"}, core::Seq{"s"});
    } catch (const sqlite::SqlError& error) {
        check(error.is_corruption(), "what cannot be decoded is corruption");
    }
    sqlite::LogScan scan(database.connection, {});
    while (!scan.slice(std::chrono::steady_clock::now() + std::chrono::seconds{1})) {
    }
    check(scan.take().size() == 2, "the log shows every row, whatever it holds");
}

// A start from these rows, and some readings after it.
void start_core(const core::Recovered& recovered, const std::string& boot_id) {
    core::GatewayConfig config;
    config.id = core::GatewayId{"gw"};
    core::ElevatorConfig elevator;
    elevator.id = core::ElevatorId{"EL1"};
    elevator.floors = {{core::FloorLabel{"1"}, 1, {core::Side::front}},
                       {core::FloorLabel{"2"}, 2, {core::Side::front}}};
    elevator.maps_heartbeat = true;
    config.elevators.push_back(elevator);
    core::TimePoint now{std::chrono::hours{1}};
    core::Gateway gateway(config, boot_id, recovered, now);
    core::Actions actions;
    for (int i = 0; i < 8; ++i) {
        now += std::chrono::seconds{2};
        core::Reading reading;
        reading.at = now;
        reading.observation = core::Observation{};
        reading.observation->floor = core::FloorLabel{"1"};
        reading.observation->front = core::DoorState::closed;
        gateway.handle(now, core::Observed{elevator.id, reading}, actions);
        const core::Actions ordered = std::exchange(actions, {});
        for (const core::Action& action : ordered) {
            if (const auto* commit = std::get_if<core::Commit>(&action)) {
                gateway.handle(now, core::Committed{commit->ticket}, actions);
            } else if (const auto* grant = std::get_if<core::RequestGrant>(&action)) {
                gateway.handle(now, core::GrantOpened{elevator.id, grant->grant, reading}, actions);
            }
        }
        gateway.on_time(now, actions);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) {
        return 0;
    }
    // NOLINTNEXTLINE: bytes are characters here
    const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
    const std::size_t cut = text.find('\n');
    const std::string_view first = text.substr(0, cut);
    const std::string_view second = cut == std::string_view::npos ? "" : text.substr(cut + 1);
    core::Recovered recovered;
    if (const auto row = wire::decode_command_row(first)) {
        const auto again = wire::decode_command_row(wire::encode(*row));
        check(again.has_value() && *again == *row, "a command row is lossless");
        if (!core::why_implausible(*row)) {
            recovered.open_commands.push_back(*row);
        }
    }
    if (const auto row = wire::decode_elevator_row(second)) {
        const auto again = wire::decode_elevator_row(wire::encode(*row));
        check(again.has_value() && *again == *row, "an elevator row is lossless");
        if (!core::why_implausible(*row)) {
            recovered.elevators.push_back(*row);
        }
    }
    if (const auto alarm = wire::decode_alarm(first)) {
        const auto again = wire::decode_alarm(wire::encode(*alarm));
        check(again.has_value() && *again == *alarm, "an alarm is lossless");
    }
    read_rows(first, static_cast<std::int8_t>(data[0]) * (INT64_MAX / 127));
    if (!recovered.open_commands.empty() || !recovered.elevators.empty()) {
        start_core(recovered, data[0] % 2 == 0 ? "boot-1" : "boot-2");
    }
    return 0;
}
