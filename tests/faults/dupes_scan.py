#!/usr/bin/env python3
"""`dupes` and its catalogue, when the program, the tree or the disk does not keep still.

PART says which test; --count how many faults.
kills      SIGKILL at random moments and right after a commit, up to five in a row, then a scan to
           its end. Its groups are the true ones; the catalogue is intact after every kill; a kill
           costs at most what was read in the last second; what is in the catalogue is not
           read again.
mutations  One file in a hundred is rewritten in place with its old size and mtime, replaced,
           removed, added, or has changed places with another, again and again. Every scan finds
           what a scan without a catalogue finds, and what is true.
signals    SIGINT and SIGTERM while folders are listed, large files are hashed, groups are compared
           byte for byte: out within a second, exit 130 or 143, no half report. The next scan is
           right.
changes    Threads write to files while they are read. No such file is ever in a group, all others
           are in theirs, and every file is accounted for; exit 3 when some could not be read.
two        Of two scanners of a root the second is refused with exit 4 and told who the first is;
           when that one is killed, the next works at once. Two roots of a catalogue get along.
           (The first stands still by SIGSTOP: it is at work for as long as that takes.)
full       A disk without room for the catalogue: exit 1 and a reason, the tree is untouched, the
           catalogue intact; with room the next scan is right. Needs root, for the mount.

--expect-caught FAULT is the proof that `kills` can see anything: it changes the catalogue after a
kill, and fails unless that is found. `forged` gives a file the hash of another, `forgotten` takes
some hashes away, `damaged` writes over a page.

Seconds are those of a machine that is free, see slowness.py.
"""
import argparse
import os
import pathlib
import signal
import subprocess
import sys
import time

from dupes_rig import (SLOW, Scanner, age, bytes_read_by, demand_groups, is_stopped, look_at,
                       make_large, make_lonely, make_small, truth_of)
from dupes_scan_changes import changes, mutations
from dupes_scan_kills import SYMPTOMS, kills
from rig import Process, Rig, Skip, Wrong, demand, eventually, pause, run_test


class Signals:
    """Each phase gets its signals: one at once, then some at any moment of its first half. A signal
    that comes too late is followed by one at once."""

    MOST_TRIES = 10  # for each signal that must come during its phase

    def __init__(self, rig: Rig):
        self.rig = rig
        self.slowness = rig.slowness
        self.wide = rig.folder / "wide"
        make_lonely(self.wide, 20_000)
        self.deep = rig.folder / "large"
        make_large(self.deep, 4, 200_000_000)
        age(self.deep)
        self.truth = truth_of(self.deep)
        self.took: dict[str, list[float]] = {"sweep": [], "hash": [], "verify": []}
        self.missed = 0

    def strike_often(self, phase: str, wanted: int) -> None:
        scanner, process = self.begin(phase)
        began = time.monotonic()
        process.wait()
        length = time.monotonic() - began
        was_heard = False
        for _ in range(wanted * self.MOST_TRIES):
            if len(self.took[phase]) == wanted:
                return
            scanner, process = self.begin(phase)
            pause(self.rig.dice.uniform(0, length / 2) if was_heard else 0)
            was_heard = self.strike(phase, process)
            report = scanner.finish(*self.more(phase), "--jobs", "2")
            demand_groups(report.groups(), set() if phase == "sweep" else self.truth,
                          f"after a signal during {phase}")
            scanner.demand_sound()
        demand(len(self.took[phase]) == wanted,
               f"{phase}: only {len(self.took[phase])} signals were heard, {self.missed} were not")

    @staticmethod
    def more(phase: str) -> tuple[str, ...]:
        return ("--verify", "--jobs", "1") if phase == "verify" else ()

    def begin(self, phase: str) -> tuple[Scanner, Process]:
        """A scan that is in this phase."""
        scanner = Scanner(self.rig, self.wide if phase == "sweep" else self.deep,
                          self.rig.folder / f"{phase}.db")
        scanner.options = SLOW if phase == "hash" else ()
        if phase != "verify":
            scanner.remove()
        elif not scanner.catalogue.exists():
            scanner.finish()  # from now on it only compares
        process = scanner.start(*self.more(phase))
        lock = pathlib.Path(f"{scanner.catalogue}-lock")
        while phase == "sweep" and not lock.exists() and not process.has_ended():
            pass  # it does not take long
        eventually(lambda: phase == "sweep" or bytes_read_by(process) > 20_000_000
                   or process.has_ended(), 60)
        return scanner, process

    def strike(self, phase: str, process: Process) -> bool:
        """False: it came to its end before."""
        chosen = self.rig.dice.choice((signal.SIGINT, signal.SIGTERM))
        sent = time.monotonic()
        process.signal(chosen)
        code = process.wait(60)
        took = self.slowness.fair(sent)
        demand(took < 1, f"{phase}: {took:.2f} s to leave after {chosen.name}")
        if code == 0:
            self.missed += 1
            return False
        expected = {signal.SIGINT: 130, signal.SIGTERM: 143}[chosen]
        demand(code == expected, f"{phase}: exit {code} after {chosen.name}: {process.errors()}")
        demand(not process.lines, f"{phase}: half a report: {process.lines[:1]}")
        demand("Interrupted" in process.errors(), f"{phase}: not a word: {process.errors()!r}")
        self.took[phase].append(took)
        return True


def signals(rig: Rig, chosen: argparse.Namespace) -> None:
    tests = Signals(rig)
    for phase, took in tests.took.items():
        tests.strike_often(phase, -(-chosen.count // 3))
        took.sort()
        slow = took[min(len(took) - 1, len(took) * 99 // 100)]
        print(f"{phase}: {len(took)} signals, out after {took[len(took) // 2] * 1000:.0f} ms "
              f"(median), {slow * 1000:.0f} ms (99 %)")
    print(f"{tests.missed} scans ended before their signal")


def stopped_in_the_middle(scanner: Scanner) -> Process:
    """A scan that stands still and holds its root, but is not just writing to the catalogue."""
    for _ in range(20):
        scanner.remove()
        process = scanner.start()
        eventually(lambda: bytes_read_by(process) > 20_000_000 or process.has_ended(), 60)
        while not process.has_ended():
            process.signal(signal.SIGSTOP)
            eventually(lambda: is_stopped(process) or process.has_ended(), 60)
            if not process.has_ended() and scanner.may_be_written():
                return process
            process.signal(signal.SIGCONT)
            pause(0.01)
    raise Wrong("every scan has ended before it could be stopped")


def two(rig: Rig, chosen: argparse.Namespace) -> None:
    slowness = rig.slowness
    tree = rig.folder / "tree"
    make_large(tree, 6, 100_000_000)
    other = rig.folder / "other"
    make_small(other, rig.dice, 50)
    age(tree)
    truth = truth_of(tree)
    (rig.folder / "link").symlink_to(tree)
    scanner = Scanner(rig, tree, rig.folder / "catalogue.db", *SLOW)
    waited = []
    for number in range(chosen.count):
        holder = stopped_in_the_middle(scanner)
        second = Scanner(rig, rig.folder / ("link" if number % 2 else "tree"), scanner.catalogue)
        process = second.start()
        code = process.wait(60)
        demand(code == 4, f"the second scanner: exit {code}: {process.errors()}")
        demand(f"process {holder.pid} " in process.errors(),
               f"who holds it is not told: {process.errors()}")
        demand(not process.lines, f"the second scanner reports: {process.lines[:1]}")
        beside = Scanner(rig, other, scanner.catalogue).finish()
        demand_groups(beside.groups(), truth_of(other), "another root")
        holder.signal(signal.SIGKILL)
        code = holder.wait()
        demand(code == -signal.SIGKILL, f"exit {code} of the first: it was not killed")
        began = time.monotonic()
        report = scanner.finish("--hash", "xxh3", "--jobs", "2")
        waited.append(slowness.fair(began) - float(report.totals["seconds"]))
        demand_groups(report.groups(), truth, "after the holder was killed")
        scanner.demand_true()
    print(f"{len(waited)} holders killed; the next one lost at most {max(waited) * 1000:.0f} ms")
    demand(max(waited) < 1, f"{max(waited):.1f} s until the next one began")


def full(rig: Rig, _chosen: argparse.Namespace) -> None:
    if os.geteuid() != 0:
        raise Skip("only root may mount a tmpfs")
    tree = rig.folder / "tree"
    make_small(tree, rig.dice, 3000)
    make_lonely(tree / "lonely", 6000)
    age(tree)
    before = look_at(tree)
    scanner = Scanner(rig, tree, rig.folder / "disk" / "catalogue.db")
    truth = scanner.finish_without().groups()
    disk = rig.folder / "disk"
    disk.mkdir()
    # The catalogue alone has 740 kB: it never fits, however few commits there are.
    for kilobytes in (40, 250, 450, 650):
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", disk],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Skip(f"no tmpfs can be mounted here: {done.stderr.strip()}")
        try:
            run_out_of_room(scanner, kilobytes)
            subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
            report = scanner.finish()
            demand_groups(report.groups(), truth, f"with room again after {kilobytes} kB")
            scanner.demand_sound()
            print(f"{kilobytes} kB: goes on with {report.totals['cached']} of "
                  f"{report.totals['candidates']} remembered")
        finally:
            subprocess.run(["umount", "-l", disk], check=False)
        demand(look_at(tree) == before, "the tree was touched")


def run_out_of_room(scanner: Scanner, kilobytes: int) -> None:
    process = scanner.start()
    code = process.wait(60)
    said = process.errors()
    demand(code == 1, f"exit {code} on a disk of {kilobytes} kB: {said}")
    demand("full" in said.lower() or "no space" in said.lower(), f"no clear word: {said}")
    demand(not process.lines, f"a report after a failure: {process.lines[:1]}")
    scanner.demand_sound()
    print(f"{kilobytes} kB: {said.strip()}")


PARTS = {"kills": kills, "mutations": mutations, "signals": signals, "changes": changes,
         "two": two, "full": full}


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("part", choices=list(PARTS))
    parser.add_argument("--expect-caught", choices=list(SYMPTOMS))
    parser.add_argument("--large", type=int, default=16, help="large files for kills: more of them "
                        "make a scan longer")


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 30, lambda rig, chosen: PARTS[chosen.part](rig, chosen), options))
