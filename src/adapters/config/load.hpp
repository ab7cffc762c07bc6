// From YAML to settings: the public face of this adapter.
#pragma once

#include "src/adapters/config/draft.hpp"
#include "src/adapters/config/problem.hpp"

#include <liftwarden/ports/settings.hpp>

#include <string>
#include <vector>

namespace liftwarden::config {

// What came of one configuration: every problem, sorted by place, and settings that are complete
// and valid if and only if ok(). A plain value.
struct Loaded {
    ports::Settings settings;
    std::vector<Problem> problems;
    // The main file could be read as YAML: what no problem names is as it says, even when not ok().
    bool readable = false;
    [[nodiscard]] bool ok() const { return !has_errors(problems); }
};

// The files that a configuration names, such as password_file.
enum class NamedFiles { look_at, ignore };

struct SourceText {
    std::string name;  // as it appears in problems
    std::string text;
};

// Reads the file at `path` and elevators.d/*.yaml beside it, and looks at the files they name
// unless told otherwise: a tool that does not open them need not be allowed to. `drivers` are the
// schemas that `driver:` may name; they must outlive the call. Never throws; any thread may call.
[[nodiscard]] Loaded load(const std::string& path,
                          const Drivers& drivers,
                          NamedFiles named = NamedFiles::look_at);

// The same for text that is at hand; asks nothing of the file system. `elevator_files` stand for
// those of elevators.d.
[[nodiscard]] Loaded load_text(const std::string& name,
                               const std::string& text,
                               const Drivers& drivers,
                               const std::vector<SourceText>& elevator_files = {});

}  // namespace liftwarden::config
