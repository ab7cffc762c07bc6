// The loader and the real file system.
#include "src/adapters/config/load.hpp"

#include "drivers/mailbox/schema.hpp"
#include "tests/support/files.hpp"
#include "tests/support/source_tree.hpp"

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <string>

using namespace liftwarden;
using namespace liftwarden::config;
using test::read_file;
using test::write_file;
namespace fs = std::filesystem;

namespace {

const Drivers& drivers() {
    static const Drivers all{&mailbox::schema()};
    return all;
}

fs::path examples() {
    return test::source_tree() / "config/examples";
}

std::string all_texts(const std::vector<Problem>& problems) {
    std::string text;
    for (const Problem& problem : problems) {
        text += to_string(problem) + '\n';
    }
    return text;
}

std::string problems_of(const fs::path& path) {
    const Loaded loaded = load(path.string(), drivers());
    return all_texts(loaded.problems);
}

// The example with one TCP elevator, with these lines added below `mqtt:`.
std::string with_mqtt(const std::string& lines) {
    std::string text = read_file(examples() / "one-tcp-site/liftwarden.yaml");
    const std::string url = "url: \"mqtt://127.0.0.1:1883\"";
    return text.replace(text.find(url), url.size(), "url: \"mqtts://127.0.0.1\"\n" + lines);
}

}  // namespace

TEST_CASE("config: the shipped examples load without a single complaint", "[component][config]") {
    const Loaded one = load((examples() / "one-tcp-site/liftwarden.yaml").string(), drivers());
    INFO(all_texts(one.problems));
    CHECK(one.problems.empty());
    CHECK(one.settings.elevators.size() == 1);
    const Loaded several =
        load((examples() / "several-on-one-endpoint/liftwarden.yaml").string(), drivers());
    INFO(all_texts(several.problems));
    CHECK(several.problems.empty());
    REQUIRE(several.settings.elevators.size() == 3);
    CHECK(several.settings.elevators[2].core.id.str() == "EL103");
    CHECK(several.settings.elevators[2].map.unit == 3);
    const Loaded locks = load((examples() / "with-redis-lock/liftwarden.yaml").string(), drivers());
    INFO(all_texts(locks.problems));
    CHECK(locks.problems.empty());
    REQUIRE(locks.settings.lock);
    CHECK(locks.settings.lock->addresses.size() == 3);
    CHECK(locks.settings.lock->rules.scheme == core::LockScheme::redisson_fenced);
}

TEST_CASE("config: every beginning of an example is survived", "[component][config]") {
    const std::string text = read_file(examples() / "one-tcp-site/liftwarden.yaml");
    REQUIRE(text.size() > 1000);
    for (std::size_t length = 0; length < text.size(); ++length) {
        const Loaded loaded = load_text("a.yaml", text.substr(0, length), drivers());
        INFO("first " << length << " bytes");
        REQUIRE((!loaded.ok() || length > text.size() - 40));
    }
}

TEST_CASE("config: a file that cannot be read is one problem", "[component][config]") {
    const test::TempDir dir;
    const fs::path path = dir.path() / "a.yaml";
    CHECK(problems_of(path) ==
          path.string() + ": error: cannot be read: No such file or directory\n");
    CHECK(problems_of(dir.path()) == dir.path().string() + ": error: is not a regular file\n");
    CHECK(problems_of("/dev/zero") == "/dev/zero: error: is not a regular file\n");
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    const auto begin = std::chrono::steady_clock::now();
    CHECK(problems_of(path) == path.string() + ": error: is not a regular file\n");
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds{5});
}

TEST_CASE("config: a file above one megabyte is refused", "[component][config]") {
    const test::TempDir dir;
    const fs::path path = dir.path() / "a.yaml";
    const std::string text = read_file(examples() / "one-tcp-site/liftwarden.yaml");
    const std::size_t cap = 1U << 20U;
    write_file(path, text + std::string(cap - text.size(), '#'));
    CHECK(problems_of(path).empty());
    write_file(path, text + std::string(cap - text.size() + 1, '#'));
    CHECK(problems_of(path) == path.string() + ": error: is larger than 1048576 bytes\n");
}

TEST_CASE("config: elevators.d is read by name, and only its .yaml files", "[component][config]") {
    const test::TempDir dir;
    const fs::path root = dir.path();
    fs::copy(examples() / "several-on-one-endpoint", root, fs::copy_options::recursive);
    const fs::path main = root / "liftwarden.yaml";
    write_file(root / "elevators.d/.el101.yaml.swp.yaml", "not: read\n");
    write_file(root / "elevators.d/el101.yaml~", "not: read\n");
    CHECK(problems_of(main).empty());
    write_file(root / "elevators.d/el104.yml", "not: read\n");
    CHECK(problems_of(main) == (root / "elevators.d/el104.yml").string() +
                                   ": warning: not loaded: files of elevators.d end in .yaml\n");
    fs::remove(root / "elevators.d/el104.yml");
    SECTION("an elevator in two files names both places") {
        write_file(root / "elevators.d/zz.yaml", read_file(root / "elevators.d/el101.yaml"));
        CHECK_THAT(problems_of(main),
                   Catch::Contains("zz.yaml:3:3: error: elevator \"EL101\" is "));
        CHECK_THAT(problems_of(main), Catch::Contains("elevators.d/el101.yaml:3:3"));
    }
    SECTION("a broken file does not hide what is wrong in the others") {
        write_file(root / "elevators.d/el101.yaml", "elevators: [\n");
        write_file(root / "elevators.d/el103.yaml", "elevator: {}\n");
        const std::string problems = problems_of(main);
        CHECK_THAT(problems, Catch::Contains("el101.yaml:1:12: error: not valid YAML"));
        CHECK_THAT(problems, Catch::Contains("el103.yaml:1:1: error: unknown key \"elevator\""));
    }
    SECTION("what is no folder is a problem") {
        fs::remove_all(root / "elevators.d");
        write_file(root / "elevators.d", "");
        CHECK_THAT(problems_of(main), Catch::Contains("elevators.d cannot be read"));
    }
}

TEST_CASE("config: a secret that everybody may read is refused", "[component][config]") {
    const test::TempDir dir;
    const fs::path main = dir.path() / "a.yaml";
    const fs::path secret = dir.path() / "password";
    write_file(main, with_mqtt("  username: u\n  password_file: " + secret.string() + "\n"));
    CHECK_THAT(problems_of(main),
               Catch::Contains("a.yaml:12:18: error: password_file: " + secret.string() +
                               ": No such file"));
    write_file(secret, "x");
    chmod(secret.c_str(), 0640);
    CHECK(problems_of(main).empty());
    for (const mode_t mode : {0644U, 0602U, 0601U}) {
        chmod(secret.c_str(), mode);
        CHECK_THAT(problems_of(main), Catch::Contains("may be used by everybody"));
    }
    fs::remove(secret);
    fs::create_directory(secret);
    CHECK_THAT(problems_of(main), Catch::Contains("is not a regular file"));
}

TEST_CASE("config: a certificate may be public but must exist", "[component][config]") {
    const test::TempDir dir;
    const fs::path main = dir.path() / "a.yaml";
    const fs::path ca = dir.path() / "ca.pem";
    write_file(main, with_mqtt("  ca_file: " + ca.string() + "\n"));
    CHECK_THAT(problems_of(main), Catch::Contains("ca_file: " + ca.string() + ": No such file"));
    write_file(ca, "x");
    chmod(ca.c_str(), 0644);
    CHECK(problems_of(main).empty());
}

TEST_CASE("config: a directory is no place for the journal or the socket", "[component][config]") {
    const test::TempDir dir;
    const fs::path path = dir.path() / "a.yaml";
    const std::string text = read_file(examples() / "one-tcp-site/liftwarden.yaml");
    const std::string folder = dir.path().string();
    write_file(path, text + "journal: {path: " + folder + "}\n");
    CHECK_THAT(problems_of(path),
               Catch::Contains("path: " + folder + " is a directory; name a file in it"));
    write_file(path, text + "control: {socket: " + folder + "}\n");
    CHECK_THAT(problems_of(path), Catch::Contains("socket: " + folder + " is a directory"));
    write_file(path, text + "journal: {path: /dev/null}\n");
    CHECK_THAT(problems_of(path), Catch::Contains("path: /dev/null is not a regular file"));
    // What is not there yet the daemon makes.
    write_file(path, text + "journal: {path: " + folder + "/new/journal.db}\n");
    CHECK(problems_of(path).empty());
    write_file(dir.path() / "journal.db", "");
    write_file(path, text + "journal: {path: " + folder + "/journal.db}\n");
    CHECK(problems_of(path).empty());
}
