"""Where a run of `books repair` can be hit: an undisturbed run is watched by strace, and each system
call that it makes on our files is a point.

strace counts for itself in each thread, and with -P only the calls that have to do with a path. So
a point is the nth call of its name with its path in a thread. Which worker gets which book is left to
chance: a thread that comes to the number earlier is hit instead, which is as good.
"""
import re
from collections import Counter
from dataclasses import dataclass

from books_rig import LIMIT, Stage, Truth
from rig import demand

CALLS = ("openat", "close", "write", "pwrite64", "pread64", "fsync", "fdatasync", "renameat", "linkat", "unlink",
         "unlinkat", "fchown", "fchmod", "flock", "newfstatat", "fstat", "stat", "lstat", "mkdirat", "ftruncate",
         "openat2", "statx", "fcntl")
LINE = re.compile(r"^(\d+) +(\w+)\((.*)")
PATH = re.compile(r'AT_FDCWD<[^>]*>, "([^"]*)"|\d+<([^>]*)>|"([^"]*)"')


@dataclass(frozen=True)
class Point:
    name: str
    path: str  # below the stage
    number: int

    def __str__(self) -> str:
        return f"{self.name}:{self.number} {self.path}"


def strace(stage: Stage, *words: str) -> tuple[str, ...]:
    # Without --seccomp-bpf: with it strace 6.1 injects no signals.
    log = str(stage.folder / "strace.log")
    return ("strace", "-f", "-qq", "-s0", "-e", "signal=none", "-o", log, *words)


def hitting(stage: Stage, point: Point, inject: str) -> tuple[str, ...]:
    return strace(stage, "-P", str(stage.folder / point.path), "-e", f"trace={point.name}",
                  "-e", f"inject={point.name}:{inject}:when={point.number}")


def calls_of(stage: Stage, truth: Truth) -> list[tuple[int, Point]]:
    """The thread of each point as well."""
    process = stage.start(*strace(stage, "-y", "-e", f"trace={','.join(CALLS)}"))
    code = process.wait(LIMIT)
    demand(code == truth.code, f"under strace: exit {code}: {process.errors()}")
    numbers: Counter[tuple[int, str, str]] = Counter()
    calls = []
    for line in (stage.folder / "strace.log").read_text(errors="replace").splitlines():
        if not (match := LINE.match(line)):
            continue
        thread, name, words = int(match[1]), match[2], match[3]
        path = next(filter(None, found.groups()), "") if (found := PATH.search(words)) else ""
        path = path.encode().decode("unicode_escape").encode("latin-1").decode(errors="replace")
        below = path.removeprefix(f"{stage.folder}/")
        if below == path or "#" in below or below == "spare":
            continue  # none of ours, or a file without a name
        if name == "pread64" and below.startswith("lib/"):
            continue  # of a process that reads books: books_faults.py kills those
        numbers[thread, name, below] += 1
        calls.append((thread, Point(name, below, numbers[thread, name, below])))
    demand(bool(calls), "strace sees no calls")
    return calls


def kinds_of(calls: list[tuple[int, Point]]) -> dict[str, list[Point]]:
    """The points by what a kill there could break. A kill comes before its call is made, so what
    follows a call that counts is a point as well."""
    kinds: dict[str, list[Point]] = {}
    last: dict[int, str] = {}  # of each thread: the kind of call it has just made
    for thread, point in calls:
        kind = kind_of(point)
        kinds.setdefault("any", []).append(point)
        kinds.setdefault(kind, []).append(point)
        if last.get(thread) in ("rename", "backup"):
            kinds.setdefault(f"after {last[thread]}", []).append(point)
        last[thread] = kind
    return kinds


def kind_of(point: Point) -> str:
    if point.name in ("renameat", "linkat"):
        return "rename" if point.name == "renameat" else "backup"
    if point.path.startswith("state"):
        return "shelf"
    if point.path.endswith(".part"):
        return "part"
    return "folder" if point.name in ("fsync", "mkdirat") else "book"
