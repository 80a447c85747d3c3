#!/usr/bin/env python3
"""`import` and others: the user who interrupts it, a second import, readers and writers.

PART says which test; --count how many times.
signals  SIGINT and SIGTERM at random moments: out within two seconds, exit 130 or 143, a word about
         it and no report; the database is the old one, the new one, or one of whole files; nothing
         half built is left; the same command run again ends as if nobody had interrupted it.
two      Two imports into one database: the second is refused with exit 4 at once, and the first
         does not notice. When both begin at the same moment one of them does the work. When the
         first is killed the next one works.
others   Somebody has a transaction open. A writer: exit 4 and the database is as it was. A reader:
         with a write-ahead log the import succeeds and the reader goes on to see what it saw;
         without one it waits, and gives up with a word; --replace does not pull the database away
         from under a reader in a way that would hurt either.
"""
import argparse
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator

from batch_strace import child_of, is_stopped
from import_rig import INDEX, LIMIT, SCENARIOS, Scenario, Stage
from import_strace import with_paths
from rig import Process, Rig, Wrong, demand, eventually, pause, run_test

MOST = 2.0  # seconds to leave after a signal
AT_ONCE = 2.0  # seconds in which one leaves that does not wait
TRIES = 5  # of that: a busy machine may stand still for once, and who waits does it each time
HELD = 4
DELAY = 100_000  # microseconds for each read of a slow run
BULK = 4
# A connection in a process of its own: locks belong to a process, and this one closes files.
HOLDER = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=0)
db.execute(sys.argv[2])
count = lambda: db.execute("select count(*) from stable").fetchone()[0]
print(count(), flush=True)
for line in sys.stdin:
    print(count(), flush=True)
"""


class Signals:
    """Of one scenario."""

    def __init__(self, rig: Rig, scenario: Scenario):
        self.rig = rig
        self.stage = Stage(rig, scenario, f"signals {scenario.mode} {scenario.name}", more=BULK)
        self.stage.begin()
        began = time.monotonic()
        self.stage.finish()
        self.seconds = time.monotonic() - began
        self.took: list[float] = []
        self.took_late: list[float] = []  # by those that went on to their end
        self.found: Counter[str] = Counter()

    def one(self) -> None:
        self.stage.begin()
        chosen = self.rig.dice.choice((signal.SIGINT, signal.SIGTERM))
        process = self.stage.start()
        pause(self.rig.dice.uniform(0, self.seconds))
        sent = time.monotonic()
        process.signal(chosen)
        code = process.wait(LIMIT)
        took = time.monotonic() - sent
        now = self.stage.look()
        left = [name for name in self.stage.book.names() if ".part" in name]
        if code == -chosen:  # before it listens to signals it dies of them
            self.found["early"] += 1
            demand(not left, f"it did not listen to {chosen.name}")
        elif code == self.stage.code:
            self.found["too late"] += 1
            self.took_late.append(took)
            self.stage.demand_truth()
            return
        else:
            self.demand_polite(chosen, code, process)
            demand(not left, f"left over after {chosen.name}: {left}")
            self.took.append(took)
            self.found["stopped"] += 1
        self.stage.demand_true_again(now)

    @staticmethod
    def demand_polite(chosen: signal.Signals, code: int, process: Process) -> None:
        expected = {signal.SIGINT: 130, signal.SIGTERM: 143}[chosen]
        demand(code == expected, f"exit {code} after {chosen.name}: {process.errors()}")
        demand(bool(process.errors().strip()), f"not a word after {chosen.name}")
        demand(not process.lines, f"half a report: {process.lines[:1]}")

    def __str__(self) -> str:
        slowest = max(self.took, default=0)
        return (f"{self.stage.scenario.mode}, {self.stage.scenario.name}: a run takes "
                f"{self.seconds:.2f} s; {dict(self.found)}, the slowest exit took {slowest:.2f} s, "
                f"of those that were at their end {max(self.took_late, default=0):.2f} s")


def signals(rig: Rig, chosen: argparse.Namespace) -> None:
    scenarios = (SCENARIOS["fresh"][2], SCENARIOS["fresh"][1], SCENARIOS["append"][0],
                 SCENARIOS["incremental"][1])
    stopped = 0
    slowest = 0.0
    for index, scenario in enumerate(scenarios):
        share = chosen.count // len(scenarios) + (index < chosen.count % len(scenarios))
        tests = Signals(rig, scenario)
        for _ in range(share):
            try:
                tests.one()
            except Wrong as reason:
                raise Wrong(f"{scenario.mode}, {scenario.name}: {reason}") from None
        print(tests, flush=True)
        stopped += len(tests.took)
        slowest = max(slowest, *tests.took, *tests.took_late, 0.0)
    demand(slowest < MOST, f"{slowest:.2f} s to leave")
    demand(stopped >= chosen.count // 2, "most signals came too late, or were not heard")


def start_and_stop(stage: Stage) -> Process:
    """Returns when it has taken the database and stands still, in the middle of its work."""
    process = stage.start("strace", "-f", "-qq", "-o", "/dev/null", "-e", "signal=none",
                          "-e", "trace=read", "-e", f"inject=read:delay_enter={DELAY}",
                          *with_paths(stage.sources.paths()))
    part = stage.book.beside(".tidemill.part")
    is_at_work = lambda: part.exists() and reads_a_source(stage, process)
    demand(eventually(lambda: is_at_work() or process.has_ended(), LIMIT), "it does not begin")
    demand(not process.has_ended(), f"the first has ended: {process.errors()}")
    os.kill(child_of(process.pid), signal.SIGSTOP)
    demand(eventually(lambda: is_stopped(child_of(process.pid)), LIMIT), "it does not stop")
    return process


def reads_a_source(stage: Stage, process: Process) -> bool:
    with contextlib.suppress(OSError):
        for link in pathlib.Path(f"/proc/{child_of(process.pid)}/fd").iterdir():
            with contextlib.suppress(OSError):
                if os.readlink(link) in stage.sources.paths():
                    return True
    return False


def refuses_the_second(stage: Stage, kills: bool) -> float:
    """How long the second took to leave."""
    stage.begin()
    first = start_and_stop(stage)
    began = time.monotonic()
    code, second = stage.finish()
    took = time.monotonic() - began
    demand(not first.has_ended(), "the first has ended too early")
    demand(code == HELD, f"the second: exit {code}: {second.errors()}")
    demand(bool(second.errors().strip()), "the second says nothing")
    demand(not second.lines, f"the second reports: {second.lines[:1]}")
    os.kill(child_of(first.pid), signal.SIGKILL if kills else signal.SIGCONT)
    if kills:
        first.wait(LIMIT)
        stage.look()
        stage.demand_true(*stage.finish())
    else:
        code = first.wait(LIMIT)
        demand(code == stage.code, f"the first: exit {code}: {first.errors()}")
        stage.demand_truth()
    return took


def race(rig: Rig, stage: Stage) -> str:
    stage.begin()
    first = stage.start()
    pause(rig.dice.choice((0, 0, 0.01, 0.05)))
    second = stage.start()
    codes = [first.wait(LIMIT), second.wait(LIMIT)]
    said = [first.errors(), second.errors()]
    demand(stage.code in codes, f"nobody did the work: {codes} {said}")
    # The other one was refused, or came when all was done.
    is_late = (1,) if stage.scenario.mode == "fresh" else (0, stage.code)
    demand(all(code in (stage.code, HELD, *is_late) for code in codes), f"{codes} {said}")
    if stage.scenario.mode == "fresh":
        demand(codes != [stage.code] * 2, "both did the work")
    stage.demand_truth()
    return "refused" if HELD in codes else "one behind the other"


def two(rig: Rig, chosen: argparse.Namespace) -> None:
    scenarios = [SCENARIOS["fresh"][0], SCENARIOS["replace"][1], SCENARIOS["append"][0],
                 SCENARIOS["incremental"][0], SCENARIOS["upsert"][1]]
    outcomes: Counter[str] = Counter()
    slowest = 0.0
    for scenario in scenarios:
        stage = Stage(rig, scenario, f"two {scenario.mode}")
        try:
            took = [refuses_the_second(stage, kills=turn % 2 == 1)
                    for turn in range(max(2, chosen.count // 10))]
            while min(took) >= AT_ONCE and len(took) < TRIES:
                took.append(refuses_the_second(stage, kills=True))
            slowest = max(slowest, min(took))
            for _ in range(chosen.count if scenario.mode in ("fresh", "incremental") else 0):
                outcomes[race(rig, stage)] += 1
        except Wrong as reason:
            raise Wrong(f"{scenario.mode}, {scenario.name}: {reason}") from None
    print(f"a second one was out after at most {slowest:.2f} s; races: {dict(outcomes)}")
    demand(slowest < AT_ONCE, "a second one did not leave at once")


class Holder:
    """Another process with a transaction that stays open."""

    def __init__(self, stage: Stage, begin: str):
        self._popen = subprocess.Popen([sys.executable, "-c", HOLDER, stage.book.path, begin],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.rows = self._line()

    def _line(self) -> int:
        line = self._popen.stdout.readline()
        demand(line.strip().isdigit(), "the other one cannot read the database")
        return int(line)

    def look_again(self) -> int:
        self._popen.stdin.write("\n")
        self._popen.stdin.flush()
        return self._line()

    def close(self) -> None:
        self._popen.stdin.close()
        self._popen.wait()


@contextlib.contextmanager
def holding(stage: Stage, begin: str) -> Iterator[Holder]:
    stage.begin()
    holder = Holder(stage, begin)
    try:
        yield holder
    finally:
        holder.close()


def demand_refused(stage: Stage, code: int, process: Process) -> None:
    demand(code == HELD, f"exit {code}: {process.errors()}")
    said = process.errors()
    demand("in use by" in said or "locked" in said, f"no clear word: {said!r}")
    now = stage.look()
    demand(now is not None and not stage.is_complete(now), "refused, but it was done")


def with_a_writer(stage: Stage) -> str:
    with holding(stage, "begin immediate"):
        began = time.monotonic()
        code, process = stage.finish()
        took = time.monotonic() - began
        demand_refused(stage, code, process)
    stage.demand_true(*stage.finish())
    return f"refused after {took:.2f} s"


def with_a_reader(stage: Stage) -> str:
    with holding(stage, "begin") as holder:
        began = time.monotonic()
        code, process = stage.finish()
        took = time.monotonic() - began
        seen = holder.look_again()
        demand(seen == holder.rows, f"the reader saw {holder.rows} rows and now {seen}")
        if code == stage.code:
            now = stage.look()
            demand(stage.is_complete(now), "exit 0, but it is not done")
        else:
            demand_refused(stage, code, process)
    if code == stage.code:
        return f"beside the reader, {took:.2f} s"
    stage.demand_true(*stage.finish())
    return f"refused after {took:.2f} s"


def with_a_short_reader(stage: Stage) -> str:
    """It goes away while the import waits to commit."""
    with holding(stage, "begin"):
        process = stage.start()
        pause(1)
    code = process.wait(LIMIT)
    if code == stage.code:
        stage.demand_truth()
        return "waited for the reader"
    demand_refused(stage, code, process)
    stage.demand_true(*stage.finish())
    return "refused"


def others(rig: Rig, _chosen: argparse.Namespace) -> None:
    kept = ("delete", "wal", "left")
    wrong: list[str] = []
    for mode in ("append", "incremental", "replace"):
        for base in kept:
            words = INDEX if mode == "append" else ()
            stage = Stage(rig, Scenario(base, mode, words, base), f"others {mode} {base}")
            for part in (with_a_writer, with_a_reader, with_a_short_reader):
                name = part.__name__.replace("_", " ")
                try:
                    print(f"{mode}, {base}, {name}: {part(stage)}", flush=True)
                except Wrong as reason:
                    wrong.append(f"{mode}, {base}, {name}: {reason}")
                    print(f"WRONG {wrong[-1]}", flush=True)
    demand(not wrong, f"{len(wrong)} times")


PARTS = {"signals": signals, "two": two, "others": others}


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("part", choices=list(PARTS))


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 20, lambda rig, chosen: PARTS[chosen.part](rig, chosen), options))
