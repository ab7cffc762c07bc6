#pragma once

#include <chrono>
#include <thread>

namespace liftwarden::test {

using namespace std::chrono_literals;
using Millis = std::chrono::milliseconds;

// Asks `condition` every 2 ms until it holds or `limit` is over; returns what it last said. The
// limit only bounds a failing test, so be generous.
template <class Condition>
[[nodiscard]] bool wait_until(Condition condition, Millis limit = 10s) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
        if (std::chrono::steady_clock::now() >= deadline) {
            return condition();
        }
        std::this_thread::sleep_for(2ms);
    }
    return true;
}

}  // namespace liftwarden::test
