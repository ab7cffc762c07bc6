// Without permission for the control socket `log` ended with 1 and `status` with 69.
#include "tests/support/site/site.hpp"

#include <catch2/catch.hpp>
#include <sys/stat.h>
#include <unistd.h>

using namespace liftwarden::test;

TEST_CASE("regress: who may not use the socket is told 69 by status and log alike", "[regress]") {
    if (::geteuid() != 0) {
        return;  // the test must be able to become somebody else
    }
    Site site;
    const auto as_nobody = [&](const std::string& command) {
        ProcessOptions options;
        options.argv = {"setpriv",
                        "--reuid=65534",
                        "--regid=65534",
                        "--clear-groups",
                        LIFTWARDEN_BINARY,
                        command,
                        "-c",
                        site.config()};
        options.stderr_file = site.dir().file("said");
        Process process(options);
        return process.wait();
    };
    ::chmod(site.dir().path().c_str(), 0755);
    ::chmod(site.config().c_str(), 0644);
    CHECK(as_nobody("status") == 69);
    CHECK(as_nobody("log") == 69);
    CHECK(read_file(site.dir().file("said")).find("permission denied") != std::string::npos);
}
