// The drivers this build has.
#pragma once

#include <liftwarden/ports/elevator_driver.hpp>
#include <liftwarden/ports/elevator_map.hpp>

#include <memory>
#include <vector>

namespace liftwarden::app {

// What `driver:` in the configuration may name. The schemas live as long as the process.
[[nodiscard]] const std::vector<const ports::DriverSchema*>& driver_schemas();

// The driver for a map that has passed its schema.
[[nodiscard]] std::unique_ptr<ports::ElevatorDriver> make_driver(const ports::ElevatorMap& map);

}  // namespace liftwarden::app
