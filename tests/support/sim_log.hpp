#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value_to.hpp>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace liftwarden::test {

// What a simulated PLC made of one command that reached its program.
struct SimCommand {
    std::int64_t at = 0;  // nanoseconds of the steady clock
    std::string elevator;
    std::string content;   // "car_call 2"; empty if it could not be read
    std::string decision;  // executed, refused, busy, duplicate, old, empty
    std::uint16_t wire_seq = 0;
};

// The simulator's log: what really happened, whatever anybody reports. A snapshot of the moment it
// was loaded; load again for what came later. `elevator` empty means all of them.
class SimLog {
  public:
    using Lines = std::vector<boost::json::object>;

    // A missing file is an empty log; a last line that is not complete yet is left out. Throws
    // std::runtime_error naming the line that is not a JSON object.
    [[nodiscard]] static SimLog load(const std::string& path) {
        std::ifstream file{path};
        std::stringstream content;
        content << file.rdbuf();
        const std::string text = content.str();
        SimLog log;
        std::size_t from = 0;
        for (std::size_t end = text.find('\n'); end != std::string::npos;
             from = end + 1, end = text.find('\n', from)) {
            log.add(text.substr(from, end - from), path);
        }
        return log;
    }

    // Lines by their "what", in order.
    [[nodiscard]] Lines lines(const std::string& what, const std::string& elevator = "") const {
        Lines found;
        for (const auto& line : lines_) {
            const auto* of = line.if_contains("elevator");
            const bool fits = elevator.empty() || (of != nullptr && of->as_string() == elevator);
            if (fits && line.at("what").as_string() == what) {
                found.push_back(line);
            }
        }
        return found;
    }

    // All commands in the order the PLC took them.
    [[nodiscard]] std::vector<SimCommand> commands(const std::string& elevator = "") const {
        std::vector<SimCommand> found;
        for (const auto& line : lines("command", elevator)) {
            found.push_back({line.at("t").to_number<std::int64_t>(),
                             boost::json::value_to<std::string>(line.at("elevator")),
                             boost::json::value_to<std::string>(line.at("content")),
                             boost::json::value_to<std::string>(line.at("decision")),
                             line.at("wire_seq").to_number<std::uint16_t>()});
        }
        return found;
    }

    // Contents of those that were executed, in order.
    [[nodiscard]] std::vector<std::string> executed(const std::string& elevator = "") const {
        std::vector<std::string> found;
        for (const SimCommand& command : commands(elevator)) {
            if (command.decision == "executed") {
                found.push_back(command.content);
            }
        }
        return found;
    }

    // How often the command block was written, with this wire_seq or at all.
    [[nodiscard]] std::size_t writes(const std::string& elevator = "",
                                     std::optional<std::uint16_t> wire_seq = std::nullopt) const {
        const Lines found = lines("mailbox_write", elevator);
        return static_cast<std::size_t>(
            std::count_if(found.begin(), found.end(), [wire_seq](const auto& line) {
                return !wire_seq ||
                       line.at("wire_seq").template to_number<std::uint16_t>() == *wire_seq;
            }));
    }

    [[nodiscard]] std::size_t reversals(const std::string& elevator = "") const {
        return lines("reversal", elevator).size();
    }
    [[nodiscard]] std::size_t emergency_stops(const std::string& elevator = "") const {
        return lines("emergency_stop", elevator).size();
    }

  private:
    void add(const std::string& text, const std::string& path) {
        boost::json::error_code error;
        const auto value = boost::json::parse(text, error);
        if (error || !value.is_object()) {
            throw std::runtime_error(path + ": not a JSON object: " + text);
        }
        lines_.push_back(value.as_object());
    }

    Lines lines_;
};

}  // namespace liftwarden::test
