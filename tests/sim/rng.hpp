#pragma once

#include <liftwarden/core/time.hpp>

#include <cstdint>
#include <random>

namespace liftwarden::sim_test {

// The one source of chance of a run: the same seed gives the same run on every machine.
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

}  // namespace liftwarden::sim_test
