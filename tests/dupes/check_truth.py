#!/usr/bin/env python3
"""Compares a report of `tidemill dupes --json` with what a corpus generator says it made.

usage: check_truth.py TRUTH.tsv REPORT.json   (TRUTH: content id, size, kind, repr of the path)
"""

import ast
import base64
import collections
import json
import os
import sys


def expected_groups(path):
    files = collections.defaultdict(set)
    copies = collections.Counter()
    for line in open(path, encoding="utf-8"):
        content, size, kind, name = line.rstrip("\n").split("\t")
        if size == "0":
            continue
        files[content].add(ast.literal_eval(name))
        copies[content] += kind == "f"
    return {frozenset(names) for content, names in files.items() if copies[content] > 1}


def name_of(entry):
    if "path" in entry:
        return os.fsencode(entry["path"])
    return base64.b64decode(entry["pathBase64"])


def reported_groups(path):
    report = json.load(open(path, encoding="utf-8"))
    return [
        frozenset(name_of(name) for copy in group["copies"] for name in copy["names"])
        for group in report["groups"]
    ]


def main():
    expected = expected_groups(sys.argv[1])
    reported = reported_groups(sys.argv[2])
    false = [group for group in reported if group not in expected]
    missed = expected - set(reported)
    print(f"{len(expected)} groups expected, {len(false)} false, {len(missed)} missed")
    for group in [*false, *missed][:3]:
        print("  ", sorted(group)[:4])
    return 1 if false or missed or len(set(reported)) != len(reported) else 0


if __name__ == "__main__":
    sys.exit(main())
