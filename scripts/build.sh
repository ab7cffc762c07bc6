#!/usr/bin/env bash
# Builds one variant: build.sh release|asan|clang|tsan|fuzz [TARGET...]. Without targets, all of them.
# The release ends in build/, the others in build-NAME/.
set -euo pipefail
cd "$(dirname "$0")/.."

variant="${1:-release}"
shift || true
# Sanitizer builds are for running once: little debug information, moderate optimisation.
checked=(-DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g1")
case "$variant" in
    release) folder=build
        options=(-DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -g1"
            -DCMAKE_CXX_COMPILER=g++) ;;
    asan) folder=build-asan
        options=("${checked[@]}" -DCMAKE_CXX_COMPILER=g++ "-DLIFTWARDEN_SANITIZE=address,undefined") ;;
    clang) folder=build-clang
        options=(-DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=-O0 -g1"
            -DCMAKE_CXX_COMPILER=clang++-14) ;;
    tsan) folder=build-tsan
        options=("${checked[@]}" -DCMAKE_CXX_COMPILER=g++ -DLIFTWARDEN_SANITIZE=thread) ;;
    fuzz) folder=build-fuzz
        options=("${checked[@]}" -DCMAKE_CXX_COMPILER=clang++-14 -DLIFTWARDEN_FUZZ=ON
            "-DLIFTWARDEN_SANITIZE=address,undefined")
        (($# > 0)) || set -- fuzz_targets ;;
    *) echo "build.sh: no variant '$variant' (release, asan, clang, tsan, fuzz)" >&2; exit 64 ;;
esac

# What was compiled in another checkout counts too, and so does what precompiled headers are used in.
export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
cmake -S . -B "$folder" -G Ninja -DLIFTWARDEN_WERROR=ON "${options[@]}" >"$folder.log" 2>&1 || {
    cat "$folder.log" >&2
    exit 1
}
rm -f "$folder.log"
targets=()
for target in "$@"; do
    targets+=(--target "$target")
done
cmake --build "$folder" -j "$(nproc)" "${targets[@]}"
