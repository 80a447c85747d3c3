#!/usr/bin/env python3
"""Stops a producer for longer than its lease, lets a second one take over, and lets the first go
on.

The second one has a state folder of its own, as on another machine. A stop is aimed: at a group of
batches that has left the producer and has not reached the server (whole, or the second part of it),
at one whose answer is on its way, at a system call (by strace), or it comes at a random moment.
What the wire holds is handed over only when the second producer has the lease: then, while it
sends, or when it has ended. That is how a stale producer's batches come too late.

What must hold, every time:
- every file of the tree is in exactly one batch that was accepted, and the batches are those of an
  undisturbed run, in their order;
- of the first producer's epoch nothing was accepted after the second one had the lease;
- the second producer ends with 0, the first with 4, unless all batches were its own; and when the
  first is resumed, it adds nothing.
In one round of three the second one is killed, and resumed, or a third one comes.

--to bullmq does the same with a queue, whose jobs are taken away as they come. --expect-caught
unfenced is the proof that this test can see anything: it runs a program with a lease that is no
fence (built with TIDEMILL_PLANT) and fails unless doubles are found.
"""
import argparse
import contextlib
import os
import shutil
import signal
import sys
import time
from collections import Counter

from batch_redis import Redis, Resp, Wire
from batch_rig import (BULL, HELD, LIMIT, STREAM, Batch, Consumer, Mill, Place, Tree, Truth,
                       close_all)
from batch_strace import child_of, is_stopped
from rig import Process, Rig, Skip, Wrong, demand, eventually, pause, run_test

FILES = 700
# Seconds. The lease of the second producer outlives every standstill of a busy machine: were it lost,
# the first would find it free when it goes on, and take it back. Only one that is killed, so that
# others have to wait for it, has a short one.
LEASES = (3, 4)
LEASE_OF_SECOND = 120
CALLS = ("sendto", "poll", "recvfrom", "fdatasync", "futex", "pwrite64")
KINDS = ("whole", "part", "answer", "call", "moment")
RELEASES = ("at once", "meanwhile", "after the end")
TWISTS = ("none",) * 4 + ("second killed and resumed", "second killed, a third")


class Round:
    """One stop."""

    def __init__(self, court: "Court", number: int):
        self.court = court
        self.dice = court.rig.dice
        self.place = Place(court.kind, f"q{number}")
        self.client: Resp = court.redis.client()
        self.lease = self.dice.choice(LEASES)
        self.settle = self.dice.choice(("0", "300ms"))
        self.kind = KINDS[number % len(KINDS)]
        self.release = self.dice.choice(RELEASES)
        self.twist = self.dice.choice(TWISTS)
        self.wires = [Wire(court.redis.port, self.dice.uniform(0.005, 0.03)) for _ in range(2)]
        self.states = [court.rig.folder / f"state{number}{who}" for who in "abc"]
        self.log = court.rig.folder / f"strace{number}.log"
        self.is_twisted = False
        self.epoch = 0  # of the second one
        self.consumer: Consumer | None = None
        if court.kind == BULL:
            self.consumer = Consumer(self.place, court.redis.client)
            self.consumer.start()

    def __str__(self) -> str:
        return (f"{self.kind}, {self.release}, {self.twist}, lease {self.lease} s, "
                f"{self.wires[0].groups} groups")

    def run(self) -> None:
        first = self.start(0, *self.aim())
        first_run = self.stop(first)
        if not first_run:
            return
        second = self.start(1)
        held = lambda: self.place.holder(self.client, self.court.mill.tree)
        demand(eventually(lambda: second.has_ended() or held() not in (first_run, ""), LIMIT),
               f"nobody took over: {second.errors()}")
        self.epoch = self.place.epoch(self.client)
        before = self.snapshot()
        second = self.twisted(second)
        self.wait_for_release(second)
        self.let_go(first)
        codes = self.end_of(first), second.wait(LIMIT)
        self.court.account.stops[self.kind] += 1
        self.court.account.releases[self.release] += 1
        self.judge(codes, before, f"{first.errors()}\n{second.errors()}")

    def twisted(self, second: Process) -> Process:
        """Who goes on: the second producer, the same after a kill, or a third one."""
        if self.twist == "none":
            return second
        some = self.dice.randint(0, 3)
        eventually(lambda: second.has_ended() or self.wires[1].groups >= some, LIMIT)
        second.signal(signal.SIGKILL)
        if second.wait(LIMIT) == 0:
            return second
        self.is_twisted = True
        self.court.account.twists += 1
        if self.twist == "second killed, a third" and not self.place.is_complete(self.client):
            return self.start(2)
        return self.court.mill.resume(self.states[1])

    def start(self, who: int, *wrapper: str) -> Process:
        lease = LEASE_OF_SECOND if who == 1 and self.twist == "none" else self.lease
        words = ("--lease", f"{lease}s", "--if-held", "wait", "--settle", self.settle)
        url = self.court.redis.url(self.wires[min(who, 1)].port)
        return self.court.mill.start(self.states[who], self.place, url, *words, wrapper=wrapper)

    def aim(self) -> tuple[str, ...]:
        if self.kind in ("whole", "part", "answer"):
            self.wires[0].hold(self.dice.randint(1, 5), holds_answer=self.kind == "answer",
                               part=self.dice.random() if self.kind == "part" else 0.0)
        if self.kind != "call":
            return ()
        call = self.dice.choice(CALLS)
        number = self.dice.randint(1, self.court.calls[call])
        return ("strace", "-f", "-qq", "-o", str(self.log), "-e", f"trace={call}",
                "-e", f"inject={call}:signal=STOP:when={number}")

    def stop(self, first: Process) -> str:
        """The run of the producer that is stopped and has the lease; empty: it was through, or had
        not begun."""
        if self.kind == "call":
            eventually(lambda: first.has_ended() or self.has_stopped_itself(), LIMIT)
        elif self.kind == "moment":
            eventually(lambda: first.has_ended() or self.wires[0].groups > 0, LIMIT)
            pause(self.dice.uniform(0, 0.15))
            first.signal(signal.SIGSTOP)
        else:
            eventually(lambda: first.has_ended() or self.wires[0].held.is_set(), LIMIT)
            first.signal(signal.SIGSTOP)
        if first.has_ended():
            demand(first.wait() == 0, f"not stopped, and failed: {first.errors()}")
            return ""
        pid = first.pid if self.kind != "call" else child_of(first.pid)
        demand(eventually(lambda: is_stopped(pid), LIMIT), "it does not stop")
        pause(0.01)  # what is on its way arrives
        run = self.place.holder(self.client, self.court.mill.tree)
        if not run or self.place.is_complete(self.client):  # before it began, or when it was over
            self.let_go(first)
            demand(self.end_of(first) == 0, f"stopped for a moment: {first.errors()}")
            return ""
        return run

    def has_stopped_itself(self) -> bool:
        return self.log.exists() and b"stopped by SIGSTOP" in self.log.read_bytes()

    def snapshot(self) -> list[Batch]:
        return self.place.stream(self.client) if self.place.kind == STREAM else []

    def wait_for_release(self, second: Process) -> None:
        if self.release == "meanwhile":
            some = self.wires[1].groups + self.dice.randint(1, 3)
            eventually(lambda: second.has_ended() or self.wires[1].groups >= some, LIMIT)
        elif self.release == "after the end":
            eventually(second.has_ended, LIMIT)

    def let_go(self, first: Process) -> None:
        """What was on its way arrives before the process wakes, or after."""
        if self.dice.random() < 0.5:
            self.wires[0].let_go()
            pause(self.dice.uniform(0, 0.02))
        self.wake(first)
        self.wires[0].let_go()

    def wake(self, first: Process) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child_of(first.pid) if self.kind == "call" else first.pid, signal.SIGCONT)

    def end_of(self, first: Process) -> int:
        """strace counts in each thread: another one may come to its stop later."""
        limit = time.monotonic() + LIMIT
        while self.kind == "call" and not first.has_ended() and time.monotonic() < limit:
            if is_stopped(child_of(first.pid)):
                self.wake(first)
            pause(0.02)
        return first.wait(LIMIT)

    def judge(self, codes: tuple[int, int], before: list[Batch], said: str) -> None:
        account, truth = self.court.account, self.court.truth
        account.refused += self.wires[0].refusals() > 0
        # Whose lease is no fence may resume the first too, and that would hide the doubles.
        if self.dice.random() < 0.25 and not self.court.is_planted:
            self.resume_stale(codes[0])
        batches = self.arrived()
        if not self.court.is_planted and self.place.kind == STREAM:
            self.demand_fenced(batches, before, codes[0], said)
        truth.demand_all(batches)
        demand([batch.id for batch in batches] == truth.order, "not in the order of the tree")
        demand(codes[0] in (0, HELD), f"the first: exit {codes[0]}: {said}")
        # After the death of the second one the first may have been first again.
        is_well = 0 in codes and codes[1] in (0, HELD) if self.is_twisted else codes[1] == 0
        demand(is_well, f"exits {codes}: {said}")
        account.stale += codes[0] == HELD
        account.batches += len(batches)

    def arrived(self) -> list[Batch]:
        return self.consumer.finish(self.client) if self.consumer else self.place.stream(
            self.client)

    def demand_fenced(self, batches: list[Batch], before: list[Batch], code: int,
                      said: str) -> None:
        demand([batch.epoch() for batch in batches] == sorted(batch.epoch() for batch in batches),
               "an epoch came after a later one")
        old = {batch.entry for batch in before}
        late = [batch.entry for batch in batches
                if batch.epoch() < self.epoch and batch.entry not in old]
        demand(not late, f"{len(late)} batches of the stale epoch were accepted: {late[:3]}")
        if code == 0 and not self.is_twisted:
            demand(batches[-1].epoch() < self.epoch, f"stale, and exit 0: {said}")

    def resume_stale(self, code: int) -> None:
        process = self.court.mill.resume(self.states[0])
        now = process.wait(LIMIT)
        demand(now == HELD or (now == 0 and (code == 0 or self.is_twisted)),
               f"resumed though another has taken over: exit {now}: {process.errors()}")
        self.court.account.resumed += 1

    def close(self) -> None:
        if self.consumer:
            self.consumer.stop()
        close_all(*self.wires, self.client)
        for state in self.states:
            shutil.rmtree(state, ignore_errors=True)


class Account:
    """Over all rounds."""

    def __init__(self) -> None:
        self.stops: Counter[str] = Counter()
        self.releases: Counter[str] = Counter()
        self.tried = self.twists = self.refused = self.stale = self.resumed = self.batches = 0

    def __str__(self) -> str:
        return (f"{self.stops.total()} stops with a takeover {dict(self.stops)} of {self.tried} "
                f"tried, gone on {dict(self.releases)}; {self.stale} left with {HELD}, "
                f"{self.refused} were refused by the server, {self.resumed} resumed in vain; "
                f"{self.twists} times the second one was killed; "
                f"{self.batches} batches")


class Court:
    """What all rounds share."""

    def __init__(self, rig: Rig, chosen: argparse.Namespace):
        self.rig = rig
        self.kind = chosen.to
        self.is_planted = bool(chosen.expect_caught)
        self.account = Account()
        self.redis = Redis(rig, "--save", "", "--appendonly", "no")
        self.redis.wait_ready()
        self.mill = Mill(rig, Tree.make(rig, "tree", FILES), "--no-catalogue", "-m", "40",
                         "--max-files", "2", "--progress", "none")
        self.truth: Truth = self.mill.truth(self.redis)
        self.calls = self.mill.count_calls(self.redis, CALLS)


def stop_often(court: Court, count: int) -> None:
    """So often, and until something came too late; with a planted fault until it is seen."""
    account = court.account
    while account.stops.total() < count or court.is_planted or not account.refused:
        account.tried += 1
        demand(account.tried < 3 * count + 10,
               f"too few stops, or nothing came too late and nothing is proven: {account}")
        this = Round(court, account.tried)
        try:
            this.run()
        except Wrong as wrong:
            raise Wrong(f"round {account.tried} ({this}): {wrong}") from None
        finally:
            this.close()


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    if not shutil.which("strace"):
        raise Skip("there is no strace here")
    if chosen.expect_caught:
        rig.env["TIDEMILL_PLANT"] = chosen.expect_caught
    court = Court(rig, chosen)
    print(f"{court.mill.tree.count()} files, {len(court.truth.order)} batches, "
          f"calls {court.calls}", flush=True)
    try:
        stop_often(court, chosen.count)
    except Wrong as caught:
        print(court.account)
        if not chosen.expect_caught or "batches came twice" not in str(caught):
            raise
        print(f"caught, as it should be: {caught}")
        return
    print(court.account)


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--to", choices=(STREAM, BULL), default=STREAM)
    parser.add_argument("--expect-caught", choices=("unfenced",))


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 6, test, options))
