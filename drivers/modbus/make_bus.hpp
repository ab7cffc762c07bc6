#pragma once

#include <liftwarden/ports/register_bus.hpp>
#include <liftwarden/ports/settings.hpp>

#include <memory>

namespace liftwarden::modbus {

// The bus that the settings describe; never nullptr. Does not connect or open anything yet.
[[nodiscard]] std::unique_ptr<ports::RegisterBus> make_bus(const ports::BusSettings& settings);

}  // namespace liftwarden::modbus
