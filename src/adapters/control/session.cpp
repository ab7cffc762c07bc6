#include "src/adapters/control/session.hpp"

#include "src/adapters/control/socket_file.hpp"

#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <sys/socket.h>

#include <string>
#include <string_view>
#include <utility>

namespace liftwarden::control {
namespace {

using boost::asio::local::stream_protocol;
using boost::system::error_code;

constexpr int places_max = 16;
constexpr std::chrono::seconds deadline{10};

// Kept alive by its pending operations; ends when none is left.
class Session : public std::enable_shared_from_this<Session> {
  public:
    Session(stream_protocol::socket socket, const Handler& handler, const Places& places)
        : socket_(std::move(socket)),
          timer_(socket_.get_executor()),
          handler_(handler),
          places_(places) {
        ++*places_;
    }
    ~Session() { --*places_; }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    void start() {
        timer_.expires_after(deadline);
        timer_.async_wait([weak = weak_from_this()](const error_code& error) {
            const auto self = weak.lock();
            if (!error && self) {
                self->out_of_time();
            }
        });
        if (*places_ > places_max) {
            answer({false, "too many control connections at a time", std::nullopt});
            return;
        }
        boost::asio::async_read_until(
            socket_,
            boost::asio::dynamic_buffer(request_, request_bytes_max),
            '\n',
            [self = shared_from_this()](const error_code& error, std::size_t length) {
                self->received(error, length);
            });
    }

  private:
    void received(const error_code& error, std::size_t length) {
        if (error == boost::asio::error::not_found) {
            answer({false, "the request is longer than 4096 bytes", std::nullopt});
            return;
        }
        if (error) {
            close();
            return;
        }
        const auto request = parse_request(std::string_view{request_}.substr(0, length - 1));
        if (!request) {
            answer({false, request.error().text, std::nullopt});
            return;
        }
        handler_(
            *request, peer(), [self = shared_from_this()](Reply reply) { self->answer(reply); });
    }

    [[nodiscard]] Peer peer() {
        ucred who{};
        socklen_t size = sizeof who;
        if (::getsockopt(socket_.native_handle(), SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) {
            return {"unknown"};
        }
        return {user_name(who.uid)};
    }

    void answer(const Reply& reply) {
        if (answered_) {
            return;
        }
        answered_ = true;
        reply_ = render(reply);
        boost::asio::async_write(
            socket_,
            boost::asio::buffer(reply_),
            [self = shared_from_this()](const error_code&, std::size_t) { self->close(); });
    }

    void out_of_time() {
        if (answered_) {
            close();  // a peer that does not read
        } else {
            timer_.expires_after(deadline);
            answer({false, "no answer within 10 s", std::nullopt});
        }
    }

    void close() {
        timer_.cancel();
        error_code ignored;
        socket_.close(ignored);
    }

    stream_protocol::socket socket_;
    boost::asio::steady_timer timer_;
    Handler handler_;
    Places places_;
    std::string request_;
    std::string reply_;
    bool answered_ = false;
};

}  // namespace

void serve(stream_protocol::socket socket, const Handler& handler, const Places& places) {
    std::make_shared<Session>(std::move(socket), handler, places)->start();
}

}  // namespace liftwarden::control
