// Problems and summary for programs: what `liftwarden check --json` prints.
#pragma once

#include "src/adapters/config/problem.hpp"
#include "src/adapters/config/summary.hpp"

#include <boost/json/value.hpp>

#include <vector>

namespace liftwarden::config {

// [{"file", "line", "column", "severity", "text"}], line and column 0 for the file as a whole.
[[nodiscard]] boost::json::value to_json(const std::vector<Problem>& problems);

// {"gateway", "site", "arbitration", "mqtt", "buses": [...], "elevators": [...]}; times in whole
// milliseconds, rounded up, as `_ms`. Names no secrets.
[[nodiscard]] boost::json::value to_json(const Summary& summary);

}  // namespace liftwarden::config
