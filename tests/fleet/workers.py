#!/usr/bin/env python3
"""Workers that are killed, stopped, ended, added and taken away while they work on a run of `each`.

What must hold: every task is done, none twice in the journal, and a command starts again only if
its worker was disturbed.
"""
import sys

from fleet_rig import (FLEET, SECOND, WAIT, Fleet, Keeper, Rig, demand, demand_calm, held,
                       pause, processes_with, run_scenario, wait_for)


def killed_worker(rig: Rig) -> None:
    """kill -9, and a start on the same host. The term is an hour: the run ends only because the next
    process reports in the name of the dead one. Caught: a successor that does not report, that
    reports running tasks as returned, that leaves commands of the dead one running, or a report
    that drops the tasks of the parcel that were not started."""
    fleet = Fleet(rig)
    names = fleet.tree(120)
    gate = fleet.gate()
    workers = {name: fleet.worker(name) for name in ("w1", "w2")}
    run = fleet.each("tree", script=held("gate"))
    fleet.wait_started(4)  # all places are busy
    dead = {line[2] for line in fleet.starts()
            if f":{workers['w1'].pid}:" in line[2]}
    workers["w1"].kill()
    workers["w1"] = fleet.worker("w1")
    fleet.wait_started(6)  # two others, in the places of the dead
    for mark in dead:
        wait_for(lambda mark=mark: not processes_with(f"TIDEMILL_MARK={mark}"),
                 "the commands of the dead worker are ended")
    wait_for(lambda: sum(row[2] for row in fleet.rows().values()) >= 2, "two tasks are blamed")
    gate.open()
    fleet.wait_started(rig.dice.randint(7, 100), run)
    pause(rig.dice.uniform(0, 0.05))
    victim = rig.dice.choice(sorted(workers))
    workers[victim].kill()
    workers[victim] = fleet.worker(victim)
    fleet.finish(run)
    rows = fleet.judge(names, most_starts=3)
    blamed = sum(row[2] for row in rows.values())
    demand(2 <= blamed <= 4, f"{blamed} tasks blamed for two crashes with two places")
    fleet.demand_empty()


def stopped_worker(rig: Rig) -> None:
    """SIGSTOP for longer than the term, then SIGCONT: another worker has done the task, and the late
    report is refused and counted. Caught: give() without the check of ownership, take_back() that
    looks at the age of a parcel instead of its last confirmation."""
    fleet = Fleet(rig)
    names = fleet.tree(6, pattern="a%d") + fleet.tree(1, pattern="z%d")
    gate, last = fleet.gate(), fleet.gate("last")
    slow = fleet.worker("slow", places=1)
    run = fleet.each("tree", "--order", "name", term=SECOND,
                     script=held("gate", "*/a*") + held("last", "*/z*"))
    fleet.wait_started(1)
    slow.stop()
    fast = fleet.worker("fast", places=8)
    wait_for(lambda: len({line[0] for line in fleet.starts()}) == 7, "all tasks started")
    gate.open()
    wait_for(lambda: fleet.settled() == 6, "all but one are settled without the stopped worker")
    demand(len(fleet.starts()) >= 8, "the task of the stopped worker was not started again")
    slow.go_on()
    fleet.wait_for_looks(2)  # of both: what it had to say was said
    last.open()
    fleet.finish(run)
    fleet.judge(names, most_starts=3)
    for worker in (slow, fast):
        worker.terminate()
        worker.wait()
    demand("reports that came too late: 1" in slow.errors(), f"not counted: {slow.errors()}")
    fleet.demand_empty()


def slow_task(rig: Rig) -> None:
    """A command runs for much longer than the term, and its worker confirms that it has it: nothing is
    started again. Caught: parcels that are not confirmed while a command runs, or a confirmation
    that does not count."""
    fleet = Fleet(rig)
    names = fleet.tree(6)
    gate = fleet.gate()
    fleet.worker("w1")
    run = fleet.each("tree", script=held("gate"), term="3s")
    fleet.wait_started(2)
    cards = fleet.key(fleet.run_name() + ":w")
    for _ in range(4):  # one each third of a term
        before = fleet.ask("HVALS", cards)
        wait_for(lambda before=before: fleet.ask("HVALS", cards) != before, "a confirmation")
    demand(len(fleet.starts()) == 2, f"started again: {fleet.starts()}")
    gate.open()
    fleet.finish(run)
    demand_calm(fleet.judge(names, most_starts=1))


def poison(rig: Rig) -> None:
    """Two of the tasks kill the worker that runs them. Each fails after three crashes; a task that
    only ran beside one of them is done, and is blamed at most once, because it runs alone
    afterwards. Caught: suspects beside other tasks, blame that is not counted across hosts, a
    poisoned parcel that takes the rest of its tasks with it, an endless loop of crashes."""
    fleet = Fleet(rig)
    healthy = fleet.tree(30)
    bad = fleet.tree(2, pattern="poison%d")
    kill = 'case "$1" in */poison*) pid=${TIDEMILL_MARK#*:}; kill -9 "${pid%%:*}"; ' \
           'flock -s "$FOLDER/stuck" true;; esac; '
    stuck = fleet.gate("stuck")
    keepers = [Keeper(fleet, name, 2) for name in ("w1", "w2")]
    run = fleet.each("tree", script=kill)
    fleet.finish(run, code=3)
    for keeper in keepers:
        keeper.close()
    stuck.open()
    rows = fleet.judge(healthy + bad, failed=set(bad), most_starts=3)
    deaths = sum(keeper.deaths for keeper in keepers)
    demand(deaths in (5, 6), f"{deaths} workers died")  # both at once in one worker: 5
    blamed = {name: row[2] for name, row in rows.items() if row[2] > (3 if name in bad else 1)}
    demand(not blamed, f"blamed too often: {blamed}")
    fleet.demand_empty()


def sigterm(rig: Rig) -> None:
    """A worker that is ended returns its tasks at once and without blame, also those whose commands
    run; another one finishes. The term is an hour. Caught: a worker that waits for its commands,
    or leaves without returning what it has."""
    fleet = Fleet(rig)
    names = fleet.tree(40)
    gate = fleet.gate()
    first = fleet.worker("w1", places=3)
    run = fleet.each("tree", script=held("gate"))
    fleet.wait_started(3)
    first.terminate()
    code = first.wait(30)
    demand(code == 143, f"exit {code}: {first.errors()}")
    wait_for(lambda: not fleet.held_by(), "nothing is held any more")
    demand(not processes_with(f"TIDEMILL_MARK={fleet.starts()[0][2]}"), "commands were left behind")
    second = fleet.worker("w2")
    fleet.wait_started(5)
    gate.open()
    fleet.finish(run)
    demand_calm(fleet.judge(names, most_starts=2))
    second.terminate()
    second.wait()
    fleet.demand_empty()


def scale(rig: Rig) -> None:
    """0 → 4 → 0 → 1 workers. A coordinator without workers waits, and says so. Caught: a coordinator
    that gives up without workers or does not see new ones, tasks that leave with their worker."""
    fleet = Fleet(rig)
    names = fleet.tree(150)
    gate = fleet.gate()
    run = fleet.each("tree", script=held("gate"))
    wait_for(lambda: fleet.ask("EXISTS", fleet.key("runs")) == 1, "the run is published")
    demand(not run.has_ended(), f"ended without workers: {run.errors()}")
    workers = [fleet.worker(f"w{i}", places=1) for i in range(4)]
    fleet.wait_started(4)
    gate.open()
    fleet.wait_started(rig.dice.randint(5, 80))
    pause(rig.dice.uniform(0, 0.05))
    for worker in workers:
        worker.terminate()
    for worker in workers:
        demand(worker.wait(WAIT) == 143, f"exit {worker.wait()}: {worker.errors()}")
    is_early = run.has_ended()  # a machine that is quick enough
    demand(is_early or fleet.settled() < len(names), "done, and not ended")
    fleet.worker("w5")
    fleet.finish(run)
    demand_calm(fleet.judge(names, most_starts=2))
    fleet.demand_empty()


def pause_run(rig: Rig) -> None:
    """A paused run starts nothing more; unpaused it ends. Caught: a worker that does not read the
    list, or reads it only when it starts, and reports that stay in Redis."""
    fleet = Fleet(rig)
    names = fleet.tree(60)
    gate = fleet.gate()
    fleet.worker("w1", places=1)
    run = fleet.each("tree", script=held("gate"))
    fleet.wait_started(1)
    fleet.do("fleet", "pause", FLEET, fleet.run_name())
    demand([row["state"] for row in fleet.status()["runs"]] == ["paused"], "not shown as paused")
    fleet.wait_for_looks(2)
    gate.open()
    wait_for(lambda: not fleet.held_by(), "the worker holds nothing any more")
    wait_for(lambda: fleet.ask("XLEN", fleet.key(fleet.run_name() + ":out")) == 0,
             "what is in the journal is removed from Redis")
    before = len(fleet.starts())
    fleet.wait_for_looks(2)
    demand(len(fleet.starts()) == before, "a command of a paused run was started")
    demand(before < len(names), "it was not paused")
    demand(not run.has_ended(), f"ended: {run.errors()}")
    fleet.do("fleet", "unpause", FLEET, fleet.run_name())
    fleet.finish(run)
    demand_calm(fleet.judge(names, most_starts=1))


if __name__ == "__main__":
    sys.exit(run_scenario(__doc__, [killed_worker, stopped_worker, slow_task, poison, sigterm, scale,
                                    pause_run]))
