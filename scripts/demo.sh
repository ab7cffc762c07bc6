#!/usr/bin/env bash
# Tells the incident that liftwarden was made for, twice, on this machine's loopback: five contradicting
# commands of two dispatch nodes within 70 ms, first written straight to a PLC, then published to
# liftwarden. `demo.sh outage` tells another one: Redis, where the nodes take their locks, is killed under
# way and comes back. Does all set-up by itself, fails if the story does not hold, leaves nothing running.
set -euo pipefail
cd "$(dirname "$0")/.."

bash scripts/setup.sh
bash scripts/build.sh release liftwarden
case "${1:-incident}" in
    incident) ;;
    outage) exec python3 scripts/demo_outage.py ;;
    *) echo "usage: demo.sh [incident | outage]" >&2; exit 64 ;;
esac

work="$(mktemp -d)"
pids=()
finish() {
    local status=$?
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
    ((status == 0)) || tail -n 20 "$work"/*.err >&2 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
fail() {
    printf '\ndemo: %s\n' "$*" >&2
    exit 1
}

# wait_for SECONDS COMMAND...: until the command succeeds.
wait_for() {
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < end)) || return 1
        sleep 0.05
    done
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
mqtt_port="$(free_port)"
plc_port="$(free_port)"

cat >"$work/liftwarden.yaml" <<YAML
gateway: {id: gw-demo, site: demo}
control: {socket: $work/control.sock}
mqtt:    {url: "mqtt://127.0.0.1:$mqtt_port"}
journal: {path: $work/journal.db}
buses:
  plc: {type: tcp, host: 127.0.0.1, port: $plc_port}
elevators:
  EL001:
    bus: plc
    unit: 1
    driver: mailbox
    floors: {"1": {value: 1}, "2": {value: 2}, "3": {value: 3}}
    registers:
      command:   holding:100
      ack:       holding:110
      floor:     input:0
      direction: {at: input:1, values: {0: stopped, 1: up, 2: down}}
      door:      {at: input:2, values: {0: closed, 1: opening, 2: open, 3: closing}}
      mode:      {at: input:3, values: {1: normal, 2: agv, 3: fire}}
      fault:     {at: input:4, none: 0}
    actions: {hall_call: 1, car_call: 2, open_door: 3, close_door: 4, hold_door: 5}
    results: {1: accepted, 2: refused, 3: busy}
    sides:   {front: 0}
YAML

start_plc() {
    build/liftwarden sim -c "$work/liftwarden.yaml" --input queue --log "$work/$1.jsonl" \
        --control "$work/plc-$1.sock" --fault EL001:place:2 2>"$work/sim-$1.err" &
    plc_pid=$!
    pids+=("$plc_pid")
    wait_for 10 grep -q simulating "$work/sim-$1.err" || fail "the simulator did not start"
}

# write_straight FD WIRE_SEQ ACTION ARGUMENT: one Modbus write of the PLC's command block (function 16,
# four registers from 100), as a dispatch server does that talks to the PLC itself.
write_straight() {
    # shellcheck disable=SC2059 # the bytes are the format
    printf "\\x00\\x0$2\\x00\\x00\\x00\\x0f\\x01\\x10\\x00\\x64\\x00\\x04\\x08\\x00\\x0$3\\x00\\x0$4\\x00\\x00\\x00\\x0$2" >&"$1"
}

tell() { python3 scripts/demo_story.py "$@"; }

say "One freight elevator; its car stands at floor 2 with the door closed. Two dispatch servers, A and B."
echo "The PLC executes one command every scan (200 ms), whatever the door is doing."
say "1. Without a gateway: both servers write to the PLC directly."
start_plc without
exec 5<>"/dev/tcp/127.0.0.1/$plc_port" 6<>"/dev/tcp/127.0.0.1/$plc_port"
write_straight 5 1 2 2; echo "   +0 ms   A: go to 2"; sleep 0.007
write_straight 6 2 2 2; echo "   +7 ms   B: go to 2"; sleep 0.011
write_straight 5 3 3 0; echo "  +18 ms   A: open door"; sleep 0.014
write_straight 6 4 2 3; echo "  +32 ms   B: go to 3"; sleep 0.036
write_straight 5 5 4 0; echo "  +68 ms   A: close door"
wait_for 20 grep -q emergency_stop "$work/without.jsonl" || fail "the PLC did not end in emergency stop"
exec 5>&- 6>&-
echo "What the PLC saw and did:"
tell plc "$work/without.jsonl"
kill "$plc_pid" && wait "$plc_pid" 2>/dev/null || true
say "   The door turned back $(tell count reversal "$work/without.jsonl") times and the elevator is in emergency stop. Robots wait; somebody has to come."

say "2. The same five commands, published to liftwarden."
start_plc with
cat >"$work/mosquitto.conf" <<CONF
listener $mqtt_port 127.0.0.1
allow_anonymous true
persistence false
CONF
"$(command -v mosquitto || echo /usr/sbin/mosquitto)" -c "$work/mosquitto.conf" 2>"$work/mosquitto.err" &
pids+=("$!")
wait_for 10 bash -c "exec 3<>/dev/tcp/127.0.0.1/$mqtt_port" || fail "mosquitto did not start"
build/liftwarden run -c "$work/liftwarden.yaml" 2>"$work/daemon.err" &
pids+=("$!")
mosquitto_sub -p "$mqtt_port" -q 1 -t 'lift/demo/EL001/result/#' >"$work/results" &
pids+=("$!")
ready() { build/liftwarden status -c "$work/liftwarden.yaml" --json | grep -q '"quality":"good"'; }
wait_for 15 ready || fail "liftwarden did not become ready"

# One connection for each node, as a dispatch server has; a line is a message.
for node in a b; do
    mkfifo "$work/node-$node"
    mosquitto_pub -p "$mqtt_port" -q 1 -l -t "lift/demo/EL001/dispatch/node-$node" <"$work/node-$node" &
    pids+=("$!")
done
exec 7>"$work/node-a" 8>"$work/node-b"
sleep 0.5
echo '{"seq":"1001","action":"car_call","floor":"2"}' >&7; sleep 0.007
echo '{"seq":"1002","action":"car_call","floor":"2"}' >&8; sleep 0.011
echo '{"seq":"1003","action":"open_door"}' >&7; sleep 0.014
echo '{"seq":"1004","action":"car_call","floor":"3"}' >&8; sleep 0.036
echo '{"seq":"1005","action":"close_door"}' >&7
echo "   published within 70 ms; what liftwarden answers, as it comes (B's trip to 3 waits until A is done):"
finals() { [[ "$(tell finals "$work/results")" == 5 ]]; }
tell follow "$work/results" &
pids+=("$!")
wait_for 60 finals || fail "not every command came to an end"
served() { grep '"1004"' "$work/results" | grep -q '"served"'; }
wait_for 30 served || fail "B's trip to 3 was not served"
sleep 0.3
exec 7>&- 8>&-
echo "What the PLC saw and did:"
tell plc "$work/with.jsonl"

[[ "$(tell count reversal "$work/with.jsonl")" == 0 ]] || fail "a door turned back"
[[ "$(tell count emergency_stop "$work/with.jsonl")" == 0 ]] || fail "emergency stop"
[[ "$(tell finals "$work/results")" == 5 ]] || fail "not five final outcomes"
[[ "$(tell coalesced "$work/results")" == 1 ]] || fail "not exactly one command coalesced"
[[ "$(tell executed "$work/with.jsonl")" == 4 ]] || fail "the PLC did not execute exactly four commands"
say "   Five final outcomes, one of them coalesced; no door turned back, no emergency stop."
