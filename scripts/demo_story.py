#!/usr/bin/env python3
"""Reads the logs of scripts/demo.sh for people and for its checks.

demo_story.py plc LOG              what the simulated PLC did, a line each
demo_story.py count WHAT LOG       number of log lines of a kind
demo_story.py executed LOG         number of commands the PLC executed
demo_story.py follow RESULTS       prints results as they are written, until ended
demo_story.py finals RESULTS       number of commands with a final outcome
demo_story.py coalesced RESULTS    number of coalesced ones
"""
import json
import sys
import time


def lines(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.endswith("\n"):
                yield json.loads(line)


def plc(path):
    first = None
    for line in lines(path):
        what = line["what"]
        text = {
            "command": lambda: f"command {line['content']}: {line['decision']}",
            "door": lambda: f"    door {line['state']}",
            "reversal": lambda: "    !! the door turns back",
            "emergency_stop": lambda: "    !! EMERGENCY STOP",
            "travel": lambda: f"    car {line['direction']}",
        }.get(what)
        if text is None:
            continue
        first = first or line["t"]
        print(f"  {(line['t'] - first) / 1e9:7.2f} s  {text()}")


def tell_result(result):
    text = f"{result['source'][-1].upper()} {result['seq']} {result['status']}"
    if result["status"] == "coalesced":
        text += f" with {result['of']['seq']}"
    if result["reason"]:
        text += f" ({result['reason']})"
    if result["final"]:
        text += "  <- final"
    return text


def follow(path):
    start = time.monotonic()
    with open(path, encoding="utf-8") as file:
        while True:
            line = file.readline()
            if not line:
                time.sleep(0.05)
                continue
            print(f"  {time.monotonic() - start:7.2f} s  {tell_result(json.loads(line))}", flush=True)


def main():
    what, arguments = sys.argv[1], sys.argv[2:]
    if what == "plc":
        plc(arguments[0])
    elif what == "count":
        print(sum(line["what"] == arguments[0] for line in lines(arguments[1])))
    elif what == "executed":
        print(sum(line.get("decision") == "executed" for line in lines(arguments[0])))
    elif what == "follow":
        follow(arguments[0])
    elif what == "finals":
        print(len({line["seq"] for line in lines(arguments[0]) if line["final"]}))
    elif what == "coalesced":
        print(sum(line["status"] == "coalesced" for line in lines(arguments[0])))
    else:
        sys.exit(__doc__)


main()
