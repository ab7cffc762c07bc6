// The verification of a lock beside one bare round trip to the same server.
#pragma once

#include "tests/bench/stats.hpp"

#include <cstddef>

namespace liftwarden::bench {

struct LockCheck {
    Samples bare;      // EVAL_RO of the same script on a blocking connection
    Samples verified;  // from the question to the answer's event
    Samples crowded;   // the same, while questions about other elevators come at 1 000/s
};
[[nodiscard]] LockCheck lock_check(std::size_t times);

}  // namespace liftwarden::bench
