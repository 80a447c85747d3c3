#!/usr/bin/env python3
"""Remembers which files clang-tidy has found clean, so that it looks only at what has changed since.

What it says about a file depends on the file, on those of our headers that it includes, and on the list of
checks. tools/tidy_seen.txt has a digest of all of that for every file that was clean; a file whose digest
is there need not be looked at again. Whoever does not believe it: tools/check_tidy.sh --all.

usage: tidy_seen.py unseen FILE...     prints those that must be looked at
       tidy_seen.py add FILE...        they were clean; forgets files that are gone
"""
import hashlib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "tools/tidy_seen.txt"
INCLUDE = re.compile(rb'^\s*#\s*include\s+"((?:tidemill|examples|tests|bench)/[^"]+)"', re.M)
RULES = (ROOT / ".clang-tidy").read_bytes() + b"".join(
    line for line in (ROOT / "tools/check_tidy.sh").read_bytes().split(b"\n") if line.startswith(b"for_tests"))


def contents(path, cache={}):
    """Bytes of a file, and our headers that it names."""
    if path not in cache:
        data = path.read_bytes() if path.is_file() else b""
        cache[path] = data, [ROOT / name.decode() for name in INCLUDE.findall(data)]
    return cache[path]


def digest(file):
    seen, todo = set(), [ROOT / file]
    while todo:
        path = todo.pop()
        if path not in seen:
            seen.add(path)
            todo += contents(path)[1]
    whole = hashlib.sha256(RULES)
    for path in sorted(seen):
        whole.update(hashlib.sha256(contents(path)[0]).digest())
    return whole.hexdigest()[:20]


def main():
    action, files = sys.argv[1], sys.argv[2:]
    lines = LIST.read_text().split("\n") if LIST.exists() else []
    known = {name: key for key, _, name in (line.partition(" ") for line in lines) if name}
    if action == "unseen":
        print("\n".join(file for file in files if known.get(file) != digest(file)))
    else:
        known.update((file, digest(file)) for file in files)
        known = {name: key for name, key in known.items() if (ROOT / name).is_file()}
        LIST.write_text("".join(f"{key} {name}\n" for name, key in sorted(known.items())))


main()
