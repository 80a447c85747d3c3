#!/usr/bin/env python3
"""Kills `dupes --apply` and `undo` at their system calls.

Each point is a system call and a number: strace kills the program when it enters that call for the
nth time. Points are drawn from all calls that change something, of every action, until --count
kills have come: strace counts the calls of each thread apart, so some points are never reached.
After the kill every name has its old contents or its new ones; then `resume` ends what was begun,
or `undo` takes it back, and no temporary name is left. After `undo` everything is as it was:
contents, mode, time, and which names are one file. A run that was not killed itself leaves no folders.
"""
import argparse
import collections
import contextlib
import os
import pathlib
import shutil
import sqlite3
import sys

from rig import DONE, Process, Rig, Skip, Wrong, demand, run_test
from strace import strace

CALLS = ("renameat2", "linkat", "unlinkat", "fsync", "fdatasync", "pwrite64", "openat", "statx",
         "mkdirat", "copy_file_range", "fcntl")
ACTIONS = ("hardlink", "delete", "move:away")
GROUPS, COPIES = 4, 3
LIMIT = 120  # seconds for a run under strace
MOST_TRIES = 4  # for each kill that must come


class Tree:
    """Groups of equal files; the second and the last name of a group are one file."""

    def __init__(self, folder: pathlib.Path, groups: int = GROUPS):
        self.folder = folder
        self.groups = groups
        self.before: dict[str, tuple] = {}

    def make(self) -> None:
        shutil.rmtree(self.folder / "tree", ignore_errors=True)
        shutil.rmtree(self.folder / "away", ignore_errors=True)
        for copy in range(COPIES):
            (self.folder / "tree" / str(copy)).mkdir(parents=True)
        for group in range(self.groups):
            for copy in range(COPIES):
                path = self.folder / "tree" / str(copy) / f"{group}\n"
                path.write_bytes(f"group {group}\n".encode() * 1000)
                path.chmod(0o640)
                os.utime(path, ns=(10**18, 10**18 + group))
            path = self.folder / "tree" / str(COPIES - 1)
            (path / f"{group} twin").hardlink_to(path / f"{group}\n")
        self.before = self.look()

    def look(self, folder: str = "tree") -> dict[str, tuple]:
        """What is at every name: contents, mode, time, inode."""
        seen = {}
        for path in sorted((self.folder / folder).rglob("*")):
            if path.is_file():
                stat = path.stat()
                name = str(path.relative_to(self.folder / folder))
                seen[name] = (path.read_bytes(), stat.st_mode, stat.st_mtime_ns, stat.st_ino)
        return seen

    def demand_old_or_new(self, action: str) -> None:
        now, away = self.look(), self.look("away")
        for name, facts in self.before.items():
            is_kept = name.startswith("0/")
            if name in now:
                demand(now[name][0] == facts[0], f"{name!r} has other contents")
            elif action == "delete":
                demand(not is_kept, f"the kept {name!r} is gone")
            elif action.startswith("move"):
                demand(not is_kept, f"the kept {name!r} is gone")
                hidden = [seen for other, seen in now.items() if ".tidemill-" in other]
                there = [away[name]] if name in away else hidden
                demand(any(seen[0] == facts[0] for seen in there), f"{name!r} is nowhere")
            else:
                raise Wrong(f"{name!r} is missing")

    def demand_tidy(self) -> None:
        strays = [name for folder in ("tree", "away") for name in self.look(folder)
                  if ".tidemill-" in name]
        demand(not strays, f"left over: {strays}")

    def demand_no_folders(self) -> None:
        """Of a run that could note all that it made."""
        demand(not (self.folder / "away").exists(), "folders that were made are left")

    def demand_new(self, action: str) -> None:
        self.demand_tidy()
        self.demand_old_or_new(action)
        now, away = self.look(), self.look("away")
        if action == "hardlink":
            files = {facts[3] for facts in now.values()}
            demand(len(files) == self.groups, f"{len(files)} files are left, not {self.groups}")
        else:
            demand(len(now) == self.groups, f"{len(now)} names are left, not {self.groups}")
            wanted = self.groups * COPIES if action.startswith("move") else 0
            demand(len(away) == wanted, f"{len(away)} were moved, not {wanted}")

    def demand_old(self) -> None:
        self.demand_tidy()
        now = self.look()
        demand({name: facts[:3] for name, facts in now.items()}
               == {name: facts[:3] for name, facts in self.before.items()},
               "contents, mode or time are not as before")
        pairs = {(self.before[name][3], now[name][3]) for name in now}
        files = {facts[3] for facts in self.before.values()}
        demand(len(pairs) == len(files) == len({new for _, new in pairs}),
               "names that were one file are not, or the other way round")


class Kills:
    def __init__(self, rig: Rig):
        self.rig = rig
        self.tree = Tree(rig.folder)
        self.log = rig.folder / "strace.log"

    def watched(self, call: str, words: tuple[str, ...], *inject: str) -> Process:
        return self.rig.start(*words, wrapper=strace(self.log, "-e", f"trace={call}", *inject))

    def begin(self) -> None:
        shutil.rmtree(self.rig.state, ignore_errors=True)
        self.tree.make()

    @staticmethod
    def acting(action: str) -> tuple[str, ...]:
        return ("dupes", "tree", "--action", action, "--apply")

    def done(self, *words: str) -> None:
        code, process = self.rig.finish(*words, seconds=LIMIT)
        demand(code == 0, f"{words}: exit {code}: {process.errors()}")

    def counts(self, action: str, calls: list[str]) -> dict[tuple[str, str], int]:
        """How often each call is made, by the action and by its undo."""
        counts = {}
        for call in calls:
            self.begin()
            for phase, words in (("act", self.acting(action)), ("undo", ("undo", "last"))):
                process = self.watched(call, words)
                code = process.wait(LIMIT)
                demand(code == 0, f"without a kill, {words}: exit {code}: {process.errors()}")
                counts[phase, call] = len(self.log.read_text().splitlines())
        return counts

    def has_plan(self) -> bool:
        """A task is in the journal; without one nothing may have been done."""
        for run in self.rig.runs():
            try:
                with contextlib.closing(sqlite3.connect(self.rig.state / "runs" / run
                                                        / "journal.db")) as db:
                    return db.execute("select count(*) from task").fetchone()[0] > 0
            except sqlite3.Error:
                pass  # it was not made yet
        return False

    def kill_at(self, words: tuple[str, ...], call: str, number: int) -> bool:
        inject = ("-e", f"inject={call}:signal=KILL:when={number}")
        return self.watched(call, words, *inject).wait(LIMIT) != 0

    def try_point(self, action: str, phase: str, call: str, number: int, resumes: bool) -> bool:
        self.begin()
        if phase == "undo":
            self.done(*self.acting(action))
            was_hit = self.kill_at(("undo", "last"), call, number)
            self.tree.demand_old_or_new(action)
            self.done("undo", "last")
            self.tree.demand_old()
            self.tree.demand_no_folders()
            return was_hit
        was_hit = self.kill_at(self.acting(action), call, number)
        self.tree.demand_old_or_new(action)
        if not self.has_plan():
            self.tree.demand_old()
            return was_hit
        if resumes:
            self.resume(action)
        self.done("undo", "last")
        self.tree.demand_old()
        return was_hit

    def resume(self, action: str) -> None:
        self.done("resume", "last")
        self.tree.demand_tidy()
        self.tree.demand_old_or_new(action)
        journal = self.rig.journal(max(self.rig.runs()))
        demand(all(state == DONE for state in journal.states.values()),
               f"not all is done: {journal.states}")
        if len(journal.states) == GROUPS * COPIES:  # the plan was whole
            self.tree.demand_new(action)


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    if not shutil.which("strace"):
        raise Skip("there is no strace here")
    kills = Kills(rig)
    points = []
    for action in ACTIONS:
        for (phase, call), count in kills.counts(action, chosen.calls.split(",")).items():
            points += [(action, phase, call, number) for number in range(1, count + 1)]
    rig.dice.shuffle(points)
    hits: collections.Counter[str] = collections.Counter()
    tried = 0
    for point in points[:MOST_TRIES * chosen.count] if chosen.count else points:
        tried += 1
        try:
            hits[point[1]] += kills.try_point(*point, resumes=tried % 2 == 0)
        except Wrong as reason:
            raise Wrong(f"{' '.join(map(str, point))}: {reason}") from None
        if hits.total() == chosen.count:
            break
    print(f"{len(points)} points, {tried} tried, killed: {dict(hits)}")
    demand(hits.total() >= (chosen.count or len(points) // 2), "the kills do not come")


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--calls", default=",".join(CALLS), help="only these; --count 0: all points")


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 60, test, options))
