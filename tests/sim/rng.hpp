#pragma once

#include <liftwarden/core/time.hpp>

#include <cstdint>
#include <random>

namespace liftwarden::sim_test {

// Chance for making scripts: the same seed gives the same script on every machine.
class Rng {
  public:
    explicit Rng(std::uint64_t seed) : engine_(seed) {}

    // 0 .. n-1
    std::uint64_t below(std::uint64_t n) { return engine_() % n; }
    bool chance(double p) { return static_cast<double>(engine_() >> 11U) * 0x1p-53 < p; }
    core::Duration between(core::Duration low, core::Duration high) {
        const auto span = static_cast<std::uint64_t>((high - low).count()) + 1;
        return low + core::Duration{static_cast<std::int64_t>(below(span))};
    }
    template <class List>
    const auto& pick(const List& list) {
        return list[below(list.size())];
    }

  private:
    std::mt19937_64 engine_;
};

// Jitter while a script plays: a function of seed, place and moment, not of how often it was asked.
// So a run without one of its inputs differs by what that input does and not by other luck.
class Jitter {
  public:
    Jitter(std::uint64_t seed, std::uint64_t place) : key_(mix(seed ^ mix(place + 1))) {}

    [[nodiscard]] core::Duration between(core::TimePoint now,
                                         core::Duration low,
                                         core::Duration high) const {
        const std::uint64_t roll =
            mix(key_ ^ static_cast<std::uint64_t>(now.time_since_epoch().count()));
        const auto span = static_cast<std::uint64_t>((high - low).count()) + 1;
        return low + core::Duration{static_cast<std::int64_t>(roll % span)};
    }
    [[nodiscard]] bool coin(core::TimePoint now) const {
        return between(now, core::Duration{0}, core::Duration{1}).count() == 0;
    }

  private:
    // The finisher of splitmix64 (Steele, Lea and Flood, 2014).
    static std::uint64_t mix(std::uint64_t x) {
        x += 0x9E3779B97F4A7C15U;
        x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
        x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
        return x ^ (x >> 31U);
    }
    std::uint64_t key_;
};

}  // namespace liftwarden::sim_test
