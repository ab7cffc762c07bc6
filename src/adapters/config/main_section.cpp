#include "src/adapters/config/sections.hpp"

#include <fmt/format.h>

namespace liftwarden::config {
namespace {

constexpr const char* later =
    "is not supported by this version; remove it only if the site can do without it";

using Section = void (*)(Report&, Draft&, const Entry&);

Parse section(Draft& draft, Section read) {
    return [&draft, read](Report& report, const Entry& entry) { read(report, draft, entry); };
}

Parse skip() {
    return [](Report&, const Entry&) {};
}

}  // namespace

void read_main(Report& report, Draft& draft, const Drivers& drivers, const Entry& root) {
    const std::vector<Key> keys = {
        required("gateway", section(draft, read_gateway)),
        optional("control", section(draft, read_control)),
        required("mqtt", section(draft, read_mqtt)),
        optional("lock", section(draft, read_lock)),
        optional("journal", section(draft, read_journal)),
        optional("queue", section(draft, read_queue)),
        optional("source_groups", section(draft, read_source_groups)),
        required("buses", section(draft, read_buses)),
        optional("elevators", skip()),  // below
        refused("banks", later),
        refused("rides", later),
    };
    read_mapping(report, root, "the configuration", keys);
    if (const Entry* elevators = root.value.find("elevators")) {
        read_elevators(report, draft, drivers, *elevators);
    }
}

void read_elevator_file(Report& report, Draft& draft, const Drivers& drivers, const Entry& root) {
    const Parse elevators = [&](Report& to, const Entry& entry) {
        read_elevators(to, draft, drivers, entry);
    };
    std::vector<Key> keys = {required("elevators", elevators)};
    for (const char* name : {"gateway",
                             "control",
                             "mqtt",
                             "journal",
                             "queue",
                             "source_groups",
                             "buses",
                             "lock",
                             "banks",
                             "rides"}) {
        keys.push_back(refused(name, "belongs in the main file; here stands only \"elevators\""));
    }
    read_mapping(report, root, "a file of elevators.d", keys);
}

}  // namespace liftwarden::config
