#include "src/wire/ttl.hpp"

#include <algorithm>

namespace liftwarden::wire {

core::Duration remaining_ttl(const TtlFacts& facts) {
    using std::chrono::milliseconds;
    core::Duration left = facts.asked;
    // Compared in seconds, where no expiry can overflow.
    if (facts.expiry && *facts.expiry <= std::chrono::floor<std::chrono::seconds>(facts.asked)) {
        left = *facts.expiry;
    }
    bool age_known = facts.expiry.has_value();
    if (facts.issued_at && facts.wall_synchronised) {
        const milliseconds age = facts.wall - *facts.issued_at;
        if (age >= -issued_ahead_max) {
            age_known = true;
            // In milliseconds, which reach far beyond the 292 years of a Duration.
            const bool too_old = age >= std::chrono::ceil<milliseconds>(facts.asked);
            const core::Duration by_age =
                too_old ? core::Duration{0} : facts.asked - std::max(age, milliseconds{0});
            left = std::min(left, by_age);
        }
    }
    if (!age_known && facts.away && *facts.away > facts.asked) {
        return core::Duration{0};
    }
    return std::max(left, core::Duration{0});
}

}  // namespace liftwarden::wire
