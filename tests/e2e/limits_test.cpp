// Too much of everything: memory stays bounded and rightful commands are served meanwhile.
#include "tests/e2e/load.hpp"

#include <arpa/inet.h>
#include <catch2/catch.hpp>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

using namespace liftwarden::test;

namespace {

using std::chrono::steady_clock;
using Executed = std::vector<std::string>;

constexpr std::size_t mib = 1024;  // in KiB, as the kernel counts

std::size_t resident_kib(const Process& process) {
    std::ifstream status("/proc/" + std::to_string(process.pid()) + "/status");
    for (std::string line; std::getline(status, line);) {
        if (line.rfind("VmRSS:", 0) == 0) {
            return std::stoul(line.substr(6));
        }
    }
    throw std::runtime_error("no such process");
}

// What a process took more since this object was made, KiB. A sanitizer keeps freed memory in
// quarantine, so nothing is said there.
class Growth {
  public:
    explicit Growth(const Process& process) : process_(process), before_(resident_kib(process)) {}
    [[nodiscard]] std::size_t kib() const {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        return 0;
#else
        return std::max(resident_kib(process_), before_) - before_;
#endif
    }

  private:
    const Process& process_;
    std::size_t before_;
};

std::uint64_t status_count(const Site& site, const std::string& key) {
    const auto status = site.command_line({"status", "-c", site.config(), "--json"});
    const std::string name = "\"" + key + "\":";
    const std::size_t at = status.text.find(name);
    REQUIRE(at != std::string::npos);
    return std::stoull(status.text.substr(at + name.size()));
}

// Commands of somebody who is in his rights, one after another, until told to stop; how long each
// took to `acked`.
class Rightful {
  public:
    Rightful(Site& site, const std::string& source) : node_(site, source) {}

    void one() {
        const std::string seq = node_.source() + ":" + std::to_string(++count_);
        const auto sent = steady_clock::now();
        node_.send(count_ % 2 == 1 ? R"("action":"car_call","floor":"2","seq":")" + seq + "\""
                                   : R"("action":"release","seq":")" + seq + "\"");
        const auto outcome = node_.final_of(seq, 30s);
        times_.push_back(std::chrono::duration_cast<Millis>(steady_clock::now() - sent));
        node_.peer().clear();
        const auto& status = outcome.at("status");
        served_ = served_ && (status == "acked" || status == "coalesced");
    }
    [[nodiscard]] bool served() const { return served_; }
    [[nodiscard]] std::size_t count() const { return times_.size(); }
    [[nodiscard]] Millis slowest() const { return *std::max_element(times_.begin(), times_.end()); }
    [[nodiscard]] Millis median() const {
        auto sorted = times_;
        std::sort(sorted.begin(), sorted.end());
        return sorted.at(sorted.size() / 2);
    }
    void report(const char* while_what) const {
        std::printf(
            "%s: %zu rightful commands, to the final outcome: median %lld ms, slowest %lld ms\n",
            while_what,
            times_.size(),
            static_cast<long long>(median().count()),
            static_cast<long long>(slowest().count()));
    }

  private:
    Node node_;
    std::size_t count_ = 0;
    std::vector<Millis> times_;
    bool served_ = true;
};

// Publishes `payload(n)` at a rate, from a thread of its own.
class Flood {
  public:
    using Payload = std::function<std::string(std::size_t)>;
    Flood(MqttPeer& peer, std::size_t per_second, Payload payload)
        : thread_([this, &peer, per_second, payload = std::move(payload)] {
              const auto start = steady_clock::now();
              while (!stopping_) {
                  const auto due = static_cast<std::size_t>(
                      std::chrono::duration<double>(steady_clock::now() - start).count() *
                      static_cast<double>(per_second));
                  for (; sent_ < due; ++sent_) {
                      peer.throw_at(
                          {"lift/test/EL001/dispatch/" + source, payload(sent_), false, {}});
                  }
                  std::this_thread::sleep_for(1ms);
              }
          }) {}
    ~Flood() { stop(); }
    Flood(const Flood&) = delete;
    Flood& operator=(const Flood&) = delete;
    std::size_t stop() {
        stopping_ = true;
        if (thread_.joinable()) {
            thread_.join();
        }
        return sent_;
    }

    static constexpr const char* name = "flooder";

  private:
    const std::string source = name;
    std::atomic<bool> stopping_{false};
    std::atomic<std::size_t> sent_{0};
    std::thread thread_;
};

// Subscribes to the results of a source and never reads one.
class DeafSubscriber {
  public:
    DeafSubscriber(std::uint16_t port, const std::string& filter) {
        fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const int small = 4096;
        ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        REQUIRE(::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
        wire::Writer connect;
        connect.text("MQTT").u8(5).u8(0x02).u16(0).length(0).text("deaf");
        wire::Writer subscribe;
        subscribe.u16(1).length(0).text(filter).u8(1);
        const std::string bytes = wire::packet(wire::Packet::connect, 0, connect.bytes()) +
                                  wire::packet(wire::Packet::subscribe, 2, subscribe.bytes());
        REQUIRE(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
                static_cast<ssize_t>(bytes.size()));
    }
    ~DeafSubscriber() { ::close(fd_); }
    DeafSubscriber(const DeafSubscriber&) = delete;
    DeafSubscriber& operator=(const DeafSubscriber&) = delete;

  private:
    int fd_ = -1;
};

SiteOptions one_quick_elevator() {
    SiteOptions options = quick_site();
    options.elevators = {"EL001"};
    return options;
}

}  // namespace

TEST_CASE("ten thousand bad messages a second: bounded memory, others are served",
          "[e2e][limits]") {
    Site site(one_quick_elevator());
    Rightful rightful(site, "node-b");
    rightful.one();
    MqttPeer flooder(site.broker().port(), Flood::name);
    const Growth growth(site.daemon());
    Flood flood(flooder, 10'000, [](std::size_t n) {
        const std::string seq = "\"seq\":\"f" + std::to_string(n) + "\"";
        switch (n % 4) {
            case 0:
                return std::string{"no json at all"};
            case 1:
                return "{" + seq + R"(,"action":"car_call","floor":"99"})";
            case 2:
                return "{" + seq + R"(,"action":"fly"})";
            default:
                return "{" + seq + R"(,"action":"car_call","floor":"2","x":")" +
                       std::string(9000, 'x') + "\"}";
        }
    });
    const auto until = steady_clock::now() + 4s;
    while (steady_clock::now() < until) {
        rightful.one();
    }
    const std::size_t sent = flood.stop();
    rightful.one();
    rightful.report("bad messages");
    const std::uint64_t refused = status_count(site, "refused");
    std::printf("%zu bad messages sent in 4 s, %llu reached the daemon; it grew by %zu KiB\n",
                sent,
                static_cast<unsigned long long>(refused),
                growth.kib());
    CHECK(rightful.served());
    // A busy machine takes longer to work off what has piled up; the figure above tells.
    CHECK(rightful.count() >= 2);
    CHECK(rightful.slowest() < 20s);
    CHECK(refused > 2000);
    CHECK(growth.kib() < 48 * mib);
    CHECK(site.daemon().running());
    for (const std::string& content : site.truth().executed()) {
        CHECK(content == "car_call 2");
    }
}

TEST_CASE("a thousand repeats of one seq execute once", "[e2e][limits]") {
    Site site(one_quick_elevator());
    Node node(site, "node-a");
    Rightful rightful(site, "node-b");
    node.send(R"("seq":"1","action":"car_call","floor":"3")");
    node.expect("1", "served");
    node.send(R"("seq":"2","action":"release")");
    node.expect("2", "acked");
    const Growth growth(site.daemon());
    const auto start = steady_clock::now();
    for (int n = 0; n < 1000; ++n) {
        node.send(R"("seq":"1","action":"car_call","floor":"3")");
    }
    rightful.one();
    rightful.report("a thousand repeats");
    std::printf("a thousand repeats took %lld ms; the daemon grew by %zu KiB\n",
                static_cast<long long>(
                    std::chrono::duration_cast<Millis>(steady_clock::now() - start).count()),
                growth.kib());
    CHECK(rightful.served());
    CHECK(rightful.slowest() < 20s);
    CHECK(wait_until([&] { return node.count("1", "acked") > 100; }));
    std::size_t answers = 0;
    for (const auto& result : node.results("1")) {
        answers += result.at("duplicate").as_bool() ? 1U : 0U;
    }
    CHECK(answers > 100);
    CHECK(growth.kib() < 16 * mib);
    CHECK(site.truth().executed() == Executed{"car_call 3", "car_call 2"});
}

TEST_CASE("a node that sends valid commands without end is held to its share", "[e2e][limits]") {
    Site site(one_quick_elevator());
    Node owner(site, "owner");
    owner.send(R"("seq":"o1","action":"hall_call","floor":"4")");
    owner.expect("o1", "acked");
    Node greedy(site, "greedy");
    const Growth growth(site.daemon());
    // Each of another party, so that none waits for another of its own; all wait for the owner.
    for (int n = 0; n < 2000; ++n) {
        const std::string number = std::to_string(n);
        greedy.send(R"("action":"car_call","floor":"1","ttl_ms":20000,"seq":"g)" + number +
                    R"(","task":"t)" + number + "\"");
    }
    REQUIRE(wait_until([&] {
        const auto all = greedy.results();
        return std::any_of(all.begin(), all.end(), [](const auto& result) {
            return result.at("reason") == "source_quota";
        });
    }));
    Node other(site, "node-b");
    other.send(R"("seq":"b1","action":"car_call","floor":"2","wait":false)");
    CHECK(other.final_of("b1").at("reason") == "elevator_busy");  // it had its place and its turn
    owner.send(R"("seq":"o2","action":"car_call","floor":"3")");
    CHECK(owner.final_of("o2").at("status") == "acked");
    CHECK(site.last("EL001", "session").at("queue").as_array().size() <= 64);
    // Half of the queue's 64 places.
    std::size_t accepted = 0;
    for (const auto& result : greedy.results()) {
        accepted += result.at("status") == "accepted" ? 1U : 0U;
    }
    CHECK(accepted == 32);
    CHECK(growth.kib() < 24 * mib);
}

TEST_CASE("a node that never reads its results harms nobody else", "[e2e][limits]") {
    Site site(one_quick_elevator());
    const DeafSubscriber deaf(site.broker().port(), "lift/test/EL001/result/deaf-node");
    MqttPeer sender(site.broker().port(), "deaf-node");
    Rightful rightful(site, "node-b");
    const Growth growth(site.daemon());
    for (int n = 0; n < 1500; ++n) {
        const std::string number = std::to_string(n);
        REQUIRE(sender.publish({"lift/test/EL001/dispatch/deaf-node",
                                R"({"action":"release","seq":"d)" + number + R"(","msg_id":")" +
                                    std::string(200, 'm') + "\"}",
                                false,
                                {}}));
        if (n % 500 == 0) {
            rightful.one();
        }
    }
    rightful.one();
    rightful.report("1500 commands of a node that never reads");
    std::printf("the daemon grew by %zu KiB\n", growth.kib());
    CHECK(rightful.served());
    CHECK(rightful.slowest() < 20s);
    CHECK(wait_until([&] { return status_count(site, "outbox_window") == 0; }, 30s));
    CHECK(growth.kib() < 24 * mib);
}

TEST_CASE("payloads of half a megabyte are refused by size and leave nothing behind",
          "[e2e][limits]") {
    SiteOptions options = one_quick_elevator();
    Site site(options);
    Node node(site, "node-a");
    const Growth growth(site.daemon());
    const std::string large =
        R"({"seq":"1","action":"car_call","floor":"2","x":")" + std::string(1 << 19, 'x') + "\"}";
    for (int n = 0; n < 60; ++n) {
        node.send_raw(large);
    }
    REQUIRE(wait_until([&] {
        const auto all = node.results();
        return !all.empty() && all.back().at("reason") == "too_large";
    }));
    // What is exactly allowed, and one byte more.
    const std::string start = R"({"seq":"8","action":"release","x":")";
    node.send_raw(start + std::string(8192 - start.size() - 2, 'x') + "\"}");
    CHECK(node.final_of("8").at("status") == "acked");
    node.peer().clear();
    node.send_raw(start + std::string(8193 - start.size() - 2, 'x') + "\"}");
    REQUIRE(wait_until([&] { return !node.results().empty(); }));
    CHECK(node.results().front().at("reason") == "too_large");
    CHECK(site.truth().executed().empty());
    CHECK(growth.kib() < 48 * mib);
}
