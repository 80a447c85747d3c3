#!/usr/bin/env python3
"""`import` when the system says no: failing system calls, and a disk that is really full.

PART says which test; --count how many faults.
sweep  One system call fails, the nth, once or from then on: EIO, ENOSPC and others, injected by
       strace into a run whose calls were counted before. The program ends in time, with 0 and all
       that an undisturbed run makes, or with 1 and a word about it; with 3 when a source could not
       be read. One that nobody can look at again when it was read is in, and told of as changed:
       its stamp is not believed the next time. The database is then the old one, the new one, or
       one of whole files; a later run makes of it what an undisturbed run does.
full   A disk (tmpfs and ext4) with too little room, from almost none to almost enough: exit 1, and
       it says that the disk is full; the old database is whole, what was half built is gone; with
       room again the same command succeeds. Needs root, for the mount.
"""
import argparse
import collections
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, replace

from import_book import LEDGER, Dump
from import_rig import LIMIT, SCENARIOS, Scenario, Stage
from import_strace import Call, Watched
from rig import Rig, Skip, Wrong, demand, run_test

WRITING = ("EIO", "ENOSPC")
ERRORS = {"pwrite64": WRITING, "write": WRITING, "fsync": WRITING, "fdatasync": WRITING,
          "ftruncate": WRITING, "renameat": WRITING,
          "unlink": ("EIO", "EACCES"), "unlinkat": ("EIO", "EACCES"), "openat": ("EIO", "ENOSPC", "EMFILE", "EACCES"),
          "read": ("EIO",), "pread64": ("EIO",), "fallocate": ("ENOSPC",), "statx": ("EIO",),
          "newfstatat": ("EIO",), "fstat": ("EIO",)}
TAKING_ROOM = ("pwrite64", "write", "ftruncate", "fallocate")
NOTE = b"tidemill "  # what an import that is being marked as ended writes into DB.tidemill.part begins so
REMOVING = ("unlink", "unlinkat")
LOOKING = ("statx", "newfstatat", "fstat")
READING = ("read", "openat", "pread64", *LOOKING)
DOUBTED = "changed while being read"
REPEATED = ("replace", "upsert", "incremental")  # modes: the same command makes the same of it
SHORT = ("journal", "pages", "log", "sql", "log beside")  # scenarios: one each is enough
HERE = "HERE"  # in the path of a point: the folder of the test
TRIES = 20  # of a fault: which thread makes a call, and how often, is not the same in two runs


@dataclass(frozen=True)
class Point:
    call: str
    error: str
    number: int
    is_persistent: bool
    path: str

    def fault(self) -> str:
        return f"error={self.error}:when={self.number}{'+' * self.is_persistent}"

    def __str__(self) -> str:
        return f"{self.call}:{self.fault()}:{self.path}"


class Sweep:
    """Of one scenario."""

    def __init__(self, rig: Rig, scenario: Scenario, endings: Counter[str]):
        self.dice = rig.dice
        self.endings = endings
        self.stage = Stage(rig, scenario, f"{scenario.mode} {scenario.name}", is_clean=True)
        self.watched = Watched(self.stage, tuple(ERRORS))
        self.calls: dict[str, list[Call]] = {}
        for call in self.watched.calls:
            self.calls.setdefault(call.name, []).append(call)
        self.tried = 0
        self.last: Point | None = None

    def __str__(self) -> str:
        counts = {name: len(calls) for name, calls in self.calls.items()}
        return f"{self.stage.scenario.mode}, {self.stage.scenario.name}: {counts}"

    def point(self, turn: int) -> Point:
        """Every call has its share, however seldom it is made."""
        name = list(self.calls)[turn % len(self.calls)]
        call = self.dice.choice(self.calls[name])
        return Point(name, self.dice.choice(ERRORS[name]), call.number, self.dice.random() < 0.5,
                     self.short(call.path))

    def one(self, turn: int, given: str | None) -> None:
        """A fault that comes: `given`, or one that is drawn."""
        for _ in range(TRIES):
            self.tried += 1
            self.last = parsed(given) if given else self.point(turn)
            if self.try_point(self.last):
                return
        demand(False, "the faults do not come")

    def short(self, path: str) -> str:
        """So that it can be given again: the folder is another one each time."""
        return path.replace(str(self.stage.folder), HERE)

    def try_point(self, point: Point) -> bool:
        """False: the program does not make so many of these calls."""
        self.stage.begin()
        path = point.path.replace(HERE, str(self.stage.folder))
        strace = self.watched.hitting(point.call, path, point.fault())
        process = self.stage.start(*strace)
        code = process.wait(LIMIT)
        if "INJECTED" not in self.watched.log.read_text(errors="replace"):
            return False
        self.endings[str(code)] += 1
        said = process.errors()
        if code == self.stage.code and not self.stage.dump().difference(self.stage.truth):
            self.demand_tidy(point)  # a log may be left, if it could not be emptied
        elif code == self.stage.code and point.call in LOOKING and DOUBTED in said:
            self.demand_all_but_stamps()
        elif code == 3:
            demand(point.call in READING, f"exit 3: {said}")
            self.demand_told(said)
        else:
            # What cannot be removed or looked at looks to SQLite as if another program had it.
            is_busy = code == 4 and point.call in (*REMOVING, *LOOKING)
            demand(code == 1 or is_busy, f"exit {code}: {said}")
            self.demand_reason(point, said)
            now = self.stage.look()
            self.demand_tidy(point)
            self.stage.demand_true_again(now)
        return True

    def demand_reason(self, point: Point, said: str) -> None:
        demand(bool(said.strip()), f"exit 1 without a word: {said!r}")
        if point.error == "ENOSPC" and point.call in TAKING_ROOM:
            demand(says_full(said), f"a full disk is not named: {said!r}")

    def demand_tidy(self, point: Point) -> None:
        if point.call in REMOVING or point.path.endswith(".part") and point.call in READING:
            return  # it could not remove it, or could not tell whose it is
        left = [name for name in self.stage.book.names() if ".part" in name]
        # The disk failed while the import was being marked as ended: whether the mark is there nobody
        # knows, so the note stays.
        if left == ["book.db.tidemill.part"] and self.stage.book.beside(".tidemill.part").read_bytes()[:9] == NOTE:
            return
        demand(not left, f"left over: {left}")

    def demand_told(self, said: str) -> None:
        """Some files could not be read: it names them, has nothing of them, and all of the others.
        """
        now = self.stage.dump()
        lacking = [stem for stem in self.stage.sources.stems()
                   if now.files.get(stem, Counter()) != self.stage.truth.files.get(stem, Counter())]
        demand(bool(lacking), f"exit 3, and everything is there: {said}")
        for stem in lacking:
            demand(stem in said or "sources" in said, f"{stem} is missing, not a word: {said}")
            rows = now.files.get(stem, Counter())
            demand(rows == self.old_rows(stem), f"{stem} failed, but {rows.total()} rows are there")
        if self.stage.scenario.mode in REPEATED:
            self.stage.demand_true(*self.stage.finish())

    def demand_all_but_stamps(self) -> None:
        now, truth = (replace(each, rows=each.rows | {LEDGER: []})
                      for each in (self.stage.dump(), self.stage.truth))
        demand(not now.difference(truth), f"not as undisturbed: {now.difference(truth)}")
        if self.stage.scenario.mode in REPEATED:
            self.stage.demand_true(*self.stage.finish())

    def old_rows(self, stem: str) -> Counter[tuple]:
        old = Dump() if self.stage.scenario.is_built_beside() else self.stage.base
        return old.files.get(stem, Counter())


def sweep(rig: Rig, chosen: argparse.Namespace) -> None:
    if not shutil.which("strace"):
        raise Skip("there is no strace here")
    endings: Counter[str] = collections.Counter()
    scenarios = chosen_scenarios(chosen)
    tried = 0
    wrong: list[str] = []
    for index, scenario in enumerate(scenarios):
        its = Sweep(rig, scenario, endings)
        print(its, flush=True)
        share = chosen.count // len(scenarios) + (index < chosen.count % len(scenarios))
        for turn in range(1 if chosen.point else share):
            try:
                its.one(turn, chosen.point)
            except Wrong as reason:
                wrong.append(f"{scenario.mode}, {scenario.name}, {its.last}: {reason}")
                print(f"WRONG {wrong[-1]}", flush=True)
        tried += its.tried
    print(f"{tried} points, {endings.total()} hit, exits: {dict(endings)}")
    demand(not wrong, f"{len(wrong)} points, the first: {wrong[0] if wrong else ''}\n"
                      "one alone: --mode MODE --scenario NAME --point POINT, as it is printed")


def chosen_scenarios(chosen: argparse.Namespace) -> list[Scenario]:
    return [scenario for mode in SCENARIOS if chosen.mode in (None, mode)
            for scenario in SCENARIOS[mode]
            if (scenario.name == chosen.scenario if chosen.scenario else scenario.name in SHORT)]


def says_full(said: str) -> bool:
    return any(word in said.lower() for word in ("full", "no space"))


def parsed(text: str) -> Point:
    call, error, when, path = text.split(":", maxsplit=3)
    number = when.removeprefix("when=")
    return Point(call, error.removeprefix("error="), int(number.rstrip("+")), number.endswith("+"),
                 path)


class Disk:
    """A small disk on the folder of the database; a ballast takes the room that it shall lack."""
    SIZE = 64 << 20

    def __init__(self, kind: str, folder: pathlib.Path):
        self.folder = folder
        self.ballast = folder / "lost+found" / "ballast"
        image = folder.parent / f"{kind}.image"
        if kind == "tmpfs":
            words = ["mount", "-t", "tmpfs", "-o", f"size={self.SIZE}", "tmpfs", str(folder)]
        else:
            with open(image, "wb") as file:
                file.truncate(self.SIZE)
            # With smaller blocks the log's index, which SQLite maps, is a bus error when full.
            subprocess.run(["mkfs.ext4", "-q", "-m", "0", "-b", "4096", str(image)], check=True)
            words = ["mount", "-o", "loop", str(image), str(folder)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Skip(f"no {kind} can be mounted here: {done.stderr.strip()}")
        self.ballast.parent.mkdir(exist_ok=True)

    def leave(self, room: int) -> None:
        """Takes all but so many bytes."""
        with open(self.ballast, "wb", buffering=0) as file:
            with contextlib.suppress(OSError):
                while file.write(bytes(65536)):
                    pass
            file.truncate(max(0, file.tell() - room))

    def make_room(self) -> None:
        self.ballast.unlink()

    def unmount(self) -> None:
        subprocess.run(["umount", "-l", self.folder], check=False)


def full(rig: Rig, chosen: argparse.Namespace) -> None:
    if os.geteuid() != 0:
        raise Skip("only root may mount a disk")
    scenarios = [*SCENARIOS["fresh"], SCENARIOS["replace"][0], SCENARIOS["append"][0],
                 SCENARIOS["append"][1], SCENARIOS["upsert"][0], SCENARIOS["incremental"][1]]
    kinds = ["tmpfs", "ext4"] if shutil.which("mkfs.ext4") else ["tmpfs"]
    endings: Counter[str] = collections.Counter()
    wrong: list[str] = []
    for index, scenario in enumerate(scenarios):
        stage = Stage(rig, scenario, f"{scenario.mode} {scenario.name}")
        share = chosen.count // len(scenarios) + (index < chosen.count % len(scenarios))
        need = sum(path.stat().st_size for path in stage.book.path.parent.iterdir())
        for turn in range(share):
            disk = Disk(kinds[turn % len(kinds)], stage.book.path.parent)
            room = int(need * rig.dice.choice((0, 0.02, rig.dice.random(), rig.dice.random())))
            try:
                endings[run_out_of_room(stage, disk, room)] += 1
            except Wrong as reason:
                wrong.append(f"{scenario.mode}, {scenario.name}, {kinds[turn % len(kinds)]} with "
                             f"{room} of {need} bytes: {reason}")
                print(f"WRONG {wrong[-1]}", flush=True)
            finally:
                disk.unmount()
    print(f"{chosen.count} full disks: {dict(endings)}")
    demand(not wrong, f"{len(wrong)} times")
    demand(endings["full"] >= chosen.count // 2, "the disks are not full")


def run_out_of_room(stage: Stage, disk: Disk, room: int) -> str:
    stage.begin()
    disk.leave(room)
    code, process = stage.finish()
    if code != stage.code:
        said = process.errors()
        demand(code == 1, f"exit {code}: {said}")
        demand(says_full(said), f"no clear word: {said!r}")
    now = stage.look()
    left = [name for name in stage.book.names() if ".part" in name]
    demand(not left, f"left over: {left}")
    if code == stage.code:
        difference = stage.dump().difference(stage.truth)  # its log may be left
        demand(not difference, f"not as undisturbed: {difference}")
        return "fits"
    disk.make_room()
    stage.demand_true_again(now)
    return "full"


PARTS = {"sweep": sweep, "full": full}


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("part", choices=list(PARTS))
    parser.add_argument("--mode", choices=list(SCENARIOS), help="sweep: only this one")
    parser.add_argument("--scenario", help="sweep: only those of this name")
    parser.add_argument("--point", help="sweep: this one only, as it is printed")


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 40, lambda rig, chosen: PARTS[chosen.part](rig, chosen), options))
