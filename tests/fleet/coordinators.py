#!/usr/bin/env python3
"""Coordinators that are killed, continued with and without a fleet, and replaced by a copy.

What must hold: the journal is the only truth. Whoever has it can finish the run, nothing is lost,
and a coordinator that was replaced changes nothing any more.
"""
import shutil
import sys

from fleet_rig import (DONE, PENDING, SECOND, WAIT, Fleet, Rig, Stages, demand, held,
                       run_scenario, wait_for)


def killed_coordinator(rig: Rig) -> None:
    """kill -9 at random moments. The run goes on with the fleet, then without one, then with it again.
    Workers keep running. Caught: parcels or reports of an earlier epoch that are dropped before
    they are committed, or committed twice; drain before commit; `resume` that needs a fleet, or
    that is disturbed by what the fleet still does."""
    fleet = Fleet(rig)
    names = fleet.tree(200)
    stages = Stages(fleet, faults=3, size=50)
    for name in ("w1", "w2"):
        fleet.worker(name, places=1)
    run = fleet.each("tree", script=stages.script)
    for on_fleet in (True, False, True):
        stages.wait_inside()
        run.kill()
        run = fleet.resume(on_fleet=on_fleet)
        stages.next()
    fleet.finish(run)
    rows = fleet.judge(names, most_starts=4)
    blamed = {name: row for name, row in rows.items() if row[2] > 1}
    demand(not blamed, f"blamed for the crashes of coordinators: {blamed}")


def adopted(rig: Rig) -> None:
    """A coordinator is killed while commands run, and its successor finishes with a worker that never
    stopped. Nothing runs twice: a parcel in the hands of the worker is adopted, and reports that
    arrived between the two are read. Caught: a successor that sends everything again, or that asks
    for reports before parcels."""
    fleet = Fleet(rig)
    names = fleet.tree(30)
    gate, last = fleet.gate(), fleet.gate("last")
    fleet.worker("w1", places=3)
    run = fleet.each("tree", "--order", "name",
                     script=held("last", "*/f0000") + held("gate", "*/f000[12]"))
    fleet.wait_started(3)
    run.kill()
    gate.open()
    wait_for(lambda: fleet.ask("XLEN", fleet.key(fleet.run_name() + ":out")) >= 2,
             "reports that nobody reads yet")
    run = fleet.resume()
    wait_for(lambda: fleet.settled() >= 2, "the reports are read, and before them the parcels")
    last.open()
    fleet.finish(run)
    fleet.judge(names, most_starts=1)
    fleet.demand_empty()


def beside_a_long_task(rig: Rig) -> None:
    """The same, while a command runs that takes long: the other places of its worker get tasks from
    the successor meanwhile. Caught: a worker that waits for its running tasks before it takes up a
    run that was published anew."""
    fleet = Fleet(rig)
    names = fleet.tree(20)
    gate, last = fleet.gate(), fleet.gate("last")
    fleet.worker("w1", places=2)
    run = fleet.each("tree", "--order", "name",
                     script=held("last", "*/f0000") + held("gate", "*/f0001"))
    fleet.wait_started(2)
    run.kill()
    before = epoch_of(fleet)
    run = fleet.resume()
    wait_for(lambda: epoch_of(fleet) > before, "the successor")
    fleet.wait_for_looks(2)  # the worker has seen what it published
    gate.open()
    wait_for(lambda: fleet.settled() == len(names) - 1, "all but the long one are settled")
    last.open()
    fleet.finish(run)
    fleet.judge(names, most_starts=1)


def two_coordinators(rig: Rig) -> None:
    """SIGSTOP the coordinator, continue a copy of its state folder elsewhere, SIGCONT. The first ends
    with 4 and does nothing more; the copy completes. Caught: an epoch that is not checked by every
    writing call, a coordinator that opens a new epoch when it is refused, a drain of reports that
    only the other one has read."""
    taken_over(rig, tasks=40)


def nothing_to_send(rig: Rig) -> None:
    """The same when the first has sent all of its tasks, and nothing is due for an hour. Caught: a
    coordinator that notices a successor only when it sends or drains."""
    taken_over(rig, tasks=2)


def taken_over(rig: Rig, tasks: int) -> None:
    fleet = Fleet(rig)
    names = fleet.tree(tasks)
    gate = fleet.gate()
    fleet.worker("w1", places=2)
    first = fleet.each("tree", script=held("gate"))
    fleet.wait_started(2)
    first.stop()
    shutil.copytree(fleet.folder / "c", fleet.folder / "copy")
    before = epoch_of(fleet)
    second = fleet.resume(state="copy")
    wait_for(lambda: epoch_of(fleet) > before, "the copy has taken over")
    first.go_on()
    fleet.finish(first, code=4)
    demand("taken over" in first.errors(), f"no reason given: {first.errors()}")
    demand(not second.has_ended(), f"the copy has ended: {second.errors()}")
    demand(fleet.ask("HLEN", fleet.key("runs")) == 1, "the run was taken off the board")
    gate.open()
    fleet.finish(second)
    fleet.judge(names, most_starts=1, state="copy")
    left = [name for name, row in fleet.rows().items() if row[0] == PENDING]
    demand(len(left) == len(names), f"the first has settled {len(names) - len(left)} tasks")
    fleet.demand_empty()


def race(rig: Rig) -> None:
    """Two copies of a journal are resumed at once. One of them is told that the other has taken over;
    the other finishes. Caught: an epoch that both may have, a coordinator that takes the run back,
    one that is told by an answer that it does not read."""
    fleet = Fleet(rig)
    names = fleet.tree(40)
    gate = fleet.gate()
    fleet.worker("w1", places=2)
    run = fleet.each("tree", script=held("gate"))
    fleet.wait_started(2)
    wait_for(lambda: len(fleet.rows()) == len(names), "all names are found")
    run.kill()
    shutil.copytree(fleet.folder / "c", fleet.folder / "copy")
    racers = [fleet.resume(state=state, term=SECOND) for state in rig.dice.sample(["c", "copy"], 2)]
    wait_for(lambda: any(racer.has_ended() for racer in racers), "one gives up")
    loser = next(racer for racer in racers if racer.has_ended())
    winner = next(racer for racer in racers if racer is not loser)
    fleet.finish(loser, code=4)
    demand("taken over" in loser.errors(), f"no reason given: {loser.errors()}")
    gate.open()
    fleet.finish(winner)
    fleet.judge(names, most_starts=4, state=winner.name)
    fleet.demand_empty()


def epoch_of(fleet: Fleet) -> int:
    return int(fleet.ask("GET", fleet.key(fleet.run_name() + ":epoch")) or 0)


def interrupted(rig: Rig) -> None:
    """SIGTERM of a coordinator: its workers end their commands and return the tasks; without a fleet
    the same run is finished on this machine. Caught: commands that run on after their run was
    stopped, tasks that are blamed or lost by the stop, a run that stays on the board."""
    fleet = Fleet(rig)
    names = fleet.tree(40)
    gate = fleet.gate()
    fleet.worker("w1", places=2)
    run = fleet.each("tree", script=held("gate"))
    fleet.wait_started(2)
    run.terminate()
    code = run.wait(WAIT)
    demand(code == 143, f"exit {code}: {run.errors()}")
    fleet.demand_empty()
    gate.open()
    fleet.finish(fleet.resume(on_fleet=False))
    rows = fleet.judge(names, most_starts=2)
    demand(all(row[0] == DONE and row[2] == 0 for row in rows.values()), f"blamed: {rows}")


if __name__ == "__main__":
    sys.exit(run_scenario(__doc__, [killed_coordinator, adopted, beside_a_long_task,
                                    two_coordinators, nothing_to_send, race, interrupted]))
