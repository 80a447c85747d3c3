#!/usr/bin/env python3
"""Kills the producer of `batch` at its system calls, and resumes it until it is complete.

A point is a system call and a number: strace kills the program when one of its threads enters that
call for the nth time. The call is drawn first, so that the few that count (a sync, a message to
Redis, the removal of a log) are hit as often as the thousands of writes. Other kills come when a
group of batches has left and not arrived, when part of it has, when it was taken and the answer is
on its way, or at a random moment. Some are polite: a signal that the program answers by stopping,
while it works or while Redis lets it wait. Half of the runs have a slow wire to Redis. One time in
three the process that resumes is killed as well, up to three times. Batches go into a stream, into
a queue of BullMQ whose jobs are taken away as they come, or to standard output as lines.

What must hold when it is complete: every batch of an undisturbed run has come, with the same id and
the same bytes, and no other; one that came twice is the same both times. found = done + skipped
+ failed, as many as a walk of our own finds. The journal is intact, and nothing waits in it.

--expect-caught double is the proof that this test can see anything: it forges what arrived, and
--expect-caught lost leaves one out.
"""
import argparse
import contextlib
import json
import shutil
import signal
import sqlite3
import sys
import threading
from collections import Counter

from batch_redis import Redis, Wire
from batch_rig import (BULL, LIMIT, LINES, STREAM, Batch, Consumer, Mill, Place, Tree, Truth,
                       close_all)
from rig import DONE, PENDING, Process, Rig, Skip, Wrong, demand, eventually, pause, run_test

FILES = 1_500  # more batches than wait between the threads of the program
CALLS = ("sendto", "recvfrom", "poll", "connect", "fdatasync", "pwrite64", "pread64", "unlink",
         "ftruncate", "rename", "openat", "openat2", "getdents64", "close", "futex", "clone3",
         "write", "exit_group")
RANDOM = "random moment"
ON_THE_WIRE = ("group held", "part of it held", "answer held")
DRAWN = (*CALLS, *("sendto", "recvfrom", "fdatasync", "pwrite64") * 2, *[RANDOM] * 4,
         *ON_THE_WIRE * 3)
POLITE = {"SIGINT": 130, "SIGTERM": 143, "SIGHUP": 129}  # and the status that tells of it
MOST_KILLS = 3  # of a run
KILLED = -signal.SIGKILL
FORGERIES = {"double": "no batch of an undisturbed run", "lost": "batches are lost"}


class Account:
    """Over all runs."""

    def __init__(self) -> None:
        self.kills: Counter[str] = Counter()
        self.runs: Counter[str] = Counter()
        self.doubles: Counter[str] = Counter()
        self.tried = self.again = self.stillborn = 0

    def __str__(self) -> str:
        return (f"{self.kills.total()} kills of {self.tried} tried {dict(self.kills)}, "
                f"{self.again} of them in a resume, {self.stillborn} before there was a run; "
                f"{dict(self.runs)} runs, came twice: {dict(self.doubles)}")


class KilledRun:
    """One run, from its first process to its last."""

    def __init__(self, court: "Court", number: int):
        self.court = court
        self.dice = court.rig.dice
        self.kind = self.dice.choice((STREAM, STREAM, BULL, LINES))
        self.place = Place(self.kind, f"k{number}")
        self.state = court.rig.folder / f"state{number}"
        self.wire = Wire(court.redis.port, self.dice.choice((0, self.dice.uniform(0, 0.01))))
        self.printed: list[Batch] = []
        self.points: list[str] = []
        self.kills = 0
        self.consumer: Consumer | None = None
        if self.kind == BULL:
            self.consumer = Consumer(self.place, court.redis.client)
            self.consumer.start()

    def __str__(self) -> str:
        return f"{self.kind}, delay {self.wire.delay:.4f} s, {', '.join(self.points)}"

    def run(self) -> None:
        """Killed some times, then complete."""
        while self.kills == 0 or (self.kills < MOST_KILLS and self.dice.random() < 0.33):
            if (process := self.kill()) is not None:
                return self.judge(process)
        process = self.start()
        code = process.wait(LIMIT)
        demand(code == 0, f"the last: exit {code}: {process.errors()}")
        self.hear(process)
        return self.judge(process)

    def has_run(self) -> bool:
        """One that says what it is: killed before that, nothing has begun."""
        for journal in (self.state / "runs").glob("*/journal.db"):
            with contextlib.closing(sqlite3.connect(journal, timeout=30)) as db:
                with contextlib.suppress(sqlite3.OperationalError):
                    return bool(db.execute("select 1 from note where key = 'job'").fetchall())
        return False

    def start(self, *wrapper: str) -> Process:
        if self.has_run():
            return self.court.mill.resume(self.state, wrapper)
        shutil.rmtree(self.state, ignore_errors=True)
        return self.court.mill.start(self.state, self.place, self.court.redis.url(self.wire.port),
                                     "--settle", "0", "--lease", "1s", "--if-held", "wait",
                                     wrapper=wrapper)

    def kill(self) -> Process | None:
        """A process that was not killed, and has come to its end."""
        self.court.account.tried += 1
        is_again = self.has_run()
        call = self.dice.choice((*self.court.drawn, *POLITE, *POLITE))
        if call in POLITE:
            process = self.stop_politely(call)
        elif call in ON_THE_WIRE and self.kind != LINES:
            process = self.kill_on_the_wire(call)
        elif call in (RANDOM, *ON_THE_WIRE):
            call = RANDOM
            process = self.kill_some_time()
        else:
            number = self.dice.randint(1, max(1, self.court.calls[call]))
            self.points.append(f"{call}:{number}{' again' if is_again else ''}")
            process = self.start("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}",
                                 "-e", f"inject={call}:signal=KILL:when={number}")
        code = process.wait(LIMIT)
        self.hear(process)
        early = -getattr(signal, call) if call in POLITE else KILLED  # nobody heard it yet
        if code not in (POLITE.get(call, KILLED), early):
            demand(code == 0, f"not killed, exit {code}: {process.errors()}")
            return process
        self.kills += 1
        self.court.account.kills[call] += 1
        self.court.account.again += is_again
        self.court.account.stillborn += not self.has_run()
        return None

    def kill_some_time(self) -> Process:
        moment = self.dice.uniform(0, 0.15)
        self.points.append(f"{RANDOM} {moment:.3f} s")
        process = self.start()
        pause(moment)
        process.signal(signal.SIGKILL)
        return process

    def kill_on_the_wire(self, what: str) -> Process:
        wire = self.wire
        wire.hold(wire.groups + self.dice.randint(1, 6), holds_answer=what == "answer held",
                  part=self.dice.random() if what == "part of it held" else 0.0)
        self.points.append(f"{what}, {wire.hold_at}")
        process = self.start()
        eventually(lambda: process.has_ended() or wire.held.is_set(), LIMIT)
        process.signal(signal.SIGKILL)
        process.wait(LIMIT)
        # What was on its way arrives now, or when the next process is at work.
        threading.Timer(self.dice.choice((0, self.dice.uniform(0, 0.1))), wire.let_go).start()
        return process

    def stop_politely(self, name: str) -> Process:
        """At a moment, or while a group is held: then it is let go soon after."""
        wire = self.wire
        is_held = self.kind != LINES and self.dice.random() < 0.7
        if is_held:
            wire.hold(wire.groups + self.dice.randint(1, 3))
        moment = self.dice.uniform(0, 0.15)
        self.points.append(f"{name} {moment:.3f} s{' held' if is_held else ''}")
        process = self.start()
        if is_held:
            eventually(lambda: process.has_ended() or wire.held.is_set(), LIMIT)
            pause(2 * moment)  # the other threads go as far as they can
        pause(moment)
        process.signal(getattr(signal, name))
        if is_held:
            pause(moment)
            wire.let_go()
        return process

    def hear(self, process: Process) -> None:
        """What it printed; a kill may leave half a line, and only at the end."""
        if self.kind != LINES:
            return
        demand(eventually(lambda: process.ended > 0, LIMIT), "its output does not end")
        for i, line in enumerate(process.lines):
            if not line.endswith(b"\n"):
                demand(i + 1 == len(process.lines), f"half a line in the middle: {line!s:.200}")
                continue
            self.printed.append(Batch(json.loads(line)["id"], line[:-1]))

    def judge(self, process: Process) -> None:
        batches = self.forged(self.arrived())
        doubles = self.court.truth.demand_all(batches, may_double=True)
        if self.kind != LINES:
            self.court.mill.demand_sums(process)
            # The standing moves with the batches: only a server that forgets makes doubles.
            demand(doubles == 0, f"{doubles} doubles, though Redis was there all the time")
        self.demand_journal()
        self.court.account.runs[self.kind] += 1
        self.court.account.doubles[self.kind] += doubles

    def arrived(self) -> list[Batch]:
        if self.kind == LINES:
            return self.printed
        client = self.court.redis.client()
        with contextlib.closing(client):
            return self.consumer.finish(client) if self.consumer else self.place.stream(client)

    def forged(self, batches: list[Batch]) -> list[Batch]:
        if self.court.forgery == "double":
            last = batches[-1]
            return [*batches, Batch(last.id, last.payload.replace(b"tokens", b"t0kens", 1))]
        return batches[:-1] if self.court.forgery == "lost" else batches

    def demand_journal(self) -> None:
        """As a stranger reads it."""
        path = max((self.state / "runs").iterdir()) / "journal.db"
        db = sqlite3.connect(path, timeout=30)
        with contextlib.closing(db):
            said = db.execute("pragma integrity_check").fetchall()
            demand(said == [("ok",)], f"{path}: {said}")
            states = dict(db.execute("select state, count(*) from task group by state"))
            tally = {state: n for state, n in db.execute("select state, n from tally") if n}
            batches = db.execute("select count(*) from task join type on type.id = task.type"
                                 " where type.name = cast('batch' as blob)").fetchone()[0]
        demand(tally == states, f"the tally says {tally}, the tasks say {states}")
        demand(states.get(PENDING, 0) == 0, f"left waiting: {states}")
        demand(states.get(DONE, 0) == batches == len(self.court.truth.order),
               f"{batches} batches in the journal, {states}, {len(self.court.truth.order)} cut")
        demand(sum(states.values()) - batches == len(self.court.mill.tree.others),
               f"not every file passed over is in the journal: {states}")

    def close(self) -> None:
        if self.consumer:
            self.consumer.stop()
        close_all(self.wire)
        shutil.rmtree(self.state, ignore_errors=True)


class Court:
    """What all runs share."""

    def __init__(self, rig: Rig, chosen: argparse.Namespace):
        self.rig = rig
        self.forgery = chosen.expect_caught
        self.drawn = () if chosen.polite else DRAWN
        self.account = Account()
        self.redis = Redis(rig, "--save", "", "--appendonly", "no")
        self.redis.wait_ready()
        self.mill = Mill(rig, Tree.make(rig, "tree", FILES), "-m", "40", "--progress", "none",
                         "--max-files", "1")
        self.truth: Truth = self.mill.truth(self.redis)
        self.calls = self.mill.count_calls(self.redis, CALLS)

    def kill_often(self, count: int) -> None:
        number = 0
        while self.account.kills.total() < count:
            number += 1
            demand(self.account.tried < 3 * count + 20, f"too few kills: {self.account}")
            run = KilledRun(self, number)
            try:
                run.run()
            except Wrong as wrong:
                raise Wrong(f"run {number} ({run}): {wrong}") from None
            finally:
                run.close()


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    if not shutil.which("strace"):
        raise Skip("there is no strace here")
    court = Court(rig, chosen)
    print(f"{court.mill.tree.count()} files, {len(court.truth.order)} batches, "
          f"calls {court.calls}", flush=True)
    try:
        court.kill_often(chosen.count)
    except Wrong as caught:
        print(court.account)
        if FORGERIES.get(chosen.expect_caught, "no forgery") not in str(caught):
            raise
        print(f"caught, as it should be: {caught!s:.300}")
        return
    print(court.account)
    demand(not chosen.expect_caught, f"{chosen.expect_caught} was not noticed")


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--expect-caught", choices=list(FORGERIES))
    parser.add_argument("--polite", action="store_true", help="only signals that are answered")


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 6, test, options))
