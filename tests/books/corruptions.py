#!/usr/bin/env python3
"""Holds `tidemill books check` against EPUBCheck on books that were damaged in one place.

  corruptions.py --program build/release/tidemill --cache FOLDER [--corpus FOLDER] [--books FOLDER] [--seed N] [--count N]
                 [--least SHARE] [--kind NAME] [--keep FOLDER] [--misses] [--expect-caught]

The books are the valid ones of the corpus (TIDEMILL_CORPUS) and the small ones of --books; the kinds of damage are in
corruption_kinds.py. Without --seed every run has a seed of its own, which it prints. A book is exact when both find the
same ids with the same severities (fatal, error, warning); ids that begin with TIDE are about things EPUBCheck does not
look at and do not count. Exit status 1: fewer than --least are exact; 77: something is not here (skipped).

--expect-caught: the proof that this can see anything. The program is shown the books before they were damaged.
"""
import collections
import csv
import json
import os
import pathlib
import random
import secrets
import shutil
import subprocess
import sys
import tempfile

import judge
from corruption_kinds import KINDS, Book

LARGEST = 200_000


def valid_of(corpus):
    labels = pathlib.Path(corpus, "epub", "labels-pub.tsv")
    if not labels.exists():
        return []
    with open(labels, newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        names = [row["file"] for row in rows if row["verdict"] == "valid" and row["profile"] in ("", "default")]
    return [pathlib.Path(corpus, "epub", "pub", name) for name in names]


def sources(options):
    """The paths of the books that can be damaged."""
    paths = valid_of(options.corpus)
    for folder in options.books:
        paths += sorted(pathlib.Path(folder).glob("*.epub"))
    return [path for path in paths if path.exists() and path.stat().st_size <= LARGEST and is_usable(path)]


def is_usable(path):
    try:
        book = Book(path)
    except Exception:  # a book that is odd already
        return False
    return b"http://www.idpf.org/2007/opf" in book.entries[book.package]  # those of OEB 1.2 are not valid any more


def damaged(paths, folder, options):
    """Writes the books; path -> (kind, path of the sound book)."""
    chance = random.Random(options.seed)
    kinds = [kind for kind in KINDS if options.kind in kind]
    books = {}
    for number in range(options.count):
        kind = kinds[number % len(kinds)] if options.count >= len(kinds) else chance.choice(kinds)
        for _ in range(30):  # until a book has what is to be damaged
            source = chance.choice(paths)
            book = Book(source)
            if KINDS[kind](book, chance):
                path = folder / f"{number:04}.epub"
                book.write(path)
                books[path] = (kind, source)
                break
    return books


def found_by_program(program, folder):
    """Path -> {(id, severity)}."""
    words = [program, "books", "check", "--jsonl", "--no-cache", "-q", str(folder)]
    done = subprocess.run(words, capture_output=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(f"{words[:3]}: exit status {done.returncode}: {done.stderr.decode()[:500]}")
    found = {}
    for line in done.stdout.splitlines():
        book = json.loads(line)
        if book["event"] != "book":
            continue
        ids = {}
        for finding in book["findings"]:
            severity = finding["severity"].upper()
            if severity in judge.GRAVE and not finding["id"].startswith("TIDE"):
                if finding["id"] not in ids or severity != "WARNING":
                    ids[finding["id"]] = severity
        found[pathlib.Path(book["path"])] = set(ids.items())
    return found


CRASHED = {("CHK-008", "FATAL")}  # how Warm tells that EPUBCheck itself threw something, after what it had to say


def compare(books, ours, checker, shows):
    """How many are exact, and the kinds of those that are not."""
    exact, misses = 0, collections.Counter()
    for path, (kind, source) in books.items():
        expected = set(checker.ids(path).items()) - CRASHED
        if ours.get(path) == expected:
            exact += 1
            continue
        misses[kind] += 1
        if shows:
            found = ours.get(path, set())
            print(f"{path.name} ({kind}, {source.name}): missed {sorted(expected - found)} false {sorted(found - expected)}")
    return exact, misses


def main():
    parser = judge.parser_for(__doc__)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1_000_000_000))
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--least", type=float, default=0.0)
    parser.add_argument("--kind", default="")
    parser.add_argument("--keep")
    options = parser.parse_args()
    paths = sources(options)
    if not paths:
        judge.skip("there are no books here (set TIDEMILL_CORPUS)")
    checker = judge.epubcheck_beside(options.program, options.cache)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(options.keep or scratch).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        books = damaged(paths, folder, options)
        exact, misses = show_and_compare(options, folder, books, checker)
    checker.close()
    share = exact / len(books)
    print(f"seed {options.seed}: {exact} of {len(books)} damaged books exact ({share:.1%}), by {len(KINDS)} kinds from "
          f"{len(paths)} books; not exact: {dict(misses)}")
    sys.exit(1 if (share < options.least) != options.expect_caught else 0)


def show_and_compare(options, folder, books, checker):
    if not options.expect_caught:
        return compare(books, found_by_program(options.program, folder), checker, options.misses)
    with tempfile.TemporaryDirectory() as sound:
        for path, (_kind, source) in books.items():
            shutil.copyfile(source, pathlib.Path(sound, path.name))
        ours = found_by_program(options.program, pathlib.Path(sound).resolve())
    return compare(books, {folder / path.name: ids for path, ids in ours.items()}, checker, options.misses)


if __name__ == "__main__":
    main()
