"""What the tests of the fleet share: a Redis server, a key, a coordinator and workers, each with a
state folder of its own, and a judge.

The program is never asked what it did. Every command appends a line to a log when it starts, the
journal is read with SQLite, and Redis is asked over a socket. A command can be held: it waits for
a shared lock on a file (`Gate`) that the test holds.

A scenario is a function that takes a Fleet and raises Wrong. run_scenario() runs it as often as
--rounds (or FLEET_ROUNDS) says, each time with a fresh folder and server.
"""
import argparse
import contextlib
import fcntl
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "faults"))
from batch_redis import Gone, Redis, Resp  # noqa: E402
from rig import (DEAD, DONE, PENDING, SKIPPED, Process, Rig, Skip, Wrong,  # noqa: E402,F401
                 demand, eventually, pause, processes_with, read_journal)

NAME = "rig"
FLEET = f"redis:{NAME}"
WAIT = float(os.environ.get("FLEET_WAIT", "120"))  # seconds for what takes one or two on a free machine
NEVER = "1h"  # a term that is over in no test: what comes back sooner was handed back
SECOND = "1s"  # the shortest term

# Every command of these tests begins with it: which task, which attempt, whose process.
NOTE = 'echo "$TIDEMILL_TASK $TIDEMILL_ATTEMPT ${TIDEMILL_MARK:-here}" >>"$LOG"; '


def held(gate: str, pattern: str = "*") -> str:
    """A command that waits until the gate is open, if its name matches."""
    return f'case "$1" in {pattern}) flock -s "$FOLDER/{gate}" true;; esac; '


def wait_for(holds: Callable[[], bool], what: str, seconds: float = WAIT) -> None:
    demand(eventually(holds, seconds), f"not after {seconds:g} s: {what}")


class Gate:
    """Commands that pass it wait while it is closed."""

    def __init__(self, path: pathlib.Path):
        self.file = open(path, "wb")
        fcntl.flock(self.file, fcntl.LOCK_EX)

    def open(self) -> None:
        self.file.close()


class Stages:
    """A run that stops after every `size` commands until the next stage is opened, `faults` times: it
    cannot be over before its faults, however fast the machine is."""

    def __init__(self, fleet: "Fleet", faults: int, size: int):
        self.fleet, self.size, self.stage = fleet, size, 0
        self.gates = [fleet.gate(f"stage{i + 1}") for i in range(faults)]
        self.script = f'flock -s "$FOLDER/stage$((($(wc -l <"$LOG") - 1) / {size}))" true; '

    def wait_inside(self) -> None:
        """For some of the commands of this stage, and a moment."""
        end = (self.stage + 1) * self.size
        goal = self.fleet.dice.randint(min(self.fleet.started() + 1, end), end)
        wait_for(lambda: self.fleet.started() >= goal, f"{goal} commands")
        pause(self.fleet.dice.uniform(0, 0.05))

    def next(self) -> None:
        self.gates[self.stage].open()
        self.stage += 1


class Host:
    """A network namespace and a host name of its own, with a cable to the switch (`Switch`). It
    vanishes with its last process, so a test that is killed leaves nothing behind."""

    def __init__(self, rig: Rig, name: str, address: str):
        self.name = name
        self.address = address
        words = ["unshare", "--net", "--uts", "sh", "-c",
                 'echo "$1" >/proc/sys/kernel/hostname && ip link set lo up && echo ready && exec cat',
                 "host", name]
        self.holder = subprocess.Popen(words, env=rig.env, stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.processes = rig.processes
        rig.processes.append(self)
        if self.holder.stdout.readline() != b"ready\n":
            raise Skip("NOT TESTED: network namespaces are not permitted here: "
                       + self.holder.stderr.read().decode(errors="replace"))

    def wrapper(self) -> tuple[str, ...]:
        return ("nsenter", f"--net=/proc/{self.holder.pid}/ns/net",
                f"--uts=/proc/{self.holder.pid}/ns/uts", "--")

    def run(self, *words: str, stdin: str = "") -> None:
        done = subprocess.run([*self.wrapper(), *words], input=stdin, text=True,
                              capture_output=True, check=False)
        demand(done.returncode == 0, f"{words}: {done.stderr}")

    def drop(self, *chains: str) -> None:
        """Drops all packets of these chains: input, output."""
        self.run("nft", "-f", "-", stdin="".join(
            f"add table ip cut\nadd chain ip cut {chain} "
            f"{{ type filter hook {chain} priority 0; policy drop; }}\n" for chain in chains))

    def restore(self) -> None:
        self.run("nft", "delete", "table", "ip", "cut")

    def pull_the_cable(self) -> None:
        self.run("ip", "link", "set", "cable", "down")

    def plug_it_in(self) -> None:
        self.run("ip", "link", "set", "cable", "up")

    def close(self) -> None:
        self.holder.kill()
        self.holder.wait()
        for pipe in (self.holder.stdin, self.holder.stdout, self.holder.stderr):
            pipe.close()


class Switch(Host):
    """The host with the bridge; Redis and the coordinator live there."""
    ADDRESS = "10.77.0.1"

    def __init__(self, rig: Rig):
        if os.geteuid() != 0:
            raise Skip("NOT TESTED: hosts with a network of their own need root")
        for tool in ("ip", "nft", "nsenter", "unshare"):
            if not shutil.which(tool):
                raise Skip(f"NOT TESTED: there is no {tool} here")
        super().__init__(rig, "switch", self.ADDRESS)
        self.cables = 0
        self.rig = rig
        try:
            self.run("ip", "link", "add", "bridge", "type", "bridge")
        except Wrong as wrong:
            raise Skip(f"NOT TESTED: {wrong}") from None
        self.run("ip", "addr", "add", f"{self.ADDRESS}/24", "dev", "bridge")
        self.run("ip", "link", "set", "bridge", "up")

    def host(self, name: str) -> Host:
        self.cables += 1
        host = Host(self.rig, name, f"10.77.0.{self.cables + 1}")
        port = f"port{self.cables}"
        self.run("ip", "link", "add", port, "type", "veth", "peer", "name", "cable", "netns",
                 str(host.holder.pid))
        self.run("ip", "link", "set", port, "master", "bridge", "up")
        host.run("ip", "addr", "add", f"{host.address}/24", "dev", "cable")
        host.run("ip", "link", "set", "cable", "up")
        try:
            host.run("nft", "list", "ruleset")
        except Wrong as wrong:
            raise Skip(f"NOT TESTED: {wrong}") from None
        return host


class Member(Process):
    """A worker or a coordinator."""

    def __init__(self, fleet: "Fleet", name: str, words: tuple[str, ...], host: Host | None,
                 env: dict[str, str] | None = None):
        self.name = name
        self.state = fleet.folder / name
        env = fleet.env | {"TIDEMILL_STATE": str(self.state)} | (env or {})
        super().__init__([*(host.wrapper() if host else ()), fleet.rig.program, *words], env,
                         fleet.folder)
        fleet.rig.processes.append(self)

    def kill(self) -> None:
        self.signal(signal.SIGKILL)
        self.wait()

    def stop(self) -> None:
        self.signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self.signal(signal.SIGCONT)

    def terminate(self) -> None:
        self.signal(signal.SIGTERM)

    def output(self) -> bytes:
        return b"".join(self.lines)


class Fleet:
    """One test's server, key, tree and processes."""

    def __init__(self, rig: Rig, *redis_words: str, has_hosts: bool = False, url: str = ""):
        self.rig = rig
        self.dice = rig.dice
        self.folder = rig.folder
        self.log = self.folder / "log"
        self.switch = Switch(rig) if has_hosts else None
        self.socket = str(self.folder / "redis.sock")
        self.redis = None
        if not url:
            where = {"host": Switch.ADDRESS, "wrapper": self.switch.wrapper()} if has_hosts else {}
            self.redis = Redis(rig, "--save", "", "--protected-mode", "no", *redis_words,
                               path=self.socket, **where)
            wait_for(self.has_redis, "an answer of Redis")
            url = self.redis.url()
        home = self.folder / "home"
        home.mkdir()
        self.env = rig.env | {"REDIS_URL": url, "HOME": str(home), "LOG": str(self.log),
                              "FOLDER": str(self.folder),
                              "TIDEMILL_FLEET_KEY": str(self.folder / "key")}
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
            self.env.pop(name, None)
        self.do("fleet", "key", str(self.folder / "key"))

    # Redis.
    def connect(self) -> Resp:
        return Resp(0, path=self.socket)

    def has_redis(self) -> bool:
        try:
            with contextlib.closing(self.connect()) as client:
                return client.call("PING") == b"PONG"
        except (Gone, Wrong):
            return False

    def ask(self, *words):
        with contextlib.closing(self.connect()) as client:
            return client.call(*words)

    def key(self, rest: str) -> str:
        return "{%s}:%s" % (NAME, rest)

    def run_name(self) -> str:
        """Of the only run on the board."""
        names = self.ask("HKEYS", self.key("runs"))
        demand(len(names) == 1, f"runs on the board: {names}")
        return names[0].decode()

    def held_by(self) -> Counter[str]:
        """How many parcels each worker process holds."""
        try:
            pending = self.ask("XPENDING", self.key(self.run_name() + ":q"), "w", "-", "+", 1000)
        except Wrong:
            return Counter()
        return Counter(entry[1].decode() for entry in pending)

    def status(self) -> dict:
        return json.loads(self.do("fleet", "status", FLEET, "--json"))

    def wait_for_looks(self, count: int) -> None:
        """Every worker has looked at the board so often, and said so."""
        for _ in range(count):
            before = self.hosts()
            wait_for(lambda before=before: all(
                self.hosts().get(name) != said for name, said in before.items()),
                     "all workers announce themselves again")

    def hosts(self) -> dict[bytes, bytes]:
        flat = self.ask("HGETALL", self.key("hosts"))
        return dict(zip(flat[::2], flat[1::2]))

    # Processes.
    def call(self, *words: str, state: str = "c") -> subprocess.CompletedProcess[bytes]:
        near = {"REDIS_URL": f"unix://{self.socket}"} if self.redis else {}  # not through a cable
        return subprocess.run([self.rig.program, *words],
                              env=self.env | near | {"TIDEMILL_STATE": str(self.folder / state)},
                              cwd=self.folder, capture_output=True, check=False, timeout=WAIT)

    def do(self, *words: str, code: int = 0, state: str = "c") -> bytes:
        done = self.call(*words, state=state)
        demand(done.returncode == code, f"{words}: exit {done.returncode}: {done.stderr.decode()}")
        return done.stdout

    def worker(self, name: str = "w1", *words: str, places: int = 2, host: Host | None = None,
               env: dict[str, str] | None = None) -> Member:
        return Member(self, name, ("worker", "--fleet", FLEET, "-j", str(places), *words), host,
                      env)

    def each(self, *words: str, script: str = "", term: str = NEVER, state: str = "c",
             host: Host | None = None, env: dict[str, str] | None = None) -> Member:
        """A run on the fleet of a shell script."""
        return Member(self, state, ("each", *words, "--fleet", FLEET, "--fleet-term", term,
                                    "--shell", "--", NOTE + script), host or self.switch, env)

    def resume(self, *words: str, on_fleet: bool = True, term: str = NEVER,
               state: str = "c") -> Member:
        where = ("--fleet", FLEET, "--fleet-term", term) if on_fleet else ()
        return Member(self, state, ("resume", "last", *where, *words), self.switch)

    def tree(self, count: int, name: str = "tree", pattern: str = "f%04d") -> list[str]:
        """The names that the journal will have."""
        (self.folder / name).mkdir(exist_ok=True)
        names = [f"{name}/{pattern % i}" for i in range(count)]
        for each in names:
            (self.folder / each).write_bytes(b"")
        return names

    def gate(self, name: str = "gate") -> Gate:
        return Gate(self.folder / name)

    # What happened.
    def starts(self) -> list[list[str]]:
        """A line of each command that was started: task, attempt, mark of its process."""
        if not self.log.exists():
            return []
        return [line.split(" ") for line in self.log.read_text().splitlines()]

    def started(self) -> int:
        """As many lines."""
        return self.log.read_bytes().count(b"\n") if self.log.exists() else 0

    def wait_started(self, count: int, by: Member | None = None) -> None:
        wait_for(lambda: self.started() >= count or (by is not None and by.has_ended()),
                 f"{count} commands started")

    def run_folder(self, state: str = "c") -> pathlib.Path:
        runs = sorted((self.folder / state / "runs").iterdir())
        demand(len(runs) == 1, f"runs in {state}: {runs}")
        return runs[0]

    def rows(self, state: str = "c") -> dict[str, tuple]:
        """Of the journal: name → state, attempts, crashes, result."""
        db = sqlite3.connect(f"file:{self.run_folder(state)}/journal.db?mode=ro", uri=True,
                             timeout=30)
        db.text_factory = lambda raw: raw.decode(errors="surrogateescape")
        with contextlib.closing(db):
            return {name: (its, attempts, crashes, outcome) for name, its, attempts, crashes, outcome
                    in db.execute(
                        "select coalesce(cast(folder.path as text), '') || cast(task.name as text),"
                        " state, attempts, crashes, outcome from task left join folder on"
                        " folder.id = task.folder")}

    def settled(self, state: str = "c") -> int:
        try:
            return sum(row[0] != PENDING for row in self.rows(state).values())
        except (FileNotFoundError, sqlite3.Error, Wrong):
            return 0

    def finish(self, member: Member, code: int = 0) -> None:
        ended = member.wait(WAIT)
        demand(ended == code, f"{member.name}: exit {ended}: {member.errors()}")

    def judge(self, names: list[str], failed: set[str] = frozenset(), most_starts: int = 1,
              state: str = "c") -> dict[str, tuple]:
        """Every name once in the journal and settled, its command started at least once and at
        most so often; and what the program's own check says. The rows of the journal."""
        self.do("check", self.run_folder(state).name, state=state)
        journal = read_journal(self.run_folder(state) / "journal.db")
        differ = sorted(set(names) ^ set(journal.states))
        demand(not differ, f"names in only one of tree and journal: {differ[:5]}")
        wrong = {name: its for name, its in journal.states.items()
                 if its != (DEAD if name in failed else DONE)}
        demand(not wrong, f"{len(wrong)} tasks in a wrong state: {list(wrong.items())[:5]}")
        starts = Counter(int(line[0]) for line in self.starts())
        demand(set(starts) == set(range(1, len(names) + 1)),
               f"commands that were not started: {set(range(1, len(names) + 1)) - set(starts)}")
        often = {task: n for task, n in starts.items() if n > most_starts}
        demand(not often, f"started more than {most_starts} times: {often}")
        return self.rows(state)

    def demand_empty(self) -> None:
        """A run that is over leaves nothing of it in Redis."""
        wait_for(lambda: not [key for key in self.ask("KEYS", "*")
                              if not key.endswith((b":hosts", b":drained", b":paused"))],
                 f"no key of the run left: {self.ask('KEYS', '*')}")


def has_sanitizer(fleet: Fleet) -> bool:
    return bool({"asan", "tsan"} & set(pathlib.Path(fleet.rig.program).resolve().parts))


def demand_calm(rows: dict[str, tuple]) -> None:
    """Nobody was blamed: one attempt each, no crash."""
    blamed = {name: row for name, row in rows.items() if row[1] != 1 or row[2] != 0}
    demand(not blamed, f"blamed: {list(blamed.items())[:5]}")


class Keeper(threading.Thread):
    """Starts a worker again whenever it has died, like a service manager."""

    def __init__(self, fleet: Fleet, name: str, places: int):
        super().__init__(daemon=True)
        self.fleet, self.name_of, self.places = fleet, name, places
        self.deaths = 0
        self._is_over = threading.Event()
        self.start()

    def run(self) -> None:
        worker = self.fleet.worker(self.name_of, places=self.places)
        while not self._is_over.wait(0.02):
            if worker.has_ended():
                self.deaths += 1
                worker = self.fleet.worker(self.name_of, places=self.places)

    def close(self) -> None:
        self._is_over.set()
        self.join()


Scenario = Callable[[Rig], None]


def run_scenario(doc: str, scenarios: list[Scenario]) -> int:
    """Exit status: 0, 1, or 77 if this machine cannot run it."""
    by_name = {scenario.__name__: scenario for scenario in scenarios}
    parser = argparse.ArgumentParser(description=doc.split("\n\n", maxsplit=1)[0])
    parser.add_argument("scenario", choices=sorted(by_name))
    parser.add_argument("--rounds", type=int, default=int(os.environ.get("FLEET_ROUNDS", "1")))
    parser.add_argument("--seed", type=int,
                        default=int(os.environ.get("SEED", random.randrange(10**9))))
    chosen = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))  # and cleans up
    for number in range(chosen.rounds):
        seed = chosen.seed + number
        print(f"{chosen.scenario}: seed {seed}", flush=True)
        began = time.monotonic()
        try:
            if not shutil.which("redis-server"):
                raise Skip("NOT TESTED: there is no redis-server here")
            with Rig(seed) as rig:
                by_name[chosen.scenario](rig)
        except Skip as reason:
            print(f"SKIP: {reason}")
            return SKIPPED
        except Wrong as reason:
            print(f"WRONG: {reason}\nreplay: {sys.argv[0]} {chosen.scenario} --seed={seed}")
            return 1
        print(f"ok after {time.monotonic() - began:.1f} s", flush=True)
    return 0
