#!/usr/bin/env bash
# Installs everything that building, running and testing liftwarden needs, from Debian 12's own
# packages. Needs root or sudo only if something is missing; safe to run again.
set -euo pipefail

packages=(
    # build
    g++ clang-14 libclang-rt-14-dev clang-format-14 cmake ninja-build ccache pkg-config python3
    libboost1.81-dev libboost-json1.81-dev libfmt-dev libspdlog-dev libyaml-cpp-dev libcli11-dev
    libpaho-mqtt-dev libpaho-mqttpp-dev libmodbus-dev libsqlite3-dev libhiredis-dev
    catch2
    # run and test
    mosquitto mosquitto-clients redis-server sqlite3 openssl procps
)

installed="$(dpkg-query -W -f '${db:Status-Status}=${Package}\n' "${packages[@]}" 2>/dev/null || true)"
missing=()
for package in "${packages[@]}"; do
    grep -qxF "installed=$package" <<<"$installed" || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
    exit 0
fi

as_root=()
if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
        echo "setup: these packages are missing, and neither root nor sudo is at hand:" >&2
        echo "  ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi

echo "setup: installing ${missing[*]}"
log="$(mktemp)"
trap 'rm -f "$log"' EXIT
apt_get() {
    if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q \
        -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" >"$log" 2>&1; then
        cat "$log" >&2
        echo "setup: apt-get $1 failed" >&2
        exit 1
    fi
}
# The package lists of a fresh system are empty or old. Debian starts servers with
# their packages; the tests bring their own, so an already existing policy about starting services
# is left alone.
apt_get update
apt_get install -y --no-install-recommends "${missing[@]}"
