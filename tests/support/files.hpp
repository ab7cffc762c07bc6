#pragma once

#include <filesystem>
#include <string>

namespace liftwarden::test {

// A fresh directory of mode 0700 that is gone with all its content when the object is.
class TempDir {
  public:
    TempDir();
    ~TempDir();
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::string file(const std::string& name) const {
        return (path_ / name).string();
    }

  private:
    std::filesystem::path path_;
};

// Both throw std::runtime_error naming the file; reading a missing file gives "".
void write_file(const std::filesystem::path& path,
                const std::string& content,
                unsigned mode = 0600);
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

}  // namespace liftwarden::test
