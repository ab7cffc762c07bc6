#include "src/adapters/control/client.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include <utility>

namespace liftwarden::control {
namespace {

using boost::asio::local::stream_protocol;
using boost::system::error_code;

core::Error no_connection(const std::string& path, const error_code& error) {
    namespace errc = boost::system::errc;
    if (error == errc::permission_denied) {
        return {core::ErrorClass::refused,
                path + ": permission denied; the socket is for its owner and group"};
    }
    return {core::ErrorClass::transient,
            path + ": " + error.message() + "; is the daemon running with this configuration?"};
}

}  // namespace

core::Result<Reply> call(const std::string& path, const Request& request, core::Duration limit) {
    if (path.empty() || path.size() > 107) {
        return core::Error{core::ErrorClass::permanent, path + ": no path for a socket"};
    }
    boost::asio::io_context io;
    stream_protocol::socket socket{io};
    error_code error;
    socket.connect(stream_protocol::endpoint{path}, error);
    if (error) {
        return no_connection(path, error);
    }
    const std::string line = render(request);
    std::string answer;
    std::size_t length = 0;
    error = boost::asio::error::timed_out;
    boost::asio::async_write(
        socket, boost::asio::buffer(line), [&](const error_code& failed, std::size_t) {
            if (failed) {
                error = failed;
                return;
            }
            boost::asio::async_read_until(socket,
                                          boost::asio::dynamic_buffer(answer, reply_bytes_max),
                                          '\n',
                                          [&](const error_code& result, std::size_t size) {
                                              error = result;
                                              length = size;
                                          });
        });
    io.run_for(limit);
    if (error) {
        return core::Error{core::ErrorClass::transient, path + ": no answer: " + error.message()};
    }
    auto reply = parse_reply(std::string_view{answer}.substr(0, length - 1));
    if (!reply) {
        return core::Error{core::ErrorClass::corrupt, path + ": " + reply.error().text};
    }
    return reply;
}

}  // namespace liftwarden::control
