#!/usr/bin/env python3
"""Hosts with a network of their own: one that is gone, one that is cut off, one that hears nothing,
one that is drained; and all of it in one run.

Redis and the coordinator are on the switch; each worker has a network namespace and a host name.
Needs root, ip(8), nsenter, unshare and nft; says SKIP otherwise.
"""
import os
import pathlib
import sys

from fleet_rig import (FLEET, SECOND, Fleet, Member, Rig, Stages, demand, demand_calm, held,
                       run_scenario, wait_for)


def host_gone(rig: Rig) -> None:
    """The cable is pulled and everything on the host is killed. After the term its parcels run on
    another host, and nobody is blamed. Caught: parcels that are only returned by a successor, blame
    for a loss of which nothing is known, a take_back() that forgets parcels of one consumer."""
    fleet = Fleet(rig, has_hosts=True)
    names = fleet.tree(40)
    gate = fleet.gate()
    one, two = fleet.switch.host("one"), fleet.switch.host("two")
    first = fleet.worker("w1", places=3, host=one)
    run = fleet.each("tree", script=held("gate"), term=SECOND)
    fleet.wait_started(3)
    marks = {line[2] for line in fleet.starts()}
    one.pull_the_cable()
    first.kill()
    fleet.worker("w2", places=3, host=two)
    fleet.wait_started(4)
    gate.open()
    fleet.finish(run)
    demand(len(marks) == 1, f"workers: {marks}")
    demand_calm(fleet.judge(names, most_starts=2))
    fleet.demand_empty()


def cut(rig: Rig) -> None:
    """Every packet of a host is dropped until its parcels were taken back, then none is. The worker
    goes on without help, and nothing is lost. Caught: a worker that ends when it hears nothing, one
    that starts tasks it has no right to, a connection that is never made again."""
    fleet = Fleet(rig, has_hosts=True)
    names = fleet.tree(60)
    gate = fleet.gate()
    one = fleet.switch.host("one")
    worker = fleet.worker("w1", places=2, host=one)
    run = fleet.each("tree", script=held("gate"), term=SECOND)
    fleet.wait_started(2)
    one.drop("input", "output")
    wait_for(lambda: not fleet.held_by(), "the parcels are taken back")
    gate.open()
    demand(fleet.started() == 2, f"started without a fleet: {fleet.starts()}")
    one.restore()
    fleet.finish(run)
    demand(not worker.has_ended(), f"the worker has ended: {worker.errors()}")
    rows = fleet.judge(names, most_starts=3)
    demand_calm(rows)
    fleet.demand_empty()


def half_open(rig: Rig) -> None:
    """Only what Redis says is dropped, while parcels are delivered, until the worker has given up the
    connection. The term is an hour: the run ends only because the worker asks what it holds.
    Caught: a lost reply that is not doubted, held() that is asked before the old connection is
    closed, parcels that are confirmed although nobody works on them."""
    fleet = Fleet(rig, has_hosts=True)
    one = fleet.switch.host("one")
    worker = fleet.worker("w1", places=2, host=one)
    os.mkfifo(fleet.folder / "list")
    run = fleet.each("--files-from", "list")
    with open(os.open(fleet.folder / "list", os.O_RDWR), "w") as names:  # waits for no reader
        print("n0", file=names, flush=True)
        wait_for(lambda: fleet.settled() == 1, "the first task")
        wait_for(lambda: not fleet.held_by(), "a worker without work")
        one.drop("input")
        names.writelines(f"n{i}\n" for i in range(1, 8))
    wait_for(fleet.held_by, "parcels that are delivered, and do not arrive")
    wait_for(lambda: not connections(worker), "the worker gives up its connections")
    demand(fleet.started() == 1, f"they have arrived: {fleet.starts()}")
    one.restore()
    fleet.finish(run)
    demand(not worker.has_ended(), f"the worker has ended: {worker.errors()}")
    demand_calm(fleet.judge([f"n{i}" for i in range(8)], most_starts=1))


def connections(worker: Member) -> list[str]:
    """Those that are established, as its kernel sees them."""
    lines = pathlib.Path(f"/proc/{worker.pid}/net/tcp").read_text().splitlines()[1:]
    return [line for line in lines if line.split()[3] == "01"]


def drained(rig: Rig) -> None:
    """Of two hosts one is drained: what starts from then on starts on the other, until it is
    undrained. Caught: a list that workers do not read, a worker that ends or keeps parcels when its
    host is drained."""
    fleet = Fleet(rig, has_hosts=True)
    names = fleet.tree(60)
    gate = fleet.gate()
    workers = [fleet.worker(name, places=1, host=fleet.switch.host(name)) for name in ("one", "two")]
    run = fleet.each("tree", script=held("gate"))
    fleet.wait_started(2)
    fleet.do("fleet", "drain", FLEET, "one")
    fleet.wait_for_looks(2)
    gate.open()
    fleet.finish(run)
    on = [line[2].split(":")[0] for line in fleet.starts()]
    demand(on.count("one") == 1, f"started on the drained host: {on.count('one')}")
    rows = fleet.judge(names, most_starts=1)
    demand_calm(rows)
    demand(not any(worker.has_ended() for worker in workers), "a worker has ended")
    shown = {row["host"]: row["isDrained"] for row in fleet.status()["hosts"]}
    demand(shown == {"one": True, "two": False}, f"shown: {shown}")
    fleet.do("fleet", "undrain", FLEET, "one")
    shown = {row["host"]: row["isDrained"] for row in fleet.status()["hosts"]}
    demand(shown == {"one": False, "two": False}, f"shown: {shown}")


def tour(rig: Rig) -> None:
    """One run, three hosts, and what happens to a fleet in its life: a worker is killed, one is
    stopped for longer than the term, a host is added, Redis starts again empty, the coordinator is
    killed, and the rest is done without a fleet. Caught: what only two of these faults together
    bring about."""
    fleet = Fleet(rig, has_hosts=True)
    names = fleet.tree(400)
    stages, last = Stages(fleet, faults=4, size=60), fleet.gate("last")
    hosts = [fleet.switch.host(name) for name in ("one", "two", "three", "four")]
    workers = [fleet.worker(host.name, places=2, host=host) for host in hosts[:3]]
    run = fleet.each("tree", "--order", "name", term=SECOND,
                     script=stages.script + held("last", "*/f0399"))
    stages.wait_inside()
    workers[0].kill()
    stages.next()
    stages.wait_inside()
    workers[1].stop()
    wait_for(lambda: not any(f":{workers[1].pid}:" in holder for holder in fleet.held_by()),
             "the parcels of the stopped worker are taken back")
    workers.append(fleet.worker("four", places=2, host=hosts[3]))
    stages.next()
    wait_for(lambda: any(f":{workers[3].pid}:" in line[2] for line in fleet.starts()),
             "the new host works")
    workers[1].go_on()
    stages.wait_inside()
    fleet.redis.kill()
    fleet.redis.start()
    wait_for(fleet.has_redis, "an answer of Redis")
    stages.next()
    stages.wait_inside()
    demand(not run.has_ended(), f"ended early: {run.errors()}")
    run.kill()
    stages.next()
    last.open()
    fleet.finish(fleet.resume("-j", "2", on_fleet=False))
    rows = fleet.judge(names, most_starts=6)
    blamed = {name: row for name, row in rows.items() if row[2] > 1}
    demand(not blamed, f"blamed more than once: {blamed}")


if __name__ == "__main__":
    sys.exit(run_scenario(__doc__, [host_gone, cut, half_open, drained, tour]))
