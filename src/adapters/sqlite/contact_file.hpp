// A moment that a successor of a killed process needs to know.
#pragma once

#include <liftwarden/core/time.hpp>

#include <optional>
#include <string>

namespace liftwarden::sqlite {

// One moment of one boot in a small file of its own. Written in place and without a sync: what the
// kernel has taken survives the process, and after a power loss there is another boot, in which the
// moment means nothing. A file that cannot be written or read counts as nothing saved. Owned by the
// journal's worker; one thread at a time.
class ContactFile {
  public:
    ContactFile(std::string path, std::string boot_id);
    ~ContactFile();
    ContactFile(const ContactFile&) = delete;
    ContactFile& operator=(const ContactFile&) = delete;

    void save(core::TimePoint moment);
    // What a process of this boot saved last.
    [[nodiscard]] std::optional<core::TimePoint> load() const;

  private:
    std::string boot_id_;
    int fd_;  // -1: not to be had
};

}  // namespace liftwarden::sqlite
