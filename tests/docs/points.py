#!/usr/bin/env python3
"""A crash before and after every single request: the same end.

For each document below one undisturbed run is made, with one worker, and all its requests are
written down. Then for every number in that list: the program is killed right before that request
goes on to the server, and in another run when its answer has come and nobody has seen it; the same
command, or `tidemill resume`, goes on. The end must be that of the undisturbed run: texts, titles,
collections, revisions, comments, and the effects in the stub's journal, one by one. What may differ
is what differs between two undisturbed runs: times, the run's name, and the number that the stub
puts into every answer of its assistant, so that asking twice shows.

--count is how many points of each document are tried, spread over all; 0: every one.
--expect-caught ids: comments with ids by chance must be seen.
"""
import argparse
import concurrent.futures
import re
import shutil
import signal
import sys
from dataclasses import dataclass

from docs_rig import VERSIONS, Mill, Stub, fresh_state, proven, stub_of, without_limits
from rig import Process, Rig, demand, run_test
from truth import Paper, paper, parts_of
from weather import AFTER, BEFORE, Aim, Weather

KINDS = ("guided", "summarize", "title", "ask", "unsure", "broken")
LIMIT = 60  # seconds
KILLED = -signal.SIGKILL
PLANTS = {"ids": ("random-comment-ids", "another end")}


@dataclass
class End:
    """What is left when all is done."""
    document: tuple
    comments: list[str]
    effects: list[list[str]]

    @staticmethod
    def of(stub: Stub, its: Paper) -> "End":
        document = stub.documents()[its.id]
        return End((plain(document["title"]), plain(document["text"]), document["collectionId"],
                    document["revision"]), sorted(plain(each["text"]) for each in stub.comments()),
                   [parts_of(row, its.commands) for row in stub.journal()])


def plain(text: str) -> str:
    """Without the numbers that every run has of its own."""
    text = re.sub(r"\b([Aa]nswer) \d+", r"\1 N", text)
    return re.sub(r"\b\d{8}-\d{4}-docs[\w-]*", "RUN", text)


class Points:
    """All points of one document."""

    def __init__(self, rig: Rig, stub: Stub, weather: Weather, its: Paper):
        self.rig = rig
        self.stub = stub
        self.weather = weather
        self.its = its
        self.mill = Mill(rig, weather.url)
        self.status = 3 if its.is_lost() else 0
        self.calls: list[str] = []
        self.end: End | None = None

    def begin(self, name: str) -> None:
        fresh_state(self.rig, name)
        self.stub.seed([self.its.seed()])

    def start(self) -> Process:
        return self.mill.start("--document", self.its.id, "--workers", "1", "--attempts", "2",
                               "--backoff", "1ms", "--jsonl", *without_limits())

    def undisturbed(self) -> None:
        self.begin(f"{self.its.kind}")
        first = len(self.weather.calls)
        process = self.start()
        code = process.wait(LIMIT)
        demand(code == self.status,
               f"{self.its.kind}, undisturbed: exit {code}: {process.errors()}")
        self.calls = [call.endpoint for call in self.weather.calls[first:]]
        self.end = End.of(self.stub, self.its)

    def one(self, number: int, when: str) -> int:
        """How many requests it took, after the kill, to come to its end."""
        name = f"{self.its.kind}-{number}-{when}"
        self.begin(name)
        aim = Aim(number, when)
        self.weather.aim(aim)
        first = len(self.weather.calls)
        process = self.start()
        aim.shoot_at(process.pid)
        code = process.wait(LIMIT)
        where = f"{self.its.kind}, killed {when} request {number} ({self.calls[number - 1]})"
        demand(code == KILLED and aim.hit.is_set(), f"{where}: exit {code}: {process.errors()}")
        seen = [call.endpoint for call in self.weather.calls[first:]]
        demand(seen == self.calls[:number], f"{where}: another way there: {seen}")
        demand(self.weather.settle(), "the stub is stuck")
        process = self.again()
        code = process.wait(LIMIT)
        demand(code == self.status, f"{where}, then: exit {code}: {process.errors()}")
        end = End.of(self.stub, self.its)
        demand(end == self.end, f"{where}: another end:\n{end}\ninstead of\n{self.end}")
        shutil.rmtree(self.rig.state)
        return len(self.weather.calls) - first - number

    def again(self) -> Process:
        if self.rig.runs() and self.rig.dice.random() < 0.5:
            return self.rig.start("resume", "last")
        return self.start()


def all_points(kind: str, chosen: argparse.Namespace, plant: str) -> tuple[int, str]:
    """How many, and a table."""
    seed, count = chosen.seed, chosen.count
    with (Rig(seed) as rig, stub_of(rig, "--limits", "none", "--as", chosen.version) as stub,
          Weather(seed, stub.port) as weather):
        rig.env["TIDEMILL_PLANT"] = plant
        points = Points(rig, stub, weather, paper(1, kind, rig.dice))
        points.undisturbed()
        total = len(points.calls)
        lines = [f"{kind}: {total} requests. Killed before it, after it: requests to the end"]
        step = max(1, -(-total // count)) if count else 1
        numbers = range(1, total + 1, step)
        for number in numbers:
            after = [points.one(number, when) for when in (BEFORE, AFTER)]
            lines.append(f"  {number:3} {points.calls[number - 1]:20} {after[0]:5} {after[1]:5}")
        return 2 * len(numbers), "\n".join(lines)


def all_kinds(rig: Rig, chosen: argparse.Namespace) -> None:
    plant = rig.env.get("TIDEMILL_PLANT", "")
    # Beside each other, each with a server of its own: a process that ends and begins mostly waits.
    with concurrent.futures.ThreadPoolExecutor() as threads:
        tables = [threads.submit(all_points, kind, chosen, plant)
                  for kind in chosen.kind or KINDS]
        for table in tables:
            print(table.result()[1], flush=True)
    print(f"{sum(table.result()[0] for table in tables)} points, each with the same end")


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    proven(rig, chosen, PLANTS, lambda: all_kinds(rig, chosen))


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--as", dest="version", choices=VERSIONS, default=VERSIONS[-1],
                        help="the server that the stub stands in for")
    parser.add_argument("--expect-caught", choices=list(PLANTS))
    parser.add_argument("--kind", action="append", choices=KINDS, help="only these documents")


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 0, test, options))
