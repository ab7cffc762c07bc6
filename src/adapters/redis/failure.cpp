#include "src/adapters/redis/failure.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace liftwarden::redis {
namespace {

template <std::size_t N>
bool any_starts(std::string_view text, const std::array<std::string_view, N>& words) {
    return std::any_of(
        words.begin(), words.end(), [&](std::string_view word) { return text.starts_with(word); });
}

// Inside a script redis 7.0 says ERR where the same outside is NOPERM; later ones say NOPERM.
constexpr std::array<std::string_view, 3> no_permission{
    "NOPERM", "ERR The user executing the script can't", "ERR ACL failure"};

// Beside those: what another login, address or configuration of ours would cure.
constexpr std::array<std::string_view, 16> our_fault{
    "NOAUTH",
    "WRONGPASS",
    "DENIED",     // protected mode
    "WRONGTYPE",  // somebody else uses our probe's key
    "MOVED",      // a cluster, which is not supported
    "ASK",
    "CROSSSLOT",
    "ERR unknown command",
    "ERR Unknown Redis command called from",
    "ERR This Redis command is not allowed from",
    "ERR invalid password",
    "ERR Client sent AUTH",
    "ERR AUTH ",
    "ERR DB index",
    "ERR invalid DB index",
    "ERR SELECT is not allowed"};

}  // namespace

bool is_forbidden(const Failure& failure) {
    return failure.kind == Failure::Kind::refused && any_starts(failure.text, no_permission);
}

core::Health health_of(const Failure& failure) {
    const bool ours =
        failure.kind == Failure::Kind::settings || is_forbidden(failure) ||
        (failure.kind == Failure::Kind::refused && any_starts(failure.text, our_fault));
    return ours ? core::Health::misconfigured : core::Health::outage;
}

std::string printable(std::string text) {
    constexpr std::size_t most = 200;
    if (text.size() > most) {
        text.resize(most);
        text += "...";
    }
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
    return text;
}

}  // namespace liftwarden::redis
