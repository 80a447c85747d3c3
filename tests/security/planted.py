#!/usr/bin/env python3
"""Root writes into a folder of a neighbour, who has put things where the program will write: symlinks to a file of
root's, symlinks to where no file is, and files that have nothing to do with it. The neighbour may spoil what is
written into their own folder. Nothing outside of it may be written, emptied, deleted or made.
"""
import argparse
import os
import pathlib
import sqlite3
import struct
import subprocess
import sys

from neighbour import HERE, Neighbour, Rig, demand, run_test

TREASURE = b"root's own words\n"


class Ground:
    """The neighbour's folder, and root's, where nothing may happen."""

    def __init__(self, rig: Rig, name: str):
        self.rig = rig
        self.neighbour = Neighbour(rig)
        self.theirs = self.neighbour.folder(name)
        self.ours = rig.folder / f"{name}-ours"
        self.ours.mkdir(mode=0o700)
        (self.ours / "treasure").write_bytes(TREASURE)

    def plant(self, *names: str, target: str = "treasure") -> None:
        for name in names:
            os.symlink(self.ours / target, self.theirs / name)
            os.chown(self.theirs / name, self.neighbour.uid, self.neighbour.uid, follow_symlinks=False)

    def give(self, name: str, data: bytes) -> None:
        (self.theirs / name).write_bytes(data)
        os.chown(self.theirs / name, self.neighbour.uid, self.neighbour.uid)

    def run(self, *words: str | pathlib.Path) -> subprocess.CompletedProcess:
        return subprocess.run([self.rig.program, *words], env=self.rig.env, cwd=self.rig.folder, capture_output=True,
                              check=False, timeout=300)

    def demand_untouched(self, what: str) -> None:
        there = {path.name: path.read_bytes() for path in self.ours.iterdir()}
        shown = {name: data[:60] for name, data in there.items()}
        demand(there == {"treasure": TREASURE}, f"{what}: root's folder has {shown}")


def part_of(name: str) -> str:
    """The name that tidemill/io/files/new_file.cc gives a part file."""
    number = 14695981039346656037
    for byte in os.fsencode(name):
        number = (number ^ byte) * 1099511628211 % 2**64
    return f".tidemill-{number:016x}.part"


def results(rig: Rig) -> None:
    for target in ("treasure", "nothing"):
        ground = Ground(rig, f"results-{target}")
        for kind in ("out", "err"):
            for name in (f"1.{kind}", f"2.{kind}"):
                ground.plant(name, f"{name}.part", part_of(name), target=target)
        names = rig.list_of("names", ["one", "two"])
        done = ground.run("each", "--files-from", names, "--results", ground.theirs, "--shell", "--",
                          'echo "$1"; echo "$1" >&2')
        ground.demand_untouched("each --results")
        demand(done.returncode == 0, f"each: {done}")
        demand((ground.theirs / "1.out").read_bytes() == b"one\n", "each: no result")


def folders(rig: Rig) -> None:
    """A folder that the neighbour has made a symlink."""
    for verb in ("each", "repair", "backups"):
        ground = Ground(rig, f"folder-{verb}")
        ground.plant("out", target=".")
        out = ground.theirs / "out"
        book = rig.folder / "mend.epub"
        subprocess.run([sys.executable, HERE.parent / "books/make_book.py", book, "mimetype-last"], check=True)
        words = {"each": ("each", "--files-from", rig.list_of("names", ["one"]), "--results", out, "--", "echo"),
                 "repair": ("books", "repair", "--apply", "--output", out, book),
                 "backups": ("books", "repair", "--apply", "--in-place", "--backup-dir", out, book)}[verb]
        done = ground.run(*words)
        ground.demand_untouched(verb)
        demand(done.returncode != 0 and b"another user" in done.stdout + done.stderr, f"{verb}: {done}")


def reports(rig: Rig) -> None:
    ground = Ground(rig, "reports")
    book = rig.folder / "sound.epub"
    subprocess.run([sys.executable, HERE.parent / "books/make_book.py", book], check=True)
    for name in ("report.html", "wanted"):
        ground.plant(f"{name}.part", part_of(name))
    done = ground.run("books", "check", "--format", "html", "--output", ground.theirs / "report.html", book)
    ground.demand_untouched("books check --output")
    demand(done.returncode == 0 and b"<html" in (ground.theirs / "report.html").read_bytes(), f"check: {done}")
    ground.plant("link.html", "nowhere.html", target="nothing")
    for name in ("link.html", "nowhere.html"):
        done = ground.run("books", "check", "--format", "html", "--output", ground.theirs / name, book)
        demand(done.returncode != 0 and b"another user" in done.stderr, f"check: {done}")
    ground.demand_untouched("books check --output")


def database(rig: Rig) -> None:
    ground = Ground(rig, "database")
    lines = rig.folder / "a.jsonl"
    lines.write_text('{"n": 1}\n{"n": 2}\n')
    unrelated = b"half of what somebody downloads"
    ground.give("a.db.part", unrelated)
    done = ground.run("import", lines, "--into", ground.theirs / "a.db")
    kept = ground.theirs / "a.db.part"
    demand(kept.exists() and kept.read_bytes() == unrelated, "import emptied a file that is not its own")
    demand(done.returncode == 0, f"import: {done}")
    ground.plant("b.db.part", "b.db.tidemill.part", "b.db-journal", "b.db.tidemill.part-journal", target="nothing")
    ground.plant("c.db", target="nothing")
    ground.plant("d.db.tidemill.part")
    ground.give("e.db.tidemill.part", b"")
    for name in "bcde":
        done = ground.run("import", lines, "--into", ground.theirs / f"{name}.db")
        demand(done.returncode != 0, f"import into {name}.db: {done}")
        demand(b"tidemill.part" in done.stderr or b"symbolic link" in done.stderr, f"it does not say why: {done}")
    ground.demand_untouched("import")


def super_journal(rig: Rig) -> None:
    """A journal that says, as one of a transaction over several databases does, that another file is to be deleted
    when it was played back."""
    ground = Ground(rig, "super")
    path = ground.theirs / "a.db"
    with sqlite3.connect(path) as db:
        db.execute("create table t (n)")
    db.close()
    name = os.fsencode(ground.ours / "treasure")
    sector, page = 512, 4096
    head = bytes.fromhex("d9d505f920a163d7") + struct.pack(">iIIII", 0, 7, path.stat().st_size // page, sector, page)
    lock_page = (1 << 30) // page + 1
    checksum = sum(struct.unpack(f"{len(name)}b", name)) & 0xFFFFFFFF
    tail = struct.pack(">I", lock_page) + name + struct.pack(">II", len(name), checksum) + head[:8]
    ground.give("a.db-journal", head.ljust(sector, b"\0") + tail)
    os.chown(path, ground.neighbour.uid, ground.neighbour.uid)
    lines = rig.folder / "a.jsonl"
    lines.write_text('{"n": 1}\n')
    ground.run("import", lines, "--into", path, "--append")
    ground.demand_untouched("import --append")


def log(rig: Rig) -> None:
    ground = Ground(rig, "log")
    ground.plant("one.log")
    ground.plant("two.log", target="nothing")
    ground.plant("logs", target=".")
    for name in ("one.log", "two.log", "logs/new.log"):
        done = ground.run("each", "--files-from", rig.list_of("names", ["x"]), "--log", ground.theirs / name, "--", "true")
        demand(done.returncode != 0 and b"another user" in done.stderr, f"each --log: {done}")
    ground.demand_untouched("each --log")


def export(rig: Rig) -> None:
    ground = Ground(rig, "export")
    tree = rig.folder / "tree"
    tree.mkdir()
    (tree / "file").write_text("x")
    done = ground.run("dupes", tree)
    demand(done.returncode == 0, f"dupes: {done}")
    ground.plant("link.catalogue", target="nothing")
    done = ground.run("catalogue", "export", ground.theirs / "link.catalogue")
    demand(done.returncode != 0, f"export: {done}")
    done = ground.run("catalogue", "export", ground.theirs / "a.catalogue")
    demand(done.returncode == 0, f"export: {done}")
    demand(sorted(path.name for path in ground.theirs.iterdir()) == ["a.catalogue", "link.catalogue"],
           "something was left")
    ground.demand_untouched("catalogue export")


PARTS = {"results": results, "folders": folders, "reports": reports, "database": database,
         "super_journal": super_journal, "log": log, "export": export}


def attack(rig: Rig, chosen: argparse.Namespace) -> None:
    for name in [chosen.part] if chosen.part else PARTS:
        PARTS[name](rig)


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 1, attack, lambda parser: parser.add_argument("--part", choices=PARTS)))
