// Enumerators by the contract's words. The words themselves stand once, in core's to_string.
#pragma once

#include "src/wire/text.hpp"

#include <liftwarden/core/action.hpp>
#include <liftwarden/core/command.hpp>
#include <liftwarden/core/journal.hpp>
#include <liftwarden/core/result.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace liftwarden::wire {

[[nodiscard]] inline const char* to_word(core::Party::Kind kind) {
    switch (kind) {
        case core::Party::Kind::ride:
            return "ride";
        case core::Party::Kind::task:
            return "task";
        case core::Party::Kind::trip:
            break;
    }
    return "trip";
}

template <class Enum>
[[nodiscard]] const char* to_word(Enum value) {
    return core::to_string(value);
}

// All enumerators of a type that is read back from text.
template <class Enum>
inline constexpr int enumerators = 0;
template <>
inline constexpr std::array enumerators<core::ActionKind>{core::ActionKind::hall_call,
                                                          core::ActionKind::car_call,
                                                          core::ActionKind::open_door,
                                                          core::ActionKind::close_door,
                                                          core::ActionKind::hold_door,
                                                          core::ActionKind::set_mode,
                                                          core::ActionKind::release,
                                                          core::ActionKind::query};
template <>
inline constexpr std::array enumerators<core::Direction>{core::Direction::up,
                                                         core::Direction::down};
template <>
inline constexpr std::array enumerators<core::Side>{core::Side::front, core::Side::rear};
template <>
inline constexpr std::array enumerators<core::OrderedMode>{core::OrderedMode::agv,
                                                           core::OrderedMode::normal};
template <>
inline constexpr std::array enumerators<core::Party::Kind>{
    core::Party::Kind::ride, core::Party::Kind::task, core::Party::Kind::trip};

template <>
inline constexpr std::array enumerators<core::ArbitrationMode>{core::ArbitrationMode::standalone,
                                                               core::ArbitrationMode::lock,
                                                               core::ArbitrationMode::suspect,
                                                               core::ArbitrationMode::edge,
                                                               core::ArbitrationMode::handback};

template <class Enum>
[[nodiscard]] std::optional<Enum> from_word(std::string_view text) {
    for (const Enum value : enumerators<Enum>) {
        if (text == to_word(value)) {
            return value;
        }
    }
    return std::nullopt;
}
// The word that a misspelt one was most likely meant to be: case, hyphens and blanks aside, at most
// two letters are wrong.
template <class Enum>
[[nodiscard]] std::optional<Enum> nearest_word(std::string_view text) {
    std::optional<Enum> nearest;
    std::size_t least = 3;
    for (const Enum value : enumerators<Enum>) {
        const std::size_t distance = misspelling(text, to_word(value));
        if (distance < least) {
            least = distance;
            nearest = value;
        }
    }
    return nearest;
}
template <>
[[nodiscard]] inline std::optional<core::Status> from_word(std::string_view text) {
    return core::status_from(std::string(text));
}
template <>
[[nodiscard]] inline std::optional<core::Reason> from_word(std::string_view text) {
    return core::reason_from(std::string(text));
}
template <>
[[nodiscard]] inline std::optional<core::LockOut> from_word(std::string_view text) {
    return core::lock_out_from(std::string(text));
}

}  // namespace liftwarden::wire
