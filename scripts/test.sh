#!/usr/bin/env bash
# Builds liftwarden and runs its tests: test.sh [--quick] [PART...]
# Parts: tidy release asan asan-io clang tsan fuzz, or all of them; the first three by default, the first
# two with --quick. asan runs what is deterministic, asan-io what has real servers and deadlines.
# The last line is "N passed, N failed"; exit status 0 only if nothing failed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

usage() { sed -n '2,5s/^# //p' "$0" >&2; exit 64; }
parts=()
for word in "$@"; do
    case "$word" in
        --quick) parts+=(tidy release) ;;
        all) parts+=(tidy release asan asan-io clang tsan fuzz) ;;
        tidy | release | asan | asan-io | clang | tsan | fuzz) parts+=("$word") ;;
        *) usage ;;
    esac
done
((${#parts[@]} > 0)) || parts=(tidy release asan)

passed=0
failed=0
failures=()
say() { printf '\n== %s (%d s)\n' "$1" "$SECONDS"; }

# step NAME COMMAND...: one check that counts as one test.
step() {
    local name="$1"
    shift
    say "$name"
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        failures+=("$name")
    fi
}

# run_tests NAME FOLDER CTEST_OPTIONS...
run_tests() {
    local name="$1" folder="$2" counts
    shift 2
    say "$name: tests"
    rm -f "$folder/Testing/Temporary/LastTest.log"
    # Tests with real servers wait most of their time.
    ctest --test-dir "$folder" --output-on-failure --no-tests=error -j $((2 * $(nproc))) "$@"
    local status=$?
    read -r -a counts < <(python3 scripts/tally.py "$folder/Testing/Temporary/LastTest.log" || echo 0 0)
    passed=$((passed + counts[0]))
    failed=$((failed + counts[1]))
    if ((status != 0)); then
        failures+=("$name: tests")
        ((counts[1] > 0)) || failed=$((failed + 1))
    fi
}

# build_and_test NAME VARIANT "TARGETS" CTEST_OPTIONS...
build_and_test() {
    local name="$1" variant="$2" targets="$3" folder="build-$2" before=$failed
    shift 3
    [[ $variant == release ]] && folder=build
    # shellcheck disable=SC2086 # a list of words
    step "$name: build" bash scripts/build.sh "$variant" $targets
    ((failed > before)) || run_tests "$name" "$folder" "$@"
}

part_tidy() {
    step "format" bash scripts/format.sh --check
    step "layers: the checker finds planted faults" python3 scripts/check_layers.py --self-test
    step "layers" python3 scripts/check_layers.py
}
part_release() { build_and_test "g++ release" release ""; }
part_asan() {
    build_and_test "ASan and UBSan" asan "unit_tests scenario_tests sim_tests" \
        -L 'unit|scenario|sim' -E 'sim\.breakages|tidy|component|e2e|regress'
}
part_asan-io() {
    build_and_test "ASan and UBSan, real servers" asan \
        "liftwarden component_tests regress_tests e2e_tests" -L 'component|regress|e2e'
}
part_clang() { build_and_test "clang" clang "liftwarden unit_tests" -L unit; }
part_fuzz() { build_and_test "fuzz" fuzz "" -L fuzz; }
part_tsan() { build_and_test "TSan" tsan "component_tests" -L component; }

# Findings of a sanitizer end the test at once and count as its failure.
export ASAN_OPTIONS="detect_stack_use_after_return=1:strict_string_checks=1"
export UBSAN_OPTIONS="print_stacktrace=1"
export TSAN_OPTIONS="suppressions=$PWD/scripts/tsan.supp:second_deadlock_stack=1"

say "setup"
bash scripts/setup.sh || { echo "0 passed, 1 failed"; exit 1; }
for part in "${parts[@]}"; do
    "part_$part"
done

say "done"
for name in "${failures[@]}"; do
    echo "failed: $name"
done
echo "$passed passed, $failed failed"
((failed == 0))
