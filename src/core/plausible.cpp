#include <liftwarden/core/plausible.hpp>

namespace liftwarden::core {
namespace {

std::optional<std::string> why_implausible(const Content& content) {
    if (content.action == ActionKind::query) {
        return "a query is never kept";
    }
    if (is_call(content.action) && !content.floor) {
        return "a call has no floor";
    }
    if (content.action == ActionKind::set_mode && !content.mode) {
        return "a set_mode has no mode";
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> why_implausible(const CommandRow& row) {
    const bool written = row.status == Status::sent || row.status == Status::unknown;
    if (written && row.command.content.action == ActionKind::release) {
        return "a release was written";
    }
    if (written && (!row.wire_seq || row.wire_seq->value() == 0)) {
        return "a written command has no wire_seq";
    }
    if (written && !row.echo_before) {
        return "a written command has no echo_before";
    }
    return why_implausible(row.command.content);
}

std::optional<std::string> why_implausible(const ElevatorRow& row) {
    for (const Watch& watch : row.watches) {
        if (watch.row.command.content.action == ActionKind::release) {
            return "a release is watched";
        }
        if (auto why = why_implausible(watch.row.command.content)) {
            return why;
        }
    }
    return std::nullopt;
}

}  // namespace liftwarden::core
