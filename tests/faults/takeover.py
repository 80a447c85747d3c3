#!/usr/bin/env python3
"""Kills the program, and then also the next one in the middle of taking the run up again.

The command of the first process lives on. The next process must end it before it starts it again,
so that it never runs twice at the same time. Every other round has one process more: one that is
killed (by strace) when it begins to look for that command. Then it is up to the third.
"""
import argparse
import shutil
import signal
import sys

from rig import DONE, Rig, Skip, demand, eventually, run_test

# The first one is slow enough to meet all others; the later ones have nothing to wait for.
SCRIPT = """
exec 9>> lock
flock -n 9 || echo "held $1" >> log
echo "begin $1" >> log
[ -e again ] || exec sleep 1000
"""


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    if not shutil.which("strace") or not shutil.which("flock"):
        raise Skip("there is no strace or no flock here")
    for number in range(chosen.count):
        take_over(rig, number)
    print(f"{chosen.count} times taken over")


def take_over(rig: Rig, number: int) -> None:
    effects = rig.effects(f"effects{number}")
    script = f"cd '{effects.folder}'\n{SCRIPT}"
    names = rig.list_of("list", [f"name{number}"])
    before = rig.runs()
    first = rig.start("each", "--files-from", names, "--jsonl", "--shell", "--", script)
    demand(eventually(lambda: bool(effects.lines("begin")), 60), "the command did not start")
    run = next(iter(rig.runs() - before))
    first.signal(signal.SIGKILL)
    first.wait()
    (effects.folder / "again").touch()
    if number % 2 == 1:
        kill_while_looking(rig, run)
    code, last = rig.finish("resume", run, "--jsonl", seconds=100)
    demand(code == 0, f"the last: exit {code}: {last.errors()}")
    demand(not effects.lines("held"), "the command ran twice at the same time")
    demand(len(rig.journal(run).names(DONE)) == 1, "the task is not done")
    rig.check(run)
    rig.demand_nobody(run)


def kill_while_looking(rig: Rig, run: str) -> None:
    # Only opening /proc itself counts, and nobody else does that.
    strace = ("strace", "-f", "-qq", "-o", "/dev/null", "-P", "/proc", "-e", "trace=openat",
              "-e", "inject=openat:signal=SIGKILL:when=1")
    process = rig.start("resume", run, "--jsonl", wrapper=strace)
    code = process.wait(60)
    demand(code == -signal.SIGKILL, f"it was not killed: exit {code}: {process.errors()}")


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 4, test))
