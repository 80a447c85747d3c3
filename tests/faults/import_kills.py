#!/usr/bin/env python3
"""Kills `import` at its system calls, in every mode.

A point is a system call, a path and a number: strace kills the program when it enters that call for
the nth time. Points are drawn by kind (around a rename, around a sync, at a removal, at a write to
the journal or to the database, at the beginning and the end of a source, anywhere), so that the few
calls that count are hit as often as the thousands of writes. One kill in six comes at a random
moment instead. Half of all kills come in the last third of the calls, or of the time: what counts
most is done there, and takes least. In the modes that fill an existing database half of the runs
are slowed down, so that they make several commits; one time in three the next run is killed as well.

After each kill the database, as any reader would find it, is the old one (fresh: none, or the same
bytes), or the new one, or one in which every file that is in the import log has all its rows and
rejects and every other file has none. The same command run again ends as an undisturbed run does:
schema, rows with their types, rejects, import log; and nothing is left beside the database. It is run
again also when all was in: whoever was killed cannot know that. The one exception is an --append
that was killed after its last step, the removal of DB.tidemill.part: its user has the report by then.

--expect-caught is the proof that this test can see anything: it runs a program that was built with
TIDEMILL_PLANT (see CMakeLists.txt here), and fails unless the fault is found. import_log: a file is
noted in the import log, in a transaction of its own, before its rows. ended: the import is marked as
ended together with its last rows, before anybody was told.
"""
import argparse
import collections
import contextlib
import os
import pathlib
import shutil
import signal
import sys
import time

from import_book import Dump
from import_rig import LIMIT, SCENARIOS, Scenario, Stage
from import_strace import ONLY_INTO, SOURCES, Call, Watched
from rig import Process, Rig, Skip, Wrong, demand, pause, run_test

# Of the planted faults. They do more, which is noticed and not enough as a proof. import_log: the file
# that no run can read is in the import log as well, so a run after a kill takes it for one that came in.
# It has nothing to complain about, and makes an index in its table, which an undisturbed run does
# not.
SYMPTOMS = {"import_log": "is in the import log, but has", "ended": "not as undisturbed: rows of"}
RANDOM = "random moment"
SLOW = 3.5  # seconds that a slow run takes longer: a commit comes once a second
MOST_WRONG = 10  # then it gives up
TRIES = 20  # of a kill: which thread makes a call, and how often, is not the same in two runs
KILLED = -signal.SIGKILL


class Account:
    """Over all scenarios."""

    def __init__(self) -> None:
        self.tried = 0
        self.killed: collections.Counter[str] = collections.Counter()
        self.late = 0  # of the kills: aimed at the last third
        self.found: collections.Counter[str] = collections.Counter()

    def __str__(self) -> str:
        return (f"{self.tried} points, {self.killed.total()} kills {dict(self.killed)}, "
                f"{self.late} of them aimed at the last third; found {dict(self.found)}")


class Kills:
    """Of one scenario."""

    def __init__(self, rig: Rig, scenario: Scenario, account: Account):
        self.dice = rig.dice
        self.account = account
        self.stage = Stage(rig, scenario, f"{scenario.mode} {scenario.name}")
        self.watched = Watched(self.stage)
        self.kinds = self.watched.kinds()
        self.late_kinds = self.watched.kinds(self.watched.calls[2 * len(self.watched.calls) // 3:])
        began = time.monotonic()
        self.stage.begin()
        self.stage.finish()
        self.seconds = time.monotonic() - began
        self.last = ""  # the point, for who reads about a failure
        self.killed: Process | None = None

    def __str__(self) -> str:
        counts = {kind: len(calls) for kind, calls in self.kinds.items()}
        return (f"{self.stage.scenario.mode}, {self.stage.scenario.name}: exit {self.stage.code}, "
                f"{self.seconds:.2f} s, {len(self.watched.calls)} calls {counts}")

    def one(self) -> None:
        self.last = ""
        self.first_kill()
        for turn in range(2 if self.dice.random() < 0.33 else 1):
            if turn and not self.kill():
                return
            now = self.stage.look()
            is_complete = self.stage.is_complete(now)
            self.account.found["the new one" if is_complete else self.state(now)] += 1
            if is_complete and self.has_taken_last_step():
                return
            if is_complete and self.stage.scenario.mode == "fresh":
                break  # the next one refuses to begin, and nobody can kill it
        self.stage.demand_true_again(now)

    def has_taken_last_step(self) -> bool:
        """Of --append: the next one is another one."""
        if self.stage.scenario.mode != "append" or self.stage.book.beside(".tidemill.part").exists():
            return False
        self.account.found["ended"] += 1
        demand("import: " in self.killed.errors(), "it has ended, and nobody was told")
        self.stage.demand_truth()
        return True

    def first_kill(self) -> None:
        for _ in range(TRIES):
            self.stage.begin()
            self.account.tried += 1
            if self.kill():
                return
        demand(False, "the kills do not come")

    def state(self, now: Dump | None) -> str:
        if not now or now is self.stage.base:
            return "the old one"
        has_new = any(self.stage.is_new(now, stem) for stem in now.import_log)
        return "some files" if has_new else "no new file"

    def kill(self) -> bool:
        """False: the program came to its end before."""
        is_late = self.dice.random() < 0.5
        kinds = self.late_kinds if is_late else self.kinds
        kind = self.dice.choice(list(kinds))
        if self.dice.random() < 1 / 6:
            kind = RANDOM
            code = self.kill_some_time(is_late)
        else:
            code = self.kill_at(self.dice.choice(kinds[kind]))
        if code == KILLED:
            self.account.killed[kind] += 1
            self.account.late += is_late
            return True
        demand(code == self.stage.code, f"not killed, exit {code}")
        self.stage.demand_truth()
        return False

    def kill_at(self, call: Call) -> int:
        slow = self.slow() if call.name in ONLY_INTO or call.path == SOURCES else 0
        if call.name == "read":
            slow = 0
        self.last += f" [{call}{' slowly' if slow else ''}]"
        strace = self.watched.hitting(call.name, call.path, f"signal=KILL:when={call.number}", slow)
        self.killed = self.stage.start(*strace)
        return self.killed.wait(LIMIT)

    def slow(self) -> float:
        """Seconds that it shall take longer."""
        if self.stage.scenario.is_built_beside() or self.dice.random() < 0.5:
            return 0
        return SLOW

    def kill_some_time(self, is_late: bool) -> int:
        slow = self.slow()
        seconds = slow + self.seconds
        first, last = (2 / 3, 1.02) if is_late else (0, 1.1)
        moment = self.dice.uniform(first * seconds, last * seconds)
        self.last += f" [{RANDOM} {moment:.3f} s{' slowly' if slow else ''}]"
        strace = self.watched.strace("-e", "trace=read", *self.watched.slowly(slow)) if slow else ()
        self.killed = self.stage.start(*strace)
        pause(moment)
        kill(self.killed, bool(strace))
        return self.killed.wait(LIMIT)


def kill(process: Process, is_traced: bool) -> None:
    """strace dies of the signal that its child died of."""
    if not is_traced:
        process.signal(signal.SIGKILL)
        return
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
    with contextlib.suppress(OSError, IndexError):
        os.kill(int(children.read_text().split()[0]), signal.SIGKILL)


def all_kills(rig: Rig, chosen: argparse.Namespace, account: Account) -> list[str]:
    """What was found wrong."""
    scenarios = [scenario for scenario in SCENARIOS[chosen.mode]
                 if not chosen.scenario or scenario.name == chosen.scenario]
    shares = [chosen.count // len(scenarios)] * len(scenarios)
    shares[0] += chosen.count - sum(shares)
    wrong: list[str] = []
    for scenario, share in zip(scenarios, shares):
        kills = Kills(rig, scenario, account)
        print(kills, flush=True)
        for _ in range(share):
            try:
                kills.one()
            except Wrong as reason:
                wrong.append(f"{scenario.mode}, {scenario.name},{kills.last}: {reason}")
                print(f"WRONG {wrong[-1]}", flush=True)
                is_proof = SYMPTOMS.get(chosen.expect_caught, "none") in wrong[-1]
                if is_proof or len(wrong) == MOST_WRONG and not chosen.expect_caught:
                    return wrong
    return wrong


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    if not shutil.which("strace"):
        raise Skip("there is no strace here")
    if chosen.expect_caught:
        rig.env["TIDEMILL_PLANT"] = chosen.expect_caught
    account = Account()
    wrong = all_kills(rig, chosen, account)
    print(account)
    if not chosen.expect_caught:
        demand(not wrong, f"{len(wrong)} times, the first: {wrong[0] if wrong else ''}")
        return
    demand(bool(wrong), f"the planted fault {chosen.expect_caught} was not noticed")
    demand(SYMPTOMS[chosen.expect_caught] in wrong[-1], f"not the planted fault: {wrong[-1]}")
    print("caught, as it should be")


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--mode", choices=list(SCENARIOS), default="incremental")
    parser.add_argument("--scenario", help="only the one of this name")
    parser.add_argument("--expect-caught", choices=list(SYMPTOMS))


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 20, test, options))
