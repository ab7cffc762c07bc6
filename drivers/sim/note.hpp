// What the model has to say for the log. The pure parts collect notes; the simulator writes them.
#pragma once

#include <liftwarden/core/time.hpp>

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace liftwarden::sim {

// One thing that happened, at its exact moment. `what` is a stable word, see README.md; `data`
// holds what else the log line shows.
struct Note {
    core::TimePoint at{};
    std::string what;
    boost::json::object data;
};

using Notes = std::vector<Note>;

}  // namespace liftwarden::sim
