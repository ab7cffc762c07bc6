#include "drivers/modbus/make_bus.hpp"

#include "drivers/modbus/rtu_bus.hpp"
#include "drivers/modbus/tcp_bus.hpp"

namespace liftwarden::modbus {

std::unique_ptr<ports::RegisterBus> make_bus(const ports::BusSettings& settings) {
    if (settings.type == ports::BusType::tcp) {
        return std::make_unique<TcpBus>(settings);
    }
    return std::make_unique<RtuBus>(settings);
}

}  // namespace liftwarden::modbus
