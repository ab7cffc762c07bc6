#!/usr/bin/env python3
"""Holds the table of field reports to the tests: every entry of the table is a tag of a test in
each file that it names, and every such tag has its row. Exit status 1 if anything is amiss."""

import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent / "tests"
HOME = TESTS / "component" / "modbus"
HEADER = re.compile(r'^TEST_CASE\((?:\s*"(?:\\.|[^"\\])*"\s*,?)+\)', re.M)

tagged = set()
for file in TESTS.rglob("*_test.cpp"):
    for header in HEADER.findall(file.read_text(encoding="utf-8")):
        tagged |= {(tag, file) for tag in re.findall(r"\[([A-FM]\d+)\]", header)}

listed = set()
for row in re.findall(r"^\| ([A-FM]\d+) \|.*\|(.*)\|$", (HOME / "README.md").read_text(), re.M):
    places = re.findall(r"`([^`]+)`", row[1])
    if not places:
        print(f"{row[0]}: no test")
        sys.exit(1)
    listed |= {(row[0], (TESTS if "/" in p else HOME) / f"{p}_test.cpp") for p in places}

for entry, file in sorted(listed ^ tagged):
    print(f"{entry}: {file} {'has no such tag' if (entry, file) in listed else 'is not listed'}")
sys.exit(bool(listed ^ tagged))
