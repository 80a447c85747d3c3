#!/usr/bin/env python3
"""Poisonous tasks among good ones: they become letters by themselves, the others are done.

One task in a hundred is poison, of four kinds in turn: it aborts; it hangs until --timeout; it
allocates without end (under `ulimit -v`, so that the machine survives); it starts a process that
hangs, holds the pipe and has left the process group, and then hangs itself. The run ends with exit
3, without help and with nothing left running.

Then a task that kills the program (`kill -9 $PPID`): it takes three resumes until it is a letter,
and all others are done by then.
"""
import argparse
import signal
import sys

from rig import DEAD, DONE, Rig, demand, run_test

TASKS_FOR_EACH_POISON = 100
TIMEOUT = "10s"  # no good task takes so long, also on a machine that stands still for a moment
KINDS = ("abort", "hang", "eat", "brood")

SCRIPT = """
case "$1" in
  abort-*) kill -ABRT $$ ;;
  hang-*) exec sleep 1000 ;;
  eat-*) ulimit -c 0; ulimit -v 200000; exec python3 -S -c "x = []
while True: x.append(bytearray(10**6))" ;;
  brood-*) setsid sleep 1000 & sleep 1000 & sleep 1000 ;;
esac
"""
KILLER = """
case "$1" in
  killer) kill -9 $PPID; exec sleep 1000 ;;
esac
"""


def only_run(rig: Rig, before: set[str]) -> str:
    return next(iter(rig.runs() - before))


def poisoned_run(rig: Rig, poisons: int) -> None:
    names = [f"good-{i}" for i in range(poisons * (TASKS_FOR_EACH_POISON - 1))]
    bad = [f"{KINDS[i % len(KINDS)]}-{i}" for i in range(poisons)]
    mixed = names + bad
    rig.dice.shuffle(mixed)
    code, process = rig.finish("each", "--files-from", rig.list_of("list", mixed), "-w", "6",
                               "--timeout", TIMEOUT, "--grace", "200ms", "-a", "1", "--shell", "-q",
                               "--", SCRIPT, seconds=900)
    run = only_run(rig, set())
    journal = rig.journal(run)
    demand(code == 3, f"exit {code}: {process.errors()[-2000:]}")
    demand(sorted(journal.names(DONE)) == sorted(names), f"{len(journal.names(DONE))} done")
    demand(sorted(journal.names(DEAD)) == sorted(bad), f"letters: {journal.names(DEAD)[:5]}")
    rig.check(run)
    rig.demand_nobody(run)
    print(f"{len(names)} done, {len(bad)} letters, {process.ended - process.began:.1f} s")


def run_with_a_killer(rig: Rig) -> None:
    names = [f"good-{i}" for i in range(200)]
    rig.dice.shuffle(names)
    names.insert(100, "killer")
    before = rig.runs()
    code, process = rig.finish("each", "--files-from", rig.list_of("deadly", names), "-w", "3",
                               "--shell", "-q", "--", KILLER)
    run = only_run(rig, before)
    resumes = 0
    while code == -signal.SIGKILL:
        demand(resumes < 3, "killed again by the third resume")
        code, process = rig.finish("resume", run, "-q")
        resumes += 1
    journal = rig.journal(run)
    demand(code == 3, f"exit {code} after {resumes} resumes: {process.errors()}")
    demand(journal.names(DEAD) == ["killer"], f"letters: {journal.names(DEAD)}")
    demand(len(journal.names(DONE)) == len(names) - 1, f"{len(journal.names(DONE))} done")
    rig.check(run)
    rig.demand_nobody(run)
    print(f"the killer is a letter after {resumes} resumes, {len(names) - 1} others are done")


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    poisoned_run(rig, chosen.count)
    run_with_a_killer(rig)


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 20, test))
