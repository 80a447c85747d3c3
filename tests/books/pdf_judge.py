#!/usr/bin/env python3
"""Damages PDFs, mends them with `tidemill books repair --apply` and lets others judge.

  pdf_judge.py --program build/release/tidemill [--count N] [--seed N] [--from FOLDER]... [--as-is FOLDER]... [--misses]

The PDFs are made here (with and without object streams, linearized), and those below the folders of --from; they are
damaged by hostile/mutate_pdf.py. Those of --as-is are taken as they are.

Held against qpdf, the program: as many files must come out clean by `qpdf --check` as when qpdf itself writes them anew.
Against `qpdf --show-npages` and pdftotext (poppler): no page may be lost, and the text must be the one that could be read
before, or the one of qpdf's own file. A file with warnings only is sound to us and left, as are signed and encrypted
ones. No book may be errored. What `qpdf --check` accepts of the undamaged ones must be valid to us too. Exit status 1: something of this does not hold; 77: a judge is not here (skipped).
"""
import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "hostile"))

import mutate_pdf  # noqa: E402
import pdfs  # noqa: E402

CLEAN, WARNED = 0, 3  # exit statuses of qpdf
PATIENCE = 60
LEFT = {"PDF-007", "PDF-008", "PDF-014"}  # encrypted, signed


def text_pdf(pages):
    """One that has words on its pages, and an outline that fills object streams of its own."""
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    kids = b" ".join(b"%d 0 R" % (4 + 2 * n) for n in range(pages))
    outline = 4 + 2 * pages
    parts = [b"<< /Type /Catalog /Pages 2 0 R /Outlines %d 0 R >>" % outline, b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, pages), font]
    for n in range(pages):
        words = b"".join(b"BT /F 12 Tf 50 %d Td (Page %d, line %d: all is well) Tj ET\n" % (700 - 20 * line, n, line)
                         for line in range(20))
        parts += [b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents %d 0 R "
                  b"/Resources << /Font << /F 3 0 R >> >> >>" % (5 + 2 * n), pdfs.stream(words)]
    last = outline + 10 * pages
    parts.append(b"<< /Type /Outlines /First %d 0 R /Last %d 0 R /Count %d >>" % (outline + 1, last, 10 * pages))
    for number in range(outline + 1, last + 1):
        more = b"/Next %d 0 R " % (number + 1) if number < last else b""
        more += b"/Prev %d 0 R" % (number - 1) if number > outline + 1 else b""
        parts.append(b"<< /Title (Line %d) /Parent %d 0 R %s >>" % (number, outline, more))
    return pdfs.pdf(parts)


VARIANTS = (  # how they are written
    ("streams", ["--object-streams=generate"]), ("linear", ["--linearize"]),
    ("packed", ["--compress-streams=y", "--object-streams=disable"]),
    ("owner", ["--object-streams=generate", "--encrypt", "", "owner", "256", "--"]),
    ("owner-linear", ["--object-streams=generate", "--linearize", "--encrypt", "", "owner", "128", "--use-aes=y", "--"]))


def make_sources(folder):
    for name, pages in (("small", 3), ("large", 40)):
        plain = folder / f"{name}.pdf"
        plain.write_bytes(text_pdf(pages))
        for more, options in VARIANTS:
            subprocess.run(["qpdf", "--allow-weak-crypto", *options, plain, folder / f"{name}-{more}.pdf"], check=True)
    return sorted(folder.glob("*.pdf"))


def quietly(*words):
    try:
        done = subprocess.run(words, capture_output=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return -1, b""
    return done.returncode, done.stdout


def is_clean(path):
    return quietly("qpdf", "--check", path)[0] == CLEAN


def pages_of(path):
    """-1: nobody can tell."""
    status, out = quietly("qpdf", "--show-npages", path)
    return int(out) if status in (CLEAN, WARNED) and out.strip().isdigit() else -1


def text_of(path):
    """Nothing: it cannot be read."""
    status, out = quietly("pdftotext", "-q", path, "-")
    return out if status == 0 else None


@dataclass
class Tally:
    files: int = 0
    clean_before: int = 0
    clean_ours: int = 0
    clean_qpdf: int = 0
    only_qpdf: int = 0
    only_ours: int = 0
    pages_lost: int = 0
    text_read: int = 0
    text_other: int = 0
    text_other_by_qpdf: int = 0  # likewise, where qpdf's file has no better text than ours
    left_alone: int = 0  # on purpose, though clean after qpdf: only warnings, signed, encrypted
    errored: int = 0


class Judge:
    def __init__(self, scratch, shows):
        self.scratch, self.shows = scratch, shows
        self.tally = Tally()
        self.fates = collections.Counter()

    def one(self, path, mended, book):
        tally = self.tally
        tally.files += 1
        self.fates[book["outcome"]] += 1
        tally.errored += book["outcome"] == "failed"
        before = is_clean(path)
        ours = is_clean(mended) if mended.exists() else before
        theirs = self.by_qpdf(path)
        tally.clean_before += before
        tally.clean_ours += ours
        tally.clean_qpdf += theirs
        is_left = theirs and not ours and (book["outcome"] == "valid" or LEFT & set(book["before"]))
        tally.left_alone += bool(is_left)
        tally.only_qpdf += theirs and not ours and not is_left
        tally.only_ours += ours and not theirs
        said = [f"{book['outcome']} {book.get('reason', '')}"]
        if theirs and not ours and not is_left:
            said.append("only qpdf's is clean")
        if mended.exists():
            said += self.compare(path, mended)
        if self.shows and (len(said) > 1 or book["outcome"] == "failed"):
            print(f"{path.name}: {'; '.join(said)} {sorted(book['before'])}")

    def by_qpdf(self, path):
        out = self.scratch / "by-qpdf.pdf"
        out.unlink(missing_ok=True)
        return quietly("qpdf", path, out)[0] in (CLEAN, WARNED) and is_clean(out)

    def compare(self, path, mended):
        had, has = pages_of(path), pages_of(mended)
        if has < had:
            self.tally.pages_lost += 1
            yield f"{had} pages, now {has}"
        text = text_of(path)
        if text is None:
            return
        self.tally.text_read += 1
        ours = text_of(mended)
        if text != ours and ours == text_of(self.scratch / "by-qpdf.pdf"):
            self.tally.text_other_by_qpdf += 1
            yield "another text, as qpdf makes it"
        elif text != ours:
            self.tally.text_other += 1
            yield "another text"


def repaired(program, folder, out):
    words = [program, "books", "repair", str(folder), "--apply", "--output", str(out), "--jsonl", "--no-cache", "-q"]
    done = subprocess.run(words, capture_output=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(f"exit status {done.returncode}: {done.stderr.decode()[:500]}")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {line["path"]: line for line in lines if line["event"] == "book"}


def all_sources(options, scratch):
    (scratch / "sources").mkdir()
    sources = make_sources(scratch / "sources")
    for folder in options.sources:
        sources += sorted(path for path in pathlib.Path(folder).rglob("*.pdf") if path.stat().st_size < 1 << 20)
    return sources


def called_invalid(program, sources):
    """Those that qpdf accepts and we do not."""
    words = [program, "books", "check", "--jsonl", "--no-cache", "-q", *map(str, sources)]
    done = subprocess.run(words, capture_output=True, check=False)
    books = [book for book in map(json.loads, done.stdout.splitlines()) if book["event"] == "book"]
    assert len(books) == len(sources), done.stderr.decode()
    return [book for book in books if book["verdict"] != "valid" and is_clean(book["path"])]


def damaged(options, sources, scratch):
    """A folder with all that is to be mended."""
    folder = scratch / "damaged"
    folder.mkdir()
    mutate_pdf.main([str(options.seed), str(options.count), str(folder), *map(str, sources)])
    for number, path in enumerate(path for each in options.as_is for path in sorted(pathlib.Path(each).rglob("*.pdf"))):
        shutil.copyfile(path, folder / f"as-is-{number:04}-{path.name}")
    return folder


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--count", type=int, default=210)
    parser.add_argument("--seed", type=int, default=random.randrange(10**9))
    parser.add_argument("--from", dest="sources", action="append", default=[])
    parser.add_argument("--as-is", action="append", default=[])
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    if not all(map(shutil.which, ("qpdf", "pdftotext"))):
        print("SKIPPED: qpdf or pdftotext is not here")
        sys.exit(77)
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        sources = all_sources(options, scratch)
        refused = called_invalid(os.path.abspath(options.program), sources)
        for book in refused:
            print(f"WRONG: qpdf accepts {book['path']}: {[finding['id'] for finding in book['findings']]}")
        folder = damaged(options, sources, scratch)
        books = repaired(os.path.abspath(options.program), folder, scratch / "out")
        judge = Judge(scratch, options.misses)
        for path, book in sorted(books.items()):
            judge.one(pathlib.Path(path), scratch / "out" / os.path.basename(path), book)
    tally = judge.tally
    print(f"{tally}\n{dict(judge.fates)}")
    is_good = (tally.files > 0 and tally.clean_ours + tally.left_alone >= tally.clean_qpdf and tally.pages_lost == 0
               and tally.text_other == 0 and tally.errored == 0 and not refused)
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
