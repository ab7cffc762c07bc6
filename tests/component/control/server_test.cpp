#include "src/adapters/control/server.hpp"

#include "src/adapters/control/client.hpp"
#include "src/adapters/control/socket_file.hpp"
#include "tests/support/files.hpp"
#include "tests/support/wait.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <future>
#include <thread>

namespace control = liftwarden::control;
namespace core = liftwarden::core;
using namespace liftwarden::test;
using boost::asio::local::stream_protocol;

namespace {

// A server with a thread of its own. The handler runs there.
class RunningServer {
  public:
    explicit RunningServer(control::Handler handler)
        : guard_(boost::asio::make_work_guard(io_)),
          server_(*control::Server::open(io_, path(), std::move(handler))),
          thread_([this] { io_.run(); }) {}
    ~RunningServer() {
        close();
        guard_.reset();
        io_.stop();
        thread_.join();
    }
    RunningServer(const RunningServer&) = delete;
    RunningServer& operator=(const RunningServer&) = delete;

    void close() {
        std::promise<void> done;
        boost::asio::post(io_, [&] {
            server_.reset();
            done.set_value();
        });
        done.get_future().wait();
    }
    [[nodiscard]] std::string path() const { return dir_.file("control.sock"); }

  private:
    TempDir dir_;
    boost::asio::io_context io_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_;
    std::unique_ptr<control::Server> server_;
    std::thread thread_;
};

// Answers everything with its operator's name.
void echo_user(const control::Request&, const control::Peer& peer, control::Respond respond) {
    respond({true, "hello " + peer.user, std::nullopt});
}

std::string talk(const std::string& path, const std::string& bytes) {
    boost::asio::io_context io;
    stream_protocol::socket socket{io};
    socket.connect(stream_protocol::endpoint{path});
    boost::asio::write(socket, boost::asio::buffer(bytes));
    std::string answer;
    boost::system::error_code error;
    boost::asio::read_until(socket, boost::asio::dynamic_buffer(answer), '\n', error);
    return answer;
}

}  // namespace

TEST_CASE("control socket: a request gets its reply, and the kernel names the operator",
          "[control]") {
    RunningServer server{echo_user};
    const auto reply = control::call(server.path(), control::StatusRequest{}, 5s);
    REQUIRE(reply.has_value());
    CHECK(reply->ok);
    CHECK(reply->text == "hello " + control::user_name(::getuid()));
}

TEST_CASE("control socket: a user without a name is called by number", "[control]") {
    CHECK(control::user_name(4'000'123) == "uid 4000123");
}

TEST_CASE("control socket: owner and group may use it, nobody else", "[control]") {
    RunningServer server{echo_user};
    struct stat status {};
    REQUIRE(::stat(server.path().c_str(), &status) == 0);
    CHECK((status.st_mode & 07777) == 0660);
}

TEST_CASE("control socket: the answer may come later", "[control]") {
    std::promise<control::Respond> asked;
    RunningServer server{[&](const control::Request&, const control::Peer&, control::Respond r) {
        asked.set_value(std::move(r));
    }};
    auto reply = std::async(std::launch::async, [&] {
        return control::call(server.path(), control::StatusRequest{}, 5s);
    });
    asked.get_future().get()({true, "at last", std::nullopt});
    CHECK(reply.get()->text == "at last");
}

TEST_CASE("control socket: bad requests are answered and the server lives", "[control]") {
    RunningServer server{echo_user};
    CHECK_THAT(talk(server.path(), "nonsense\n"), Catch::Contains("not JSON"));
    CHECK_THAT(talk(server.path(), std::string(5000, 'x')), Catch::Contains("longer than 4096"));
    CHECK(control::call(server.path(), control::StatusRequest{}, 5s).has_value());
}

TEST_CASE("control socket: many idle peers keep nobody out for ever", "[control]") {
    RunningServer server{echo_user};
    boost::asio::io_context io;
    std::vector<stream_protocol::socket> idle;
    for (int i = 0; i < 16; ++i) {
        idle.emplace_back(io).connect(stream_protocol::endpoint{server.path()});
    }
    CHECK_THAT(talk(server.path(), "{\"op\":\"status\"}\n"), Catch::Contains("too many"));
    idle.clear();
    CHECK(wait_until([&] {
        const auto reply = control::call(server.path(), control::StatusRequest{}, 5s);
        return reply && reply->ok;
    }));
}

TEST_CASE("control socket: a second daemon is refused while the first one answers", "[control]") {
    RunningServer server{echo_user};
    boost::asio::io_context io;
    const auto second = control::Server::open(io, server.path(), echo_user);
    REQUIRE_FALSE(second.has_value());
    CHECK(second.error().kind == core::ErrorClass::refused);
    CHECK_THAT(second.error().text, Catch::Contains("another liftwarden"));
    CHECK(control::call(server.path(), control::StatusRequest{}, 5s).has_value());
}

TEST_CASE("control socket: a file left by a crash is replaced", "[control]") {
    TempDir dir;
    const auto path = dir.file("control.sock");
    {
        boost::asio::io_context io;
        stream_protocol::acceptor crashed{io, stream_protocol::endpoint{path}};
    }
    REQUIRE(control::file_id(path));
    boost::asio::io_context io;
    CHECK(control::Server::open(io, path, echo_user).has_value());
}

TEST_CASE("control socket: what is no socket is left alone", "[control]") {
    TempDir dir;
    const auto path = dir.file("control.sock");
    write_file(path, "precious");
    boost::asio::io_context io;
    const auto server = control::Server::open(io, path, echo_user);
    REQUIRE_FALSE(server.has_value());
    CHECK_THAT(server.error().text, Catch::Contains("no socket"));
    CHECK(read_file(path) == "precious");
}

TEST_CASE("control socket: its file goes with the server, but not somebody else's", "[control]") {
    RunningServer server{echo_user};
    SECTION("its own") {
        server.close();
        CHECK_FALSE(control::file_id(server.path()));
    }
    SECTION("another one in its place") {
        REQUIRE(::unlink(server.path().c_str()) == 0);
        write_file(server.path(), "other");
        server.close();
        CHECK(read_file(server.path()) == "other");
    }
}

TEST_CASE("control socket: paths that cannot be used are named", "[control]") {
    boost::asio::io_context io;
    const auto path = GENERATE(
        std::string{""}, std::string(200, 'x'), std::string{"/nonexistent/directory/control.sock"});
    const auto server = control::Server::open(io, path, echo_user);
    REQUIRE_FALSE(server.has_value());
    CHECK(server.error().kind == core::ErrorClass::permanent);
    CHECK_THAT(server.error().text, Catch::Contains(path));
}

TEST_CASE("control client: without a daemon the error says so", "[control]") {
    TempDir dir;
    const auto reply = control::call(dir.file("none.sock"), control::StatusRequest{}, 1s);
    REQUIRE_FALSE(reply.has_value());
    CHECK(reply.error().kind == core::ErrorClass::transient);
    CHECK_THAT(reply.error().text, Catch::Contains("is the daemon running"));
}

TEST_CASE("control client: a daemon that does not answer is given up in time", "[control]") {
    RunningServer server{[](const control::Request&, const control::Peer&, control::Respond) {}};
    const auto reply = control::call(server.path(), control::StatusRequest{}, 100ms);
    REQUIRE_FALSE(reply.has_value());
    CHECK_THAT(reply.error().text, Catch::Contains("no answer"));
}
