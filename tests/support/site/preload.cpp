#include "tests/support/site/preload.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

namespace liftwarden::test {

Preload::Preload() {
    const int fd = ::open(dir_.file("control").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    void* at = MAP_FAILED;
    if (fd >= 0 && ::ftruncate(fd, sizeof(PreloadControl)) == 0) {
        at = ::mmap(nullptr, sizeof(PreloadControl), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    if (at == MAP_FAILED) {
        throw std::runtime_error("cannot share a page with the daemon");
    }
    ::close(fd);
    control_ = static_cast<PreloadControl*>(at);
}

Preload::~Preload() {
    ::munmap(control_, sizeof(PreloadControl));
}

std::map<std::string, std::string> Preload::environment() const {
    // A sanitizer wants to be the first library, and says so.
    const char* options = std::getenv("ASAN_OPTIONS");
    return {{"LD_PRELOAD", LIFTWARDEN_PRELOAD},
            {preload_variable, dir_.file("control")},
            {"ASAN_OPTIONS",
             std::string{options != nullptr ? options : ""} + ":verify_asan_link_order=0"}};
}

void Preload::step_wall(std::chrono::seconds by) {
    control_->wall_offset_ns += std::chrono::nanoseconds{by}.count();
}

void Preload::fail_writes(int error, int let_pass) {
    control_->let_pass = let_pass;
    control_->write_error = error;
}

void Preload::fail_syncs(int error, int let_pass) {
    control_->let_pass = let_pass;
    control_->sync_error = error;
}

void Preload::heal() {
    control_->write_error = 0;
    control_->sync_error = 0;
}

}  // namespace liftwarden::test
