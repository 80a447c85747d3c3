#!/usr/bin/env python3
"""Kills the program with SIGKILL, again and again, while its workers are busy.

A run is killed up to 20 times, then completes, and the next one begins. A kill is aimed: it comes 0
to 40 ms after the program said that its workers begin, while commands are started and reaped, or
then within a millisecond after the journal's log was written to, in the middle of a commit (one in
eight comes earlier, into the start of the program). A kill at just any time falls into the start
almost always and proves nothing.

What must hold for every run, when it is complete:
- every task of the list is done, once, and has its effect; the journal is intact, its tally right;
- a kill costs at most as many commands run again as there are workers;
- no command was started while an earlier one of the same task was still alive; nobody is left;
- with --results, every task that is done has its output there.
A task that was running at three kills becomes a letter, as promised. After the first of them it is
run alone, so each letter has had two kills for itself. Retrying them settles them.

--expect-caught FAULT is the proof that this test can see anything: it runs a program with a fault
planted in it (built with TIDEMILL_PLANT, see CMakeLists.txt here) and fails unless the fault is
found, however many kills that takes (up to ten times --count). `split` keeps tasks and tally in two
transactions, `early` notes an outcome before the command has begun.
"""
import argparse
import signal
import sys
import time

from rig import DEAD, DONE, Effects, Process, Rig, Wrong, demand, pause, run_test

TASKS = 300  # of a run
SYMPTOMS = {"split": "the tally says", "early": "done without an effect"}  # of the planted faults
MOST_KILLS = 20  # of a run: with more of them, most kills meet a task that was killed before


class Account:
    """Over all runs."""

    def __init__(self) -> None:
        self.kills = self.early = self.runs = self.tasks = self.again = self.letters = 0
        self.stillborn = 0

    def __str__(self) -> str:
        return (f"{self.kills} kills ({self.early} before READY, {self.stillborn} before there was "
                f"a run), {self.runs} runs, {self.tasks} tasks, {self.again} run again, "
                f"{self.letters} letters by three kills")


class KilledRun:
    """One run, from its first process to its last."""

    def __init__(self, rig: Rig, number: int, account: Account, has_results: bool):
        self.rig = rig
        self.account = account
        self.number = number
        self.workers = rig.dice.choice((2, 4))
        self.names = [f"run{number}-task{i}" for i in range(TASKS)]
        self.effects: Effects = rig.effects(f"effects{number}")
        self.results = rig.folder / f"results{number}" if has_results else None
        self.id = ""
        self.kills = 0

    def start(self) -> Process:
        if self.id:
            return self.rig.start("resume", self.id, "--jsonl")
        names = self.rig.list_of(f"list{self.number}", self.names)
        results = [f"--results={self.results}"] if self.results else []
        return self.rig.start("each", "--files-from", names, "--jsonl", "-w", str(self.workers),
                              *results, "--", self.rig.chore(), "effect", str(self.effects.folder))

    def kill_once(self) -> bool:
        """False: it was complete before the kill."""
        before = self.rig.runs()
        process = self.start()
        is_early = self.rig.dice.random() < 0.125
        if not is_early:
            process.wait_ready()
        pause(self.rig.dice.uniform(0, 0.04))
        self.id = self.id or next(iter(self.rig.runs() - before), "")
        if not is_early and self.rig.dice.random() < 0.5:
            self.wait_for_commit()
            pause(self.rig.dice.uniform(0, 0.001))
        process.signal(signal.SIGKILL)
        code = process.wait()
        self.id = self.id or next(iter(self.rig.runs() - before), "")
        if code != -signal.SIGKILL:
            demand(code in (0, 3), f"exit {code}: {process.errors()}")
            return False
        self.kills += 1
        self.account.kills += 1
        self.account.early += is_early
        if self.is_stillborn(process):
            self.account.stillborn += 1
            self.id = ""
        self.demand_consistent()
        return True

    def wait_for_commit(self) -> None:
        """Until the log of the journal is written to: no pause in here, a commit takes less."""
        log = self.rig.state / "runs" / self.id / "journal.db-wal"
        limit = time.monotonic() + 0.15
        try:
            before = log.stat().st_mtime_ns
            while log.stat().st_mtime_ns == before and time.monotonic() < limit:
                pass
        except FileNotFoundError:
            pass  # it has just ended

    def is_stillborn(self, process: Process) -> bool:
        """Killed before the run was in the journal: nothing has begun, and each is called again."""
        if not self.id:
            return True
        if process.words[1] != "each" or self.effects.lines("begin"):
            return False
        code, process = self.rig.finish("show", self.id)
        return code != 0

    def demand_consistent(self) -> None:
        """What holds after every kill, before the next process repairs anything."""
        if not self.id:
            return
        done = set(self.rig.journal(self.id).names(DONE))
        lost = done - self.effects.there()
        demand(not lost, f"done without an effect: {sorted(lost)[:5]}")

    def complete(self) -> None:
        code, process = self.end()
        self.verify(code, process)

    def end(self) -> tuple[int, Process]:
        before = self.rig.runs()
        process = self.start()
        code = process.wait()
        self.id = self.id or next(iter(self.rig.runs() - before), "")
        demand(code in (0, 3), f"the last resume: exit {code}: {process.errors()}")
        return code, process

    def verify(self, code: int, process: Process) -> None:
        journal = self.rig.journal(self.id)
        letters = journal.names(DEAD)
        others = [name for name in letters if journal.reasons[name] != "crash"]
        demand(not others, f"letters that no kill explains: {others[:5]} {process.errors()}")
        demand((code == 3) == bool(letters), f"exit {code} with {len(letters)} letters")
        demand(2 * len(letters) <= self.kills, f"{len(letters)} letters by {self.kills} kills")
        if letters and self.rig.can_retry():
            code, process = self.rig.finish("letters", self.id, "retry", "--all")
            demand(code == 0, f"retry: exit {code}: {process.errors()}")
            journal = self.rig.journal(self.id)
            expected = set(self.names)
        else:
            expected = set(self.names) - set(letters)
        demand(set(journal.states) == set(self.names),
               f"{len(journal.states)} tasks in the journal, {len(self.names)} in the list")
        demand(set(journal.names(DONE)) == expected,
               f"not done: {sorted(expected - set(journal.names(DONE)))[:5]}")
        lost = expected - self.effects.there()
        demand(not lost, f"done without an effect: {sorted(lost)[:5]}")
        held = self.effects.lines("held")
        demand(not held, f"started while an earlier command of the task was alive: {held[:5]}")
        begun = len(self.effects.lines("begin"))
        allowed = TASKS + self.kills * self.workers
        demand(begun <= allowed + len(letters),
               f"{begun} commands for {TASKS} tasks, {self.kills} kills, {self.workers} workers")
        self.demand_results(journal.names(DONE))
        self.rig.check(self.id)
        self.rig.demand_nobody(self.id)
        self.account.runs += 1
        self.account.tasks += TASKS
        self.account.again += begun - TASKS
        self.account.letters += len(letters)

    def demand_results(self, done: list[str]) -> None:
        if not self.results:
            return
        there = sum(1 for file in self.results.iterdir()
                    if file.suffix == ".out" and file.stat().st_size > 0)
        demand(there >= len(done), f"--results: {there} outputs of {len(done)} tasks done")


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    if chosen.expect_caught:
        rig.env["TIDEMILL_PLANT"] = chosen.expect_caught
    account = Account()
    count = chosen.count * 10 if chosen.expect_caught else chosen.count
    try:
        number = 0
        while account.kills < count:
            number += 1
            run = KilledRun(rig, number, account, chosen.results)
            most = min(account.kills + MOST_KILLS, count)
            while account.kills < most and run.kill_once():
                pass
            run.complete()
    except Wrong as caught:
        print(account)
        if SYMPTOMS.get(chosen.expect_caught, "no fault") not in str(caught):
            raise
        print(f"caught, as it should be: {caught}")
        return
    print(account)
    demand(not chosen.expect_caught, f"the planted fault {chosen.expect_caught} was not noticed")


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--expect-caught", choices=list(SYMPTOMS))
    parser.add_argument("--results", action="store_true", help="look at the files of --results too")


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 100, test, options))
