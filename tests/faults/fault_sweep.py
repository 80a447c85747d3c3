#!/usr/bin/env python3
"""Lets one system call of the program fail, the first, the second and so on, once and from then on.

A run without faults is watched first, to learn how often each call is made; that gives the points:
call, error, number, once or persistent. At each point `each` runs under strace, which injects the
fault; then `resume` runs without it. What must hold: the faulty process ends in time, with an exit
status from the table and a word about it (a disk that stays full makes it pause: then SIGINT ends
it); after the resume every task is done, the journal is intact and its tally right.

The fault must hit the program and not its commands, but strace has to follow both (the program has
threads). So the command is `chore nothing`, linked statically: it makes none of these calls. Those
that the dynamic loader makes before main() are not ours: it says so and exits with 127.
"""
import argparse
import collections
import pathlib
import shutil
import subprocess
import sys
from dataclasses import dataclass

from rig import DONE, Process, Rig, Skip, Wrong, demand, eventually, run_test
from strace import strace

TASKS = 1_500
ERRORS = {"pwrite64": ("EIO", "ENOSPC"), "fdatasync": ("EIO", "ENOSPC"),
          "openat": ("EIO", "ENOSPC", "EMFILE"), "ftruncate": ("EIO", "ENOSPC")}
LIMIT = 60  # seconds for a run of a few
PAUSED = "Paused"


@dataclass(frozen=True)
class Point:
    call: str
    error: str
    number: int
    is_persistent: bool

    def __str__(self) -> str:
        return f"{self.call}:error={self.error}:when={self.number}{'+' * self.is_persistent}"


class Sweep:
    def __init__(self, rig: Rig):
        self.rig = rig
        self.names = [f"task{i}" for i in range(TASKS)]
        self.list = rig.list_of("list", self.names)
        self.log = rig.folder / "strace.log"
        self.endings: collections.Counter[str] = collections.Counter()
        self.before_main = 0

    def watched(self, call: str, *inject: str) -> Process:
        return self.rig.start(*self.words(), wrapper=strace(self.log, "-e", f"trace={call}", *inject))

    def words(self) -> tuple[str, ...]:
        return ("each", "--files-from", self.list, "-w", "2", "--progress", "none", "--",
                self.rig.chore(), "nothing")

    def count(self, call: str) -> int:
        self.forget()
        code = self.watched(call).wait(LIMIT)
        demand(code == 0, f"without a fault: exit {code}")
        return len(self.log.read_text().splitlines())

    def forget(self) -> None:
        shutil.rmtree(self.rig.state, ignore_errors=True)

    def try_point(self, point: Point) -> bool:
        """False: the program does not make so many of these calls."""
        self.forget()
        process = self.watched(point.call, "-e", f"inject={point}")
        interrupted = False
        if point.is_persistent and point.error == "ENOSPC":
            eventually(lambda: process.has_ended() or PAUSED in process.errors(), LIMIT)
            if not process.has_ended():
                interrupted = self.interrupt(process)
        code = process.wait(LIMIT)
        if "INJECTED" not in self.log.read_text():
            return False
        self.judge(code, process, interrupted)
        self.resume()
        return True

    def interrupt(self, process: Process) -> bool:
        """The program is the child of strace."""
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        try:
            pid = int(children.read_text().split()[0])
        except (OSError, IndexError):
            return False
        subprocess.run(["kill", "-INT", str(pid)], check=False)
        return True

    def judge(self, code: int, process: Process, interrupted: bool) -> None:
        said = process.errors()
        if code == 127 and "error while loading shared libraries" in said:
            self.before_main += 1
            self.endings["127 (loader)"] += 1
            return
        paused = " after a pause" if PAUSED in said else ""
        self.endings[f"{code}{paused}"] += 1
        demand(code in (0, 1, 130 if interrupted else 1), f"exit {code}: {said}")
        demand(code == 0 or "tidemill" in said or "each" in said, f"exit {code} without a word")

    def resume(self) -> None:
        runs = self.rig.runs()
        words = ("resume", "last", "--progress", "none")
        if not runs or self.rig.finish("show", "last")[0] != 0:
            words = self.words()  # the fault came before there was a run
            self.forget()
        code, process = self.rig.finish(*words, seconds=LIMIT)
        demand(code == 0, f"resume: exit {code}: {process.errors()}")
        run = max(self.rig.runs())
        done = self.rig.journal(run).names(DONE)
        demand(sorted(done) == sorted(self.names), f"{len(done)} of {TASKS} done after a resume")
        self.rig.check(run)


def points_of(sweep: Sweep, chosen: argparse.Namespace) -> list[Point]:
    """All of them, or a sample in which every call has its share."""
    calls = [chosen.call] if chosen.call else list(ERRORS)
    points = []
    for call in calls:
        most = sweep.count(call)
        print(f"{call}: {most} calls", flush=True)
        its = [Point(call, error, number, is_persistent) for error in ERRORS[call]
               for number in range(1, most + 1) for is_persistent in (False, True)]
        share = len(its) if chosen.all else min(len(its), -(-chosen.count // len(calls)))
        points += sweep.rig.dice.sample(its, share)
    return points


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    if not shutil.which("strace"):
        raise Skip("there is no strace here")
    sweep = Sweep(rig)
    points = [parsed(chosen.point)] if chosen.point else points_of(sweep, chosen)
    hit = 0
    wrong: list[str] = []
    for point in points:
        try:
            hit += sweep.try_point(point)
        except Wrong as reason:
            wrong.append(f"{point}: {reason}")
            print(f"WRONG {wrong[-1]}", flush=True)
    print(f"{len(points)} points, {hit} hit, exits: {dict(sweep.endings)}")
    demand(not wrong, f"{len(wrong)} points, the first: {wrong[0] if wrong else ''}\n"
                      "one alone: --point CALL:error=ERROR:when=NUMBER[+]")


def parsed(text: str) -> Point:
    call, error, when = text.split(":")
    number = when.removeprefix("when=")
    return Point(call, error.removeprefix("error="), int(number.rstrip("+")), number.endswith("+"))


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="every point, not a sample of --count")
    parser.add_argument("--call", choices=list(ERRORS), help="only faults of this call")
    parser.add_argument("--point", help="this one only, as it is printed")


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 25, test, options))
