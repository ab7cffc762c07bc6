#pragma once

#include "src/adapters/redis/context.hpp"
#include "src/adapters/redis/probe.hpp"

#include <liftwarden/core/event.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <random>
#include <string>

namespace liftwarden::redis {

// Probes once a period on a connection of its own and posts what it found, the first time at once.
// run() is the body of its thread.
class Prober {
  public:
    explicit Prober(Context& context);

    void run();
    [[nodiscard]] std::uint64_t beats() const { return beats_; }

  private:
    void probe_once();
    [[nodiscard]] ProbeFinding attempt(Deadline deadline);
    [[nodiscard]] ProbeFinding attempt_anew(Deadline deadline);
    void post(core::TimePoint started_at, const ProbeFinding& finding);
    void report(core::Health health, const std::string& detail);
    void look_for_another_master(Deadline deadline);
    void warn_of_slow_sentinels();
    void sleep_until(Deadline moment);

    Context& context_;
    std::string key_;
    std::optional<Session> session_;
    std::string address_;
    std::string reported_;
    bool sentinels_checked_ = false;
    Deadline resolved_at_{};
    std::minstd_rand random_{std::random_device{}()};
    std::atomic<std::uint64_t> beats_{0};
};

}  // namespace liftwarden::redis
