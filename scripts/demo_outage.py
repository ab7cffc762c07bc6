#!/usr/bin/env python3
"""An outage of the lock service, told as it happens: `scripts/demo.sh outage` calls this.

Two dispatch nodes send AGVs through one elevator, each trip under the site's Redis lock. Redis is
killed in the middle and comes back later. Everything runs on loopback and ends with the story; the
exit status says whether it held.
"""
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

LIFTWARDEN = pathlib.Path("build/liftwarden").resolve()
LOCK = "agv:lift:control:EL001"
TRIPS = 5  # of each node
START = time.monotonic()
SAID = {
    "suspect": "three probes have failed. Only the last verified holder may still write; all others wait.",
    "edge": "the outage lasts. The gateway decides by itself, from what the PLC reports; no locks needed.",
    "handback": "Redis is steadily usable again. No new trips; the present one finishes, the gateway holds the lock.",
    "lock": "every write is checked against the lock in Redis again.",
}
AT_START = "just started; nothing is written before the lock service has answered."
CONFIG = """
gateway: {{id: gw-demo, site: demo}}
control: {{socket: {work}/control.sock}}
mqtt:    {{url: "mqtt://127.0.0.1:{mqtt}"}}
lock:    {{redis: "redis://127.0.0.1:{redis}", scheme: redisson, probe: 500ms, takeover_after: 10s, max_lease: 10s}}
journal: {{path: {work}/journal.db}}
buses:
  plc: {{type: tcp, host: 127.0.0.1, port: {plc}}}
elevators:
  EL001:
    bus: plc
    unit: 1
    driver: mailbox
    owner_grace: 3s
    floors: {{"1": {{value: 1}}, "2": {{value: 2}}, "3": {{value: 3}}}}
    registers:
      command:   holding:100
      ack:       holding:110
      floor:     input:0
      direction: {{at: input:1, values: {{0: stopped, 1: up, 2: down}}}}
      door:      {{at: input:2, values: {{0: closed, 1: opening, 2: open, 3: closing}}}}
      mode:      {{at: input:3, values: {{1: normal, 2: agv, 3: fire}}}}
      fault:     {{at: input:4, none: 0}}
    actions: {{hall_call: 1, car_call: 2, open_door: 3, close_door: 4, hold_door: 5}}
    results: {{1: accepted, 2: refused, 3: busy}}
    sides:   {{front: 0}}
"""


def say(text):
    print(f"{time.monotonic() - START:7.1f} s  {text}", flush=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(what, condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"demo: {what} did not come within {seconds} s")
        time.sleep(0.05)


class Site:
    """Broker, lock service, simulated PLC and gateway, and what the gateway has published."""

    def __init__(self, work):
        self.work = work
        self.processes = {}
        self.ports = {name: free_port() for name in ("mqtt", "redis", "plc")}
        (work / "site.yaml").write_text(CONFIG.format(work=work, **self.ports))
        self.session = {}
        self.results = {}
        self.lock = threading.Lock()

    def start(self, name, *command):
        log = open(self.work / f"{name}.log", "ab")
        self.processes[name] = subprocess.Popen(
            command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=self.work)

    def start_redis(self):
        self.start("redis", "redis-server", "--port", str(self.ports["redis"]), "--bind", "127.0.0.1",
                   "--save", "", "--dir", str(self.work))

    def start_all(self):
        mosquitto = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
        (self.work / "mosquitto.conf").write_text(
            f"listener {self.ports['mqtt']} 127.0.0.1\nallow_anonymous true\npersistence false\n")
        self.start("mosquitto", mosquitto, "-c", "mosquitto.conf")
        self.start_redis()
        self.start("plc", LIFTWARDEN, "sim", "-c", "site.yaml", "--log", "plc.jsonl")
        for name in ("mqtt", "redis", "plc"):
            wait_for(name, lambda port=self.ports[name]: self.listens(port), 10)
        self.listener = subprocess.Popen(
            ["mosquitto_sub", "-p", str(self.ports["mqtt"]), "-q", "1", "-v", "-t",
             "lift/demo/EL001/session", "-t", "lift/demo/EL001/result/+"],
            stdout=subprocess.PIPE, text=True)
        self.processes["listener"] = self.listener
        threading.Thread(target=self.listen, daemon=True).start()
        self.start("gateway", LIFTWARDEN, "run", "-c", "site.yaml")

    @staticmethod
    def listens(port):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    def listen(self):
        for line in self.listener.stdout:
            topic, payload = line.split(" ", 1)
            message = json.loads(payload)
            with self.lock:
                if topic.endswith("/session"):
                    before, self.session = self.session.get("mode"), message
                    if message["mode"] != before:
                        why = SAID[message["mode"]] if before else AT_START
                        say(f"    mode {message['mode']} (epoch {message['epoch']}): {why}")
                elif message["seq"]:
                    self.results.setdefault(message["seq"], []).append(message)

    def mode(self):
        return self.session.get("mode", "")

    def result(self, seq, fits, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with self.lock:
                for result in self.results.get(seq, []):
                    if fits(result):
                        return result
            time.sleep(0.02)
        return {"status": "nothing", "reason": None}

    def end(self):
        for process in reversed(self.processes.values()):
            process.terminate()
        for process in self.processes.values():
            process.wait()


class Lock:
    """One thread of a node with Redisson's lock: a hash with one field, and a lease."""

    TAKE = ("if redis.call('exists', KEYS[1]) == 0 or redis.call('hexists', KEYS[1], ARGV[1]) == 1 then "
            "redis.call('hset', KEYS[1], ARGV[1], 1) redis.call('pexpire', KEYS[1], 10000) return 1 end "
            "return 0")
    GIVE = ("if redis.call('hexists', KEYS[1], ARGV[1]) == 1 then redis.call('del', KEYS[1]) "
            "redis.call('publish', 'redisson_lock__channel:{' .. KEYS[1] .. '}', '0') end return 1")

    def __init__(self, port, owner):
        self.port, self.owner = port, owner

    def script(self, text):
        words = ["EVAL", text, "1", LOCK, self.owner]
        request = f"*{len(words)}\r\n" + "".join(f"${len(word)}\r\n{word}\r\n" for word in words)
        try:
            with socket.create_connection(("127.0.0.1", self.port), 0.5) as server:
                server.sendall(request.encode())
                return server.recv(64).startswith(b":1")
        except OSError:
            return False  # as a client whose server is gone

    def take(self):
        return self.script(self.TAKE)

    def give(self):
        self.script(self.GIVE)


class Node(threading.Thread):
    """Sends its AGVs through the elevator one after the other, following the session."""

    def __init__(self, site, name, trips):
        super().__init__(daemon=True)
        self.site, self.name, self.trips = site, name, trips
        self.lock = Lock(site.ports["redis"], f"uuid-{name}:1")
        self.publisher = subprocess.Popen(
            ["mosquitto_pub", "-p", str(site.ports["mqtt"]), "-q", "1", "-l", "-t",
             f"lift/demo/EL001/dispatch/{name}"], stdin=subprocess.PIPE, text=True)
        site.processes[name] = self.publisher
        self.sent = self.done = 0
        self.free_trip = False  # begun without a lock, and ends without one

    def may_send(self):
        mode = self.site.mode()
        if mode == "edge" or (mode == "handback" and self.free_trip):
            return {}
        if mode and self.lock.take():
            return {"lock": {"owner": self.lock.owner}}
        return None

    def step(self, task, action, floor=None):
        while True:
            permission = self.may_send()
            if permission is None:
                time.sleep(0.2)
                continue
            self.sent += 1
            seq = f"{self.name}:{self.sent}"
            order = {"seq": seq, "action": action, "task": task, "ttl_ms": 30000, **permission}
            if floor:
                order["floor"] = floor
            self.publisher.stdin.write(json.dumps(order) + "\n")
            self.publisher.stdin.flush()
            final = self.site.result(seq, lambda result: result.get("final"))
            if final["status"] == "acked":
                self.free_trip = not permission
                return seq
            time.sleep(0.3)

    def run(self):
        for task, start, goal in self.trips:
            called = self.step(task, "hall_call", start)
            self.site.result(called, lambda result: result["status"] in ("served", "not_served"))
            sent = self.step(task, "car_call", goal)
            self.site.result(sent, lambda result: result["status"] in ("served", "not_served"))
            self.step(task, "close_door")
            self.step(task, "release")
            self.lock.give()
            self.free_trip = False
            self.done += 1
            say(f"{self.name}: AGV {task} has ridden from {start} to {goal}")


def check(site, nodes):
    plc = [json.loads(line) for line in open(site.work / "plc.jsonl", encoding="utf-8")]
    executed = [line["content"] for line in plc if line.get("decision") == "executed"]
    finals = [r for results in site.results.values() for r in results if r.get("final")]
    acked = sum(r["status"] == "acked" for r in finals) - 2 * TRIPS  # releases never reach the PLC
    facts = {
        "AGVs that arrived": (sum(node.done for node in nodes), 2 * TRIPS),
        "commands acked and executed": (len(executed), acked),
        "doors turned back": (sum(line["what"] == "reversal" for line in plc), 0),
        "emergency stops": (sum(line["what"] == "emergency_stop" for line in plc), 0),
    }
    print()
    for what, (found, wanted) in facts.items():
        print(f"  {what}: {found}" + ("" if found == wanted else f", expected {wanted}"))
    if any(found != wanted for found, wanted in facts.values()):
        sys.exit("demo: the story does not hold")


def main():
    site = Site(pathlib.Path(tempfile.mkdtemp(prefix="liftwarden-demo-")))
    try:
        say(f"Two nodes with {TRIPS} AGVs each, one elevator. Each trip takes the elevator's lock in Redis;")
        say("liftwarden checks it at the moment before each write to the PLC.")
        site.start_all()
        wait_for("mode lock", lambda: site.mode() == "lock", 20)
        trips = [[(f"{name}{i}", start, goal) for i in range(1, TRIPS + 1)]
                 for name, start, goal in (("A", "1", "3"), ("B", "3", "1"))]
        nodes = [Node(site, "node-a", trips[0]), Node(site, "node-b", trips[1])]
        for node in nodes:
            node.start()
        wait_for("the first trips", lambda: sum(n.done for n in nodes) >= 2, 60)
        say("    Redis is killed.")
        site.processes["redis"].kill()
        site.processes["redis"].wait()
        wait_for("mode edge", lambda: site.mode() == "edge", 30)
        before = sum(n.done for n in nodes)
        wait_for("trips without a lock service", lambda: sum(n.done for n in nodes) >= before + 3, 90)
        say("    Redis is started again.")
        site.start_redis()
        wait_for("mode lock", lambda: site.mode() == "lock", 60)
        wait_for("the last trips", lambda: sum(n.done for n in nodes) == 2 * TRIPS, 120)
        check(site, nodes)
    finally:
        site.end()
        shutil.rmtree(site.work)


main()
