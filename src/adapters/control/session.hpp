// One peer on the control socket.
#pragma once

#include "src/adapters/control/server.hpp"

#include <boost/asio/local/stream_protocol.hpp>

#include <memory>

namespace liftwarden::control {

// Peers served at this moment; shared by all sessions of a server.
using Places = std::shared_ptr<int>;

// Takes the connection over until it is answered, its deadline has passed or the peer is gone.
void serve(boost::asio::local::stream_protocol::socket socket,
           const Handler& handler,
           const Places& places);

}  // namespace liftwarden::control
