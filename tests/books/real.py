#!/usr/bin/env python3
"""Holds `tidemill books check` against EPUBCheck's verdicts on real books.

  real.py --program build/release/tidemill --books FOLDER [--labels FILE] [--fetch] [--misses]
          [--least-verdicts N] [--least-exact N]

With --fetch the books come from Debian packages (apt-get download; kept in the folder for the next time): real ones,
with real faults. Without network it is skipped (77).

The labels say by SHA-256 what EPUBCheck 5.3.0 found in each book; books that are not in the folder are left out and
counted. Exit status 1: fewer agree than asked for.
"""
import argparse
import collections
import csv
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

GRAVE = {"fatal", "error", "warning"}


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


PACKAGES = """developers-reference developers-reference-de developers-reference-fr developers-reference-it
developers-reference-ja developers-reference-ru debian-policy debian-history live-manual-epub
ubuntu-packaging-guide-epub samhain snmptt libmxml-dev cxxtest publican""".split()


def fetch(folder):
    """The books of the packages, each as PACKAGE__name.epub."""
    if os.path.exists(os.path.join(folder, "complete")):
        return
    os.makedirs(folder, exist_ok=True)
    for package in PACKAGES:
        with tempfile.TemporaryDirectory() as scratch:
            done = subprocess.run(["apt-get", "-qq", "download", package], cwd=scratch, capture_output=True, check=False)
            if done.returncode != 0:
                print(f"SKIPPED: {package} cannot be fetched: {done.stderr.decode()[:200]}")
                sys.exit(77)
            for name in os.listdir(scratch):
                subprocess.run(["dpkg-deb", "-x", os.path.join(scratch, name), os.path.join(scratch, "x")], check=True)
            for path in pathlib.Path(scratch, "x").rglob("*.epub"):
                if path.is_file() and not path.is_symlink():
                    shutil.copyfile(path, os.path.join(folder, f"{package}__{path.name}"))
    pathlib.Path(folder, "complete").touch()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--books", required=True)
    parser.add_argument(
        "--labels",
        default=os.path.join(os.environ.get("TIDEMILL_CORPUS", ""), "epub-real", "epubcheck-5.3.0-labels.tsv"),
    )
    parser.add_argument("--fetch", action="store_true")
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--least-verdicts", type=int, default=0)
    parser.add_argument("--least-exact", type=int, default=0)
    options = parser.parse_args()
    if not os.path.exists(options.labels):
        print("SKIPPED: the labels are not here (set TIDEMILL_CORPUS)")
        sys.exit(77)
    if options.fetch:
        fetch(options.books)
    with open(options.labels, newline="") as file:
        rows = {row["sha256"]: row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)}
    command = [options.program, "books", "check", "--jsonl", "--no-cache", "-q", options.books]
    done = subprocess.run(command, capture_output=True, check=False)
    books = verdicts = exact = 0
    false, missed = collections.Counter(), collections.Counter()
    for line in done.stdout.splitlines():
        book = json.loads(line)
        if book.get("event") != "book":
            continue
        row = rows.get(digest(book["path"]))
        if row is None:
            continue
        books += 1
        expected = set()
        for part in filter(None, row["ids(severity:ID*locations)"].split(";")):
            severity, rule = re.match(r"(\w+):([\w-]+)\*", part).groups()
            if severity in GRAVE:
                expected.add(rule.replace("_", "-"))
        found = {f["id"] for f in book["findings"] if f["severity"] in GRAVE}
        verdicts += book["verdict"] == row["verdict"]
        exact += found == expected
        false.update(found - expected)
        missed.update(expected - found)
        if options.misses and found != expected:
            print(os.path.basename(book["path"]), row["verdict"], book["verdict"], "missed", sorted(expected - found), "false", sorted(found - expected))
    print(f"{books} books: same verdict {verdicts}, same ids {exact}; false {dict(false)}, missed {dict(missed)}")
    if books == 0 or verdicts < options.least_verdicts or exact < options.least_exact:
        sys.exit(1)


main()
