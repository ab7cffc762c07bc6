#include "src/app/status_table.hpp"

#include "src/app/json_read.hpp"
#include "src/app/terminal.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

namespace liftwarden::app {
namespace {

namespace json = boost::json;

std::string duration(std::int64_t milliseconds) {
    const auto seconds = milliseconds / 1000;
    if (seconds < 60) {
        return fmt::format("{} s", seconds);
    }
    if (seconds < 86'400) {
        return fmt::format("{} h {:02} min", seconds / 3600, seconds / 60 % 60);
    }
    return fmt::format("{} d {} h", seconds / 86'400, seconds / 3600 % 24);
}

// One table with its columns as wide as their widest cell; the first row is the heading.
std::string columns(const std::vector<std::vector<std::string>>& rows, int fd) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], row[i].size());
        }
    }
    std::string out;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        std::string line;
        for (std::size_t i = 0; i < rows[r].size(); ++i) {
            line += fmt::format("{:<{}}  ", rows[r][i], widths[i]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += coloured(line, r == 0 ? Colour::bold : Colour::none, fd) + "\n";
    }
    return out;
}

std::string doors(const json::object& elevator) {
    std::string out;
    for (const auto& [side, state] : object_at(elevator, "doors")) {
        out += (out.empty() ? "" : " ") + std::string{side} + ":" + text_of(state);
    }
    return out.empty() ? "-" : out;
}

std::vector<std::string> elevator_row(const json::object& elevator) {
    const auto& in_flight = object_at(elevator, "in_flight");
    return {
        text_at(elevator, "elevator"),
        text_at(elevator, "phase"),
        text_at(elevator, "floor"),
        doors(elevator),
        text_at(elevator, "service_mode"),
        text_at(elevator, "channel"),
        text_at(elevator, "mode") + "/" + text_at(elevator, "epoch"),
        text_at(elevator, "owner"),
        in_flight.empty() ? "-" : text_at(in_flight, "seq"),
        fmt::format("{}", array_at(elevator, "queue").size()),
        value_at(elevator, "age_ms").is_null()
            ? text_at(elevator, "quality")
            : fmt::format("{} {} ms", text_at(elevator, "quality"), text_at(elevator, "age_ms"))};
}

std::string elevators(const json::object& status, int fd) {
    std::vector<std::vector<std::string>> rows{{"elevator",
                                                "phase",
                                                "floor",
                                                "doors",
                                                "service",
                                                "channel",
                                                "mode/epoch",
                                                "owner",
                                                "in flight",
                                                "queue",
                                                "reading"}};
    std::string notes;
    for (const auto& value : array_at(status, "elevators")) {
        if (!value.is_object()) {
            continue;
        }
        const auto& elevator = value.get_object();
        rows.push_back(elevator_row(elevator));
        if (!value_at(elevator, "lock_out").is_null()) {
            notes += coloured(fmt::format("{} is locked out: {} ({})\n",
                                          text_at(elevator, "elevator"),
                                          text_at(elevator, "lock_out"),
                                          text_at(elevator, "lock_out_detail")),
                              Colour::red,
                              fd);
        }
    }
    return columns(rows, fd) + notes;
}

std::string buses(const json::object& status, int fd) {
    std::vector<std::vector<std::string>> rows{
        {"bus", "link", "links made", "transactions", "faults", "last fault"}};
    for (const auto& value : array_at(status, "buses")) {
        if (!value.is_object()) {
            continue;
        }
        const auto& bus = value.get_object();
        std::string last;
        for (const auto& unit : array_at(bus, "units")) {
            if (unit.is_object() && !value_at(unit.get_object(), "last_fault").is_null()) {
                last = text_at(unit.get_object(), "elevator") + ": " +
                       text_at(unit.get_object(), "last_fault");
            }
        }
        rows.push_back({text_at(bus, "bus"),
                        flag_at(bus, "connected") ? "up" : "down",
                        text_at(bus, "links"),
                        text_at(bus, "transactions"),
                        text_at(bus, "faults"),
                        last.empty() ? "-" : last});
    }
    return columns(rows, fd);
}

std::string broker(const json::object& status, int fd) {
    const auto& broker = object_at(status, "broker");
    const bool online = flag_at(broker, "online");
    std::string line = fmt::format(
        "broker   {} {}, {} connects, {} received, {} published, {} dropped",
        text_at(broker, "address"),
        coloured(online ? "online" : "offline", online ? Colour::green : Colour::red, fd),
        text_at(broker, "connects"),
        text_at(broker, "received"),
        text_at(broker, "published"),
        text_at(broker, "dropped"));
    if (!online && !value_at(broker, "last_error").is_null()) {
        line += "\n         " + text_at(broker, "last_error");
    }
    return line + "\n";
}

std::string journal(const json::object& status, int fd) {
    const auto& journal = object_at(status, "journal");
    const auto& inbound = object_at(status, "inbound");
    std::string line =
        fmt::format("journal  {} commands, {} results to deliver, {} commits, {} KiB",
                    text_at(journal, "commands"),
                    text_at(journal, "outbox"),
                    text_at(journal, "commits"),
                    number_at(journal, "file_bytes") / 1024);
    if (!flag_at(journal, "accepting")) {
        line += coloured(", full: new commands are refused", Colour::red, fd);
    }
    if (!flag_at(journal, "reserve")) {
        line += coloured(", no disk space kept for outcomes", Colour::yellow, fd);
    }
    return line + fmt::format("\ninbound  {} commands, {} refused, {} ignored\n",
                              text_at(inbound, "commands"),
                              text_at(inbound, "refused"),
                              text_at(inbound, "ignored"));
}

std::string lock_service(const json::object& status, int fd) {
    const auto& locks = object_at(status, "lock_service");
    if (locks.empty()) {
        return "";
    }
    const bool usable = text_at(locks, "health") == "usable";
    std::string line =
        fmt::format("locks    {} {}, {} checks, {} unanswered",
                    text_at(locks, "address"),
                    coloured(text_at(locks, "health"), usable ? Colour::green : Colour::red, fd),
                    text_at(locks, "checks"),
                    text_at(locks, "unanswered"));
    if (!usable && !value_at(locks, "last_error").is_null()) {
        line += "\n         " + text_at(locks, "last_error");
    }
    return line + "\n";
}

}  // namespace

std::string status_table(const json::object& status, int fd) {
    std::string out = fmt::format("gateway  {} at {}, version {}, up {}\n",
                                  text_at(status, "gateway"),
                                  text_at(status, "site"),
                                  text_at(status, "version"),
                                  duration(number_at(status, "uptime_ms")));
    out += broker(status, fd) + lock_service(status, fd) + journal(status, fd);
    for (const auto& name : array_at(status, "stalled")) {
        out += coloured("thread stands still: " + text_of(name) + "\n", Colour::red, fd);
    }
    return out + "\n" + elevators(status, fd) + "\n" + buses(status, fd);
}

}  // namespace liftwarden::app
