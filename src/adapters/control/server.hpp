// The daemon's side of the control socket.
#pragma once

#include "src/adapters/control/protocol.hpp"

#include <liftwarden/core/error.hpp>

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <string>

namespace liftwarden::control {

// Who is at the other end, as the kernel says: the login name, or "uid 1000" if it has none.
struct Peer {
    std::string user;
};

// Answers a request; at most once, on the io_context's thread, now or later. A peer that has gone
// meanwhile is no error.
using Respond = std::function<void(Reply)>;
using Handler = std::function<void(const Request&, const Peer&, Respond)>;

// Listens on a Unix socket with mode 0660 and serves up to 16 peers at a time, each with a deadline
// of 10 s, on the thread that runs the io_context. The socket file goes with the server, unless
// somebody else has put theirs in its place.
class Server {
  public:
    // A socket file that nobody listens on is replaced. Errors: `refused` if another process
    // answers there, `permanent` if the path cannot be used.
    [[nodiscard]] static core::Result<std::unique_ptr<Server>> open(boost::asio::io_context& io,
                                                                    const std::string& path,
                                                                    Handler handler);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

  private:
    struct Impl;
    explicit Server(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> impl_;
};

}  // namespace liftwarden::control
