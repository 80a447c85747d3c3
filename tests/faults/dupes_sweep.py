#!/usr/bin/env python3
"""Lets system calls of `dupes --apply` and `undo` fail, once and for ever.

Each point is an action, a phase (act, undo), a call, a number, and whether the call fails only that
time or from then on. After the failure no name is missing that the journal does not account for;
the exit status is 0 only when nothing is left; `check` names every temporary that is. Then, without
faults, `resume` leaves no temporary and `letters retry` does the rest, or `undo` takes it all back:
contents, mode, time, and which names are one file.

With few descriptors, and as many steps as are worth it, it looks as well how often there is a sync.
--calls and --actions narrow the points, --files is the size of the tree, --count 0 tries all points,
--share 1/4 every fourth of them. TMPDIR in memory makes it several times faster.
"""
import argparse
import collections
import itertools
import re
import shutil
import sys

from dupes_kill import ACTIONS, COPIES, LIMIT, Kills, Tree
from rig import DONE, Rig, Skip, Wrong, demand, run_test

CALLS = ("unlinkat", "renameat2", "linkat", "fsync", "syncfs", "openat", "statx", "fcntl")
ERRORS = ("EIO", "ENOSPC", "EDQUOT")
SYNCS = 40  # of which the journal has some
SKIPPED = 2  # state of a task in the journal
FEW = 24  # descriptors: less than the steps of one batch would hold
NOT_STARTED = 127  # a library could not be opened


class Sweep(Kills):
    def __init__(self, rig: Rig, groups: int):
        super().__init__(rig)
        self.tree = Tree(rig.folder, groups)
        self.codes: collections.Counter[str] = collections.Counter()

    def counts(self, action: str, calls: list[str]) -> dict[tuple[str, str], int]:
        """As of the kills, from one run for all calls."""
        self.begin()
        counts: collections.Counter[tuple[str, str]] = collections.Counter()
        for phase, words in (("act", self.acting(action)), ("undo", ("undo", "last"))):
            process = self.watched(",".join(calls), words)
            code = process.wait(LIMIT)
            demand(code == 0, f"without a fault, {words}: exit {code}: {process.errors()}")
            for line in self.log.read_text().splitlines():
                call = re.search(r"^\d+ +(?:<\.\.\. )?(\w+)", line)
                if call and "resumed>" not in line:
                    counts[phase, call[1]] += 1
        return counts

    def demand_few_syncs(self) -> None:
        """One sync serves many steps, of `undo` too: a disk does only a few hundred in a second."""
        for action in ACTIONS:
            counts = self.counts(action, ["fsync", "syncfs"])
            for phase in ("act", "undo"):
                syncs = counts[phase, "fsync"] + counts[phase, "syncfs"]
                demand(syncs < SYNCS, f"{action}, {phase}: {syncs} syncs for "
                                      f"{self.tree.groups * COPIES} steps")

    def temporaries(self) -> list[str]:
        return [name for folder in ("tree", "away") for name in self.tree.look(folder)
                if ".tidemill-" in name]

    def demand_accounted(self, action: str, code: int) -> None:
        """What is missing is done, or is not over; and then the program has said so."""
        demand(code in (0, 1, 3), f"exit {code}")
        self.tree.demand_old_or_new(action)
        left = self.temporaries()
        demand(code != 0 or not left, f"exit 0, and {left} are left")
        if not self.has_plan():
            demand(not left, f"there is no run, and {left} are left")
            self.tree.demand_old()
            return
        journal = self.rig.journal(max(self.rig.runs()))
        now = self.tree.look()
        for name in self.tree.before:
            if name not in now and code == 0:
                demand(journal.states.get(f"tree/{name}") == DONE, f"{name!r} is missing, exit 0")
        said_code, process = self.rig.finish("check", "last", seconds=LIMIT)
        said = b"".join(process.lines).decode()
        for name in left:
            demand(name.rpartition("/")[2] in said, f"check does not name {name}: {said}")
        demand(said_code == 1 or not left, "check finds nothing wrong")

    def demand_clean(self) -> None:
        self.tree.demand_tidy()
        code, process = self.rig.finish("check", "last", seconds=LIMIT)
        demand(code == 0, f"check: {process.lines}")

    def resume(self, action: str) -> None:
        code, process = self.rig.finish("resume", "last", seconds=LIMIT)
        demand(code in (0, 3), f"resume: exit {code}: {process.errors()}")
        self.demand_clean()
        self.tree.demand_old_or_new(action)
        if code == 3:
            self.done("letters", "last", "retry", "--all")
            self.demand_clean()
        if len(self.rig.journal(max(self.rig.runs())).states) == self.tree.groups * COPIES:
            self.tree.demand_new(action)

    def fail_at(self, words: tuple[str, ...], call: str, when: str, error: str) -> int:
        process = self.watched(call, words, "-e", f"inject={call}:error={error}:when={when}")
        code = process.wait(LIMIT)
        if "INJECTED" not in self.log.read_text() or code == NOT_STARTED:
            return -1
        self.codes[f"{words[0]} {code}"] += 1
        return code

    def try_failure(self, action: str, phase: str, call: str, when: str, resumes: bool) -> bool:
        error = self.rig.dice.choice(ERRORS)
        self.begin()
        if phase == "undo":
            self.done(*self.acting(action))
            code = self.fail_at(("undo", "last"), call, when, error)
            if code < 0:
                return False
            self.demand_accounted(action, code)
            if code == 0:
                self.tree.demand_old()
        else:
            code = self.fail_at(self.acting(action), call, when, error)
            if code < 0:
                return False
            self.demand_accounted(action, code)
            if not self.has_plan():
                return True
            states = self.rig.journal(max(self.rig.runs())).states
            declined = [name for name, state in states.items() if state == SKIPPED]
            demand(not declined, f"nobody changed {declined}: the call has failed")
            if resumes:
                self.resume(action)
        self.done("undo", "last")
        self.tree.demand_old()
        self.demand_clean()
        if phase == "undo":
            self.tree.demand_no_folders()
        return True

    def few_descriptors(self) -> None:
        """Steps wait for each other's."""
        for action in ACTIONS:
            self.begin()
            for words in (self.acting(action), ("undo", "last")):
                process = self.rig.start(*words, wrapper=("prlimit", f"--nofile={FEW}"))
                code = process.wait(LIMIT)
                demand(code == 0, f"{words} with {FEW} descriptors: exit {code}: "
                                  f"{process.errors()}")
            self.tree.demand_old()


def points_of(sweep: Sweep, chosen: argparse.Namespace) -> list[tuple]:
    points = []
    for action in chosen.actions.split(","):
        for (phase, call), count in sweep.counts(action, chosen.calls.split(",")).items():
            points += [(action, phase, call, f"{number}{more}")
                       for number in range(1, count + 1) for more in ("", "+")]
    return points


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    if not shutil.which("strace"):
        raise Skip("there is no strace here")
    sweep = Sweep(rig, max(1, chosen.files // (COPIES + 1)))
    if chosen.few_descriptors:
        sweep.demand_few_syncs()
        return sweep.few_descriptors()
    if chosen.expect_caught:  # the planted program leaves what failed steps have left
        try:
            sweep.try_failure("hardlink", "act", "unlinkat", "1+", resumes=False)
        except Wrong as reason:
            print(f"caught: {reason}")
            return
        raise Wrong("the planted fault was not seen")
    points = [tuple(chosen.point.split(","))] if chosen.point else points_of(sweep, chosen)
    part, parts = map(int, chosen.share.split("/"))
    points = points[part - 1::parts]
    total = len(points)
    # In turns: a handful must not miss a call by chance.
    rig.dice.shuffle(points)
    by_call: dict[str, list[tuple]] = {}
    for point in points:
        by_call.setdefault(point[2], []).append(point)
    turns = itertools.zip_longest(*by_call.values())
    points = [point for turn in turns for point in turn if point]
    hits: collections.Counter[str] = collections.Counter()
    wrong = []
    for tried, point in enumerate(points[:chosen.count] if chosen.count else points):
        try:
            hits[point[2]] += sweep.try_failure(*point, resumes=tried % 2 == 0)
        except Wrong as reason:
            wrong.append(f"{','.join(point)}: {reason}")
            print("WRONG", wrong[-1], flush=True)
    print(f"{total} points, failed calls: {dict(hits)}, {hits.total()} in all; "
          f"exits: {dict(sweep.codes)}; wrong: {len(wrong)}")
    demand(not wrong, f"{len(wrong)} points, the first: {wrong[:1]}")
    demand(hits.total() > 0, "no call has failed")


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--calls", default=",".join(CALLS))
    parser.add_argument("--actions", default=",".join(ACTIONS))
    parser.add_argument("--files", type=int, default=16, help="names in the tree")
    parser.add_argument("--share", default="1/1", help="only these points: the first of four is 1/4")
    parser.add_argument("--point", help="only this one: ACTION,PHASE,CALL,WHEN")
    parser.add_argument("--few-descriptors", action="store_true", help="this, and no failing calls")
    parser.add_argument("--expect-caught", choices=("failed",), help="the program is the planted one")


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 60, test, options))
