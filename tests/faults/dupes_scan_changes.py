"""The parts `mutations` and `changes` of dupes_scan.py: trees that change between scans, and while
they are scanned.
"""
import argparse
import itertools
import json
import os
import pathlib
import signal
import threading

from dupes_rig import Report, Scanner, age, demand_groups, make_large, make_small, truth_of
from rig import Process, Rig, demand, pause

LARGE = 60_000_000  # bytes of a file that is long enough to be written to while it is read


class Mutator:
    """Changes a tree so that as little as possible tells of it."""

    def __init__(self, rig: Rig, tree: pathlib.Path):
        self.dice = rig.dice
        self.tree = tree
        self.numbers = itertools.count()

    def files(self) -> list[pathlib.Path]:
        return sorted(path for path in self.tree.rglob("*") if path.is_file())

    def content_for(self, size: int, files: list[pathlib.Path]) -> bytes:
        """New, or that of another file of this size."""
        same = [path for path in files if path.stat().st_size == size]
        if same and self.dice.random() < 0.5:
            return self.dice.choice(same).read_bytes()
        return self.dice.randbytes(size)

    def mutate(self, how_many: int) -> None:
        files = self.files()
        ways = (self.rewrite, self.replace, self.remove, self.add, self.link, self.swap_names,
                self.swap_contents)
        for path in self.dice.sample(files, how_many):
            if path.exists():
                self.dice.choice(ways)(path, [each for each in files if each.exists()])

    def forge(self, path: pathlib.Path, content: bytes) -> None:
        before = path.stat()
        with open(path, "r+b") as file:
            file.write(content)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def rewrite(self, path: pathlib.Path, files: list[pathlib.Path]) -> None:
        self.forge(path, self.content_for(path.stat().st_size, files))

    def replace(self, path: pathlib.Path, files: list[pathlib.Path]) -> None:
        before = path.stat()
        new = path.with_name("new")
        new.write_bytes(self.content_for(before.st_size, files))
        os.utime(new, ns=(before.st_atime_ns, before.st_mtime_ns))
        new.rename(path)

    def remove(self, path: pathlib.Path, _files: list[pathlib.Path]) -> None:
        path.unlink()

    def add(self, path: pathlib.Path, files: list[pathlib.Path]) -> None:
        name = f"added{next(self.numbers)}"
        path.with_name(name).write_bytes(self.content_for(path.stat().st_size, files))

    def link(self, path: pathlib.Path, _files: list[pathlib.Path]) -> None:
        path.with_name(f"linked{next(self.numbers)}").hardlink_to(path)

    def swap_folders(self) -> None:
        """Two folders change places, and one goes elsewhere for a while."""
        one, other = self.dice.sample(sorted(self.tree.glob("d*/e*")), 2)
        away = self.tree / "away"
        one.rename(away)
        other.rename(one)
        if self.dice.random() < 0.5:
            away.rename(other)
        else:
            away.rename(other.with_name(f"e{next(self.numbers)} moved"))

    def swap_names(self, path: pathlib.Path, files: list[pathlib.Path]) -> None:
        other = self.dice.choice(files)
        away = path.with_name("away")
        path.rename(away)
        if other != path:
            other.rename(path)
        away.rename(other)

    def swap_contents(self, path: pathlib.Path, files: list[pathlib.Path]) -> None:
        same = [each for each in files if each.stat().st_size == path.stat().st_size]
        other = self.dice.choice(same)
        mine, its = path.read_bytes(), other.read_bytes()
        self.forge(path, its)
        self.forge(other, mine)


def kill_at_random(rig: Rig, scanner: Scanner, *more: str) -> bool:
    process = scanner.start(*more)
    pause(rig.dice.uniform(0.01, 0.1))
    process.signal(signal.SIGKILL)
    return process.wait() != 0


def mutations(rig: Rig, chosen: argparse.Namespace) -> None:
    tree = rig.folder / "tree"
    make_small(tree, rig.dice, 2000)
    make_large(tree / "large", 20, 300_000)
    scanner = Scanner(rig, tree, rig.folder / "catalogue.db")
    mutator = Mutator(rig, tree)
    age(tree)
    scanner.finish()
    remembered = scans = killed = 0
    for number in range(chosen.count):
        mutator.mutate(20)
        if number % 4 == 1:
            mutator.swap_folders()
        if number % 5 == 4:
            age(tree)  # now what was changed is remembered as well
        more = rig.dice.choice(((), (), ("--verify",), ("--hash", "sha256"), ("--jobs", "1")))
        if number % 3 == 0:
            killed += kill_at_random(rig, scanner, *more)
        if number % 3 == 1:
            scanner.finish("--min-size", "5000", "--exclude", "d1*")  # sees a part of the tree
        report = scanner.finish(*more)
        scans += 1
        remembered += report.totals["cached"]
        demand_groups(report.groups(), truth_of(tree), f"round {number} {more}")
        clean = scanner.finish_without(*more)
        demand(clean.groups() == report.groups() and clean.hashes() == report.hashes(),
               f"round {number} {more}: a scan without a catalogue says something else")
        scanner.demand_true()
    print(f"{chosen.count} rounds of 20 changes, {killed} with a kill; of "
          f"{clean.totals['candidates']} candidates {remembered // scans} were remembered on "
          f"average")
    demand(remembered > 0, "nothing was ever remembered: this test has tested nothing")


class Writers:
    """Threads that never let some files alone. Each version of each file is one of its kind: a mark
    at its beginning, or in the middle of a large one, which has the ends of its stable fellows."""

    def __init__(self, rig: Rig, tree: pathlib.Path):
        self.folder = tree / "busy"
        self.folder.mkdir()
        self.seed = rig.dice.random()
        self.numbers = itertools.count()
        self.is_over = threading.Event()
        self.small = [self.folder / f"small{i}" for i in range(80)]
        self.large = [self.folder / f"large{i}" for i in range(4)]
        for path in self.small:
            path.write_bytes(self.content())
        for path in self.large:
            with open(path, "wb") as file:
                file.truncate(LARGE)
            self.write_large(path)
        self.threads = [threading.Thread(target=self.work, args=(paths,))
                        for paths in (self.small[:40], self.small[40:], self.large)]

    def content(self) -> bytes:
        return f"{self.seed} {next(self.numbers)} ".encode().ljust(4096, b".")

    def write_large(self, path: pathlib.Path) -> None:
        with open(path, "r+b") as file:
            file.seek(LARGE // 2 + 64)
            file.write(f"{self.seed} {next(self.numbers)}".encode())

    def work(self, paths: list[pathlib.Path]) -> None:
        for number in itertools.count():
            if self.is_over.is_set():
                return
            path = paths[number * 7 % len(paths)]
            if path in self.large:
                self.write_large(path)
            else:
                self.change(path, number)
            pause(0.0002)

    def change(self, path: pathlib.Path, number: int) -> None:
        way = number % 5
        if way == 0:
            with open(path, "ab") as file:
                file.write(b"more")
        elif way == 1 and path.exists():
            os.truncate(path, 2048)
        elif way == 2:
            new = path.with_suffix(".new")
            new.write_bytes(self.content())
            new.rename(path)
        elif way == 3:
            path.unlink(missing_ok=True)
            path.write_bytes(self.content())
        elif path.exists():
            with open(path, "r+b") as file:
                file.truncate(4096)
                file.write(self.content())

    def __enter__(self) -> "Writers":
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_) -> None:
        self.is_over.set()
        for thread in self.threads:
            thread.join()


def demand_account(report: Report, process: Process, code: int) -> None:
    """Every file is of a group, alone, failed, or gone since it was found. What failed to be looked
    at is not among them."""
    totals, failures = report.totals, report.failures
    demand(totals["failed"] == len(failures), f"{len(failures)} failures of {totals}")
    demand(code == (3 if failures else 0), f"exit {code} with {len(failures)} failures: "
                                           f"{process.errors()[-500:]}")
    if "uniques" in report.all:
        unread = sum(failure["step"] not in ("look", "list") for failure in failures)
        told = (len(report.all["uniques"]) + totals["groups"] + totals["redundant"] + unread
                + totals.get("gone", 0))
        demand(told == totals["found"], f"{told} files told of, {unread} of them failed, "
                                        f"{totals['found']} found")
    last = [line for line in process.errors().splitlines() if '"isLast":true' in line]
    demand(len(last) == 1, f"{len(last)} last lines of progress: {process.errors()[-500:]}")
    shown = json.loads(last[0])
    demand(shown["found"] == shown["done"] + shown["failed"] + shown["skipped"],
           f"the last line of progress does not add up: {shown}")


def changes(rig: Rig, chosen: argparse.Namespace) -> None:
    tree = rig.folder / "tree"
    stable = tree / "stable"
    make_small(stable, rig.dice, 1500)
    make_large(stable / "large", 4, LARGE)
    age(stable)
    truth = truth_of(stable)
    busy = f"{tree}/busy/"
    failed = 0
    with Writers(rig, tree):
        for number in range(20 * chosen.count):
            if number >= chosen.count and failed:
                break  # else no scan has met a writer yet
            more = (("--no-catalogue",) if number % 3 == 0
                    else ("--catalogue", str(rig.folder / "catalogue.db")))
            more += (("--verify",), ("--unique",), ())[number % 3]
            code, process = rig.finish("dupes", str(tree), "--json", "--progress=json", *more)
            report = Report(process)
            demand_account(report, process, code)
            failed += len(report.failures)
            wrong = [each for each in report.failures if not each["path"].startswith(busy)]
            demand(not wrong, f"failed, though nobody wrote to it: {wrong[:3]}")
            if "groups" in report.all:
                demand_groups(report.groups(), truth, f"scan {number}")
    code, process = rig.finish("dupes", str(tree), "--json", "-q", "--catalogue",
                               str(rig.folder / "catalogue.db"))
    demand(code == 0, f"exit {code} when all was quiet: {process.errors()[-500:]}")
    demand_groups(Report(process).groups(), truth_of(tree), "when all was quiet")
    print(f"{number} scans, {failed} files could not be read as they were written to")
    demand(failed > 0, "no file was caught: this test has tested nothing")
