#!/usr/bin/env python3
"""Runs an example and compares what it prints with the .out file beside its source. An example is
read as documentation, so it is also held to 80 lines.

usage: check_example.py program source.cc
"""
import difflib
import pathlib
import subprocess
import sys

MOST_LINES = 80


def main():
    program, source = sys.argv[1], pathlib.Path(sys.argv[2])
    expected = source.with_suffix(".out")
    lines = len(source.read_text().splitlines())
    if lines > MOST_LINES:
        print(f"{source}: {lines} lines, at most {MOST_LINES}")
        return 1
    if not expected.is_file():
        print(f"{expected} is missing: what should {source.name} print?")
        return 1
    ran = subprocess.run([program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    if ran.stdout != expected.read_bytes():
        printed = ran.stdout.decode(errors="backslashreplace").splitlines()
        wanted = expected.read_text(errors="backslashreplace").splitlines()
        print("\n".join(difflib.unified_diff(wanted, printed, str(expected), "printed", lineterm=""))
              or "they differ in the newline at the end, or in bytes that are not text")
        return 1
    if ran.returncode != 0:
        print(f"{source.name} printed what it should, and then left with {ran.returncode}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
