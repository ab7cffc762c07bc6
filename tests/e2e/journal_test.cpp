// The disk under the ledger: failing, full, damaged, lost, of another version, held by another.
#include "tests/e2e/load.hpp"
#include "tests/support/site/preload.hpp"

#include <catch2/catch.hpp>
#include <sys/mount.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

using namespace liftwarden::test;
using Catch::Matchers::Contains;

namespace fs = std::filesystem;

namespace {

constexpr int exit_io = 74;
constexpr int exit_try_again = 75;
constexpr int exit_configuration = 78;
using Executed = std::vector<std::string>;

SiteOptions one_quick_elevator() {
    SiteOptions options = quick_site();
    options.elevators = {"EL001"};
    return options;
}

std::string call(const std::string& seq, const std::string& floor) {
    return R"("action":"car_call","seq":")" + seq + R"(","floor":")" + floor + "\"";
}

// The gateway cannot know for how long it was away if its journal does not tell, and lets
// everything expire whose age nobody told.
void send_fresh(Node& node, const std::string& seq, const std::string& floor) {
    node.send(call(seq, floor), MqttProperties{300, {}, {}});
}

std::string lock_out_of(const Site& site) {
    const auto status = site.command_line({"status", "-c", site.config(), "--json"});
    const std::size_t at = status.text.find("\"lock_out\":\"");
    return at == std::string::npos ? "" : status.text.substr(at + 12, 14);
}

bool locked_out(Site& site, const std::string& cause) {
    return wait_until([&] { return lock_out_of(site).rfind(cause, 0) == 0; }, 20s);
}

void reset_elevator(Site& site) {
    REQUIRE(wait_until([&] {
        return site.command_line({"reset", "-c", site.config(), "EL001", "--took-effect", "no"})
                   .code == 0;
    }));
}

// What `liftwarden run` says and ends with when it cannot start.
Site::Output refused_start(const Site& site) {
    return site.command_line({"run", "-c", site.config()});
}

// Noise in the middle of every page but the first, where the rows are.
void damage(const std::string& path) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    const auto size = static_cast<std::streamoff>(fs::file_size(path));
    const std::string noise(64, '\xa5');
    for (std::streamoff page = 4096; page < size; page += 4096) {
        file.seekp(page);
        file.write(noise.data(), static_cast<std::streamsize>(noise.size()));
    }
}

struct DiskFault {
    const char* name;
    bool sync;
    int error;
};

const DiskFault disk_faults[] = {
    {"write EIO", false, EIO}, {"write ENOSPC", false, ENOSPC}, {"sync EIO", true, EIO}};

// A file system of its own, where the test may mount.
class TinyDisk {
  public:
    TinyDisk() {
        mounted_ = ::mount("tmpfs", dir_.path().c_str(), "tmpfs", 0, "size=12m,mode=700") == 0;
    }
    ~TinyDisk() {
        if (mounted_) {
            ::umount2(dir_.path().c_str(), MNT_DETACH);
        }
    }
    TinyDisk(const TinyDisk&) = delete;
    TinyDisk& operator=(const TinyDisk&) = delete;
    [[nodiscard]] bool mounted() const { return mounted_; }
    [[nodiscard]] std::string file(const std::string& name) const { return dir_.file(name); }
    // Somebody else's file takes all but `leave` bytes.
    void fill(std::uintmax_t leave) const {
        std::ofstream filler(dir_.file("filler"), std::ios::binary | std::ios::app);
        for (const std::string block(4096, 'x'); fs::space(dir_.path()).available > leave;) {
            if (!(filler << block << std::flush)) {
                break;
            }
        }
    }
    void clear() const { fs::remove(dir_.file("filler")); }

  private:
    TempDir dir_;
    bool mounted_ = false;
};

}  // namespace

TEST_CASE(
    "a disk that fails at any commit of a command: the daemon ends, and nothing is lost or done "
    "twice",
    "[e2e][journal]") {
    Preload preload;
    SiteOptions options = one_quick_elevator();
    options.daemon_environment = preload.environment();
    Site site(options);
    Node node(site, "node-a");
    Executed expected;
    int n = 0;
    for (const DiskFault& fault : disk_faults) {
        // Receipt, intent, outcome: one sync and two or more writes each.
        for (const int let_pass : {0, 1, 2}) {
            const std::string seq = std::to_string(++n);
            const std::string floor = std::to_string(1 + n % 2);
            CAPTURE(fault.name, let_pass, seq);
            const std::uint64_t before = preload.failed();
            if (fault.sync) {
                preload.fail_syncs(fault.error, let_pass);
            } else {
                preload.fail_writes(fault.error, 3 * let_pass);
            }
            node.send(call(seq, floor));
            const auto code = site.daemon().wait(10s);
            CHECK(code == exit_io);
            CHECK(preload.failed() > before);
            if (let_pass == 0) {
                CHECK(node.results(seq).empty());
            }
            preload.heal();
            site.spawn_daemon();
            CHECK(node.final_of(seq, 20s).at("status") == "acked");
            expected.push_back("car_call " + floor);
            CHECK(site.truth().executed() == expected);
            CHECK(node.count(seq, "rejected") + node.count(seq, "failed") == 0);
            node.expect(seq, "served");
        }
    }
    CHECK(site.truth().writes() == expected.size());
    CHECK_THAT(site.daemon_log(), Contains("journal"));
}

TEST_CASE(
    "a disk that stays broken: every start ends at once with 74 or 75, and works when it is healed",
    "[e2e][journal]") {
    Preload preload;
    SiteOptions options = one_quick_elevator();
    options.daemon_environment = preload.environment();
    Site site(options);
    Node node(site, "node-a");
    preload.fail_writes(EIO);
    node.send(call("1", "2"));
    CHECK(site.daemon().wait(10s) == exit_io);
    for (int i = 0; i < 3; ++i) {
        site.spawn_daemon();
        const auto code = site.daemon().wait(10s);
        CHECK((code == exit_io || code == exit_try_again));
    }
    CHECK(node.results("1").empty());
    CHECK(site.truth().writes() == 0);
    preload.heal();
    site.spawn_daemon();
    CHECK(node.final_of("1", 20s).at("status") == "acked");
    CHECK(site.truth().executed() == Executed{"car_call 2"});
}

TEST_CASE(
    "a full disk: new commands are refused, outcomes still told, and both again when there is room",
    "[e2e][journal]") {
    const TinyDisk disk;
    if (!disk.mounted()) {
        WARN("not allowed to mount a file system: skipped");
        return;
    }
    SiteOptions options = one_quick_elevator();
    options.journal = disk.file("journal.db");
    options.journal_keys = ", max_size: 8MiB";
    Site site(options);
    Node node(site, "node-a");
    site.plc("EL001:ack-late:1500ms");
    node.send(call("1", "2"));
    node.expect("1", "sent");
    disk.fill(100 << 10);
    int n = 0;
    REQUIRE(wait_until([&] {
        const std::string seq = "full-" + std::to_string(++n);
        node.send(R"("action":"release","seq":")" + seq + "\"");
        return node.final_of(seq).at("reason") == "journal_failed";
    }));
    CHECK(node.final_of("1").at("status") == "acked");
    CHECK(site.daemon().running());
    disk.clear();
    REQUIRE(wait_until([&] {
        const std::string seq = "room-" + std::to_string(++n);
        node.send(R"("action":"release","seq":")" + seq + "\"");
        return node.final_of(seq).at("status") == "acked";
    }));
    node.send(call("2", "3"));
    CHECK(node.final_of("2").at("status") == "acked");
    CHECK(site.truth().executed() == Executed{"car_call 2", "car_call 3"});
}

TEST_CASE("a damaged or lost journal: nothing executes until somebody has looked",
          "[e2e][journal]") {
    Site site(one_quick_elevator());
    Node node(site, "node-a");
    send_fresh(node, "1", "2");
    node.expect("1", "served");
    node.peer().clear();
    CHECK(site.daemon().stop() == 0);
    SECTION("damaged") {
        damage(site.journal());
    }
    SECTION("gone") {
        fs::remove(site.journal());
    }
    SECTION("cut to nothing") {
        fs::resize_file(site.journal(), 0);
    }
    site.spawn_daemon();
    REQUIRE(locked_out(site, "ledger_lost"));
    send_fresh(node, "1", "2");
    CHECK(node.final_of("1").at("reason") == "elevator_unknown");
    send_fresh(node, "2", "3");
    CHECK(node.final_of("2").at("reason") == "elevator_unknown");
    // Not even after another start.
    site.daemon().kill();
    site.spawn_daemon();
    REQUIRE(locked_out(site, "ledger_lost"));
    send_fresh(node, "3", "3");
    CHECK(node.final_of("3").at("reason") == "elevator_unknown");
    CHECK(site.truth().executed() == Executed{"car_call 2"});
    reset_elevator(site);
    send_fresh(node, "4", "3");
    CHECK(node.final_of("4").at("status") == "acked");
    CHECK(site.truth().executed() == Executed{"car_call 2", "car_call 3"});
}

TEST_CASE("a new journal before a PLC that never had a command is a first start",
          "[e2e][journal]") {
    Site site(one_quick_elevator());
    Node node(site, "node-a");
    CHECK(site.daemon().stop() == 0);
    fs::remove(site.journal());
    site.spawn_daemon();
    send_fresh(node, "1", "2");
    CHECK(node.final_of("1").at("status") == "acked");
}

TEST_CASE("a journal that cannot be used is refused at the start with a word about why",
          "[e2e][journal]") {
    Site site(one_quick_elevator());
    SECTION("of a newer version") {
        CHECK(site.daemon().stop() == 0);
        {
            // The user version, big-endian, in SQLite's file header.
            std::fstream file(site.journal(), std::ios::in | std::ios::out | std::ios::binary);
            file.seekp(60);
            file.write("\x00\x00\x03\xe7", 4);
        }
        const auto start = refused_start(site);
        INFO(start.text);
        CHECK(start.code == exit_configuration);
        CHECK_THAT(start.text, Contains("journal.db") && Contains("999"));
    }
    SECTION("another program's database") {
        CHECK(site.daemon().stop() == 0);
        {
            std::fstream file(site.journal(), std::ios::in | std::ios::out | std::ios::binary);
            file.seekp(68);  // the application id
            file.write("\x01\x02\x03\x04", 4);
        }
        const auto start = refused_start(site);
        INFO(start.text);
        CHECK(start.code == exit_configuration);
        CHECK_THAT(start.text, Contains("journal.db"));
    }
    SECTION("held by another daemon") {
        const auto start = refused_start(site);
        INFO(start.text);
        CHECK(start.code == exit_try_again);
        CHECK_THAT(start.text,
                   Contains("held by process " + std::to_string(site.daemon().pid())) &&
                       Contains("journal.db"));
        CHECK(site.daemon().running());
    }
    SECTION("in a directory that does not exist") {
        CHECK(site.daemon().stop() == 0);
        std::string text = read_file(site.config());
        const std::size_t at = text.find(site.journal());
        text.replace(at, site.journal().size(), site.dir().file("nowhere/journal.db"));
        write_file(site.config(), text);
        const auto start = refused_start(site);
        INFO(start.text);
        CHECK(start.code == exit_configuration);
        CHECK_THAT(start.text, Contains("nowhere") && Contains("does not exist"));
    }
}
