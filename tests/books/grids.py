#!/usr/bin/env python3
"""Holds `tidemill books check` against EPUBCheck on markup that nobody wrote: grids and random edits.

  grids.py --program build/release/tidemill --cache FOLDER [--count N] [--seed N] [--kind KIND]... [--books FOLDER]...
           [--least-exact SHARE] [--misses] [--keep FOLDER] [--expect-caught]

A case is a book with one thing in it that may be wrong: an attribute on an element (with a good or a bad value), an
element in another one, a role with its states, an edit of a real book. The kinds take turns. EPUBCheck (see judge.py)
and the program check every case; it is exact when both find the same ids, counted without notes.

Without --seed every run has new cases; the seed is printed. The books of `edits` are the small ones of --books and the
valid ones of the corpus (TIDEMILL_CORPUS); without any the kind is left out. Exit status 1: fewer cases are exact than
asked for; 77: EPUBCheck is not here (skipped).

--expect-caught: the proof that this can see anything. The program is shown damaged books, and must not agree.
"""
import collections
import functools
import json
import os
import random
import subprocess
import sys
import tempfile
import zipfile

import edits
import judge
import markup_cases

GRAVE = {"fatal", "error", "warning"}


def write_book(path, entries):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        for name, data in entries.items():
            if name != "mimetype":
                archive.writestr(name, data, zipfile.ZIP_DEFLATED)


def make_cases(options, folder, is_clean):
    """path -> kind."""
    dice = random.Random(options.seed)
    kinds = dict(markup_cases.KINDS)
    sources = edits.sources(options.books, options.corpus)
    if sources:
        kinds["edits"] = lambda dice: edits.case(dice, sources, is_clean)
    if options.kind:
        kinds = {name: kinds[name] for name in options.kind}
    cases = {}
    for number in range(options.count):
        kind = list(kinds)[number % len(kinds)]
        what, entries = kinds[kind](dice)
        name = "".join(c if c.isalnum() or c in "-.=" else "_" for c in what)[:120]
        path = os.path.join(folder, f"{number:05}-{kind}-{name}.epub")
        write_book(path, entries)
        cases[path] = kind
    return cases


def found_by_program(program, folder):
    """path -> ids."""
    command = [program, "books", "check", "--jsonl", "--no-cache", "-q", folder]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(f"{command[:3]}: exit status {done.returncode}: {done.stderr.decode()[:500]}")
    books = [line for line in map(json.loads, done.stdout.splitlines()) if line.get("event") == "book"]
    return {book["path"]: {one["id"] for one in book["findings"] if one["severity"] in GRAVE} for book in books}


def compare(cases, judged, found, shows):
    """kind -> [exact, all]."""
    shares = collections.defaultdict(lambda: [0, 0])
    for path, kind in cases.items():
        shares[kind][1] += 1
        if found.get(path) == judged[path]:
            shares[kind][0] += 1
        elif shows:
            missed, false = judged[path] - found.get(path, set()), found.get(path, set()) - judged[path]
            print(f"{os.path.basename(path)}: missed {sorted(missed)}, false {sorted(false)}")
    return shares


def spoil_some(cases):
    for path in list(cases)[::5]:
        judge.spoil(path)


def main():
    parser = judge.parser_for(__doc__)
    parser.add_argument("--kind", action="append", default=[])
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--least-exact", type=float, default=0.0)
    parser.add_argument("--keep")
    options = parser.parse_args()
    checker = judge.epubcheck_beside(options.program, options.cache)
    print(f"--seed {options.seed} --count {options.count}", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or scratch
        os.makedirs(folder, exist_ok=True)
        cases = make_cases(options, folder, functools.cache(lambda path: not checker.ids(path)))
        judged = {path: set(checker.ids(path)) for path in cases}
        checker.close()
        if options.expect_caught:
            spoil_some(cases)
        shares = compare(cases, judged, found_by_program(options.program, folder), options.misses)
    for kind, (exact, every) in sorted(shares.items()):
        print(f"{kind:12} {exact:5} of {every:5} exact, {exact / every:.2%}")
    exact = sum(one[0] for one in shares.values())
    print(f"{'all':12} {exact:5} of {len(cases):5} exact, {exact / len(cases):.2%}")
    is_less = exact < options.least_exact * len(cases)
    sys.exit(is_less != options.expect_caught)


if __name__ == "__main__":
    main()
