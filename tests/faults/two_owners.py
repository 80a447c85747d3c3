#!/usr/bin/env python3
"""Two processes want the same run at the same time: one works, the other leaves with exit 4 at once
and says who has it.

Each race starts two `resume` of a run that was interrupted. What must hold: the loser is out within
two seconds, while the winner still works, and names the winner's process; the winner ends as if
nobody had disturbed it; every task is done, none was run twice. And a run of the same name in
another state folder is not disturbed at all.
"""
import argparse
import signal
import sys
from dataclasses import dataclass

from rig import DONE, Process, Rig, demand, eventually, run_test

TASKS = 200
LOSER = 4


def interrupted_run(rig: Rig, number: int) -> str:
    effects = rig.effects(f"effects{number}")
    names = rig.list_of(f"list{number}", [f"race{number}-task{i}" for i in range(TASKS)])
    before = rig.runs()
    process = rig.start("each", "--files-from", names, "--jsonl", "-w", "2", "--", rig.chore(),
                        "effect", str(effects.folder))
    process.wait_ready()
    process.signal(signal.SIGINT)
    code = process.wait(10)
    demand(code == 130, f"interrupted before the race: exit {code}: {process.errors()}")
    return next(iter(rig.runs() - before))


@dataclass
class Race:
    took: float  # until the loser was out
    complaint: str = ""  # of the test about what the loser said


def race(rig: Rig, number: int) -> Race:
    run = interrupted_run(rig, number)
    both = [rig.start("resume", run, "--jsonl") for _ in range(2)]
    demand(eventually(lambda: any(process.has_ended() for process in both), 30), "nobody gave way")
    losers = [process for process in both if process.has_ended()]
    demand(len(losers) == 1, "both have ended: the race was no race")
    loser: Process = losers[0]
    winner: Process = both[1 - both.index(loser)]
    code = loser.wait()
    took = loser.ended - loser.began
    demand(code == LOSER, f"the loser: exit {code}: {loser.errors()}")
    is_named = f"process {winner.pid} " in loser.errors()
    complaint = "" if is_named else f"process {winner.pid} is not named: {loser.errors()}"
    code = winner.wait()
    demand(code == 0, f"the winner: exit {code}: {winner.errors()}")
    demand(len(rig.journal(run).names(DONE)) == TASKS, "not every task is done")
    effects = rig.effects(f"effects{number}")
    begun = effects.lines("begin")
    demand(len(begun) == TASKS == len(effects.there()),
           f"{len(begun)} commands for {TASKS} tasks, {len(effects.there())} effects")
    demand(not effects.lines("held"), "two commands of one task at the same time")
    rig.check(run)
    rig.demand_nobody(run)
    return Race(took, complaint)


def demand_strangers_live(rig: Rig) -> None:
    """A run of the same name in another state folder is somebody else's: taking up ours after a
    kill ends what our commands have left behind, and nothing of theirs."""
    other = rig.folder / "other state"
    one = rig.list_of("one", ["name"])
    ours = theirs = None
    while not ours or rig.runs_in(other) - rig.runs():  # a minute has begun in between
        started = []
        for state in (other, rig.state):
            rig.env["TIDEMILL_STATE"] = str(state)
            started.append(rig.start("each", "--files-from", one, "--jsonl", "--shell", "--",
                                     "sleep 3"))
            started[-1].wait_ready()
        theirs, ours = started
    rig.env["TIDEMILL_STATE"] = str(rig.state)
    run = max(rig.runs_in(other))
    demand(eventually(lambda: len(rig.left(f"TIDEMILL_RUN={run}")) >= 2, 2), "no command runs")
    ours.signal(signal.SIGKILL)
    ours.wait()
    rig.finish("resume", run)
    code = theirs.wait()
    demand(code == 0, f"a stranger's run: exit {code}: {theirs.errors()}")


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    demand_strangers_live(rig)
    races = [race(rig, number) for number in range(chosen.count)]
    slowest = max(each.took for each in races)
    complaints = [each.complaint for each in races if each.complaint]
    print(f"{len(races)} races, the slowest loser was out after {slowest:.2f} s, "
          f"{len(complaints)} did not say who has the run")
    demand(slowest < 2, "a loser did not leave at once")
    demand(not complaints, "\n".join(complaints[:3]))


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 20, test))
