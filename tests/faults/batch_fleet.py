"""Servers that come and go, for batch_servers.py: one that is killed and started again, and a
master with a replica and three sentinels.
"""
import os
import pathlib
import signal
import threading
import time
from collections import Counter, deque

from batch_redis import Gone, Redis, Resp, Wire
from batch_rig import close_all
from rig import Rig, demand, eventually, pause

LOST = 1.0  # seconds that a crash may cost: appendfsync everysec
# What a sync once a second means is played by Sizes.cut(). A real one that a busy disk makes slow
# holds back what is written, for longer than the second that is lost here.
AOF = ("--appendonly", "yes", "--appendfsync", "no", "--save", "",
       "--auto-aof-rewrite-percentage", "0")


class Account:
    """Over all runs."""

    def __init__(self) -> None:
        self.faults: Counter[str] = Counter()
        self.runs: Counter[str] = Counter()
        self.batches = self.doubles = self.lost = 0

    def __str__(self) -> str:
        return (f"{self.faults.total()} faults {dict(self.faults)} in {dict(self.runs)} runs of "
                f"{self.batches} batches, {self.lost} bytes lost by the server, "
                f"{self.doubles} batches came twice")


class Sizes(threading.Thread):
    """How long the append-only file was, and when."""

    def __init__(self, folder: pathlib.Path):
        super().__init__(daemon=True)
        self.folder = folder / "appendonlydir"
        self.seen: deque[tuple[float, int]] = deque(maxlen=1000)
        self.start()

    def file(self) -> pathlib.Path | None:
        return next(iter(sorted(self.folder.glob("*.incr.aof"))), None)

    def run(self) -> None:
        while self.folder.parent.exists():
            if file := self.file():
                self.seen.append((time.monotonic(), file.stat().st_size))
            pause(0.01)

    def cut(self, seconds: float) -> int:
        """To what it was so long ago, or a little later, and never earlier; says how many bytes
        went."""
        limit = time.monotonic() - seconds
        file = self.file()
        now = file.stat().st_size
        then = min(next((size for at, size in list(self.seen) if at >= limit), now), now)
        os.truncate(file, then)
        self.seen.clear()
        return now - then


class Crashes:
    """One server that is killed and comes back."""

    def __init__(self, rig: Rig, account: Account):
        self.rig = rig
        self.account = account
        self.redis = Redis(rig, *AOF)
        self.redis.wait_ready()
        self.sizes = Sizes(self.redis.folder)
        self.wire = Wire(self.redis.port)
        self.words = ("--lease", "1s")

    def truth_server(self) -> Redis:
        return self.redis

    def url(self) -> str:
        return self.redis.url(self.wire.port)

    def connect(self) -> Resp:
        return self.redis.client()

    def fault(self, has_ended) -> bool:
        """False: the producer was faster."""
        dice, wire = self.rig.dice, self.wire
        kind = dice.choice(("random moment", "just sent", "part arrived", "answer held"))
        if kind == "random moment":
            pause(dice.uniform(0, 1.2))
        elif kind == "just sent":
            before = wire.groups
            eventually(lambda: has_ended() or wire.groups > before, 3)
            pause(dice.uniform(0, 0.3))
        else:
            wire.hold(wire.groups + dice.randint(1, 2), part=dice.random(),
                      holds_answer=kind == "answer held")
            eventually(lambda: has_ended() or wire.held.is_set(), 3)
        if has_ended():
            return False
        self.redis.kill()
        if dice.random() < 0.6:
            kind += ", power lost"
            self.account.lost += self.sizes.cut(dice.uniform(0, LOST))
        wire.let_go()
        pause(dice.choice((0, dice.uniform(0, 0.3), dice.uniform(0, 2))))
        self.redis.start()
        self.redis.wait_ready()
        self.account.faults[kind] += 1
        return True

    def close(self) -> None:
        close_all(self.wire, self.redis)


class Failovers:
    """A master, a replica, three sentinels."""

    def __init__(self, rig: Rig, account: Account):
        self.rig = rig
        self.account = account
        words = (*AOF, "--min-replicas-max-lag", "2", "--repl-diskless-sync-delay", "0")
        first = Redis(rig, *words, name="first")
        second = Redis(rig, *words, "--replicaof", "127.0.0.1", str(first.port), name="second")
        self.servers = {first.port: first, second.port: second}
        for server in self.servers.values():
            server.wait_ready()
        self.sentinels = [self.sentinel(first.port, i) for i in range(3)]
        self.words = ("--lease", "2s")
        demand(eventually(self.is_agreed, 30), "the sentinels do not agree")

    def sentinel(self, master: int, number: int) -> Redis:
        conf = self.rig.folder / f"sentinel{number}.conf"
        conf.write_text(f"sentinel monitor mill 127.0.0.1 {master} 2\n"
                        # Longer than a busy machine stands still: else they begin by themselves.
                        "sentinel down-after-milliseconds mill 3000\n"
                        "sentinel failover-timeout mill 6000\n")
        sentinel = Redis(self.rig, str(conf), "--sentinel", name=f"sentinel{number}")
        sentinel.wait_ready()
        return sentinel

    def is_agreed(self) -> bool:
        """Each sentinel knows the others, and a replica that follows the master."""
        for sentinel in self.sentinels:
            client = sentinel.client()
            words = client.call("SENTINEL", "MASTER", "mill")
            client.close()
            facts = dict(zip(words[::2], words[1::2]))
            if facts[b"num-other-sentinels"] != b"2" or facts[b"num-slaves"] != b"1" or \
                    facts[b"flags"] != b"master":
                return False
        return self.has_replica(self.master())

    def has_replica(self, port: int) -> bool:
        try:
            client = self.servers[port].client()
            info = client.call("INFO", "replication")
            client.close()
        except Gone:
            return False
        return b"role:master" in info and b"state=online" in info

    def master(self) -> int:
        client = self.sentinels[0].client()
        port = int(client.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "mill")[1])
        client.close()
        return port

    def set_strict(self, is_strict: bool) -> None:
        """A master that nobody follows takes nothing then. Else one that was cut off and comes back
        takes batches until a sentinel tells it that it is none any more."""
        for server in self.servers.values():
            client = server.client()
            client.call("CONFIG", "SET", "min-replicas-to-write", int(is_strict))
            client.close()

    def truth_server(self) -> Redis:
        return self.servers[self.master()]

    def url(self) -> str:
        hosts = ",".join(f"127.0.0.1:{sentinel.port}" for sentinel in self.sentinels)
        return f"redis+sentinel://{hosts}/mill"

    def connect(self) -> Resp:
        return Resp(self.master(), seconds=2)

    def fault(self, has_ended) -> bool:
        pause(self.rig.dice.uniform(0.2, 1.5))
        demand(eventually(self.is_agreed, 60), "the sentinels do not agree")
        if has_ended():
            return False
        port = self.master()
        old = self.servers[port]
        kind = self.rig.dice.choice(("master killed", "master killed, strict", "master stopped"))
        self.set_strict(kind != "master killed")
        if kind.startswith("master killed"):
            old.kill()
        else:
            old.signal(signal.SIGSTOP)
        demand(eventually(lambda: self.master() != port, 60), "no failover")
        pause(self.rig.dice.uniform(0, 2))
        if kind.startswith("master killed"):
            old.start()
        else:
            old.signal(signal.SIGCONT)
        self.account.faults[kind] += 1
        return True

    def close(self) -> None:
        for server in self.servers.values():
            server.signal(signal.SIGCONT)
        close_all(*self.sentinels, *self.servers.values())
