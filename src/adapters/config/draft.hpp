// The configuration while it is being read: the settings so far, and where each came from.
#pragma once

#include "src/adapters/config/document.hpp"

#include <liftwarden/ports/settings.hpp>

#include <optional>
#include <string>
#include <vector>

namespace liftwarden::config {

using Drivers = std::vector<const ports::DriverSchema*>;

// A file that the configuration names. Whether it exists is looked up after parsing, and only when
// the configuration itself came from the file system.
struct FileUse {
    Place place;
    std::string key;
    std::string path;
    bool secret = false;
    bool made_by_us = false;  // need not exist, but must not be something else than a file
};

// Where a bus stands. `sound`: nothing in it was reported, so its values may be reckoned with.
struct BusOrigin {
    const Entry* entry = nullptr;
    bool sound = false;
};

// Where an elevator stands. `map_sound`: its floors, registers and codes are complete, so that the
// driver may be asked about them; `plan` is then what the driver answered.
struct ElevatorOrigin {
    const Entry* entry = nullptr;
    const ports::DriverSchema* schema = nullptr;
    bool sound = false;
    bool map_sound = false;
    std::optional<ports::PollPlan> plan;
};

// `buses` and `elevators` run parallel to the lists of the same name in `settings`. The entries
// belong to the parsed documents, which must outlive the draft.
struct Draft {
    ports::Settings settings;
    const Entry* main = nullptr;  // the main file as a whole, under an empty key
    std::vector<BusOrigin> buses;
    std::vector<ElevatorOrigin> elevators;
    std::vector<FileUse> files;
};

}  // namespace liftwarden::config
