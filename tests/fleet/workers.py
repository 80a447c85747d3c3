#!/usr/bin/env python3
"""Workers that are killed, stopped, ended, added and taken away while they work on a run of `each`.

What must hold: every task is done, none twice in the journal, and a command starts again only if
its worker was disturbed.
"""
import pathlib
import sys

from fleet_rig import (FLEET, SECOND, WAIT, Fleet, Keeper, Rig, Skip, demand, demand_calm,
                       has_sanitizer, held, pause, processes_with, run_scenario, wait_for)


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
    demand(fleet.started() >= 8, "the task of the stopped worker was not started again")
    slow.go_on()
    fleet.wait_for_looks(2)  # of both: what it had to say was said
    last.open()
    fleet.finish(run)
    fleet.judge(names, most_starts=5)  # on a machine that is busy for a term, it happens again
    for worker in (slow, fast):
        worker.terminate()
        fleet.finish(worker, code=143)
    demand("reports that came too late: " in slow.errors(), f"not counted: {slow.errors()}")
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
    confirmations(fleet)
    demand(fleet.started() == 2, f"started again: {fleet.starts()}")
    gate.open()
    fleet.finish(run)
    demand_calm(fleet.judge(names, most_starts=1))


def confirmations(fleet: Fleet) -> None:
    """Four of each worker, which are more than a term: there is one each third of a term."""
    cards = fleet.key(fleet.run_name() + ":w")
    for _ in range(4):
        before = fleet.ask("HVALS", cards)
        wait_for(lambda before=before: not set(before) & set(fleet.ask("HVALS", cards)),
                 "a confirmation of all")


def short_term(rig: Rig) -> None:
    """The shortest term is as long as the rounds of an idle worker, and yet it confirms what it has
    several times a term. Caught: a worker that wakes for its rounds only: its parcels are taken back
    again and again."""
    fleet = Fleet(rig)
    names = fleet.tree(2)
    gate = fleet.gate()
    fleet.worker("w1")
    run = fleet.each("tree", script=held("gate"), term=SECOND)
    fleet.wait_started(2)
    hosts, cards = fleet.key("hosts"), fleet.key(fleet.run_name() + ":w")
    wait_for(lambda: confirmations_in_a_round(fleet, hosts, cards) >= 2,
             "two confirmations between two looks at the board")
    gate.open()
    fleet.finish(run)
    fleet.judge(names, most_starts=6)  # on a machine that is busy for a term, they are taken back


def confirmations_in_a_round(fleet: Fleet, hosts: str, cards: str) -> int:
    """How many there were between the next look at the board and the one after it."""
    before = fleet.ask("HVALS", hosts)
    wait_for(lambda: fleet.ask("HVALS", hosts) != before, "a look at the board")
    look, seen = fleet.ask("HVALS", hosts), set()

    def is_over() -> bool:
        if fleet.ask("HVALS", hosts) != look:
            return True  # what came with the next look is not counted
        seen.update(fleet.ask("HVALS", cards))
        return False

    wait_for(is_over, "the next look at the board")
    return len(seen) - 1  # the first of them was there already


def clocks(rig: Rig) -> None:
    """The clocks of all hosts differ by hours, and one is set while it works. Nothing comes of it:
    terms are measured by Redis and by clocks that only run forward, and `fleet status` shows ages,
    not times. Caught: a wall clock that is compared with that of another host."""
    library = next(pathlib.Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
    if not library:
        raise Skip("NOT TESTED: there is no faketime here")
    fleet = Fleet(rig)
    if has_sanitizer(fleet):
        raise Skip("NOT TESTED: libfaketime and sanitizers do not go together")
    names = fleet.tree(12)
    gate = fleet.gate()
    offset = fleet.folder / "offset"
    offset.write_text("+0")
    fake = {"LD_PRELOAD": str(library), "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    fleet.worker("past", env=fake | {"FAKETIME": "-1h"})
    fleet.worker("future", env=fake | {"FAKETIME": "+1h"})
    fleet.worker("set", env=fake | {"FAKETIME_TIMESTAMP_FILE": str(offset),
                                    "FAKETIME_NO_CACHE": "1"})
    run = fleet.each("tree", script=held("gate"), term="3s", env=fake | {"FAKETIME": "+30m"})
    fleet.wait_started(6)
    offset.write_text("-90m")
    confirmations(fleet)
    ages = [host["ageSeconds"] for host in fleet.status()["hosts"]]
    demand(len(ages) == 3 and all(0 <= age < 60 for age in ages), f"ages of the hosts: {ages}")
    demand([row["state"] for row in fleet.status()["runs"]] == ["running"], "not running")
    demand(fleet.started() == 6, f"started again: {fleet.starts()}")
    gate.open()
    fleet.finish(run)
    demand_calm(fleet.judge(names, most_starts=1))
    fleet.demand_empty()


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


def together(rig: Rig) -> None:
    """Many workers of one user and host start at once, again and again. Each works, and each removes
    its folder when it ends. Caught: a worker that takes another, which has just been started, for
    dead."""
    fleet = Fleet(rig)
    for _ in range(8):
        workers = [fleet.worker("w", places=1) for _ in range(16)]
        wait_for(lambda workers=workers: any(worker.has_ended() for worker in workers)
                 or len(fleet.status()["hosts"]) == len(workers), "all have said that they work")
        for worker in workers:
            demand(not worker.has_ended(), f"ended by itself: {worker.errors()}")
            worker.terminate()
        for worker in workers:
            fleet.finish(worker, code=143)
        left = [path.name for path in fleet.folder.glob("w/**/*:*")]
        demand(not left, f"left behind: {left}")


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
    before = fleet.started()
    fleet.wait_for_looks(2)
    demand(fleet.started() == before, "a command of a paused run was started")
    demand(before < len(names), "it was not paused")
    demand(not run.has_ended(), f"ended: {run.errors()}")
    fleet.do("fleet", "unpause", FLEET, fleet.run_name())
    fleet.finish(run)
    demand_calm(fleet.judge(names, most_starts=1))


if __name__ == "__main__":
    sys.exit(run_scenario(__doc__, [killed_worker, stopped_worker, slow_task, short_term, clocks,
                                    poison, sigterm, scale, together, pause_run]))
