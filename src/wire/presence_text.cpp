#include "src/wire/presence_text.hpp"

#include "src/wire/json_value.hpp"
#include "src/wire/json_writer.hpp"
#include "src/wire/rfc3339.hpp"
#include "src/wire/topics.hpp"
#include "src/wire/words.hpp"

namespace liftwarden::wire {
namespace {

constexpr std::size_t status_bytes_max = 128 * 1024;
constexpr std::size_t status_elevators_max = 1024;
constexpr std::size_t heartbeat_bytes_max = 8192;
constexpr std::size_t depth_max = 8;

core::Error complaint(const std::string& what, const std::string& why) {
    return core::Error{core::ErrorClass::permanent, what + " " + why};
}

}  // namespace

std::string render_gateway_status(const GatewayStatus& status, std::optional<core::WallTime> at) {
    JsonWriter out(512);
    out.begin_object().member("gateway", status.gateway.str()).flag("online", status.online);
    out.key("elevators").begin_array();
    for (const core::ElevatorId& elevator : status.elevators) {
        out.text(elevator.str());
    }
    out.end_array().member("boot_id", status.boot_id).key("modes").begin_object();
    for (const auto& [mode, count] : status.modes) {
        out.count(to_word(mode), count);
    }
    out.end_object().member("version", status.version).key("at");
    at ? out.text(format_rfc3339(*at)) : out.null();
    return out.end_object().take();
}

core::Result<core::GatewayClaim> parse_gateway_status(const core::GatewayId& gateway,
                                                      std::string_view payload) {
    core::GatewayClaim claim{gateway, false, {}};
    if (payload.empty()) {
        return claim;
    }
    const std::string what = "the status of gateway " + gateway.str();
    const auto tree = parse_json(payload, {status_bytes_max, depth_max});
    if (!tree) {
        return complaint(what, "is refused: " + tree.error().text);
    }
    const JsonValue* online = tree->find("online");
    if (online == nullptr || online->kind != JsonValue::Kind::boolean) {
        return complaint(what,
                         "does not say whether it is online: online is " +
                             (online == nullptr ? "missing" : online->shown()));
    }
    claim.online = online->text == "true";
    const JsonValue* elevators = tree->find("elevators");
    if (elevators == nullptr || elevators->kind != JsonValue::Kind::array) {
        return claim;
    }
    if (elevators->items.size() > status_elevators_max) {
        return complaint(what,
                         "names " + std::to_string(elevators->items.size()) +
                             " elevators, more than " + std::to_string(status_elevators_max));
    }
    for (const JsonValue& elevator : elevators->items) {
        if (elevator.kind == JsonValue::Kind::string && is_topic_id(elevator.text)) {
            claim.elevators.emplace_back(elevator.text);
        }
    }
    return claim;
}

core::Result<core::NodeReported::LockService> parse_node_heartbeat(std::string_view payload) {
    using LockService = core::NodeReported::LockService;
    if (payload.empty()) {
        return LockService::gone;
    }
    const auto tree = parse_json(payload, {heartbeat_bytes_max, depth_max});
    if (!tree) {
        return complaint("the heartbeat", "is refused: " + tree.error().text);
    }
    const JsonValue* service = tree->find("lock_service");
    if (service != nullptr && service->kind == JsonValue::Kind::string) {
        if (service->text == "ok") {
            return LockService::ok;
        }
        if (service->text == "lost") {
            return LockService::lost;
        }
    }
    return complaint("the heartbeat",
                     "must have lock_service ok or lost, not " +
                         (service == nullptr ? "nothing" : service->shown()));
}

}  // namespace liftwarden::wire
