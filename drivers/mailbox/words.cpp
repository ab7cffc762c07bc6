#include "drivers/mailbox/words.hpp"

namespace liftwarden::mailbox {
namespace {

constexpr std::array travels{core::Travel::stopped, core::Travel::up, core::Travel::down};
constexpr std::array doors{core::DoorState::closed,
                           core::DoorState::opening,
                           core::DoorState::open,
                           core::DoorState::closing};
constexpr std::array modes{core::ServiceMode::normal,
                           core::ServiceMode::agv,
                           core::ServiceMode::fire,
                           core::ServiceMode::emergency_power,
                           core::ServiceMode::seismic,
                           core::ServiceMode::inspection,
                           core::ServiceMode::manual,
                           core::ServiceMode::out_of_service};

template <class Enums>
auto find_word(const Enums& enums, const std::string& word)
    -> std::optional<typename Enums::value_type> {
    for (const auto value : enums) {
        if (word == core::to_string(value)) {
            return value;
        }
    }
    return std::nullopt;
}

template <class Enums>
std::vector<std::string> all_words(const Enums& enums) {
    std::vector<std::string> words;
    for (const auto value : enums) {
        words.emplace_back(core::to_string(value));
    }
    return words;
}

}  // namespace

std::optional<core::Travel> travel_from(const std::string& word) {
    return find_word(travels, word);
}

std::optional<core::DoorState> door_state_from(const std::string& word) {
    return find_word(doors, word);
}

std::optional<core::ServiceMode> service_mode_from(const std::string& word) {
    return find_word(modes, word);
}

std::vector<std::string> travel_words() {
    return all_words(travels);
}

std::vector<std::string> door_words() {
    return all_words(doors);
}

std::vector<std::string> service_mode_words() {
    return all_words(modes);
}

}  // namespace liftwarden::mailbox
