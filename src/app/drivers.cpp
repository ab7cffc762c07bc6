#include "src/app/drivers.hpp"

#include "drivers/mailbox/driver.hpp"
#include "drivers/mailbox/schema.hpp"

#include <liftwarden/core/assert.hpp>

namespace liftwarden::app {

const std::vector<const ports::DriverSchema*>& driver_schemas() {
    static const std::vector<const ports::DriverSchema*> schemas{&mailbox::schema()};
    return schemas;
}

std::unique_ptr<ports::ElevatorDriver> make_driver(const ports::ElevatorMap& map) {
    LIFTWARDEN_ASSERT(map.driver == mailbox::schema().name);
    return std::make_unique<mailbox::MailboxDriver>(map);
}

}  // namespace liftwarden::app
