#!/usr/bin/env python3
"""Cuts the power of the disk on which the program works, and looks what comes back.

The disk is an image, and a cut is a clone of it (see power_rig.py): ext4 or xfs, with the page cache
lost and another boot id. It comes at a random moment, within a millisecond after the journal, the
results, the database or the tree were written to, or right after the program said that all is done.
In three of four cases some files, drawn at random, are written back first: the kernel may do that
when it likes, in any order. The jobs are in power_jobs.py: `each` with --results, `import` in every
mode, `dupes` with every action and its `undo`, `batch` into a stream and into BullMQ.

What must hold on the machine that comes back, before and after the job is resumed, undone or run again:
- every task that is done has its whole output;
- the database is whole, and has every row once at the end;
- every name in the tree has its old contents or its new ones, and after `undo` the tree is as it was;
- every batch is in the queue, once;
- what the program had called complete before the cut is complete.

--expect-caught boot is the proof that this test can see anything: it runs a program that was built
with TIDEMILL_PLANT (see CMakeLists.txt here) and believes what the slate says after a reboot too.

Needs root and loop devices; says SKIP otherwise.
"""
import argparse
import contextlib
import os
import pathlib
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass

from power_jobs import Job, make_jobs, written_back
from power_rig import MAKE, Disk, Shelf, enter_namespaces
from rig import Process, Rig, Wrong, demand, eventually, pause, run_test

SYMPTOMS = {"boot": "do not have their output"}  # of the planted fault
RANDOM, AIMED, END = "random moment", "after a write", "at the end"
MOMENTS = (RANDOM, AIMED, AIMED, AIMED, END)
LIMIT = 120  # seconds for a run of less than one
MOST_WRONG = 20  # then it gives up


@dataclass
class Cut:
    image: pathlib.Path
    moment: str
    has_ended: bool


class Account:
    """Over all runs."""

    def __init__(self) -> None:
        self.kinds: Counter[str] = Counter()
        self.systems: Counter[str] = Counter()
        self.moments: Counter[str] = Counter()
        self.wrong: list[str] = []

    def __str__(self) -> str:
        return (f"{self.kinds.total()} cuts {dict(self.systems)}, {dict(self.moments)}, "
                f"{dict(self.kinds)}: {len(self.wrong)} wrong")


def stamps(job: Job) -> dict[pathlib.Path, int]:
    """Of what a cut is aimed at."""
    found = {}
    for path in [*(job.rig.state / "runs").glob("*/journal.db-wal"), *job.folders()]:
        with contextlib.suppress(OSError):
            found[path] = path.stat().st_mtime_ns
    return found


def wait_for_write(job: Job, process: Process) -> None:
    """No pause in here: what is aimed at takes less."""
    with contextlib.suppress(FileNotFoundError):
        before = stamps(job)
        limit = time.monotonic() + 0.2
        while time.monotonic() < limit and not process.has_ended():
            if stamps(job) != before:
                return


class Cuts:
    def __init__(self, shelf: Shelf, dice: random.Random, account: Account):
        self.shelf = shelf
        self.dice = dice
        self.account = account
        self.seconds: dict[str, float] = {}  # that a kind of job takes, as far as known

    def run(self, job: Job, most: int) -> None:
        """One run with up to `most` cuts."""
        system = self.dice.choice(list(MAKE))
        with contextlib.closing(Disk(self.shelf, system)) as disk:
            job.prepare(disk)
            disk.sync()
            cuts = self.take(job, disk, min(most, job.cuts))
            disk.unmount()
            for cut in cuts:
                self.judge(job, disk, cut)

    def take(self, job: Job, disk: Disk, most: int) -> list[Cut]:
        process = job.start()
        cuts: list[Cut] = []
        try:
            while len(cuts) < most and not (cuts and cuts[-1].has_ended):
                moment = self.dice.choice(MOMENTS)
                self.wait(job, process, moment)
                job.freeze(process)
                disk.write_back(written_back(job, self.dice))
                has_ended = process.has_ended()
                cuts.append(Cut(disk.cut(), moment, has_ended))
            if process.has_ended():
                code = process.wait(LIMIT)
                self.seconds[job.kind] = time.monotonic() - process.began
                demand(code in job.codes, f"{job.kind}: exit {code}: {process.errors()[-500:]}")
        finally:
            process.close()
        return cuts

    def wait(self, job: Job, process: Process, moment: str) -> None:
        if moment == END:
            demand(eventually(process.has_ended, LIMIT), f"{job.kind} does not end")
            return
        length = self.seconds.get(job.kind, 0.5)
        pause(self.dice.uniform(0, length / job.cuts))
        if moment == AIMED:
            wait_for_write(job, process)
            pause(self.dice.uniform(0, 0.001))

    def judge(self, job: Job, disk: Disk, cut: Cut) -> None:
        self.account.kinds[job.kind] += 1
        self.account.systems[disk.system] += 1
        self.account.moments[cut.moment] += 1
        try:
            with disk.rebooted(cut.image):
                job.judge(cut.has_ended)
        except Wrong as reason:
            self.account.wrong.append(f"{job.kind} on {disk.system}, {cut.moment}"
                                      f"{', ended' if cut.has_ended else ''}: {reason}")
            print(f"WRONG {self.account.wrong[-1]}", flush=True)


def cut_often(rig: Rig, chosen: argparse.Namespace, shelf: Shelf, account: Account) -> None:
    jobs = make_jobs(rig, lambda kind: kind.startswith(tuple(chosen.jobs.split(","))))
    demand(bool(jobs), f"no job is called {chosen.jobs}")
    rig.state = shelf.point / "state"
    rig.env["TIDEMILL_STATE"] = str(rig.state)
    cuts = Cuts(shelf, rig.dice, account)
    deck: list[Job] = []
    while account.kinds.total() < chosen.count and len(account.wrong) < MOST_WRONG:
        if not deck:
            deck = rig.dice.sample(jobs, len(jobs))
        cuts.run(deck.pop(), chosen.count - account.kinds.total())
        if chosen.expect_caught and account.wrong:
            return


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    if chosen.expect_caught:
        rig.env["TIDEMILL_PLANT"] = chosen.expect_caught
    account = Account()
    shelf = Shelf(rig)
    try:
        shelf.prepare()
        cut_often(rig, chosen, shelf, account)
    finally:
        for process in rig.processes:
            process.close()
        os.chdir("/")
        shelf.close()
        print(account)
    if not chosen.expect_caught:
        demand(not account.wrong, f"{len(account.wrong)} times, see above")
        return
    demand(bool(account.wrong), f"the planted fault {chosen.expect_caught} was not noticed")
    demand(SYMPTOMS[chosen.expect_caught] in account.wrong[-1],
           f"not the planted fault: {account.wrong[-1]}")
    print("caught, as it should be")


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", default="", help="only those whose names begin so: each,import")
    parser.add_argument("--expect-caught", choices=list(SYMPTOMS))


if __name__ == "__main__":
    enter_namespaces()
    sys.exit(run_test(__doc__, 20, test, options))
