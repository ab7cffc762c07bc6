// The references in config/ know every word that users meet.
#include "drivers/mailbox/schema.hpp"
#include "tests/support/files.hpp"
#include "tests/support/source_tree.hpp"

#include <liftwarden/core/action.hpp>
#include <liftwarden/core/journal.hpp>
#include <liftwarden/core/result.hpp>

#include <catch2/catch.hpp>

#include <string>

using namespace liftwarden;

namespace {

std::string document(const std::string& name) {
    return test::read_file(test::source_tree() / "config" / name);
}

void expect_word(const std::string& text, const std::string& word) {
    INFO(word);
    CHECK(text.find("`" + word) != std::string::npos);
}

template <class Enum>
void expect_words(const std::string& text, Enum first, Enum last) {
    for (int i = static_cast<int>(first); i <= static_cast<int>(last); ++i) {
        expect_word(text, core::to_string(static_cast<Enum>(i)));
    }
}

}  // namespace

TEST_CASE("documents: the MQTT reference explains every word of the contract",
          "[component][config]") {
    const std::string text = document("mqtt.md");
    expect_words(text, core::Status::accepted, core::Status::not_served);
    expect_words(text, core::Reason::bad_json, core::Reason::shutdown);
    expect_words(text, core::LockOut::unknown_outcome, core::LockOut::second_gateway);
    expect_words(text, core::ArbitrationMode::standalone, core::ArbitrationMode::handback);
    expect_words(text, core::ActionKind::hall_call, core::ActionKind::query);
    expect_words(text, core::Channel::ready, core::Channel::locked_out);
    expect_words(text, core::Quality::good, core::Quality::unknown);
}

TEST_CASE("documents: the reference of the map explains every key of the driver",
          "[component][config]") {
    const std::string text = document("README.md");
    for (const ports::RegisterKey& key : mailbox::schema().registers) {
        expect_word(text, key.name);
        for (const std::string& word : key.vocabulary) {
            expect_word(text, word);
        }
    }
    for (const ports::CodeSection& section : mailbox::schema().sections) {
        expect_word(text, section.name);
        for (const std::string& word : section.vocabulary) {
            expect_word(text, word);
        }
    }
}
