#!/usr/bin/env python3
"""Holds the sources to the directions of their layers.

Every folder with C++ sources has an entry in scripts/layers.py: what its files may include, and
which words are banned in it, each with its reason. An unknown folder is an error, so that a new
layer is a decision. Prints file:line, the rule and what to do instead; exit status 1 if anything
was found. `--self-test` plants one fault of each kind in a scratch tree and checks that it is seen.
"""

import argparse
import pathlib
import re
import sys
import tempfile

import layers

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SOURCES = ("*.cpp", "*.hpp")
ROOTS = ("include", "src", "drivers", "tests")


def blank_out(text):
    """The text with comments and literals replaced by blanks, line breaks kept."""
    token = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S
    )
    return token.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def layer_of(folder):
    """The entry of the table for a folder: its own, or a parent's that covers what is below it."""
    if folder in layers.FOLDERS:
        return layers.FOLDERS[folder]
    for parent, layer in layers.FOLDERS.items():
        if layer.get("below") and folder.startswith(parent + "/"):
            return layer
    return None


def is_allowed(kind, header, folder, layer):
    if kind == '"':
        allowed = [folder + "/"] + layer.get("own", [])
        return any(header.startswith(prefix) for prefix in allowed)
    if re.fullmatch(r"[a-z_0-9]+", header):  # the standard library
        return header not in layer.get("no_std", [])
    return any(re.match(pattern, header) for pattern in layer["may_include"])


def check_file(root, path, report):
    name = path.relative_to(root).as_posix()
    folder = path.parent.relative_to(root).as_posix()
    layer = layer_of(folder)
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    if layer is None:
        report(name, 1, f"folder {folder} is not in scripts/layers.py: add it with its directions")
        return
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if match and not is_allowed(match[1], match[2], folder, layer):
            report(name, number, f"{folder} may not include {match[2]}: {layer['why']}")
    for number, line in enumerate(blank_out(text).splitlines(), 1):
        for word, reason in layer.get("banned", {}).items():
            if re.search(word, line) and (name, word) not in layers.EXCEPTIONS:
                report(name, number, f"'{word}' is banned in {folder}: {reason}")
    limit = layer.get("lines_max", layers.LINES_MAX)
    if len(lines) > limit:
        report(name, len(lines), f"{len(lines)} lines, at most {limit}: split it by concern")


def check_top_level(root, report):
    for entry in sorted(root.iterdir()):
        known = entry.name in layers.TOP_LEVEL or entry.name.startswith((".", "build"))
        if not known:
            report(entry.name, 1, "does not belong to the top level of the repository")


def check_tree(root):
    """All findings below root as (file, line, text)."""
    findings = []

    def report(name, line, text):
        findings.append((name, line, text))

    check_top_level(root, report)
    for top in ROOTS:
        for pattern in SOURCES:
            for path in sorted((root / top).rglob(pattern)):
                check_file(root, path, report)
    return sorted(findings)


def self_test():
    # file -> (text, words of the finding it must cause; none: it must pass)
    planted = {
        "src/core/good.cpp": ('#include <liftwarden/core/ids.hpp>\n// std::thread, ::now(\n', None),
        "src/core/clock.cpp": ("auto t = std::chrono::steady_clock::now();\n", "banned"),
        "src/core/sleep.cpp": ("void f() { std::this_thread::sleep_for(t); }\n", "banned"),
        "src/core/thread.cpp": ("std::thread worker;\n", "banned"),
        "src/core/random.cpp": ("std::mt19937 dice;\n", "banned"),
        "src/core/up.cpp": ("#include <liftwarden/ports/clock.hpp>\n", "may not include"),
        "src/core/io.cpp": ("#include <fstream>\n", "may not include"),
        "src/wire/throw.cpp": ('void f() { throw "x"; }\n', "banned"),
        "src/wire/mutex.cpp": ("std::mutex m;\n", "banned"),
        "src/adapters/mqtt/across.cpp": ('#include "src/adapters/sqlite/db.hpp"\n', "may not"),
        "src/adapters/sqlite/asio.cpp": ("#include <boost/asio/post.hpp>\n", "may not include"),
        "src/adapters/mqtt/sql.cpp": ("#include <sqlite3.h>\n", "may not include"),
        "src/adapters/system/fine.cpp": ("auto t = std::chrono::system_clock::now();\n", None),
        "src/app/now.cpp": ("auto t = std::chrono::system_clock::now();\n", "banned"),
        "drivers/mailbox/src.cpp": ('#include "src/core/gate.hpp"\n', "may not include"),
        "drivers/novel/new.cpp": ("int x;\n", "not in scripts/layers.py"),
        "src/core/long.cpp": ("int x;\n" * 401, "at most 400"),
        "stray/file.txt": ("", "top level"),
    }
    missed = []
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch)
        for name, (text, _) in planted.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        findings = check_tree(root)
    for name, (_, words) in planted.items():
        about = [text for file, _, text in findings if file in (name, name.split("/")[0])]
        if words is None and about:
            missed.append(f"{name}: should pass, but: {about[0]}")
        if words is not None and not any(words in text for text in about):
            missed.append(f"{name}: the planted fault was not found")
    for line in missed:
        print(line)
    print(f"self-test: {len(planted) - len(missed)} of {len(planted)} as expected")
    return 1 if missed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--self-test", action="store_true", help="check the checker")
    if parser.parse_args().self_test:
        return self_test()
    root = pathlib.Path(__file__).resolve().parent.parent
    findings = check_tree(root)
    for name, line, text in findings:
        print(f"{name}:{line}: {text}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
