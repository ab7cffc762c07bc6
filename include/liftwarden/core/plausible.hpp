// Whether rows of the journal can be what this program wrote.
#pragma once

#include <liftwarden/core/journal.hpp>

#include <optional>
#include <string>

namespace liftwarden::core {

// What a row lacks that every row written by the core has, as a clause ("a sent command has no
// wire_seq"); nullopt: nothing. The core relies on it, so a journal that holds such a row is as
// damaged as one that cannot be decoded.
[[nodiscard]] std::optional<std::string> why_implausible(const CommandRow& row);
[[nodiscard]] std::optional<std::string> why_implausible(const ElevatorRow& row);

}  // namespace liftwarden::core
