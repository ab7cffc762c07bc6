#pragma once

#include <filesystem>
#include <string>

namespace liftwarden::test {

// A file system of its own in memory, mounted over a directory; none where the test may not mount.
// Gone with the object.
class TinyDisk {
  public:
    explicit TinyDisk(const std::filesystem::path& at, const std::string& size = "12m");
    ~TinyDisk();
    TinyDisk(const TinyDisk&) = delete;
    TinyDisk& operator=(const TinyDisk&) = delete;

    // False: skip what needs it. Says so in the test's output.
    [[nodiscard]] bool mounted() const { return mounted_; }
    [[nodiscard]] std::uintmax_t free() const;
    // Somebody else's file takes all but `leave` bytes. Any thread, one at a time.
    void fill(std::uintmax_t leave) const;
    void clear() const;

  private:
    std::filesystem::path at_;
    bool mounted_ = false;
};

}  // namespace liftwarden::test
