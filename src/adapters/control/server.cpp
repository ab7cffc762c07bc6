#include "src/adapters/control/server.hpp"

#include "src/adapters/control/session.hpp"
#include "src/adapters/control/socket_file.hpp"

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace liftwarden::control {

using boost::asio::local::stream_protocol;

// Shared with the accept handler, which may run once more after the server has gone.
struct Server::Impl : std::enable_shared_from_this<Server::Impl> {
    Impl(boost::asio::io_context& io, std::string path_in, Handler handler_in)
        : acceptor(io), pause(io), path(std::move(path_in)), handler(std::move(handler_in)) {}

    void accept() {
        acceptor.async_accept([self = shared_from_this()](const boost::system::error_code& error,
                                                          stream_protocol::socket socket) {
            if (!self->acceptor.is_open()) {
                return;
            }
            if (error) {
                self->accept_later();
                return;
            }
            serve(std::move(socket), self->handler, self->places);
            self->accept();
        });
    }

    // Out of file descriptors, for one, is not over at once.
    void accept_later() {
        pause.expires_after(std::chrono::milliseconds{200});
        pause.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
            if (!error && self->acceptor.is_open()) {
                self->accept();
            }
        });
    }

    stream_protocol::acceptor acceptor;
    boost::asio::steady_timer pause;
    std::string path;
    Handler handler;
    Places places = std::make_shared<int>(0);
    std::optional<FileId> file;
};

core::Result<std::unique_ptr<Server>> Server::open(boost::asio::io_context& io,
                                                   const std::string& path,
                                                   Handler handler) {
    if (auto error = clear_path(path)) {
        return *std::move(error);
    }
    auto impl = std::make_shared<Impl>(io, path, std::move(handler));
    boost::system::error_code error;
    const auto failed = [&](const char* step) {
        return core::Error{core::ErrorClass::permanent,
                           "control socket " + path + ": " + step + ": " + error.message()};
    };
    impl->acceptor.open(stream_protocol{}, error);
    if (error) {
        return failed("open");
    }
    // The mode of the socket becomes the mode of the file, less the umask: never more than this.
    ::fchmod(impl->acceptor.native_handle(), 0660);
    impl->acceptor.bind(stream_protocol::endpoint{path}, error);
    if (error) {
        return failed("bind");
    }
    impl->file = file_id(path);
    if (::chmod(path.c_str(), 0660) != 0) {
        error.assign(errno, boost::system::system_category());
        return failed("chmod 0660");
    }
    impl->acceptor.listen(16, error);
    if (error) {
        return failed("listen");
    }
    impl->accept();
    return std::unique_ptr<Server>{new Server{std::move(impl)}};
}

Server::Server(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Server::~Server() {
    boost::system::error_code ignored;
    impl_->acceptor.close(ignored);
    impl_->pause.cancel();
    if (impl_->file && file_id(impl_->path) == impl_->file) {
        ::unlink(impl_->path.c_str());
    }
}

}  // namespace liftwarden::control
