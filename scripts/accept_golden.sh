#!/usr/bin/env bash
# Writes the golden transcripts anew from what the core does now: accept_golden.sh [BUILD_FOLDER]
# (default: build). Then shows what changed; read it before committing.
set -euo pipefail
cd "$(dirname "$0")/.."
LIFTWARDEN_ACCEPT_GOLDEN=1 "${1:-build}/tests/test_scenario" >/dev/null
git --no-pager diff --stat -- tests/scenario/golden
git status --short -- tests/scenario/golden
