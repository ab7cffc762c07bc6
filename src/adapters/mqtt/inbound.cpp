#include "src/adapters/mqtt/inbound.hpp"

namespace liftwarden::mqtt {

using ::mqtt::property;

ports::InboundMessage to_inbound(const ::mqtt::message& message) {
    ports::InboundMessage inbound;
    inbound.topic = message.get_topic();
    inbound.payload = message.get_payload();
    inbound.retained = message.is_retained();
    const ::mqtt::properties& properties = message.get_properties();
    if (properties.contains(property::RESPONSE_TOPIC)) {
        inbound.response_topic = ::mqtt::get<std::string>(properties, property::RESPONSE_TOPIC);
    }
    if (properties.contains(property::CORRELATION_DATA)) {
        inbound.correlation = ::mqtt::get<std::string>(properties, property::CORRELATION_DATA);
    }
    if (properties.contains(property::MESSAGE_EXPIRY_INTERVAL)) {
        inbound.expiry = std::chrono::seconds{
            ::mqtt::get<std::uint32_t>(properties, property::MESSAGE_EXPIRY_INTERVAL)};
    }
    return inbound;
}

}  // namespace liftwarden::mqtt
