#!/usr/bin/env python3
"""SIGINT and SIGTERM at random moments: out within five seconds, nothing lost, nobody left behind.

The commands take 0 to 3 ms. Some ignore SIGTERM and go on for minutes, and some start a process in
the background and wait for it: those two kinds are stuck on purpose while the first process of a
run works on them, and are ordinary when it is resumed (a file beside the list says so). The signal
comes 0 to 400 ms after the program said that its workers begin; one in eight comes earlier.

What must hold: exit 130 or 143, or 0 when everything was done before; after a resume every task is
done; no process with the mark of the run is left, neither a command nor what it started. A second
SIGINT, more than a second later, kills: out within one second. timeout(1) sends its signal twice at
once, to the program and to its group: that is one request, and commands have their time. Seconds
are those of a machine that is free, see slowness.py.
"""
import argparse
import os
import pathlib
import signal
import sys
import time

from rig import DONE, Process, Rig, demand, eventually, pause, run_test

TASKS = 120
LIMIT = 5.0  # seconds, promised; a deaf command takes four of them
LIMIT_OF_SECOND = 1.0
SAME_REQUEST = 1.0  # seconds in which signals of processes are one request

# Needs its grace period: it notes the SIGTERM, and that it came to its end.
GRACEFUL = """
trap 'echo told > "$1.told"; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; : > "$1.end"; exit' TERM
: > "$1.began"
while :; do read -r line < "$1.fifo"; done
"""

# $1 is the name: "<folder>/<kind>-<number>". The kind is stuck while <folder>/stuck exists.
SCRIPT = """
case "$1" in
  */deaf-*) [ -e "${1%/*}/stuck" ] && { trap '' TERM INT; while :; do sleep 1000; done; } ;;
  */parent-*) [ -e "${1%/*}/stuck" ] && { sleep 1000 & setsid sleep 1000 & wait; } ;;
esac
: >> "$1"
"""


class SignalledRun:
    def __init__(self, rig: Rig, number: int, stuck: int):
        self.rig = rig
        self.folder = rig.folder / f"run{number}"
        self.folder.mkdir()
        kinds = ["deaf", "parent"][:stuck] + ["plain"] * (TASKS - stuck)
        rig.dice.shuffle(kinds)
        self.names = [f"{self.folder}/{kind}-{i}" for i, kind in enumerate(kinds)]
        (self.folder / "stuck").touch()
        self.id = ""

    def start(self, workers: int) -> Process:
        before = self.rig.runs()
        names = self.rig.list_of(f"{self.folder.name}.list", self.names)
        process = self.rig.start("each", "--files-from", names, "--jsonl", "-w", str(workers),
                                 "--shell", "--", SCRIPT)
        eventually(lambda: process.has_ended() or bool(self.rig.runs() - before), 60)
        self.id = next(iter(self.rig.runs() - before), "")
        return process

    def is_stuck(self) -> bool:
        """A command with a process in the background is running."""
        mark = f"TIDEMILL_RUN={self.id}"
        return len([pid for pid in self.rig.left(mark) if name_of(pid) == "sleep"]) >= 2

    def resume(self) -> None:
        (self.folder / "stuck").unlink()
        if (self.rig.finish("show", self.id)[0]) != 0:
            return  # interrupted before there was a run
        code, process = self.rig.finish("resume", self.id, "--jsonl")
        demand(code == 0, f"resume: exit {code}: {process.errors()}")
        done = self.rig.journal(self.id).names(DONE)
        demand(sorted(done) == sorted(self.names), f"{len(done)} of {TASKS} done after a resume")
        missing = [name for name in self.names if not os.path.exists(name)]
        demand(not missing, f"done, but not run: {missing[:5]}")
        self.rig.check(self.id)


def name_of(pid: int) -> str:
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def signal_once(rig: Rig, number: int) -> float:
    """How long it took to leave."""
    slowness = rig.slowness
    run = SignalledRun(rig, number, stuck=rig.dice.choice((0, 1, 2)))
    process = run.start(workers=rig.dice.choice((2, 4)))
    is_early = rig.dice.random() < 0.125
    if not is_early:
        process.wait_ready()
    pause(rig.dice.uniform(0, 0.02 if is_early else 0.4))
    chosen = rig.dice.choice((signal.SIGINT, signal.SIGTERM))
    sent = time.monotonic()
    process.signal(chosen)
    code = process.wait(60)
    took = slowness.fair(sent)
    expected = {signal.SIGINT: 130, signal.SIGTERM: 143}[chosen]
    # Before it listens to signals, and after its last word, it dies of them, which a shell shows as
    # the same number.
    is_deaf = is_early or "each complete" in process.errors()
    allowed = (expected, 0, -chosen) if is_deaf else (expected, 0)
    demand(code in allowed, f"exit {code} after {chosen.name}: {process.errors()}")
    if run.id:
        rig.demand_nobody(run.id)
        run.resume()
        rig.demand_nobody(run.id)
    return took


def signal_twice(rig: Rig, number: int) -> float:
    slowness = rig.slowness
    run = SignalledRun(rig, number, stuck=2)
    process = run.start(workers=4)
    demand(eventually(run.is_stuck, 60), "the stuck commands did not start")
    process.signal(signal.SIGINT)
    demand(eventually(lambda: "Stopping" in process.errors(), 60), "the first SIGINT says nothing")
    pause(SAME_REQUEST + 0.1)
    sent = time.monotonic()
    process.signal(signal.SIGINT)
    code = process.wait(60)
    took = slowness.fair(sent)
    demand(code == 130, f"exit {code} after two SIGINT: {process.errors()}")
    rig.demand_nobody(run.id)
    run.resume()
    return took


def end_by_timeout(rig: Rig, number: int) -> None:
    """timeout(1), not with --foreground: the program and its group get the signal."""
    folder = rig.folder / f"timeout{number}"
    folder.mkdir()
    name = f"{folder}/task"
    os.mkfifo(f"{name}.fifo")
    names = rig.list_of(f"timeout{number}.list", [name])
    process = rig.start("each", "--files-from", names, "--shell", "--", GRACEFUL,
                        wrapper=("timeout", "1000"))
    demand(eventually(lambda: os.path.exists(f"{name}.began"), 60), "the command did not start")
    process.signal(signal.SIGTERM)  # timeout passes it on as it does when the time is up
    process.wait(60)
    demand("Killing" not in process.errors(), f"one request counted as two: {process.errors()}")
    demand(os.path.exists(f"{name}.end"), f"no time for the command: {process.errors()}")


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    took = [signal_once(rig, number) for number in range(chosen.count)]
    twice = [signal_twice(rig, chosen.count + number) for number in range(chosen.count // 20 + 1)]
    for number in range(chosen.count // 5 + 4):
        end_by_timeout(rig, number)
    print(f"{len(took)} signals, the slowest exit took {max(took):.2f} s; "
          f"{len(twice)} times two signals, the slowest took {max(twice):.2f} s")
    demand(max(took) < LIMIT, f"{max(took):.2f} s to leave")
    demand(max(twice) < LIMIT_OF_SECOND, f"{max(twice):.2f} s to leave after the second signal")


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 60, test))
