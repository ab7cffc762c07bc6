"""The layers: which folder may include what, and which words do not belong there.

core <- ports <- adapters, drivers <- app. wire sees core only; adapters never see each other;
drivers never see src. The link lists in CMakeLists.txt say the same to the linker.

An entry: `may_include`: patterns for <...> beside the standard library; `own`: further prefixes for
"..." beside the folder itself; `no_std`: standard headers that do not belong there; `banned`:
pattern -> reason; `why`: what a wrong include breaks; `below`: the entry also holds for folders
below; `lines_max`: instead of LINES_MAX.
"""

LINES_MAX = 400

TOP_LEVEL = {
    "CMakeLists.txt", "README.md", "src", "include", "drivers", "config", "systemd", "scripts",
    "tests",
}

CORE = r"liftwarden/core/"
PORTS = r"liftwarden/(core|ports)/"
RESULT = r"boost/system/result\.hpp"
JSON = r"boost/json(/|\.hpp)"
ASIO = r"boost/(asio|system)(/|\.hpp)"
FMT = r"fmt/"
POSIX = r"(sys|netinet|arpa|net|linux)/|(?!sqlite3|modbus)[a-z0-9_]+\.h$"

NOW = {r"::now\(": "only adapters/system reads clocks; take a time or a ports::Clock"}
# Workers of blocking things may measure their own slices and deadlines.
WALL_NOW = {r"system_clock::now\(": "only adapters/system reads the wall clock"}
PURE = {
    **NOW,
    r"\bsleep_(for|until)\b|\bu?sleep\(": "decisions never wait; give a deadline to the caller",
    r"\bstd::j?thread\b|\bpthread_": "decisions run on the caller's thread",
    r"\bmutex\b|\block_guard\b|\bcondition_variable\b|\batomic\b": "nothing here is shared",
    r"\bthrow\b": "errors are values (core/error.hpp)",
    r"\brandom_device\b|\bmt19937\b|\brand\(": "the same events must give the same actions",
    r"\bgetenv\(|\bstd::c(out|err)\b|\bprintf\(|\bfopen\(": "no input or output inside decisions",
}
NO_IO = ["fstream", "iostream", "thread", "mutex", "condition_variable", "atomic", "random",
         "filesystem", "future"]

FOLDERS = {
    "include/liftwarden/core": {
        "may_include": [CORE, RESULT], "no_std": NO_IO, "banned": PURE,
        "why": "core knows nothing but itself",
    },
    "include/liftwarden/ports": {
        "may_include": [PORTS, RESULT], "no_std": NO_IO, "banned": PURE,
        "why": "ports are interfaces over core's types",
    },
    "src/core": {
        "may_include": [CORE, RESULT, FMT], "no_std": NO_IO, "banned": PURE,
        "why": "core is deterministic and knows nothing but itself",
    },
    "src/ports": {
        "may_include": [PORTS, RESULT, FMT], "no_std": NO_IO, "banned": PURE,
        "why": "ports are interfaces over core's types",
    },
    "src/wire": {
        "may_include": [CORE, RESULT, JSON, FMT], "no_std": NO_IO, "banned": PURE,
        "why": "wire is pure and sees core only",
    },
    "src/adapters/config": {
        "may_include": [PORTS, RESULT, r"yaml-cpp/", JSON, FMT, POSIX], "banned": NOW,
        "why": "an adapter knows its one outside thing and the ports",
    },
    "src/adapters/sqlite": {
        "may_include": [PORTS, RESULT, r"sqlite3\.h", FMT, POSIX], "own": ["src/wire/"],
        "banned": WALL_NOW, "why": "an adapter knows its one outside thing, the ports and wire",
    },
    "src/adapters/mqtt": {
        "may_include": [PORTS, RESULT, r"mqtt/", r"MQTT\w+\.h", FMT, POSIX], "banned": WALL_NOW,
        "why": "an adapter knows its one outside thing and the ports",
    },
    "src/adapters/redis": {
        "may_include": [PORTS, RESULT, r"hiredis/", FMT, POSIX], "banned": WALL_NOW,
        "why": "an adapter knows its one outside thing and the ports",
    },
    "src/adapters/control": {
        "may_include": [PORTS, RESULT, ASIO, JSON, FMT, POSIX], "own": ["src/wire/"],
        "banned": NOW, "why": "an adapter knows its one outside thing, the ports and wire",
    },
    "src/adapters/system": {
        "may_include": [PORTS, RESULT, FMT, POSIX],
        "why": "an adapter knows its one outside thing and the ports",
    },
    "drivers/modbus": {
        "may_include": [PORTS, RESULT, r"modbus(/|\.h)", FMT, POSIX],
        "banned": WALL_NOW, "why": "drivers know the ports and never src",
    },
    "drivers/mailbox": {
        "may_include": [PORTS, RESULT, FMT], "no_std": NO_IO, "banned": PURE,
        "why": "a driver turns commands into registers and back; the bus does the rest",
    },
    "drivers/sim": {
        "may_include": [PORTS, RESULT, JSON, FMT, POSIX],
        "banned": WALL_NOW, "why": "the simulator knows the ports and never src",
    },
    "src/app": {
        "may_include": [PORTS, RESULT, ASIO, JSON, FMT, r"spdlog/", r"CLI/", POSIX],
        "own": ["src/", "drivers/"], "banned": NOW,
        "why": "app puts the parts together; libraries of adapters stay in them",
    },
    "src/app/main": {
        "may_include": [], "own": ["src/app/"], "why": "main only calls the command line",
    },
    "tests": {
        "below": True, "may_include": [r".*"], "own": ["src/", "drivers/", "tests/"],
        "lines_max": 600, "why": "tests see everything",
    },
}

# (file, banned pattern): where the rule does not hold, with its reason.
EXCEPTIONS = {
    # boost::system::result wants this function; nobody calls .value() on an error.
    ("include/liftwarden/core/error.hpp", r"\bthrow\b"),
    ("src/ports/ports.cpp", r"\bthrow\b"),
}
