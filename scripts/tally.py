#!/usr/bin/env python3
"""Counts what a ctest run tested: test cases where Catch2 says how many, else entries.

usage: tally.py LastTest.log  ->  "PASSED FAILED" on one line
"""

import re
import sys

ALL_PASSED = re.compile(r"^All tests passed \(\d+ assertions? in (\d+) test cases?\)", re.M)
SOME = re.compile(r"^test cases:\s*(\d+)(?: \|\s*(\d+) passed)?(?: \|\s*(\d+) failed)?", re.M)


def tally(log):
    passed = failed = 0
    for entry in re.split(r"^\d+/\d+ Testing: ", log, flags=re.M)[1:]:
        good = re.search(r"^Test Passed\.", entry, re.M) is not None
        everything = ALL_PASSED.search(entry)
        some = SOME.search(entry)
        if good and everything:
            passed += int(everything[1])
        elif some:
            failed_here = int(some[3] or 0)
            passed += int(some[2] or 0)
            failed += max(failed_here, 0 if good else 1)
        else:
            passed, failed = (passed + 1, failed) if good else (passed, failed + 1)
    return passed, failed


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8", errors="replace") as file:
        print(*tally(file.read()))
