#!/usr/bin/env python3
"""Fails when a test sleeps. A test waits for a condition, or moves a fake clock: a sleep is either
too short, and the test fails on a busy machine, or too long, and every run pays for it. Looks at
*_test.cc, tests/ and tidemill/testing.

usage: check_no_sleep.py [root]
"""
import pathlib
import re
import sys

from source_text import code_of, line_of

CALL = re.compile(r"\b(sleep|usleep|nanosleep|clock_nanosleep|sleep_for|sleep_until)\s*\(")
SHELL = re.compile(r"^[^#\n]*?(?<![\w./-])((?:/usr)?(?:/bin/)?sleep)[ \t]+\S", re.M)
CPP = (".h", ".cc")


def test_files(root):
    files = set((root / "tidemill").rglob("*_test.cc"))
    files |= {f for f in (root / "tidemill/testing").rglob("*") if f.suffix in CPP}
    files |= {f for f in (root / "tests").rglob("*") if f.suffix in (*CPP, ".py", ".sh")}
    return sorted(files)


def sleeps_in(file):
    text = file.read_text()
    if file.suffix in CPP:
        text = code_of(text)
    pattern = SHELL if file.suffix == ".sh" else CALL
    return [(line_of(text, found.start(1)), found.group(1)) for found in pattern.finditer(text)]


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__ + "/../..").resolve()
    files = test_files(root)
    bad = [f"{file.relative_to(root)}:{line}: {call} in a test"
           for file in files for line, call in sleeps_in(file)]
    print("\n".join(bad) or f"no_sleep: {len(files)} files, ok")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
