#include "tests/support/redis_server.hpp"

#include "tests/support/net.hpp"
#include "tests/support/redis_client.hpp"

#include <sstream>
#include <stdexcept>
#include <utility>

namespace liftwarden::test {
namespace {

std::string config(const TempDir& dir, std::uint16_t port, const std::vector<std::string>& extra) {
    std::ostringstream text;
    text << "bind 127.0.0.1\nport " << port << "\nsave \"\"\nappendonly no\ndaemonize no\n"
         << "dir " << dir.path().string() << "\nlogfile " << dir.file("log") << "\n"
         << "repl-diskless-sync-delay 0\nenable-debug-command yes\n"
         << "enable-protected-configs yes\n";
    for (const std::string& line : extra) {
        text << line << "\n";
    }
    return text.str();
}

bool answers(std::uint16_t port) {
    if (!accepts_connections(port)) {
        return false;
    }
    try {
        // Any answer will do, also that a login is wanted.
        return !RedisClient(port, 1s).command({"PING"}).empty();
    } catch (const std::runtime_error&) {
        return false;
    }
}

}  // namespace

RedisServer::RedisServer(std::vector<std::string> extra) : port_(free_port()) {
    write_file(dir_.file("redis.conf"), config(dir_, port_, extra));
    start();
}

void RedisServer::start() {
    process_ = std::make_unique<Process>(
        ProcessOptions{{"/usr/bin/redis-server", dir_.file("redis.conf")}, {}, {}, {}});
    const bool up = wait_until([this] { return !process_->running() || answers(port_); });
    if (!up || !process_->running()) {
        throw std::runtime_error("redis-server did not start:\n" + log());
    }
}

void RedisServer::kill() {
    process_->kill();
}

void RedisServer::stop() {
    process_->stop();
}

void RedisServer::pause() {
    process_->signal(SIGSTOP);
}

void RedisServer::resume() {
    process_->signal(SIGCONT);
}

RedisSentinel::RedisSentinel(std::uint16_t master_port,
                             int down_after_ms,
                             std::vector<std::string> extra)
    : port_(free_port()) {
    std::ostringstream text;
    text << "bind 127.0.0.1\nport " << port_ << "\ndaemonize no\ndir " << dir_.path().string()
         << "\nlogfile " << dir_.file("log") << "\n"
         << "sentinel monitor lifts 127.0.0.1 " << master_port << " 1\n"
         << "sentinel down-after-milliseconds lifts " << down_after_ms << "\n"
         << "sentinel failover-timeout lifts 2000\n";
    for (const std::string& line : extra) {
        text << line << "\n";
    }
    write_file(dir_.file("sentinel.conf"), text.str());
    process_ = std::make_unique<Process>(ProcessOptions{
        {"/usr/bin/redis-server", dir_.file("sentinel.conf"), "--sentinel"}, {}, {}, {}});
    const bool up = wait_until([this] { return !process_->running() || answers(port_); });
    if (!up || !process_->running()) {
        throw std::runtime_error("redis-server --sentinel did not start:\n" + log());
    }
}

}  // namespace liftwarden::test
