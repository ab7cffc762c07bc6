#pragma once

#include "drivers/sim/note.hpp"

#include <liftwarden/core/error.hpp>
#include <liftwarden/ports/clock.hpp>

#include <boost/json/object.hpp>

#include <cstdio>
#include <memory>
#include <string>

namespace liftwarden::sim {

// `2026-05-02T14:32:01.233Z`.
[[nodiscard]] std::string wall_text(core::WallTime wall);

// The ground truth: one JSON object a line, with "t" (nanoseconds of the steady clock), "wall" and
// "what" first. What was written is in the file after flush(), which the simulator calls before it
// lets anybody see the consequences. One thread.
class Log {
  public:
    // `path` empty: no log; "-": standard output; else the file is begun anew.
    [[nodiscard]] static core::Result<Log> open(const std::string& path, const ports::Clock& clock);

    void write(Note note);
    void write(core::TimePoint at, std::string what, boost::json::object data) {
        write(Note{at, std::move(what), std::move(data)});
    }
    void flush();

  private:
    struct Close {
        void operator()(std::FILE* file) const {
            if (file != stdout) {
                std::fclose(file);
            }
        }
    };
    Log(std::FILE* file, const ports::Clock& clock) : file_(file), clock_(&clock) {}

    std::unique_ptr<std::FILE, Close> file_;
    const ports::Clock* clock_;
};

}  // namespace liftwarden::sim
