"""The part `kills` of dupes_scan.py: SIGKILL while the program scans.

A kill comes at any moment of a scan, or within a millisecond after the log of the catalogue was
written to; one in eight comes into the start of the program. What a kill has cost is what the
process has read, as the system counts it, less what the catalogue knows more than before. The last
second is one of a machine that is free, see slowness.py.
"""
import argparse
import contextlib
import os
import pathlib
import signal
import sqlite3
import time

from dupes_rig import (SLOW, Report, Scanner, age, bytes_read_by, demand_groups, is_zombie,
                       make_large, make_small, truth_of)
from rig import Process, Rig, Wrong, demand, eventually, pause

SYMPTOMS = {"forged": "the groups differ", "forgotten": "read again", "damaged": "catalogue.db: ["}
MOST_KILLS = 5  # in a row: then there is nothing left to be read
MOST_LOST = 1.0  # seconds of work that a kill may cost
FORGOTTEN = "hash is not null and name >= x'6632' and name < x'6633'"  # f2...


def megabytes(count: float) -> str:
    return f"{count / 1e6:.1f} MB"


class Meter:
    """How much a process has read, by time: asked for while waiting for the moment to kill it."""

    def __init__(self, process: Process):
        self.process = process
        self.seen: list[tuple[float, int]] = [(time.monotonic(), 0)]

    def look(self) -> None:
        # Only root may ask a zombie; others keep what was seen last.
        self.seen.append((time.monotonic(), max(self.seen[-1][1], bytes_read_by(self.process))))

    def wait(self, seconds: float) -> None:
        limit = time.monotonic() + seconds
        while time.monotonic() < limit and not is_zombie(self.process):
            self.look()
            pause(min(0.01, max(0.0, limit - time.monotonic())))

    def wait_for_commit(self, log: pathlib.Path) -> None:
        """Until the log is written to: no pause in here, a commit takes less."""
        limit = time.monotonic() + 1
        before = size_of(log)
        while size_of(log) == before and time.monotonic() < limit:
            pass

    def read_since(self, when: float) -> int:
        return self.seen[-1][1] - max((n for at, n in self.seen if at <= when), default=0)


def size_of(path: pathlib.Path) -> tuple[int, int]:
    with contextlib.suppress(FileNotFoundError):
        stat = path.stat()
        return stat.st_size, stat.st_mtime_ns
    return 0, 0


class KilledScans:
    def __init__(self, rig: Rig, large: int, fault: str | None):
        self.rig = rig
        self.slowness = rig.slowness
        self.fault = fault
        tree = rig.folder / "tree"
        make_small(tree, rig.dice, 4000)
        make_large(tree / "large", large, 12_000_000)
        age(tree)
        self.scanner = Scanner(rig, tree, rig.folder / "catalogue.db", *SLOW)
        self.truth = truth_of(tree)
        clean = self.scanner.finish_without()
        demand_groups(clean.groups(), self.truth, "an undisturbed scan")
        self.hashes = clean.hashes()
        self.bytes: int = clean.totals["bytesRead"]
        self.seconds = float(clean.totals["seconds"])
        self.overhead = self.measure_overhead()
        self.kills = self.early = self.aimed = self.series = 0
        self.is_planted = False
        self.again: list[int] = []  # bytes that each kill has cost

    def measure_overhead(self) -> int:
        """What a scan reads beside contents: libraries, folders, the catalogue."""
        report = self.scanner.finish()
        demand(report.totals["bytesRead"] == self.bytes, "a first scan reads another amount")
        process = self.scanner.start()
        most = 0
        while not is_zombie(process):
            most = max(most, bytes_read_by(process))
        most = max(most, bytes_read_by(process))
        code = process.wait()
        demand(code == 0, f"exit {code}: {process.errors()}")
        read = Report(process).totals["bytesRead"]
        demand(read == 0, f"{read} bytes are read again although nothing has changed")
        return most

    def run_series(self, most: int) -> None:
        self.scanner.remove()
        self.series += 1
        known = 0
        read = 0
        for _ in range(most):
            cost = self.kill_once(known)
            if cost is None:
                break
            known = self.scanner.remembered()
            read += cost
        if self.fault and known and self.can_plant():
            self.is_planted = True
            self.plant()
        report = self.scanner.finish()
        demand_groups(report.groups(), self.truth, f"after {self.kills} kills")
        demand(report.hashes() == self.hashes, "the hashes differ")
        rest = report.totals["bytesRead"]
        demand(rest <= self.bytes - known, f"{rest} bytes were read by the last scan, "
               f"{self.bytes - known} were left: {rest - self.bytes + known} were read again")
        self.scanner.demand_true()

    def kill_once(self, known: int) -> int | None:
        """The bytes that it has read; None: it came to its end before."""
        process = self.scanner.start()
        meter = Meter(process)
        is_early = self.rig.dice.random() < 0.125
        is_aimed = not is_early and self.rig.dice.random() < 0.5
        meter.wait(self.rig.dice.uniform(0, 0.03 if is_early else 0.6 * self.seconds))
        if is_aimed:
            meter.wait_for_commit(self.scanner.log())
            pause(self.rig.dice.uniform(0, 0.001))
        meter.look()
        os.kill(process.pid, signal.SIGKILL)  # its zombie is ours until it is waited for
        at = time.monotonic()
        demand(eventually(lambda: is_zombie(process), 30), "it does not die")
        meter.look()
        code = process.wait()
        if code != -signal.SIGKILL:
            demand(code == 0, f"exit {code}: {process.errors()[-500:]}")
            return None
        self.kills += 1
        self.early += is_early
        self.aimed += is_aimed
        self.scanner.demand_sound()
        read = max(0, meter.seen[-1][1] - self.overhead)
        lost = max(0, read - (self.scanner.remembered() - known))
        slow = self.slowness.lost(meter.seen[0][0], at)
        allowed = meter.read_since(at - MOST_LOST - slow)
        demand(lost <= allowed, f"a kill has cost {megabytes(lost)}, only {megabytes(allowed)} "
                                f"were read in the last {MOST_LOST} s")
        self.again.append(lost)
        return read

    def can_plant(self) -> bool:
        """A scan that was killed soon has not remembered what the fault would change."""
        question = {"forged": "select count(distinct hash) > 1 from files where size = 600",
                    "forgotten": f"select count(hash) from files where {FORGOTTEN}",
                    "damaged": "select 1"}[self.fault]
        with self.scanner.copy() as db:
            return bool(db.execute(question).fetchone()[0])

    def plant(self) -> None:
        if self.fault == "forged":
            # A stranger of the same size in a group, with a checksum that is right.
            self.scanner.change(
                "update files set (hash, hash_checksum) ="
                " (select hash, hash_checksum from files where size = 600 order by hash desc limit 1)"
                " where size = 600 and hash = (select min(hash) from files where size = 600)")
        elif self.fault == "forgotten":
            self.scanner.change(f"update files set hash = null, hash_checksum = null where {FORGOTTEN}")
        else:
            damage(self.scanner.catalogue)
            self.scanner.demand_sound()

    def __str__(self) -> str:
        again = sorted(self.again) or [0]
        rate = self.bytes / self.seconds
        return (f"{self.kills} kills ({self.early} early, {self.aimed} right after a commit) in "
                f"{self.series} series; a whole scan reads {megabytes(self.bytes)} in "
                f"{self.seconds:.1f} s; a kill cost {megabytes(sum(again) / len(again))} on "
                f"average, {megabytes(again[-1])} at most ({again[-1] / rate:.2f} s of work)")


def damage(catalogue: pathlib.Path) -> None:
    # A page that is in the log too would hide what is written over it in the file.
    log = sqlite3.connect(catalogue)
    log.execute("pragma wal_checkpoint(truncate)").fetchall()
    log.close()
    with open(catalogue, "r+b") as file:
        file.seek(3 * 4096)
        file.write(b"\x55" * 4096)


def kills(rig: Rig, chosen: argparse.Namespace) -> None:
    scans = KilledScans(rig, chosen.large, chosen.expect_caught)
    try:
        while scans.kills < chosen.count:
            scans.run_series(min(MOST_KILLS, chosen.count - scans.kills))
        while chosen.expect_caught and not scans.is_planted and scans.kills < 10 * chosen.count:
            scans.run_series(MOST_KILLS)
    except Wrong as caught:
        print(scans)
        if SYMPTOMS.get(chosen.expect_caught, "no fault") not in str(caught):
            raise
        print(f"caught, as it should be: {caught}")
        return
    print(scans)
    demand(not chosen.expect_caught, f"the fault {chosen.expect_caught} was not noticed")
