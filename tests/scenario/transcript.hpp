// What happened in a World, line by line, and its comparison with a golden file.
#pragma once

#include "tests/support/core_world.hpp"

#include <string>

namespace liftwarden::test {

// Records a World from now on. Left out is what only repeats: polls that show nothing new and cause
// nothing, commits that cause nothing, published state and session, heartbeats.
class Transcript {
  public:
    enum class Detail {
        all,       // every other event and action
        outcomes,  // commands, writes and results only
    };
    explicit Transcript(World& world, Detail detail = Detail::all);
    ~Transcript();
    Transcript(const Transcript&) = delete;
    Transcript& operator=(const Transcript&) = delete;

    // A line of explanation.
    void note(const std::string& text);
    // Taken over by another World: what follows is recorded from there.
    void follow(World& world);
    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    void record(core::TimePoint now, const core::Event* event, const core::Actions& actions);
    [[nodiscard]] std::string actions_text(const core::Actions& actions) const;
    [[nodiscard]] bool worth_a_line(const core::Event& event, bool caused_something);

    World* world_;
    Detail detail_;
    std::string text_;
    std::string last_shown_;
};

// Fails the test with the first difference if `text` is not what golden/NAME.txt holds. With the
// environment variable LIFTWARDEN_ACCEPT_GOLDEN set it writes the file instead; see
// scripts/accept_golden.sh.
void check_golden(const std::string& name, const std::string& text);

}  // namespace liftwarden::test
