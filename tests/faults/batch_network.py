#!/usr/bin/env python3
"""A bad network between the producer of `batch` and Redis: cuts, and 30 % of all packets lost.

Redis lives in a network namespace of its own. The cable is ours: a tun device on each side and a
thread that carries packets from one to the other, or drops them, so that the real TCP of the kernel
meets the loss. A cut is silence, or the device is down; it lasts longer than the lease.

What must hold: the run ends with 0 by itself, and every batch of an undisturbed run has come, with
the same bytes. No call takes longer than twice its deadline: strace notes when each thread begins
to send to Redis and when it has its answer, or gives up and closes the socket. A call of the lease
has a sixth of the lease; every other one has five seconds. The machine may stand still in the
middle of a call: so they have to be in time in one of three tries. One that knows no deadline lasts
as long as the cut, each time.

Needs root, for the namespace; says SKIP otherwise.
"""
import argparse
import contextlib
import fcntl
import os
import select
import shutil
import struct
import subprocess
import sys
import threading
import time
from collections import Counter

from batch_redis import Redis, Resp
from batch_rig import STREAM, Consumer, Mill, Place, Tree, Truth, close_all
from batch_strace import Calls, calls_in
from rig import Process, Rig, Skip, Wrong, demand, eventually, pause, run_test

FILES = 500
WAIT = 200
DEADLINE = 5.0  # of a call, as io/redis/client.h has it
LEASE = 3.0
SLACK = 0.3  # strace and two busy cores
TRIES = 3
LOSS = 0.3
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 1, 0x1000


def run_ip(*words: str, is_wanted: bool = True) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if is_wanted and done.returncode != 0:
        raise Skip(f"ip {' '.join(words)}: {done.stderr.strip()}")


class Cable:
    """From here to a namespace and back."""

    def __init__(self, rig: Rig):
        if os.geteuid() != 0 or not shutil.which("ip"):
            raise Skip("only root may make a network namespace, and needs ip(8)")
        mark = os.getpid() % 50_000
        self.space = f"tidemill{mark}"
        self.near, self.far = f"tmn{mark}", f"tmf{mark}"
        net = f"10.{150 + mark // 250 % 100}.{mark % 250}"
        self.host, self.net = f"{net}.2", f"{net}.0/30"
        self.dice = rig.dice
        self.loss = 0.0
        self.is_cut = False
        self.carried = self.dropped = 0
        self._is_closed = False
        run_ip("netns", "add", self.space)
        try:
            self._ends = [tun(self.near), tun(self.far)]
            run_ip("link", "set", self.far, "netns", self.space)
            run_ip("addr", "add", f"{net}.1/30", "dev", self.near)
            run_ip("link", "set", self.near, "up")
            # While the device is down nothing may go to the rest of the world instead.
            run_ip("route", "add", "unreachable", self.net, "metric", "9999")
            inside = ("netns", "exec", self.space, "ip")
            run_ip(*inside, "addr", "add", f"{self.host}/30", "dev", self.far)
            run_ip(*inside, "link", "set", self.far, "up")
            run_ip(*inside, "link", "set", "lo", "up")
        except BaseException:
            run_ip("netns", "del", self.space, is_wanted=False)
            raise
        threading.Thread(target=self._carry, daemon=True).start()

    def _carry(self) -> None:
        near, far = self._ends
        while not self._is_closed:
            for end in select.select([near, far], [], [], 0.1)[0]:
                with contextlib.suppress(OSError):  # the device is down
                    packet = os.read(end, 70_000)
                    if self.is_cut or self.dice.random() < self.loss:
                        self.dropped += 1
                        continue
                    self.carried += 1
                    os.write(far if end == near else near, packet)

    @contextlib.contextmanager
    def cut(self, is_down: bool):
        """Silence, or no device any more."""
        if is_down:
            run_ip("link", "set", self.near, "down")
        self.is_cut = True
        yield
        self.is_cut = False
        if is_down:
            run_ip("link", "set", self.near, "up")

    def close(self) -> None:
        self._is_closed = True
        run_ip("route", "del", "unreachable", self.net, is_wanted=False)
        run_ip("netns", "del", self.space, is_wanted=False)
        for end in self._ends:
            os.close(end)


def tun(name: str) -> int:
    try:
        device = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TUN | IFF_NO_PI))
    except OSError as error:
        raise Skip(f"no tun device: {error}") from None
    return device


class Bench:
    """What all runs share."""

    def __init__(self, rig: Rig, cable: Cable):
        self.rig = rig
        self.cable = cable
        self.socket = str(rig.folder / "redis.sock")
        self.redis = Redis(rig, "--save", "", "--unixsocket", self.socket, "--protected-mode", "no",
                           host=cable.host, wrapper=("ip", "netns", "exec", cable.space))
        demand(eventually(lambda: os.path.exists(self.socket), 20), "no redis")
        self.mill = Mill(rig, Tree.make(rig, "tree", FILES), "-m", "40", "--max-files", "2",
                         "--progress", "none", "--no-catalogue", "--lease", f"{LEASE:.0f}s")
        self.redis.wait_ready()
        self.truth: Truth = self.mill.truth(self.redis)
        self.faults: Counter[str] = Counter()
        self.longest: Counter[str] = Counter()  # seconds
        self.calls = self.gave_up = self.runs = 0
        self.late = ""  # a call in the last runs, in words

    def client(self) -> Resp:
        """Not through the cable."""
        return Resp(0, path=self.socket)

    def run(self, queued: int, spoil) -> None:
        self.runs += 1
        number = self.runs
        place = Place(STREAM, f"n{number}")
        log = self.rig.folder / f"strace{number}.log"
        consumer = Consumer(place, self.client, most=queued // 2, every=0.04 * queued / 8)
        consumer.start()
        process = self.mill.start(
            self.rig.folder / f"state{number}", place, self.redis.url(), "--max-queued",
            str(queued),
            wrapper=("strace", "-f", "-qq", "-ttt", "-T", "-s", "8", "-o", str(log), "-e",
                     "trace=connect,sendto,recvfrom,close"))
        began = time.monotonic()
        try:
            demand(eventually(lambda: len(consumer.got) > 20, 60), "no start")
            spoil(process)
            code = process.wait(WAIT)
            demand(code == 0, f"exit {code}")
            self.truth.demand_all(consumer.finish(self.client()), may_double=True)
            self.mill.demand_sums(process)
        except Wrong as wrong:
            raise Wrong(f"run {number}: {wrong}\n{process.errors()}") from None
        finally:
            consumer.stop()
        print(f"run {number}: {time.monotonic() - began:.1f} s", flush=True)
        self.judge_times(calls_in(log))

    def judge_times(self, calls: Calls) -> None:
        demand(len(calls.took) > 10, "strace sees no calls")
        self.calls += len(calls.took)
        self.gave_up += calls.gave_up
        for name, deadline in (("lease", LEASE / 6), ("other", DEADLINE)):
            longest = calls.longest(name == "lease")
            self.longest[name] = max(self.longest[name], longest)
            demand(longest > 0, f"no call of the {name} is seen")
            if longest > 2 * deadline + SLACK:
                self.late = f"a call ({name}) with a deadline of {deadline} s took {longest:.2f} s"
                print(self.late, flush=True)


def cuts(bench: Bench, count: int) -> None:
    dice = bench.rig.dice
    goal = bench.faults.total() + count

    def spoil(process: Process) -> None:
        for _ in range(min(2, goal - bench.faults.total())):
            pause(dice.uniform(0.1, 1.0))
            if process.has_ended():
                return
            is_down = dice.random() < 0.5
            with bench.cable.cut(is_down):
                pause(dice.choice((3.5, 3.5, 8.0)))
            bench.faults["device down" if is_down else "silence"] += 1

    while bench.faults.total() < goal:
        bench.run(10, spoil)


def losses(bench: Bench, count: int) -> None:
    def spoil(_process: Process) -> None:
        bench.cable.loss = LOSS

    for _ in range(count):
        bench.run(60, spoil)
        bench.cable.loss = 0.0
        bench.faults["with loss"] += 1


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    if not shutil.which("strace"):
        raise Skip("there is no strace here")
    cable = Cable(rig)
    bench = None
    try:
        bench = Bench(rig, cable)
        print(f"{bench.mill.tree.count()} files, {len(bench.truth.order)} batches", flush=True)
        for _ in range(TRIES):
            bench.late = ""
            (cuts if chosen.part == "cuts" else losses)(bench, chosen.count)
            if not bench.late:
                break
        print(f"{dict(bench.faults)}, {cable.dropped} packets of {cable.dropped + cable.carried} "
              f"dropped; {bench.calls} calls, {bench.gave_up} given up, the longest of "
              f"the lease {bench.longest['lease']:.2f} s ({LEASE / 6} s each), of others "
              f"{bench.longest['other']:.2f} s ({DEADLINE} s each)")
        demand(not bench.late, f"{TRIES} times: {bench.late}")
    finally:
        close_all(*([bench.redis] if bench else []), cable)


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("part", choices=("cuts", "loss"))


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 1, test, options))
