#include "src/adapters/system/secret_file.hpp"

#include "tests/support/files.hpp"

#include <catch2/catch.hpp>
#include <sys/stat.h>

using namespace liftwarden;

TEST_CASE("secret file: the content without its last line break", "[system][secret]") {
    const test::TempDir dir;
    const auto secret_of = [&](const std::string& content) {
        test::write_file(dir.file("s"), content);
        const auto secret = system::read_secret_file(dir.file("s"));
        REQUIRE(secret);
        return *secret;
    };
    CHECK(secret_of("pass word") == "pass word");
    CHECK(secret_of("pass word\n") == "pass word");
    CHECK(secret_of("pass word\r\n") == "pass word");
    CHECK(secret_of("two\nlines\n\n") == "two\nlines\n");
    CHECK(secret_of(std::string(4096, 'x')).size() == 4096);
}

TEST_CASE("secret file: what is refused names the file and not its content", "[system][secret]") {
    const test::TempDir dir;
    const std::string path = dir.file("s");
    std::string why;
    SECTION("missing") {
        why = "No such file";
    }
    SECTION("readable by others") {
        test::write_file(path, "hidden-content", 0644);
        why = "others may read";
    }
    SECTION("writable by others") {
        test::write_file(path, "hidden-content", 0602);
        why = "others may read or write";
    }
    SECTION("empty") {
        test::write_file(path, "\n");
        why = "empty";
    }
    SECTION("too long") {
        test::write_file(path, std::string(5000, 'x'));
        why = "longer than 4096 bytes";
    }
    SECTION("a directory") {
        REQUIRE(::mkdir(path.c_str(), 0700) == 0);
        why = "not a regular file";
    }
    SECTION("a FIFO that nobody writes to") {
        REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
        why = "not a regular file";
    }
    const auto secret = system::read_secret_file(path);
    REQUIRE_FALSE(secret);
    CHECK(secret.error().text.find(path) != std::string::npos);
    CHECK(secret.error().text.find(why) != std::string::npos);
    CHECK(secret.error().text.find("hidden-content") == std::string::npos);
}
