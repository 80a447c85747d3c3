#!/usr/bin/env python3
"""Two processes want the same run at the same time: one works, the other leaves with exit 4 at once
and says who has it.

Each race starts two `resume` of a run that was interrupted. What must hold: the loser is out within
two seconds, while the winner still works, and names the winner's process; the winner ends as if
nobody had disturbed it; every task is done, none was run twice. And a run of the same name in
another state folder is not disturbed at all. Seconds are those of a machine that is free, see
slowness.py.
"""
import argparse
import os
import pathlib
import signal
import sys
from dataclasses import dataclass

from rig import DONE, Process, Rig, demand, eventually, run_test

TASKS = 200
LOSER = 4


def gate_of(rig: Rig, number: int) -> pathlib.Path:
    """The last command waits here until somebody reads: no run ends before it may."""
    return rig.folder / f"effects{number}" / "effects" / f"race{number}-task{TASKS - 1}"


def interrupted_run(rig: Rig, number: int) -> str:
    effects = rig.effects(f"effects{number}")
    os.mkfifo(gate_of(rig, number))
    names = rig.list_of(f"list{number}", [f"race{number}-task{i}" for i in range(TASKS)])
    before = rig.runs()
    process = rig.start("each", "--files-from", names, "--jsonl", "-w", "2", "--", rig.chore(),
                        "effect", str(effects.folder))
    process.wait_ready()
    process.signal(signal.SIGINT)
    code = process.wait(60)
    demand(code == 130, f"interrupted before the race: exit {code}: {process.errors()}")
    return next(iter(rig.runs() - before))


@dataclass
class Race:
    took: float  # until the loser was out
    complaint: str = ""  # of the test about what the loser said


def race(rig: Rig, number: int) -> Race:
    slowness = rig.slowness
    run = interrupted_run(rig, number)
    effects = rig.effects(f"effects{number}")
    before = len(effects.lines("begin"))
    left = TASKS - len(rig.journal(run).names(DONE))
    both = [rig.start("resume", run, "--jsonl") for _ in range(2)]
    demand(eventually(lambda: any(process.has_ended() for process in both), 60), "nobody gave way")
    losers = [process for process in both if process.has_ended()]
    demand(len(losers) == 1, "both have ended: the race was no race")
    loser: Process = losers[0]
    winner: Process = both[1 - both.index(loser)]
    code = loser.wait()
    took = slowness.fair(loser.began, loser.ended)
    demand(code == LOSER, f"the loser: exit {code}: {loser.errors()}")
    is_named = f"process {winner.pid} " in loser.errors()
    complaint = "" if is_named else f"process {winner.pid} is not named: {loser.errors()}"
    gate = os.open(gate_of(rig, number), os.O_RDONLY | os.O_NONBLOCK)
    code = winner.wait()
    os.close(gate)
    demand(code == 0, f"the winner: exit {code}: {winner.errors()}")
    demand(len(rig.journal(run).names(DONE)) == TASKS, "not every task is done")
    begun = len(effects.lines("begin")) - before
    demand(begun == left, f"{begun} commands for {left} tasks that were left")
    demand(set(effects.lines("end")) == effects.there() and len(effects.there()) == TASKS,
           f"{len(effects.there())} effects of {TASKS} tasks")
    demand(not effects.lines("held"), "two commands of one task at the same time")
    rig.check(run)
    rig.demand_nobody(run)
    return Race(took, complaint)


def demand_strangers_live(rig: Rig) -> None:
    """A run of the same name in another state folder is somebody else's: taking up ours after a
    kill ends what our commands have left behind, and nothing of theirs."""
    for number in range(10):
        states = [rig.folder / f"{whose} state {number}" for whose in ("their", "our")]
        theirs, ours = [start_waiting(rig, state) for state in states]
        runs = [rig.runs_in(state) for state in states]
        if runs[0] == runs[1]:
            break
        theirs.close()  # a minute has begun in between, and a run is named after its minute
        ours.close()
    run = min(runs[0])
    demand(runs[0] == runs[1], f"never the same name: {runs}")
    demand(eventually(lambda: all((state / "begun").exists() for state in states), 60),
           "no command runs")
    ours.signal(signal.SIGKILL)
    ours.wait()
    (states[1] / "may end").touch()
    code, resumed = rig.finish("resume", run)
    demand(code == 0, f"our run, taken up: exit {code}: {resumed.errors()}")
    (states[0] / "may end").touch()
    code = theirs.wait()
    demand(code == 0, f"a stranger's run: exit {code}: {theirs.errors()}")
    demand((states[0] / "begun").read_text() == "begun\n", "a stranger's command was begun again")
    rig.env["TIDEMILL_STATE"] = str(rig.state)


def start_waiting(rig: Rig, state: pathlib.Path) -> Process:
    """A run of one command, which stays until its state folder has the file "may end"."""
    script = """echo begun >> "$TIDEMILL_STATE/begun"
until [ -e "$TIDEMILL_STATE/may end" ]; do sleep 0.05; done"""
    rig.env["TIDEMILL_STATE"] = str(state)
    process = rig.start("each", "--files-from", rig.list_of("one", ["name"]), "--jsonl", "--shell",
                        "--", script)
    process.wait_ready()
    return process


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
