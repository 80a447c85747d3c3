#!/usr/bin/env python3
"""Redis loses what it had, is killed, is full, is replaced by a replica that is behind, or there are
two of it.

What must hold: the run ends with 0 by itself, every task is done, and at most as often repeated as
there were faults.
"""
import contextlib
import os
import signal
import sys

from fleet_rig import (SECOND, Fleet, Gone, Host, Redis, Rig, Stages, demand, demand_calm, held, pause,
                       run_scenario, wait_for)

FLUSHES = 10
TASKS = int(os.environ.get("FLEET_TASKS", "200"))  # of flushall


def flushall(rig: Rig) -> None:
    """FLUSHALL in the middle, ten times. Caught: an epoch that goes back, parcels that are waited for
    although Redis has forgotten them, a run that is not published again, a worker that gives a
    report into a stream that it has created itself. By hand with FLEET_TASKS=100000 and a longer
    FLEET_WAIT."""
    fleet = Fleet(rig)
    names = fleet.tree(TASKS)
    stages = Stages(fleet, FLUSHES, TASKS // (FLUSHES + 1))
    for name in ("w1", "w2"):
        fleet.worker(name, places=1)
    run = fleet.each("tree", script=stages.script)
    for _ in range(FLUSHES):
        stages.wait_inside()
        fleet.ask("FLUSHALL")
        stages.next()
    fleet.finish(run)
    demand_calm(fleet.judge(names, most_starts=1 + FLUSHES))
    fleet.demand_empty()
    print(f"{fleet.started() - len(names)} commands were started again")


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
    names = fleet.tree(150)
    stages = Stages(fleet, times, 150 // (times + 1))
    for name in ("w1", "w2"):
        fleet.worker(name, places=1)
    run = fleet.each("tree", script=stages.script)
    for _ in range(times):
        stages.wait_inside()
        fleet.redis.kill()
        pause(fleet.dice.uniform(0, 0.2))
        fleet.redis.start()
        wait_for(fleet.has_redis, "an answer of Redis")
        stages.next()
    fleet.finish(run)
    demand_calm(fleet.judge(names, most_starts=1 + times))


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
    return info(fleet, "errorstats", "errorstat_OOM:count=")


def info(fleet: Fleet, section: str, field: str) -> int:
    for line in fleet.ask("INFO", section).decode().splitlines():
        if line.startswith(field):
            return int(line.removeprefix(field))
    return 0


def evicted(rig: Rig) -> None:
    """Redis evicts keys at random whenever it is short of memory, which the guide warns of. Parcels
    and reports vanish one stream at a time; the run completes. Caught: as by flushall, and an
    audit that trusts a stream because its epoch is still there, or the other way round."""
    fleet = Fleet(rig, "--maxmemory-policy", "allkeys-random")
    names = fleet.tree(200)
    stages = Stages(fleet, FLUSHES, 200 // (FLUSHES + 1))
    for name in ("w1", "w2"):
        fleet.worker(name, places=1)
    run = fleet.each("tree", script=stages.script)
    for _ in range(FLUSHES):
        stages.wait_inside()
        before = info(fleet, "stats", "evicted_keys:")
        used = info(fleet, "memory", "used_memory:")
        fleet.ask("CONFIG", "SET", "maxmemory", used - rig.dice.randint(1, 60_000))
        wait_for(lambda before=before: info(fleet, "stats", "evicted_keys:") > before, "an eviction")
        fleet.ask("CONFIG", "SET", "maxmemory", "0")
        stages.next()
    fleet.finish(run)
    losses = info(fleet, "stats", "evicted_keys:")
    demand_calm(fleet.judge(names, most_starts=1 + losses))


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
    fleet = Fleet(rig, url=sentinels_of(rig, first))
    names = fleet.tree(150)
    stages = Stages(fleet, faults=2, size=50)
    for name in ("w1", "w2"):
        fleet.worker(name, places=1)
    run = fleet.each("tree", script=stages.script)
    stages.wait_inside()
    second.signal(signal.SIGSTOP)
    stages.next()
    stages.wait_inside()
    first.kill()
    second.signal(signal.SIGCONT)
    stages.next()
    fleet.finish(run)
    demand_calm(fleet.judge(names, most_starts=2))


def call(server: Redis, *words):
    """Asks again if a sentinel has closed the connection, because it changed the role of the server."""
    try:
        return call_once(server, *words)
    except Gone:
        return call_once(server, *words)


def call_once(server: Redis, *words):
    with contextlib.closing(server.client()) as client:
        return client.call(*words)


def sentinel_of(rig: Rig, master: Redis, number: int, **where) -> Redis:
    conf = rig.folder / f"sentinel{number}.conf"
    conf.write_text(f"sentinel monitor mill {master.host} {master.port} 2\n"
                    "sentinel down-after-milliseconds mill 2000\n"
                    "sentinel failover-timeout mill 4000\n")
    sentinel = Redis(rig, str(conf), "--sentinel", "--protected-mode", "no",
                     name=f"sentinel{number}", **where)
    sentinel.wait_ready()
    return sentinel


def sentinels_of(rig: Rig, master: Redis, **where) -> str:
    """Three that agree about the master and its replica; their address."""
    sentinels = [
        sentinel_of(rig, master, number,
                    **where, **({"path": str(rig.folder / f"sentinel{number}.sock")} if where else {}))
        for number in range(3)]
    wait_for(lambda: all(is_agreed(sentinel) for sentinel in sentinels), "sentinels that agree")
    return "redis+sentinel://" + ",".join(
        f"{sentinel.host}:{sentinel.port}" for sentinel in sentinels) + "/mill"


def is_agreed(sentinel: Redis) -> bool:
    words = call(sentinel, "SENTINEL", "MASTER", "mill")
    facts = dict(zip(words[::2], words[1::2]))
    return facts[b"num-other-sentinels"] == b"2" and facts[b"num-slaves"] == b"1"


class Split:
    """A host with the master and the worker w1; on the switch its replica, three sentinels and the
    worker w2. When the cable is pulled, there are two masters."""

    def __init__(self, rig: Rig, is_coordinator_cut_off: bool):
        self.fleet = Fleet(rig, has_hosts=True, url="set below")
        self.switch = self.fleet.switch
        self.island = self.switch.host("island")
        self.old = self.server("old", self.island)
        self.new = self.server("new", self.switch, "--replicaof", self.old.host, str(self.old.port))
        wait_for(lambda: b"state=online" in call(self.old, "INFO", "replication"), "a replica")
        self.fleet.env["REDIS_URL"] = sentinels_of(rig, self.old, host=self.switch.address,
                                                   wrapper=self.switch.wrapper())
        self.home = self.island if is_coordinator_cut_off else self.switch
        self.names = self.fleet.tree(60)
        self.gate, self.last = self.fleet.gate(), self.fleet.gate("last")
        self.fleet.worker("w1", places=2, host=self.island)
        self.fleet.worker("w2", places=2, host=self.switch)
        self.run = self.fleet.each("tree", "--order", "name", term=SECOND, host=self.home,
                                   script=held("last", "*/f0000") + held("gate"))
        self.fleet.wait_started(4)

    def server(self, name: str, host: Host, *words: str) -> Redis:
        server = Redis(self.fleet.rig, "--save", "", "--repl-diskless-sync-delay", "0",
                       "--protected-mode", "no", *words, name=name, host=host.address,
                       wrapper=host.wrapper(), path=str(self.fleet.folder / f"{name}.sock"))
        server.wait_ready()
        return server

    def split(self) -> None:
        """Returns when both are masters, and both have accepted results after that."""
        self.island.pull_the_cable()
        wait_for(lambda: call(self.new, "ROLE")[0] == b"master", "a second master")
        demand(call(self.old, "ROLE")[0] == b"master", "the first is none any more")
        before = {server: accepted(server) for server in (self.old, self.new)}
        self.gate.open()
        wait_for(lambda: all(accepted(server) > count for server, count in before.items()),
                 "results on both sides")

    def heal(self) -> None:
        self.island.plug_it_in()
        wait_for(lambda: call(self.old, "ROLE")[0] == b"slave", "one master")
        self.last.open()

    def end(self) -> None:
        self.fleet.finish(self.run)
        demand_calm(self.fleet.judge(self.names, most_starts=4))


def accepted(server: Redis) -> int:
    """How many reports its stream has ever had."""
    streams = [key for key in call(server, "KEYS", "*:out")]
    if not streams:
        return 0
    words = call(server, "XINFO", "STREAM", streams[0])
    return dict(zip(words[::2], words[1::2])).get(b"entries-added", 0)


def split_brain(rig: Rig) -> None:
    """A host with the master and a worker is cut off; on the other side a replica is made master, and
    the coordinator follows it. Both masters take results, those of the old one are lost. Caught:
    results that count because a worker has sent them, parcels of the other side that are waited
    for, a worker that does not find the new master."""
    split = Split(rig, is_coordinator_cut_off=False)
    split.split()
    split.heal()
    split.end()


def split_off(rig: Rig) -> None:
    """The same, and the coordinator is on the side that loses: afterwards it meets a master that has
    parcels, results and ids of the time before. Caught: results that are committed twice, a
    refused id that ends the run, a coordinator that sends nothing again what only the old master
    had."""
    split = Split(rig, is_coordinator_cut_off=True)
    split.split()
    wait_for(lambda: split.fleet.settled() >= 10, "the journal goes on")
    split.heal()
    split.end()


if __name__ == "__main__":
    sys.exit(run_scenario(__doc__, [flushall, redis_killed, redis_forgets, full_memory, evicted,
                                    failover, split_brain, split_off]))
