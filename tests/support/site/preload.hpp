#pragma once

#include "tests/support/files.hpp"
#include "tests/support/preload/control.hpp"
#include "tests/support/wait.hpp"

#include <map>
#include <string>

namespace liftwarden::test {

// A wall clock and a disk in the test's hands, for processes started with environment(). Their
// state survives those processes. Any thread may call.
class Preload {
  public:
    Preload();
    ~Preload();
    Preload(const Preload&) = delete;
    Preload& operator=(const Preload&) = delete;

    [[nodiscard]] std::map<std::string, std::string> environment() const;

    void step_wall(std::chrono::seconds by);
    // From now on, after `let_pass` more: EIO, ENOSPC, ...; 0 heals.
    void fail_writes(int error, int let_pass = 0);
    void fail_syncs(int error, int let_pass = 0);
    void heal();
    [[nodiscard]] std::uint64_t failed() const { return control_->failed; }

  private:
    TempDir dir_;
    PreloadControl* control_;
};

}  // namespace liftwarden::test
