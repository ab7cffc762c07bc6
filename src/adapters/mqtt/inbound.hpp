#pragma once

#include <liftwarden/ports/broker.hpp>

#include <mqtt/message.h>

namespace liftwarden::mqtt {

// Everything of the message but when it was received and whether we had been away.
[[nodiscard]] ports::InboundMessage to_inbound(const ::mqtt::message& message);

}  // namespace liftwarden::mqtt
