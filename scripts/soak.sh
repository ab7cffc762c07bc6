#!/usr/bin/env bash
# What takes too long for every change: soak.sh [PART...], all of them by default.
#   kills   1000 times kill -9 under load of two nodes, held against the laws (about 10 minutes);
#           KILLS and SEED change that
#   asleep  the daemon stopped for 10 s in every stage of a command (STOP_S) (about 2 minutes)
#   sim     SEEDS (50000) simulated worlds from seed FIRST (1000001) on (minutes)
#   fuzz    every fuzz target for FUZZ_S (3600) seconds; needs clang and its own build
# A failure prints the seed that repeats it; SEED=..., or sim_tests --seed ... . With KEEP=FOLDER the
# simulator's and the daemon's log of a breach are copied there. Builds first. Exit status 0 only if
# nothing failed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

usage() { sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 64; }
parts=()
for word in "$@"; do
    case "$word" in
        kills | asleep | sim | fuzz) parts+=("$word") ;;
        *) usage ;;
    esac
done
((${#parts[@]} > 0)) || parts=(kills asleep sim)
# Another seed each time, so that every soak sees something new.
seed="${SEED:-$(date +%s)}"
failures=()
say() { printf '\n== %s (%d s)\n' "$1" "$SECONDS"; }

part_kills() {
    LIFTWARDEN_KILLS="${KILLS:-1000}" LIFTWARDEN_SEED="$seed" LIFTWARDEN_KEEP="${KEEP:-}" \
        build/tests/test_e2e "kill -9 at random moments*"
}
part_asleep() { LIFTWARDEN_STOP_S="${STOP_S:-10}" build/tests/test_e2e "[asleep]" -d yes; }
part_sim() { build/tests/sim_tests --first "${FIRST:-1000001}" --seeds "${SEEDS:-50000}"; }
part_fuzz() {
    bash scripts/build.sh fuzz || return 1
    local target name status=0
    for target in build-fuzz/tests/fuzz_*; do
        [[ -f $target && -x $target ]] || continue
        name="${target##*/fuzz_}"
        mkdir -p "$target.found"
        "$target" -max_total_time="${FUZZ_S:-3600}" -timeout=10 -rss_limit_mb=2048 \
            "$target.found" "tests/fuzz/corpus/$name" 2>"$target.log" || {
            status=1
            tail -n 30 "$target.log"
        }
    done
    return "$status"
}

say "build"
bash scripts/build.sh release liftwarden test_e2e sim_tests || exit 1
for part in "${parts[@]}"; do
    say "$part, seed $seed"
    "part_$part" || failures+=("$part")
done
say "done"
for name in "${failures[@]}"; do
    echo "failed: $name (seed $seed)"
done
((${#failures[@]} == 0)) && echo "nothing failed"
((${#failures[@]} == 0))
