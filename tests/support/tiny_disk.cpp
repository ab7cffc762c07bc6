#include "tests/support/tiny_disk.hpp"

#include <sys/mount.h>

#include <cstdio>
#include <fstream>

namespace liftwarden::test {

namespace fs = std::filesystem;

TinyDisk::TinyDisk(const fs::path& at, const std::string& size) : at_(at) {
    mounted_ = mount("tmpfs", at.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
    if (!mounted_) {
        std::puts("not allowed to mount a file system: skipped");
    }
}

TinyDisk::~TinyDisk() {
    if (mounted_) {
        umount2(at_.c_str(), MNT_DETACH);
    }
}

std::uintmax_t TinyDisk::free() const {
    return fs::space(at_).available;
}

void TinyDisk::fill(std::uintmax_t leave) const {
    std::ofstream filler(at_ / "filler", std::ios::binary | std::ios::app);
    for (const std::string block(4096, 'x'); free() > leave && filler;) {
        filler << block << std::flush;
    }
}

void TinyDisk::clear() const {
    fs::remove(at_ / "filler");
}

}  // namespace liftwarden::test
