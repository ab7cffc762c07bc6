// gateway, control, journal, queue and source_groups: what concerns the process as a whole.
#include "src/adapters/config/sections.hpp"
#include "src/adapters/config/values.hpp"

#include <fmt/format.h>
#include <sys/un.h>

#include <map>

namespace liftwarden::config {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t groups_max = 64;
constexpr std::size_t members_max = 64;

// A path at which the daemon makes a file.
Parse own_path(Draft& draft, std::string& target, std::size_t longest = 1024) {
    return [&draft, &target, longest](Report& report, const Entry& entry) {
        const auto store = [&](std::string value) {
            draft.files.push_back({entry.value.place, entry.key, value, false, true});
            target = std::move(value);
        };
        path(store, longest)(report, entry);
    };
}

void read_default_ttl(Report& report, core::QueueLimits& queue, const Entry& section) {
    read_mapping(
        report,
        section,
        "default_ttl",
        {
            optional("calls", duration(queue.default_ttl_call, 100ms, core::boot_ttl_max)),
            optional("door_commands", duration(queue.default_ttl_door, 100ms, core::boot_ttl_max)),
        });
}

// Puts one source into its group. `places` knows where each source so far was named.
void add_member(Report& report,
                Draft& draft,
                const Entry& group,
                const Node& item,
                std::map<std::string, Place>& places) {
    if (item.kind != Node::Kind::scalar) {
        if (item.kind != Node::Kind::invalid) {
            report.error(item.place,
                         fmt::format("a source of group {} must be a name, not {}",
                                     quoted(group.key),
                                     describe(item.kind)));
        }
        return;
    }
    if (const auto fault = fault_of_name(item.text)) {
        report.error(item.place, fmt::format("source {} {}", quoted(item.text), *fault));
        return;
    }
    const auto [known, added] = places.emplace(item.text, item.place);
    if (!added) {
        report.error(item.place,
                     fmt::format("source {} is already in a group, at {}",
                                 quoted(item.text),
                                 report.describe(known->second)));
        return;
    }
    draft.settings.source_groups.emplace(core::SourceId{item.text}, group.key);
}

void read_group(Report& report,
                Draft& draft,
                const Entry& group,
                std::map<std::string, Place>& places) {
    if (const auto fault = fault_of_name(group.key)) {
        report.error(group.place, fmt::format("group {} {}", quoted(group.key), *fault));
    }
    if (!expect(
            report, group, Node::Kind::sequence, "a list of sources such as [node-a, node-b]")) {
        return;
    }
    const std::vector<Node>& items = group.value.items;
    if (items.empty() || items.size() > members_max) {
        report.error(
            group.value.place,
            fmt::format("group {} must list 1 to {} sources", quoted(group.key), members_max));
        return;
    }
    for (const Node& item : items) {
        add_member(report, draft, group, item, places);
    }
}

// A source outside a group counts under its own name; a group of that name would make it a member.
void check_group_names(Report& report, const Draft& draft, const Entry& section) {
    for (const Entry& group : section.value.entries) {
        const auto source = draft.settings.source_groups.find(core::SourceId{group.key});
        if (source != draft.settings.source_groups.end() && source->second != group.key) {
            report.error(group.place,
                         fmt::format("group {} has the name of a source in group {}",
                                     quoted(group.key),
                                     quoted(source->second)));
        }
    }
}

}  // namespace

void read_gateway(Report& report, Draft& draft, const Entry& section) {
    ports::Settings& settings = draft.settings;
    read_mapping(report,
                 section,
                 "gateway",
                 {
                     required("id", name([&](std::string id) {
                                  settings.mqtt.client_id = id;
                                  settings.gateway = core::GatewayId{std::move(id)};
                              })),
                     required("site", name([&](std::string site) { settings.site = site; })),
                 });
}

void read_control(Report& report, Draft& draft, const Entry& section) {
    constexpr std::size_t longest = sizeof(sockaddr_un::sun_path) - 1;
    read_mapping(report,
                 section,
                 "control",
                 {optional("socket", own_path(draft, draft.settings.control.socket, longest))});
}

void read_journal(Report& report, Draft& draft, const Entry& section) {
    ports::JournalSettings& journal = draft.settings.journal;
    read_mapping(report,
                 section,
                 "journal",
                 {
                     optional("path", own_path(draft, journal.path)),
                     optional("retention", duration(journal.retention, 24h, 24h * 3650)),
                     optional("max_size", size(journal.max_bytes, 8ULL << 20U, 64ULL << 30U)),
                 });
}

void read_queue(Report& report, Draft& draft, const Entry& section) {
    core::QueueLimits& queue = draft.settings.queue;
    const Parse default_ttl = [&queue](Report& to, const Entry& entry) {
        read_default_ttl(to, queue, entry);
    };
    read_mapping(report,
                 section,
                 "queue",
                 {
                     optional("depth", integer(queue.depth, 1, 1024)),
                     optional("source_share", share(queue.source_share)),
                     optional("default_ttl", default_ttl),
                     optional("coalesce_window", duration(queue.coalesce_window, 0s, 60s)),
                     optional("repeat_window", duration(queue.repeat_window, 1s, 24h)),
                 });
    if (queue.source_share * queue.depth < 1) {
        report.error(place_of(section, {"source_share"}),
                     fmt::format("source_share leaves a source less than one place of a queue of "
                                 "depth {}",
                                 queue.depth));
    }
}

void read_source_groups(Report& report, Draft& draft, const Entry& section) {
    std::map<std::string, Place> places;
    read_entries(report, section, "group", groups_max, [&](const Entry& group) {
        read_group(report, draft, group, places);
    });
    check_group_names(report, draft, section);
}

}  // namespace liftwarden::config
