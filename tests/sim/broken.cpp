// sim_broken [--breakage NAME [--seed S] [--trace] [--shorten]]
// The judges judged: breaks one rule of the core after another and runs the simulated world until a
// judge notices. Prints which law and which seed; fails if one gets away, or if the unbroken core
// of the same build does not pass the same seeds.
#include "src/core/breakage.hpp"
#include "tests/sim/runner.hpp"
#include "tests/sim/shorten.hpp"

#include <algorithm>
#include <cstdio>

namespace {

using namespace liftwarden::sim_test;
using liftwarden::core::Breakage;

struct Planned {
    Breakage rule;
    const char* name;
};
constexpr Planned all[] = {
    {Breakage::skip_gate, "skip_gate"},
    {Breakage::forget_seq, "forget_seq"},
    {Breakage::resend_blindly, "resend_blindly"},
    {Breakage::trust_stale_read, "trust_stale_read"},
    {Breakage::ignore_ttl, "ignore_ttl"},
    {Breakage::ignore_owner, "ignore_owner"},
    {Breakage::ignore_door_closing, "ignore_door_closing"},
    {Breakage::write_in_fire, "write_in_fire"},
    {Breakage::lose_queue, "lose_queue"},
    {Breakage::two_finals, "two_finals"},
    {Breakage::resend_with_new_seq, "resend_with_new_seq"},
    {Breakage::take_foreign_echo, "take_foreign_echo"},
    {Breakage::miss_late_execution, "miss_late_execution"},
    {Breakage::coalesce_on_reversal, "coalesce_on_reversal"},
    {Breakage::accept_conflicts, "accept_conflicts"},
    {Breakage::write_before_intent, "write_before_intent"},
    {Breakage::free_occupied_car, "free_occupied_car"},
    {Breakage::write_too_late, "write_too_late"},
    {Breakage::no_queue_limit, "no_queue_limit"},
    {Breakage::forget_assumed_phase, "forget_assumed_phase"},
    {Breakage::end_lock_out, "end_lock_out"},
    {Breakage::survive_reboot, "survive_reboot"},
    {Breakage::settle_early, "settle_early"},
    {Breakage::ignore_claim, "ignore_claim"},
    {Breakage::keep_bus, "keep_bus"},
    {Breakage::no_reversal_guard, "no_reversal_guard"},
    {Breakage::short_grace, "short_grace"},
    {Breakage::forget_owner, "forget_owner"},
    {Breakage::resend_twice, "resend_twice"},
    {Breakage::skip_verification, "skip_verification"},
    {Breakage::accept_any_holder, "accept_any_holder"},
    {Breakage::accept_any_token, "accept_any_token"},
    {Breakage::accept_expiring, "accept_expiring"},
    {Breakage::accept_old_answer, "accept_old_answer"},
    {Breakage::write_in_suspect, "write_in_suspect"},
    {Breakage::take_over_early, "take_over_early"},
    {Breakage::forget_last_lease, "forget_last_lease"},
    {Breakage::hand_back_undrained, "hand_back_undrained"},
    {Breakage::hand_back_at_once, "hand_back_at_once"},
    {Breakage::keep_epoch, "keep_epoch"},
    {Breakage::admit_everybody, "admit_everybody"},
    {Breakage::edge_in_handback, "edge_in_handback"},
};
constexpr std::uint64_t seeds_max = 2000;  // a rule broken for so long unnoticed has got away

// The first seed that shows this breakage; 0: none.
std::uint64_t hunt(const Planned& planned) {
    liftwarden::core::active_breakage = planned.rule;
    for (std::uint64_t seed = 1; seed <= seeds_max; ++seed) {
        if (const auto failure = failure_of(make_script(seed))) {
            std::printf("%-22s seed %3llu  %s\n",
                        planned.name,
                        static_cast<unsigned long long>(seed),
                        failure->text.c_str());
            return seed;
        }
    }
    std::printf("%-22s NOT NOTICED in %llu seeds\n",
                planned.name,
                static_cast<unsigned long long>(seeds_max));
    return 0;
}

int hunt_all() {
    std::uint64_t last = 1;
    int away = 0;
    for (const Planned& planned : all) {
        const std::uint64_t seed = hunt(planned);
        last = std::max(last, seed);
        away += seed == 0 ? 1 : 0;
    }
    liftwarden::core::active_breakage = Breakage::none;
    Options options;
    options.seeds = last;
    RunSummary total;
    const std::uint64_t failed = run_seeds(options, total);
    std::printf("%zu breakages, %d not noticed; unbroken: %llu of %llu seeds passed\n",
                std::size(all),
                away,
                static_cast<unsigned long long>(last - failed),
                static_cast<unsigned long long>(last));
    return away == 0 && failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const auto options = parse_options(argc, argv, "sim_broken [--breakage NAME]");
    if (!options) {
        return 64;
    }
    if (options->breakage.empty()) {
        return hunt_all();
    }
    const auto* planned = std::find_if(std::begin(all), std::end(all), [&](const auto& it) {
        return it.name == options->breakage;
    });
    if (planned == std::end(all)) {
        std::fprintf(stderr, "sim_broken: no breakage '%s'\n", options->breakage.c_str());
        return 64;
    }
    liftwarden::core::active_breakage = planned->rule;
    RunSummary total;
    return run_seeds(*options, total) == 0 ? 0 : 1;
}
