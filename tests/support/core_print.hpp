// Events and actions of the core as one readable line each, and Catch's view of its enumerators.
#pragma once

#include "src/core/echo_rules.hpp"
#include "src/core/ledger.hpp"
#include "src/core/table.hpp"

#include <liftwarden/core/action.hpp>
#include <liftwarden/core/event.hpp>

#include <catch2/catch.hpp>

#include <string>

namespace liftwarden::test {

// "+1.200" since `start`.
[[nodiscard]] std::string since(core::TimePoint start, core::TimePoint now);
[[nodiscard]] std::string line(const core::Event& event);
[[nodiscard]] std::string line(const core::Action& action);
[[nodiscard]] std::string line(const core::ResultMessage& message);
[[nodiscard]] std::string line(const core::Reading& reading);
[[nodiscard]] const char* word(core::Ruling ruling);
[[nodiscard]] const char* word(core::EchoVerdict verdict);
[[nodiscard]] const char* word(core::Seen seen);

}  // namespace liftwarden::test

// Catch prints an enumerator as its word.
#define LIFTWARDEN_PRINTS(type, text)                             \
    template <>                                                   \
    struct Catch::StringMaker<type> {                             \
        static std::string convert(type value) { return (text); } \
    }

LIFTWARDEN_PRINTS(liftwarden::core::Status, to_string(value));
LIFTWARDEN_PRINTS(liftwarden::core::Reason, to_string(value));
LIFTWARDEN_PRINTS(liftwarden::core::Phase, to_string(value));
LIFTWARDEN_PRINTS(liftwarden::core::Channel, to_string(value));
LIFTWARDEN_PRINTS(liftwarden::core::Quality, to_string(value));
LIFTWARDEN_PRINTS(liftwarden::core::LockOut, to_string(value));
LIFTWARDEN_PRINTS(liftwarden::core::ActionKind, to_string(value));
LIFTWARDEN_PRINTS(liftwarden::core::Ruling, liftwarden::test::word(value));
LIFTWARDEN_PRINTS(liftwarden::core::EchoVerdict, liftwarden::test::word(value));
LIFTWARDEN_PRINTS(liftwarden::core::Seen, liftwarden::test::word(value));

// Strong types as their value.
#define LIFTWARDEN_PRINTS_NUMBER(type)                                                    \
    template <>                                                                           \
    struct Catch::StringMaker<type> {                                                     \
        static std::string convert(const type& it) { return std::to_string(it.value()); } \
    }
LIFTWARDEN_PRINTS_NUMBER(liftwarden::core::WireSeq);
LIFTWARDEN_PRINTS_NUMBER(liftwarden::core::Echo);

template <>
struct Catch::StringMaker<liftwarden::core::Party> {
    static std::string convert(const liftwarden::core::Party& party) {
        return liftwarden::core::describe(party);
    }
};
