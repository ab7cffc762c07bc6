#!/usr/bin/env bash
# Formats every C++ file in place; with --check only says which are not formatted.
set -euo pipefail
cd "$(dirname "$0")/.."

options=(-i)
if [[ "${1:-}" == --check ]]; then
    options=(--dry-run -Werror)
elif (($# > 0)); then
    echo "usage: format.sh [--check]" >&2
    exit 64
fi

find include src drivers tests -name '*.cpp' -o -name '*.hpp' | sort |
    xargs --no-run-if-empty clang-format-14 "${options[@]}"
