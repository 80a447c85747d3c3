#!/usr/bin/env python3
"""Redis loses what it had, is killed, is full, or is replaced by a replica that is behind.

What must hold: the run ends with 0 by itself, every task is done, and at most as often repeated as
there were faults.
"""
import contextlib
import signal
import sys

from fleet_rig import (Fleet, Redis, Rig, demand, demand_calm, held, pause, run_scenario,
                       wait_for)

FLUSHES = 10


def flushall(rig: Rig) -> None:
    """FLUSHALL in the middle, ten times. Caught: an epoch that goes back, parcels that are waited for
    although Redis has forgotten them, a run that is not published again, a worker that gives a
    report into a stream that it has created itself."""
    fleet = Fleet(rig)
    names = fleet.tree(200)
    for name in ("w1", "w2"):
        fleet.worker(name, places=1)
    run = fleet.each("tree")
    flushes = 0
    for _ in range(FLUSHES):
        goal = len(fleet.starts()) + rig.dice.randint(1, len(names) // FLUSHES)
        wait_for(lambda: len(fleet.starts()) >= goal or run.has_ended(), f"{goal} commands")
        pause(rig.dice.uniform(0, 0.02))
        if not run.has_ended():
            fleet.ask("FLUSHALL")
            flushes += 1
    fleet.finish(run)
    demand(flushes > 0, "the run was faster than the first fault")
    demand_calm(fleet.judge(names, most_starts=1 + flushes))
    fleet.demand_empty()


def redis_killed(rig: Rig) -> None:
    """kill -9 and a start, with an append-only file. Caught: a process that gives up when the server
    goes away, an answer that got lost and is taken for a failure, a parcel that was delivered and
    never looked for."""
    restart_redis(Fleet(rig, "--appendonly", "yes", "--appendfsync", "everysec"), 3)


def redis_forgets(rig: Rig) -> None:
    """The same without persistence: it comes back empty. Caught: as by flushall, and connections that
    are not made again, scripts that the new server does not know."""
    restart_redis(Fleet(rig), 3)


def restart_redis(fleet: Fleet, times: int) -> None:
    dice = fleet.dice
    names = fleet.tree(150)
    for name in ("w1", "w2"):
        fleet.worker(name, places=1)
    run = fleet.each("tree")
    kills = 0
    for _ in range(times):
        goal = len(fleet.starts()) + dice.randint(1, len(names) // 4)
        wait_for(lambda: len(fleet.starts()) >= goal or run.has_ended(), f"{goal} commands")
        pause(dice.uniform(0, 0.05))
        if run.has_ended():
            break
        fleet.redis.kill()
        pause(dice.uniform(0, 0.2))
        fleet.redis.start()
        wait_for(fleet.has_redis, "an answer of Redis")
        kills += 1
    fleet.finish(run)
    demand(kills > 0, "the run was faster than the first fault")
    demand_calm(fleet.judge(names, most_starts=1 + kills))


def full_memory(rig: Rig) -> None:
    """maxmemory is reached, and nothing may be evicted: the fleet waits, and goes on when there is
    room. Caught: a refused XADD that ends the run, a report that is removed although it was not
    stored, a script whose first write is not the one that needs memory."""
    fleet = Fleet(rig, "--maxmemory-policy", "noeviction")
    names = fleet.tree(60)
    gate = fleet.gate()
    worker = fleet.worker("w1", places=2)
    run = fleet.each("tree", script=held("gate"))
    fleet.wait_started(2)
    fleet.ask("CONFIG", "SET", "maxmemory", "1mb")
    fleet.ask("CONFIG", "RESETSTAT")
    gate.open()
    wait_for(lambda: refusals(fleet) >= 5, "calls that are refused")
    demand(not run.has_ended() and not worker.has_ended(),
           f"ended: {run.errors()} {worker.errors()}")
    fleet.ask("CONFIG", "SET", "maxmemory", "0")
    fleet.finish(run)
    demand_calm(fleet.judge(names, most_starts=1))
    fleet.demand_empty()


def refusals(fleet: Fleet) -> int:
    for line in fleet.ask("INFO", "errorstats").decode().splitlines():
        if line.startswith("errorstat_OOM:count="):
            return int(line.split("=")[1])
    return 0


def failover(rig: Rig) -> None:
    """The master is killed, and a replica that was stopped for a while takes its place: parcels,
    reports and ids go back in time. Caught: reports that are read with a cursor, an epoch that is
    only remembered by Redis, a coordinator that takes a stale answer for a takeover."""
    words = ("--save", "", "--repl-diskless-sync-delay", "0", "--repl-timeout", "60")
    first = Redis(rig, *words, name="first")
    second = Redis(rig, *words, "--replicaof", "127.0.0.1", str(first.port), name="second")
    first.wait_ready()
    second.wait_ready()
    wait_for(lambda: b"state=online" in call(first, "INFO", "replication"), "a replica")
    sentinels = [sentinel_of(rig, first.port, number) for number in range(3)]
    wait_for(lambda: all(is_agreed(sentinel) for sentinel in sentinels), "sentinels that agree")
    url = "redis+sentinel://" + ",".join(
        f"127.0.0.1:{sentinel.port}" for sentinel in sentinels) + "/mill"
    fleet = Fleet(rig, url=url)
    names = fleet.tree(150)
    for name in ("w1", "w2"):
        fleet.worker(name, places=1)
    run = fleet.each("tree")
    fleet.wait_started(rig.dice.randint(5, 40))
    second.signal(signal.SIGSTOP)
    fleet.wait_started(len(fleet.starts()) + rig.dice.randint(5, 40), run)
    is_early = run.has_ended()
    first.kill()
    second.signal(signal.SIGCONT)
    fleet.finish(run)
    demand(not is_early, "the run was faster than the fault")
    demand_calm(fleet.judge(names, most_starts=2))


def call(server: Redis, *words):
    with contextlib.closing(server.client()) as client:
        return client.call(*words)


def sentinel_of(rig: Rig, master: int, number: int) -> Redis:
    conf = rig.folder / f"sentinel{number}.conf"
    conf.write_text(f"sentinel monitor mill 127.0.0.1 {master} 2\n"
                    "sentinel down-after-milliseconds mill 2000\n"
                    "sentinel failover-timeout mill 4000\n")
    sentinel = Redis(rig, str(conf), "--sentinel", name=f"sentinel{number}")
    sentinel.wait_ready()
    return sentinel


def is_agreed(sentinel: Redis) -> bool:
    words = call(sentinel, "SENTINEL", "MASTER", "mill")
    facts = dict(zip(words[::2], words[1::2]))
    return facts[b"num-other-sentinels"] == b"2" and facts[b"num-slaves"] == b"1"


if __name__ == "__main__":
    sys.exit(run_scenario(__doc__, [flushall, redis_killed, redis_forgets, full_memory, failover]))
