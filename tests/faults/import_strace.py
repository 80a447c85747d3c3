"""Where a run of `import` can be hit: an undisturbed run is watched by strace, and each system call
that it makes is a point.

strace counts for itself in each thread, and with -P only the calls that have to do with a path. So
a point is the nth call of its name with its path in its thread; the sources count as one path. A
thread that comes to the same number earlier is hit instead, which is as good.
"""
import re
from collections import Counter
from dataclasses import dataclass

from import_rig import LIMIT, Stage
from rig import demand
from strace import strace

WRITES = ("pwrite64", "write", "pwritev", "writev")
SYNCS = ("fsync", "fdatasync")
RENAMES = ("rename", "renameat", "renameat2", "link", "linkat")
REMOVALS = ("unlink", "unlinkat", "ftruncate", "fallocate")
OTHERS = ("openat", "close", "fcntl", "read", "pread64", "lseek", "flock", "newfstatat", "statx")
CALLS = (*WRITES, *SYNCS, *RENAMES, *REMOVALS, *OTHERS)
LINE = re.compile(r"^(\d+) +(\w+)\((.*)")
PATH = re.compile(r'AT_FDCWD<[^>]*>, "([^"]*)"|\d+<([^>]*)>|"([^"]*)"')
SOURCES = "the sources"
HELD = "/proc/self/fd/"  # what SQLite opens in a folder that the program holds
# Never made with a source: the others cannot be counted beside a slow reading of these.
ONLY_INTO = (*WRITES, *SYNCS, *RENAMES, *REMOVALS, "pread64")


@dataclass(frozen=True)
class Call:
    thread: int
    name: str
    path: str
    number: int  # of this name and path, in its thread
    words: str  # its arguments, with the paths of its descriptors

    def __str__(self) -> str:
        return f"{self.name}:{self.number} {self.path}"


class Watched:
    """The calls of one undisturbed run, from the first that touches our files on."""

    def __init__(self, stage: Stage, names: tuple[str, ...] = CALLS):
        self.stage = stage
        self.log = stage.folder / "strace.log"
        stage.begin()
        process = stage.start(*self.strace("-y", "-e", f"trace={','.join(names)}"))
        code = process.wait(LIMIT)
        demand(code == stage.code, f"under strace: exit {code}: {process.errors()}")
        stage.demand_truth()
        self.sources = stage.sources.paths()
        self.calls = self.calls_in_log()
        demand(bool(self.calls), "strace sees no calls")
        self.reads = sum(call.name == "read" for call in self.calls)

    def calls_in_log(self) -> list[Call]:
        numbers: Counter[tuple[int, str, str]] = Counter()
        calls: list[Call] = []
        for line in self.log.read_text(errors="replace").splitlines():
            if not (match := LINE.match(line)):
                continue
            thread, name, words = int(match[1]), match[2], match[3]
            path = next(filter(None, found.groups()), "") if (found := PATH.search(words)) else ""
            if path in self.sources:
                path = SOURCES
            elif not path.startswith((str(self.stage.folder), HELD)):
                continue  # none of ours
            numbers[thread, name, path] += 1
            calls.append(Call(thread, name, path, numbers[thread, name, path], words))
        return calls

    def hitting(self, call: str, path: str, inject: str, slow: float = 0) -> tuple[str, ...]:
        """The words of strace that do it; `slow`: seconds that reading the sources takes longer."""
        words = self.slowly(slow) if slow else ()
        if path != SOURCES:
            words = (*words, "-P", path)
        elif not slow:
            words = with_paths(self.sources)
        names = f"{call},read" if slow and call != "read" else call
        return self.strace(*words, "-e", f"trace={names}", "-e", f"inject={call}:{inject}")

    def slowly(self, seconds: float) -> tuple[str, ...]:
        return (*with_paths(self.sources), "-e",
                f"inject=read:delay_enter={int(seconds * 1e6 / max(self.reads, 1))}")

    def strace(self, *words: str) -> tuple[str, ...]:
        return strace(self.log, *words)

    def kinds(self, among: list[Call] | None = None) -> dict[str, list[Call]]:
        """The calls, all or these, by what a kill there could break. A kill comes before its call
        is made, so what follows a call that counts is a point as well."""
        into = str(self.stage.book.path)
        after = dict(zip(self.calls, following(self.calls)))
        before = {follower: call for call, follower in after.items() if follower}
        kinds: dict[str, list[Call]] = {}

        def add(kind: str, *calls: Call | None) -> None:
            kinds.setdefault(kind, []).extend(call for call in calls if call)

        for call in self.calls if among is None else among:
            add("any", call)
            if call.name in RENAMES:
                add("rename", call, after[call])
            elif call.name in SYNCS:
                add("sync", before.get(call), call, after[call])
            elif call.name in REMOVALS:
                add("removal", call, after[call])
            elif call.name in WRITES:
                is_beside = call.path.startswith(f"{into}-")
                add("journal" if is_beside else "write" if call.path == into else "part", call)
            elif call.name in ("openat", "close") and call.path == SOURCES:
                add("source", call)
        return kinds


def with_paths(paths: list[str]) -> tuple[str, ...]:
    return tuple(word for path in paths for word in ("-P", path))


def following(calls: list[Call]) -> list[Call | None]:
    """Of each call the next one of its thread."""
    last: dict[int, Call] = {}
    found: list[Call | None] = []
    for call in reversed(calls):
        found.append(last.get(call.thread))
        last[call.thread] = call
    return found[::-1]
