#!/usr/bin/env python3
"""A queue that is full, and a disk that is, under a producer of `batch`.

`queue`: with --max-queued 5 and a slow consumer there are never more batches in the queue than
that and one group; the producer goes on by itself, and ends when the consumer has made room.

`disk`: the state folder is on a small tmpfs that a ballast file fills. The producer says "Paused"
once, sends nothing that is not in its journal, and with room again it goes on to the end; when it
is interrupted in the pause, it is out within five seconds (of a machine that is free, see
slowness.py), and `resume` completes the run.

All batches of an undisturbed run must have come, once. `disk` needs root, for the mount.
"""
import argparse
import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

from batch_redis import Redis
from batch_rig import BULL, LIMIT, STREAM, Consumer, Mill, Place, Tree, Truth
from rig import Process, Rig, Skip, demand, eventually, pause, run_test

FILES = 2_000
MOST_QUEUED = 5
GROUP = 100  # batches that go together at most


class Bench:
    """What all runs share."""

    def __init__(self, rig: Rig, files: int):
        self.rig = rig
        self.redis = Redis(rig, "--save", "")
        self.redis.wait_ready()
        self.mill = Mill(rig, Tree.make(rig, "tree", files), "-m", "40", "--max-files", "2",
                         "--progress", "none", "--no-catalogue", "--settle", "0")
        self.truth: Truth = self.mill.truth(self.redis)
        print(f"{self.mill.tree.count()} files, {len(self.truth.order)} batches", flush=True)


def full_queue(bench: Bench, kind: str) -> None:
    place = Place(kind, "full")
    # One at a time, and it looks at the depth before each.
    consumer = Consumer(place, bench.redis.client, most=1, every=0.002)
    process = bench.mill.start(bench.rig.folder / f"state {kind}", place, bench.redis.url(),
                               "--max-queued", str(MOST_QUEUED))
    client = bench.redis.client()
    demand(eventually(lambda: "waiting for the workers" in process.errors(), LIMIT),
           f"it does not wait: {process.errors()}")
    before = place.depth(client)
    pause(1.2)  # nobody works: nothing may come
    demand(place.depth(client) == before, f"{place.depth(client)} batches, before {before}")
    began = time.monotonic()
    consumer.start()
    code = process.wait(LIMIT)
    demand(code == 0, f"exit {code}: {process.errors()}")
    bench.truth.demand_all(consumer.finish(client))
    print(f"{kind}: at most {max(before, consumer.deepest)} of {MOST_QUEUED} in the queue, "
          f"{time.monotonic() - began:.1f} s")
    demand(max(before, consumer.deepest) <= MOST_QUEUED + GROUP, "too many in the queue")


class FullDisk:
    """A small file system for the state."""

    def __init__(self, bench: Bench, name: str):
        self.bench = bench
        self.folder = bench.rig.folder / name
        self.folder.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", self.folder],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Skip(f"no tmpfs can be mounted here: {done.stderr.strip()}")
        self.place = Place(STREAM, name)
        self.client = bench.redis.client()

    def start(self) -> Process:
        """It fills up by itself: the journal wants more than there is."""
        process = self.bench.mill.start(self.folder / "state", self.place, self.bench.redis.url())
        demand(eventually(lambda: "Paused" in process.errors() or process.has_ended(), LIMIT),
               f"no word about a full disk: {process.errors()}")
        demand(not process.has_ended(), f"ended on a full disk: {process.errors()}")
        pause(2.5)  # more tries of the program; what the journal has still goes out
        sent, known = self.place.depth(self.client), self.in_journal()
        print(f"paused with {sent} batches sent, {known} in the journal")
        demand(sent <= known, "it goes on without a journal")
        return process

    def in_journal(self) -> int:
        """In a copy: there is no room to read it where it is."""
        copy = self.bench.rig.folder / f"copy of {self.place.name}"
        run = max((self.folder / "state" / "runs").iterdir())
        shutil.copytree(run, copy, ignore=shutil.ignore_patterns("*-shm"))
        with contextlib.closing(sqlite3.connect(copy / "journal.db")) as db:
            return db.execute("select count(*) from task join type on type.id = task.type"
                              " where type.name = cast('batch' as blob)").fetchone()[0]

    def make_room(self) -> None:
        subprocess.run(["mount", "-o", "remount,size=64m", self.folder], check=True)

    def judge(self, process: Process) -> None:
        self.bench.truth.demand_all(self.place.stream(self.client))
        self.bench.mill.demand_sums(process)

    def close(self) -> None:
        for process in self.bench.rig.processes:
            if isinstance(process, Process):
                process.close()
        subprocess.run(["umount", "-l", self.folder], check=False)


def goes_on_by_itself(disk: FullDisk) -> None:
    process = disk.start()
    demand(process.errors().count("Paused") == 1, f"it said more than once: {process.errors()}")
    disk.make_room()
    code = process.wait(LIMIT)
    demand(code == 0, f"exit {code} after there was room: {process.errors()}")
    demand("available again" in process.errors(), "it did not say that it resumed")
    disk.judge(process)


def can_be_interrupted(disk: FullDisk) -> None:
    slowness = disk.bench.rig.slowness
    process = disk.start()
    began = time.monotonic()
    process.signal(signal.SIGINT)
    code = process.wait(LIMIT)
    took = slowness.fair(began)
    print(f"interrupted in the pause: out after {took:.2f} s")
    demand(code == 130, f"exit {code}: {process.errors()}")
    demand(took < 5, f"out after {took:.1f} s")
    disk.make_room()
    process = disk.bench.mill.resume(disk.folder / "state")
    code = process.wait(LIMIT)
    demand(code == 0, f"resume: exit {code}: {process.errors()}")
    disk.judge(process)


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    if chosen.part == "queue":
        bench = Bench(rig, FILES // 4)
        for kind in (STREAM, BULL):
            full_queue(bench, kind)
        return
    if os.geteuid() != 0:
        raise Skip("only root may mount a tmpfs")
    bench = Bench(rig, FILES * 3)
    for name, part in (("waits", goes_on_by_itself), ("interrupted", can_be_interrupted)):
        disk = FullDisk(bench, name)
        try:
            part(disk)
        finally:
            disk.close()


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("part", choices=("queue", "disk"))


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 1, test, options))
