// The words of the register map and what they mean to the core, in one place.
#pragma once

#include <liftwarden/core/command.hpp>
#include <liftwarden/core/observation.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace liftwarden::mailbox {

[[nodiscard]] std::optional<core::Travel> travel_from(const std::string& word);
[[nodiscard]] std::optional<core::DoorState> door_state_from(const std::string& word);
[[nodiscard]] std::optional<core::ServiceMode> service_mode_from(const std::string& word);

[[nodiscard]] std::vector<std::string> travel_words();
[[nodiscard]] std::vector<std::string> door_words();
[[nodiscard]] std::vector<std::string> service_mode_words();  // without "unknown"

}  // namespace liftwarden::mailbox
