#!/usr/bin/env python3
"""A catalogue or a shelf that somebody else has written is not believed.

A shelf says which books need not be read again: the neighbour's says that a broken one is sound. A catalogue says the
same of files.
"""
import os
import pathlib
import subprocess
import sys
import time

from neighbour import Neighbour, Rig, demand, eventually, run_test

BOOKS = pathlib.Path(__file__).resolve().parent.parent / "books"
LIE = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
sound, = db.execute("select report from book where cast(path as text) like '%/sound.epub'").fetchone()
db.execute("update book set report = ?, later = ''", (sound,))
db.commit()
"""


def make_books(folder: pathlib.Path) -> None:
    folder.mkdir()
    folder.chmod(0o755)
    for name, *faults in (("sound",), ("broken", "bad-element")):
        book = folder / f"{name}.epub"
        subprocess.run([sys.executable, BOOKS / "make_book.py", book, *faults], check=True)
        book.chmod(0o644)
    # What was written just now is read again the next time.
    demand(eventually(lambda: time.time() - book.stat().st_ctime > 3, 30), "the clock stands still")


def refused(rig: Rig, what: str, *words: str) -> None:
    code, process = rig.finish(*words)
    said = process.errors()
    demand(code == 2, f"{words}: exit {code}, {said}{process.lines}")
    demand(f"the {what} " in said and "belongs to uid" in said, f"{words}: {said}")


def attack(rig: Rig, _chosen) -> None:
    neighbour = Neighbour(rig)
    theirs = neighbour.folder("theirs")
    library = rig.folder / "library"
    make_books(library)
    at_home = {"env": rig.env | {"TIDEMILL_STATE": str(theirs / "state"), "HOME": str(theirs)}}
    shelf, catalogue = theirs / "state" / "books.shelf", theirs / "state" / "catalogue.db"
    neighbour.run(rig.program, "books", "check", str(library), **at_home)
    neighbour.python(LIE, str(shelf))
    neighbour.run(rig.program, "dupes", str(library), **at_home)
    demand(shelf.exists() and catalogue.exists(), "the neighbour has nothing")

    code, process = rig.finish("books", "check", str(library), "--cache", str(shelf))
    demand(code != 0, "a broken book is sound because the neighbour says so")
    refused(rig, "cache", "books", "check", str(library), "--cache", str(shelf))
    refused(rig, "cache", "books", "repair", str(library), "--cache", str(shelf))
    for words in (("catalogue", "ls"), ("catalogue", "verify"), ("dupes", str(library)),
                  ("batch", str(library), "-m", "100")):
        refused(rig, "catalogue", *words, "--catalogue", str(catalogue))
    rig.state.mkdir(mode=0o700)
    os.rename(shelf, rig.state / "books.shelf")  # a file of theirs in a folder of ours
    os.rename(catalogue, rig.state / "catalogue.db")
    refused(rig, "cache", "books", "check", str(library))
    refused(rig, "catalogue", "catalogue", "ls")
    refused(rig, "catalogue", "dupes", str(library))


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 1, attack))
