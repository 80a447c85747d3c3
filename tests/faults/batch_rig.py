"""What the tests of `batch` share: a Redis of their own, a tree, and a judge.

Nothing here asks the program what it did. The tree is walked by Python, Redis is asked over a
socket (reply by reply, below), and what arrived is compared with what one undisturbed run had sent.
"""
import base64
import contextlib
import json
import os
import pathlib
import threading
from collections import Counter
from dataclasses import dataclass, field

from batch_redis import Gone, Redis, Resp
from rig import Process, Rig, demand

LIMIT = 180  # seconds for a producer that takes less than one when it is left alone
HELD = 4  # exit status: another producer is at work
MAX_SIZE = 20_000  # bytes; larger files are passed over
STREAM, BULL, LINES = "redis", "bullmq", "-"


@dataclass
class Tree:
    """Small files with names of all kinds, and what a walk of our own finds in them."""
    folder: pathlib.Path
    texts: set[bytes] = field(default_factory=set)
    others: set[bytes] = field(default_factory=set)  # binary or too large: in no batch

    @staticmethod
    def make(rig: Rig, name: str, files: int) -> "Tree":
        folder = rig.folder / name
        words = ["river", "mill", "stone", "wheel", "flour", "sluice", "tide", "grain"]
        for i in range(files):
            below = os.fsencode(folder / f"part{i % 13:02}")
            os.makedirs(below, exist_ok=True)
            odd = {3: b" with blanks", 7: b"\nline", 11: b"\xff\xfe", 17: "ü€".encode()}
            path = below + b"/f%05d%s" % (i, odd.get(i % 50, b""))
            content = " ".join(rig.dice.choices(words, k=rig.dice.randint(0, 40))).encode()
            if i % 97 == 5:
                content += b"\0\1\2"
            if i % 101 == 9:
                content = b"x" * (MAX_SIZE + 1)
            with open(path, "wb") as file:
                file.write(content)
        return Tree(folder).walked()

    def walked(self) -> "Tree":
        for folder, _, names in os.walk(os.fsencode(self.folder)):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    content = file.read()
                is_other = b"\0" in content or len(content) > MAX_SIZE
                (self.others if is_other else self.texts).add(path)
        return self

    def count(self) -> int:
        return len(self.texts) + len(self.others)


@dataclass(frozen=True)
class Batch:
    """As it arrived."""
    id: str
    payload: bytes
    entry: str = ""  # its id in the stream

    def epoch(self) -> int:
        return int(self.entry.split("-")[0])

    def paths(self) -> list[bytes]:
        return [os.fsencode(file["path"]) if "path" in file else base64.b64decode(
            file["pathBase64"]) for file in json.loads(self.payload)["files"]]


class Place:
    """A stream, or a queue of BullMQ, that a job goes into."""

    def __init__(self, kind: str, name: str):
        self.kind = kind
        self.name = name
        self.sink = LINES if kind == LINES else f"{kind}:{name}"

    def stream(self, client: Resp) -> list[Batch]:
        """All that is in it now, oldest first."""
        return [batch_of(entry) for entry in client.call("XRANGE", self.name, "-", "+")]

    def depth(self, client: Resp) -> int:
        return client.call("XLEN", self.name) if self.kind == STREAM else client.call(
            "LLEN", f"bull:{self.name}:wait")

    def oldest(self, client: Resp, most: int) -> list[Batch]:
        if self.kind == STREAM:
            return [batch_of(entry)
                    for entry in client.call("XRANGE", self.name, "-", "+", "COUNT", most)]
        base = f"bull:{self.name}:"
        ids = client.call("LRANGE", base + "wait", -most, -1)[::-1]
        return [Batch(each.decode(), client.call("HGET", base.encode() + each, "data"))
                for each in ids]

    def remove(self, client: Resp, batches: list[Batch]) -> None:
        if batches and self.kind == STREAM:
            client.call("XDEL", self.name, *[batch.entry for batch in batches])
        elif batches:
            client.call("EVAL", REMOVE_JOBS, 1, f"bull:{self.name}:",
                        *[batch.id for batch in batches])

    def is_complete(self, client: Resp) -> bool:
        """The job was noted as complete: the next producer begins anew."""
        key = ("{%s}:progress" if self.kind == STREAM else "bull:%s:tidemill:standing") % self.name
        return any(value.split(b" ")[2] == b"1" for value in client.call("HVALS", key))

    def epoch(self, client: Resp) -> int:
        return int(client.call("GET", "{%s}:epoch" % self.name) or 0)

    def holder(self, client: Resp, tree: Tree) -> str:
        """The run that has the lease; empty: nobody."""
        key = "{%s}:lease" % self.name if self.kind == STREAM else f"discovery-lock:{tree.folder}"
        value = client.call("GET", key) or client.call("GET", key + "/") or b""
        return value.decode().split(" ")[0]


REMOVE_JOBS = """
for _, id in ipairs(ARGV) do
  redis.call('LREM', KEYS[1] .. 'wait', -1, id)
  redis.call('DEL', KEYS[1] .. id)
end
"""


def batch_of(entry) -> Batch:
    fields = dict(zip(entry[1][::2], entry[1][1::2]))
    return Batch(fields[b"id"].decode(), fields[b"batch"], entry[0].decode())


class Consumer(threading.Thread):
    """Keeps the batches that come, and removes them then: one can come twice when the server dies
    in between, and none is lost here. It lives through a server that comes and goes."""

    def __init__(self, place: Place, connect, most: int = 1000, every: float = 0.01):
        super().__init__(daemon=True)
        self.place = place
        self.connect = connect  # gives a Resp, or raises Gone
        self.most = most
        self.every = every
        self.got: list[Batch] = []
        self._unsure: set[Batch] = set()  # got, and perhaps not removed
        self.deepest = 0
        self.error: Exception | None = None
        self._over = threading.Event()

    def run(self) -> None:
        client = None
        while not self._over.wait(self.every):
            try:
                client = client or self.connect()
                self.deepest = max(self.deepest, self.place.depth(client))
                self.take(client)
            except Gone:
                if client:
                    client.close()
                client = None
            except Exception as error:  # pylint: disable=broad-except
                self.error = error
                return

    def take(self, client: Resp) -> bool:
        batches = self.place.oldest(client, self.most)
        self.got += [batch for batch in batches if batch not in self._unsure]
        self._unsure.update(batches)
        self.place.remove(client, batches)
        self._unsure.difference_update(batches)
        return bool(batches)

    def stop(self) -> None:
        self._over.set()
        self.join(30)

    def finish(self, client: Resp) -> list[Batch]:
        """Stops, takes what is left, and says all that came."""
        self.stop()
        if self.error:
            raise self.error
        return self.take_all(client)

    def take_all(self, client: Resp) -> list[Batch]:
        while self.take(client):
            pass
        return self.got


class Truth:
    """What an undisturbed run sends, in its order; and the judge of others."""

    def __init__(self, tree: Tree, batches: list[Batch]):
        self.tree = tree
        self.batches = {batch.id: batch.payload for batch in batches}
        self.order = [batch.id for batch in batches]
        demand(len(self.batches) == len(batches), "an undisturbed run sends a batch twice")
        self.demand_all(batches)

    def demand_all(self, batches: list[Batch], may_double: bool = False) -> int:
        """Every batch came, as it must be, and with it every file; says how many came again."""
        for batch in batches:
            demand(json.loads(batch.payload)["id"] == batch.id, f"two ids: {batch}")
            if hasattr(self, "order"):
                demand(self.batches.get(batch.id) == batch.payload,
                       f"no batch of an undisturbed run: {batch}")
        times = Counter(batch.id for batch in batches)
        doubles = {each: n for each, n in times.items() if n > 1}
        demand(may_double or not doubles, f"{len(doubles)} batches came twice: "
               f"{[self.order.index(each) + 1 for each in doubles][:5]} of {len(self.order)}")
        missing = [self.order.index(each) + 1 for each in self.order if each not in times]
        demand(not missing, f"{len(missing)} of {len(self.order)} batches are lost: {missing[:5]}")
        files = Counter(path for batch in {batch.id: batch for batch in batches}.values()
                        for path in batch.paths())
        demand(set(files) == self.tree.texts,
               f"{len(self.tree.texts - set(files))} files in no batch, "
               f"{len(set(files) - self.tree.texts)} that should not be")
        demand(max(files.values()) == 1, "a file is in two batches")
        return sum(n - 1 for n in doubles.values())


class Mill:
    """The program with its tree: starts producers, each with a state folder of its own."""

    def __init__(self, rig: Rig, tree: Tree, *words: str):
        self.rig = rig
        self.tree = tree
        self.words = words
        if tables := os.environ.get("TIDEMILL_TOKENS"):
            rig.env["TIDEMILL_TOKENS"] = tables
        else:  # a build may be without them
            self.words += ("--tokenizer", "bytes/4")

    def start(self, state: pathlib.Path, place: Place, url: str, *words: str,
              wrapper: tuple[str, ...] = ()) -> Process:
        report = () if place.kind == LINES else ("--json",)
        return self.run(state, "batch", str(self.tree.folder), "--to", place.sink, "--redis", url,
                        "--max-size", str(MAX_SIZE), *report, *self.words, *words, wrapper=wrapper)

    def resume(self, state: pathlib.Path, wrapper: tuple[str, ...] = ()) -> Process:
        return self.run(state, "resume", "last", wrapper=wrapper)

    def run(self, state: pathlib.Path, *words: str, wrapper: tuple[str, ...] = ()) -> Process:
        env = self.rig.env | {"TIDEMILL_STATE": str(state)}
        process = Process([*wrapper, self.rig.program, *words], env, self.rig.folder)
        self.rig.processes.append(process)
        return process

    def truth(self, redis: Redis) -> Truth:
        place = Place(STREAM, "truth")
        process = self.start(self.rig.folder / "truth", place, redis.url(), "--settle", "0")
        code = process.wait(LIMIT)
        demand(code == 0, f"undisturbed: exit {code}: {process.errors()}")
        self.demand_sums(process)
        client = redis.client()
        return Truth(self.tree, place.stream(client))

    def count_calls(self, redis: Redis, names: tuple[str, ...]) -> dict[str, int]:
        """How often an undisturbed run makes each, in the thread that makes the most of them."""
        log = self.rig.folder / "calls.log"
        wrapper = ("strace", "-f", "-qq", "-o", str(log), "-e", f"trace={','.join(names)}")
        process = self.start(self.rig.folder / "calls", Place(STREAM, "calls"), redis.url(),
                             "--settle", "0", wrapper=wrapper)
        demand(process.wait(LIMIT) == 0, f"under strace: {process.errors()}")
        lines = [line.split()[:2] for line in log.read_text(errors="replace").splitlines()]
        seen = Counter((words[0], words[1].split("(")[0]) for words in lines if len(words) == 2)
        return {name: max([n for (_, its), n in seen.items() if its == name], default=0)
                for name in names}

    def demand_sums(self, process: Process) -> None:
        """found = done + skipped + failed, and as many as we found."""
        says = json.loads(b"".join(process.lines).splitlines()[-1])
        sums = says["done"] + says["skipped"] + says["failed"]
        demand(says["found"] == sums == self.tree.count() and says["failed"] == 0 and
               says["done"] == len(self.tree.texts), f"the sums: {says}")


def close_all(*things) -> None:
    for thing in things:
        with contextlib.suppress(Exception):
            thing.close()
