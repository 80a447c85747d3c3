"""What the tests of `books repair` share: a library with books that can be mended, books that cannot
and a sound one; and what an undisturbed run makes of each, byte for byte.

A stage is one copy of the library with a state folder, an output folder and a folder for what has no
name. Stages are made many at a time: a book that was written to a moment ago is not believed
unchanged, so they must age, and they do it together.
"""
import contextlib
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import time
from dataclasses import dataclass, field

from rig import HERE, Process, Rig, demand, eventually, processes_saying

BOOKS = HERE.parent / "books"
sys.path.insert(0, str(BOOKS / "hostile"))
import pdfs  # noqa: E402  (beside the books it is made for)

LIMIT = 60  # seconds for a run of a twentieth of one
FRESH = 2.5  # seconds after which a file is believed unchanged
IN_PLACE, OUTPUT = "in place", "output"
MODE = 0o640
# Below the library; the faults that make_book.py plants.
EPUBS = {"a/mimetype.epub": ("mimetype-last",), "a/newline.epub": ("mimetype-newline",),
         "a/deep/nested.epub": ("nested",), "a/ids.epub": ("bad-id",), "b/double.epub": ("double-id",),
         "b/ncx é.epub": ("--epub2", "ncx-uid"), "b/sound.epub": (), "a/link.epub": ("missing-link",)}
LEAST = 5  # so many of them the program must be able to mend


def make_books(folder: pathlib.Path) -> None:
    for name, faults in EPUBS.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, BOOKS / "make_book.py", path, *faults], check=True)
    (folder / "b/table.pdf").write_bytes(pdfs.pages(400).replace(b"startxref\n", b"startxref\n9"))


def files_below(folder: pathlib.Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


def inodes_below(folder: pathlib.Path) -> dict[str, int]:
    return {str(path.relative_to(folder)): path.stat().st_ino
            for path in sorted(folder.rglob("*")) if path.is_file()}


@dataclass
class Truth:
    """Of each book the old bytes and, if it can be mended, the new ones."""
    old: dict[str, bytes] = field(default_factory=dict)
    new: dict[str, bytes] = field(default_factory=dict)
    code: int = 0  # of the undisturbed run

    def mendable(self) -> list[str]:
        return sorted(self.new)


@dataclass
class Lines:
    """What a run with --jsonl said."""
    fates: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    rules: dict[str, set[str]] = field(default_factory=dict)
    totals: dict = field(default_factory=dict)  # empty: it did not come to its end

    def names(self, fate: str) -> list[str]:
        return sorted(name for name, its in self.fates.items() if its == fate)


class Stage:
    """One copy of everything."""

    def __init__(self, rig: Rig, folder: pathlib.Path, books: dict[str, bytes], mode: str):
        self.rig = rig
        self.folder = folder
        self.mode = mode
        self.library, self.out, self.spare = folder / "lib", folder / "out", folder / "spare"
        self.spare.mkdir(parents=True)
        for name, data in books.items():
            path = self.library / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            path.chmod(MODE)

    def words(self) -> tuple[str, ...]:
        where = ("--in-place",) if self.mode == IN_PLACE else ("--output", str(self.out))
        return ("books", "repair", str(self.library), "--apply", *where, "--jsonl", "-q", "-w", "2")

    def start(self, *wrapper: str) -> Process:
        self.rig.env |= {"TIDEMILL_STATE": str(self.folder / "state"), "TMPDIR": str(self.spare)}
        return self.rig.start(*self.words(), wrapper=wrapper)

    def finish(self) -> tuple[int, Lines]:
        process = self.start()
        code = process.wait(LIMIT)
        return code, self.lines_of(process)

    def lines_of(self, process: Process) -> Lines:
        said = Lines()
        for line in process.lines:
            with contextlib.suppress(ValueError):  # the last one of a killed run may be torn
                one = json.loads(line)
                if one["event"] == "end":
                    said.totals = one
                elif one["event"] == "book":
                    name = os.path.relpath(one["path"], self.library)
                    demand(name not in said.fates, f"{name} is told of twice")
                    said.fates[name] = one["outcome"]
                    said.reasons[name] = one.get("reason", "")
                    said.rules[name] = set(one["before"])
        return said

    def target(self, name: str) -> pathlib.Path:
        return (self.library if self.mode == IN_PLACE else self.out) / name

    def is_mended(self, name: str, truth: Truth) -> bool:
        target = self.target(name)
        return target.is_file() and target.read_bytes() == truth.new[name]

    def mended(self, truth: Truth) -> list[str]:
        return [name for name in truth.mendable() if self.is_mended(name, truth)]

    def parts(self) -> list[str]:
        return [name for folder in (self.library, self.out) for name in files_below(folder)
                if ".tidemill-" in name]

    def backups(self, name: str) -> list[pathlib.Path]:
        path = self.library / name
        return [other for other in path.parent.iterdir() if other.name.startswith(f"{path.name}.orig")]

    def demand_old_or_new(self, truth: Truth) -> None:
        """After whatever happened: no book is torn, lost or without its backup."""
        strays = []
        for name, data in files_below(self.library).items():
            book = name.split(".orig")[0]
            if ".tidemill-" in name:
                continue
            if book not in truth.old or (book != name and self.mode == OUTPUT):
                strays.append(name)
            elif book != name:
                demand(data == truth.old[book], f"the backup {name} is not the old book")
            elif self.mode == OUTPUT or name not in truth.new:
                demand(data == truth.old[name], f"{name} was changed")
            else:
                demand(data in (truth.old[name], truth.new[name]),
                       f"{name} is neither the old book nor the mended one ({len(data)} bytes)")
                demand(data == truth.old[name] or bool(self.backups(name)), f"{name} has no backup")
            mode = (self.library / name).stat().st_mode & 0o7777
            demand(mode == MODE, f"{name} has mode {mode:o}")
        for name in truth.old:
            demand((self.library / name).is_file(), f"{name} is gone")
        for name, data in files_below(self.out).items():
            if name not in truth.new:
                strays += [] if ".tidemill-" in name else [f"out/{name}"]
            else:
                demand(data == truth.new[name], f"out/{name} is not the mended book")
        demand(not strays, f"nobody asked for {strays}")
        demand(not list(self.spare.iterdir()), f"left over: {list(self.spare.iterdir())}")
        demand(len(self.parts()) <= 2, f"more part files than workers: {self.parts()}")

    def demand_done(self, truth: Truth, most_backups: int = 1) -> None:
        self.demand_old_or_new(truth)
        demand(self.mended(truth) == truth.mendable(), f"mended are only {self.mended(truth)}")
        demand(not self.parts(), f"left over: {self.parts()}")
        if self.mode == OUTPUT:
            return
        for name in truth.mendable():
            demand(1 <= len(self.backups(name)) <= most_backups,
                   f"{name} has the backups {self.backups(name)}")

    def demand_sound_shelf(self) -> None:
        shelf = self.folder / "state" / "repairs.shelf"
        if not shelf.exists() or shelf.stat().st_size == 0:
            return
        with contextlib.closing(sqlite3.connect(shelf, timeout=30)) as db:
            said = db.execute("pragma integrity_check").fetchall()
            demand(said == [("ok",)], f"the cache: {said}")

    def demand_nobody(self, seconds: float = LIMIT) -> None:
        def left() -> list[int]:  # the processes of the sandbox have no environment
            return sorted({*self.rig.left(f"TMPDIR={self.spare}"), *processes_saying(self.library)})
        eventually(lambda: not left(), seconds)
        demand(not left(), f"left running: {left()}")


class Stages:
    """The books, the truth about them, and as many stages as are wanted."""

    def __init__(self, rig: Rig):
        self.rig = rig
        self.count = 0
        make_books(rig.folder / "first")
        self.truth = Truth(old=files_below(rig.folder / "first"))
        made = {mode: self.undisturbed(mode) for mode in (IN_PLACE, OUTPUT)}
        demand(made[IN_PLACE] == made[OUTPUT], "in place another book comes out than in the folder")
        self.truth.new = made[OUTPUT]

    def undisturbed(self, mode: str) -> dict[str, bytes]:
        stage = self.make(1, mode, is_aged=False)[0]
        code, said = stage.finish()
        self.truth.code = code
        demand(code in (0, 3), f"undisturbed: exit {code}")
        demand(len(said.names("repaired")) >= LEAST, f"undisturbed: {said.fates}")
        demand(said.names("failed") == [], f"undisturbed: {said.fates} {said.reasons}")
        return {name: stage.target(name).read_bytes() for name in said.names("repaired")}

    def make(self, count: int, mode: str, is_aged: bool = True) -> list[Stage]:
        """Aged: old enough, when it returns, to be believed unchanged."""
        made = []
        for _ in range(count):
            self.count += 1
            made.append(Stage(self.rig, self.rig.folder / f"stage{self.count}", self.truth.old, mode))
        until = time.time() + (FRESH if is_aged else 0)
        eventually(lambda: time.time() > until, 2 * FRESH)
        return made
