#include "tests/bench/whole.hpp"

#include "tests/support/site/site.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace liftwarden::bench {
namespace {

using namespace test;

SiteOptions without_scan_delay(std::size_t elevators) {
    SiteOptions options;
    options.elevators.clear();
    for (std::size_t i = 1; i <= elevators; ++i) {
        options.elevators.push_back("EL" + std::to_string(i));
    }
    options.scan = core::Duration::zero();
    options.log_frames = false;
    options.elevator_keys = {"scan: 10ms"};
    return options;
}

std::string hold(const std::string& seq) {
    return R"("action":"hold_door","seconds":5,"task":"t","seq":")" + seq + "\"";
}

// Requests that the simulated PLCs have received so far.
std::size_t frames_in(const Site& site) {
    const auto frames = site.truth().lines("frame");
    return static_cast<std::size_t>(std::count_if(frames.begin(), frames.end(), [](const auto& it) {
        return it.at("dir").as_string() == "in";
    }));
}

// Seconds of processor time of a process so far.
double cpu_seconds(pid_t pid) {
    std::ifstream file{"/proc/" + std::to_string(pid) + "/stat"};
    std::string text;
    std::getline(file, text);
    std::istringstream fields{text.substr(text.rfind(')') + 2)};
    std::string skipped;
    double user = 0;
    double system = 0;
    for (int i = 0; i < 11; ++i) {
        fields >> skipped;
    }
    fields >> user >> system;
    return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double resident_mib(pid_t pid) {
    std::ifstream file{"/proc/" + std::to_string(pid) + "/status"};
    std::string line;
    while (std::getline(file, line)) {
        if (line.rfind("VmRSS:", 0) == 0) {
            return std::stod(line.substr(6)) / 1024.0;
        }
    }
    return 0;
}

}  // namespace

Latency publish_to_write(std::size_t times) {
    Site site(without_scan_delay(1));
    Node node(site, "node-a", "EL1");
    const system::SystemClock clock;
    std::vector<core::TimePoint> published;
    for (std::size_t i = 0; i < times; ++i) {
        const std::string seq = std::to_string(i);
        published.push_back(clock.now());
        node.send(hold(seq));
        node.expect(seq, "acked");
        node.peer().clear();
    }
    Latency latency;
    const auto writes = site.truth().lines("mailbox_write");
    for (std::size_t i = 0; i < times; ++i) {
        const auto at = writes.at(i).at("t").to_number<std::int64_t>();
        latency.write.add(static_cast<double>(at - published[i].time_since_epoch().count()) /
                          1000.0);
    }
    site.daemon().stop();
    const TempDir dir;
    latency.bare_publish = publish_to_callback(site.broker().port(), times);
    latency.bare_commits = two_commits(dir.path().string(), times);
    latency.bare_modbus = modbus_transactions(site.plc_port(), times);
    return latency;
}

Footprint idle_footprint(std::size_t elevators, std::chrono::seconds during) {
    SiteOptions options = without_scan_delay(elevators);
    options.elevator_keys.clear();
    options.log_frames = true;
    Site site(options);
    const pid_t pid = site.daemon().pid();
    const std::size_t frames = frames_in(site);
    const double before = cpu_seconds(pid);
    const auto start = std::chrono::steady_clock::now();
    // The only wait for time in the benches: this measures what happens in it.
    std::this_thread::sleep_for(during);
    const double took =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    Footprint used;
    used.cpu_percent = 100.0 * (cpu_seconds(pid) - before) / took;
    used.resident_mib = resident_mib(pid);
    used.reads_per_s = static_cast<double>(frames_in(site) - frames) / took;
    return used;
}

Throughput commands_per_second(std::size_t elevators, std::chrono::seconds during) {
    Site site(without_scan_delay(elevators));
    std::vector<std::unique_ptr<Node>> nodes;
    for (std::size_t i = 1; i <= elevators; ++i) {
        nodes.push_back(
            std::make_unique<Node>(site, "node-" + std::to_string(i), "EL" + std::to_string(i)));
    }
    // A few commands ahead for each elevator, so that none waits for its node.
    constexpr std::size_t ahead = 4;
    std::vector<std::size_t> sent(elevators, 0);
    std::size_t acked = 0;
    const auto end = std::chrono::steady_clock::now() + during;
    while (std::chrono::steady_clock::now() < end) {
        std::size_t all = 0;
        for (std::size_t i = 0; i < elevators; ++i) {
            const std::size_t done = nodes[i]->final_count();
            all += done;
            while (sent[i] < done + ahead) {
                nodes[i]->send(hold(std::to_string(++sent[i])));
            }
        }
        acked = all;
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    return {static_cast<double>(acked) / std::chrono::duration<double>(during).count()};
}

}  // namespace liftwarden::bench
