#!/usr/bin/env python3
"""Remembers which files clang-tidy has found clean, so that it looks only at what has changed since.

What clang-tidy says about a file depends on the file, on those of our headers that it includes, on the list of
checks and on its version. A digest of all that is kept for every clean file, in a cache that all clones of a
machine share: $XDG_CACHE_HOME/tidemill/tidy_seen. Deleting it costs time and nothing else.

usage: tidy_seen.py unseen FILE...     prints those to be looked at, the most recently committed first
       tidy_seen.py add FILE...        they were clean
"""
import fcntl
import hashlib
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "tidemill/tidy_seen"
MOST_LINES = 50_000  # a state of the tree has about a thousand
INCLUDE = re.compile(rb'^\s*#\s*include\s+"((?:tidemill|examples|tests|bench)/[^"]+)"', re.M)


def output_of(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=False).stdout


def rules():
    script = (ROOT / "tools/check_tidy.sh").read_bytes().split(b"\n")
    for_tests = b"".join(line for line in script if line.startswith(b"for_tests"))
    return (ROOT / ".clang-tidy").read_bytes() + for_tests + output_of("clang-tidy-19", "--version")


def contents(path, cache={}):
    """Bytes of a file, and our headers that it names."""
    if path not in cache:
        data = path.read_bytes() if path.is_file() else b""
        cache[path] = data, [ROOT / name.decode() for name in INCLUDE.findall(data)]
    return cache[path]


def files_read_with(file):
    seen, todo = set(), [ROOT / file]
    while todo:
        path = todo.pop()
        if path not in seen:
            seen.add(path)
            todo += contents(path)[1]
    return sorted(seen)


def digest(file, with_rules):
    whole = hashlib.sha256(with_rules + file.encode())
    for path in files_read_with(file):
        whole.update(hashlib.sha256(contents(path)[0]).digest())
    return whole.hexdigest()[:20]


def ages():
    """How many commits ago each file was changed; what is not committed is the youngest."""
    age, commits = {}, 0
    for line in output_of("git", "log", "--format=%x00", "--name-only").decode(errors="replace").split("\n"):
        if line == "\0":
            commits += 1
        elif line:
            age.setdefault(ROOT / line, commits)
    return age


def main():
    action, files = sys.argv[1], sys.argv[2:]
    with_rules = rules()
    if action == "unseen":
        known = set(CACHE.read_text().split()) if CACHE.exists() else set()
        age = ages()
        unseen = [file for file in files if digest(file, with_rules) not in known]
        unseen.sort(key=lambda file: min(age.get(path, 0) for path in files_read_with(file)))
        print("\n".join(unseen))
        return
    CACHE.parent.mkdir(parents=True, exist_ok=True)
    with open(CACHE, "a+") as cache:
        fcntl.flock(cache, fcntl.LOCK_EX)
        cache.seek(0)
        lines = cache.read().split()[-MOST_LINES:]
        new = {digest(file, with_rules) for file in files} - set(lines)
        cache.truncate(0)
        cache.write("".join(f"{line}\n" for line in [*lines, *sorted(new)]))


main()
