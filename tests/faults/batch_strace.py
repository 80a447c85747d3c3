"""What strace does for the tests of `batch`: a process below it, and how long its calls to Redis
took, by a log of -f -ttt -T -e connect,sendto,recvfrom,close.
"""
import pathlib
import re
from dataclasses import dataclass, field

LARGE = 1000  # bytes
LINE = re.compile(r"^(\d+) +([\d.]+) (\w+)\((\d+)(?:<[^>]*>)?(.*?)(?: <([\d.]+)>)?$")
RESUMED = re.compile(r"^(\d+) +([\d.]+) <\.\.\. (\w+) resumed>(.*?)(?: <([\d.]+)>)?$")


@dataclass
class Talk:
    """On one socket: the call that is under way."""
    thread: str
    began: float = 0.0
    heard: float = 0.0
    is_asking: bool = False


@dataclass
class Calls:
    """How long each call to Redis took, as strace saw it."""
    took: list[tuple[str, float]] = field(default_factory=list)  # by thread
    others: set[str] = field(default_factory=set)  # threads that are not of a lease
    gave_up: int = 0

    def end(self, talk: Talk, at: float) -> None:
        self.took.append((talk.thread, at - talk.began))
        talk.is_asking = False

    def hear_size(self, thread: str, rest: str) -> None:
        """A lease never has much to say, and does not live in the main thread."""
        size = re.search(r"= (\d+)", rest)
        if not self.others or (size and int(size[1]) >= LARGE):
            self.others.add(thread)

    def longest(self, is_lease: bool) -> float:
        return max((took for thread, took in self.took if (thread in self.others) != is_lease),
                   default=0.0)


def calls_in(path) -> Calls:
    """A call begins with connect or sendto on a socket that owes us nothing; it ends with the last
    answer before the next one, or when the socket is closed."""
    calls = Calls()
    talks: dict[str, Talk] = {}
    open_calls: dict[tuple[str, str], tuple[str, float]] = {}
    for line in path.read_text(errors="replace").splitlines():
        if match := LINE.match(line):
            thread, at, name, number, rest = match[1], float(match[2]), match[3], match[4], match[5]
            if "unfinished" in rest:
                open_calls[thread, name] = (number, at)
            after = at + float(match[6] or 0)
        elif (match := RESUMED.match(line)) and (match[1], match[3]) in open_calls:
            thread, name, rest = match[1], match[3], match[4]
            number, at = open_calls.pop((thread, name))
            after = float(match[2])
        else:
            continue
        if "unfinished" in rest:
            continue
        talk = talks.setdefault(number, Talk(thread))
        if name in ("connect", "sendto"):
            calls.hear_size(thread, rest if name == "sendto" else "")
            if talk.is_asking and talk.heard > talk.began and name == "sendto":
                calls.end(talk, talk.heard)
            if not talk.is_asking:
                talks[number] = Talk(thread, began=at, is_asking=True)
        elif name == "recvfrom" and talk.is_asking and re.search(r"= [1-9]", rest):
            talk.heard = after
        elif name == "close":
            if talk.is_asking:
                is_answered = talk.heard > talk.began
                calls.gave_up += not is_answered
                calls.end(talk, talk.heard if is_answered else at)
            talks.pop(number, None)
    return calls


def child_of(pid: int) -> int:
    """What strace runs; itself when that is gone."""
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children")
    words = children.read_text().split() if children.exists() else []
    return int(words[0]) if words else pid


def is_stopped(pid: int) -> bool:
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rsplit(")", 1)[1].split()[0] in "Tt"
