#include "tests/scenario/transcript.hpp"

#include "tests/support/source_tree.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace liftwarden::test {

using namespace core;

namespace {

bool is_noise(const Action& action) {
    return std::holds_alternative<PublishState>(action) ||
           std::holds_alternative<PublishSession>(action) ||
           std::holds_alternative<WriteHeartbeat>(action);
}

bool is_outcome(const Action& action) {
    return std::holds_alternative<PublishResult>(action) ||
           std::holds_alternative<WriteCommand>(action) || std::holds_alternative<Raise>(action);
}

std::string golden_path(const std::string& name) {
    return (source_tree() / "tests/scenario/golden" / (name + ".txt")).string();
}

std::string first_difference(const std::string& expected, const std::string& found) {
    std::istringstream a(expected);
    std::istringstream b(found);
    std::string line_a;
    std::string line_b;
    for (int number = 1;; ++number) {
        const bool more_a = static_cast<bool>(std::getline(a, line_a));
        const bool more_b = static_cast<bool>(std::getline(b, line_b));
        if (!more_a && !more_b) {
            return "none";
        }
        if (more_a != more_b || line_a != line_b) {
            return "line " + std::to_string(number) +
                   "\n  golden: " + (more_a ? line_a : "(ends)") +
                   "\n  now:    " + (more_b ? line_b : "(ends)");
        }
    }
}

}  // namespace

Transcript::Transcript(World& world, Detail detail) : world_(&world), detail_(detail) {
    follow(world);
}

Transcript::~Transcript() {
    world_->tap = nullptr;
}

void Transcript::follow(World& world) {
    world_->tap = nullptr;
    world_ = &world;
    world_->tap = [this](TimePoint now, const Event* event, const Actions& actions) {
        record(now, event, actions);
    };
}

void Transcript::note(const std::string& text) {
    text_ += "# " + text + "\n";
}

std::string Transcript::actions_text(const Actions& actions) const {
    std::string out;
    for (const Action& action : actions) {
        if (detail_ == Detail::all && !is_noise(action)) {
            out += "    -> " + line(action) + "\n";
        } else if (is_outcome(action)) {
            out += "    -> " + line(action) + "\n";
        } else if (const auto* commit = std::get_if<Commit>(&action)) {
            for (const JournalWrite& write : commit->writes) {
                const auto* message = std::get_if<ResultMessage>(&write);
                out += message != nullptr && detail_ == Detail::outcomes
                           ? "    -> " + line(*message) + "\n"
                           : "";
            }
        }
    }
    return out;
}

bool Transcript::worth_a_line(const Event& event, bool caused_something) {
    if (const auto* seen = std::get_if<Observed>(&event)) {
        const std::string shown = line(seen->reading);
        const bool news = seen->reading.observation && shown != last_shown_;
        if (seen->reading.observation) {
            last_shown_ = shown;
        }
        return caused_something || news;
    }
    return caused_something || std::holds_alternative<CommandReceived>(event);
}

void Transcript::record(TimePoint now, const Event* event, const Actions& actions) {
    const std::string caused = actions_text(actions);
    if (event == nullptr ? caused.empty() : !worth_a_line(*event, !caused.empty())) {
        return;
    }
    text_ += since(world_->start(), now) + " " + (event == nullptr ? "time passes" : line(*event)) +
             "\n" + caused;
}

void check_golden(const std::string& name, const std::string& text) {
    const std::string path = golden_path(name);
    if (std::getenv("LIFTWARDEN_ACCEPT_GOLDEN") != nullptr) {
        std::ofstream(path) << text;
        return;
    }
    std::ifstream file(path);
    INFO("golden file " << path << " (scripts/accept_golden.sh updates it)");
    REQUIRE(file);
    std::stringstream expected;
    expected << file.rdbuf();
    INFO("first difference: " << first_difference(expected.str(), text));
    CHECK((expected.str() == text));
}

}  // namespace liftwarden::test
