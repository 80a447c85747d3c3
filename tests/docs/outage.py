#!/usr/bin/env python3
"""A server that is down, limits that are not to be exceeded, and workers that do not wait.

  down    in the middle of the work the server answers 503 (or ends connections). After N failures
          in a row, and what was on its way then, only probes come: one at a time, and
          --breaker-wait apart. When the server is well again the work goes on by itself and
          everything is done.
  rates   the server counts as Outline does and would refuse what is too much. The program is killed
          in the middle and starts again. No request is refused, no minute has more than the limit;
          in a short run, where a minute is not over, no second has more than its share either.
  free    one worker, and hardly any comments allowed: while the first document waits for its
          comment, the others are read, changed and moved.

Times are only ever held to be long enough, which no busy machine can break.

--expect-caught is the proof that each sees what it is for: a client without a gate, and workers that
wait at the gate instead of going on with others.

By hand: outage.py down --wait 10, outage.py rates --count 60 (needs some minutes).
"""
import argparse
import concurrent.futures
import signal
import sys
import time

from docs_rig import LIMIT, Mill, Stub, proven, stub_of, without_limits
from rig import Process, Rig, demand, eventually, run_test
from truth import Judge, paper

LONG = 20 * LIMIT
FAILURES = 3  # in a row, until the server is left alone
WORKERS = 4
PROBES = 2  # that must fail before the server is well again
DAY = 24 * 60 * 60 * 1000  # milliseconds
EARLY = 0.05  # seconds: the server measures with another clock
REAL = {"documents.list": 100, "documents.search": 100, "documents.move": 100,
        "comments.create": 25, "others": 1000}


def seeded(stub: Stub, rig: Rig, kinds: list[str]) -> Judge:
    return Judge(stub, [paper(number, kind, rig.dice) for number, kind in enumerate(kinds, 1)])


def judged(judge: Judge, process: Process, code: int) -> None:
    demand(code == 0, f"exit {code}: {process.errors()[-3000:]}")
    judge.judge()


def mixed(count: int) -> list[str]:
    return [("file", "summarize", "title", "guided")[i % 4] for i in range(count)]


def down(rig: Rig, chosen: argparse.Namespace) -> None:
    plant = rig.env.get("TIDEMILL_PLANT", "")
    with concurrent.futures.ThreadPoolExecutor() as threads:  # they mostly wait
        both = [threads.submit(down_once, how, plant, chosen) for how in ("503", "close")]
        for said in both:
            print(said.result(), flush=True)


def down_once(how: str, plant: str, chosen: argparse.Namespace) -> str:
    with Rig(chosen.seed) as rig, stub_of(rig, "--limits", "none") as stub:
        rig.env["TIDEMILL_PLANT"] = plant
        outage = Outage(rig, chosen, stub, how)
        outage.begin()
        outage.demand_patience()
        stub.tell("down", for_ms=0)
        code = outage.process.wait(LONG)
        judged(outage.judge, outage.process, code)
        return outage.story()


class Outage:
    """It begins after some effects, when all workers have come with a request. So none of them has
    an answer from before on its way, which would be a success among the failures in a row."""

    def __init__(self, rig: Rig, chosen: argparse.Namespace, stub: Stub, how: str):
        self.stub = stub
        self.how = how
        self.wait = chosen.wait
        self.judge = seeded(stub, rig, mixed(chosen.count))
        stub.tell("down", for_ms=DAY, how=how, gather=WORKERS, after=3)
        named = [word for each in self.judge.papers for word in ("--document", each)]  # no search
        self.process = Mill(rig, stub.url).start(
            "--workers", str(WORKERS), "--breaker-failures", str(FAILURES), "--breaker-wait",
            f"{round(self.wait * 1000)}ms", "--backoff", "20ms", "--json", *without_limits(),
            *named)

    def begin(self) -> None:
        has_begun = lambda: len(self.times()) >= FAILURES or self.process.has_ended()
        demand(eventually(has_begun, LIMIT) and not self.process.has_ended(),
               f"{self.how}: it was done before the server was down: {self.process.errors()}")

    def times(self) -> list[float]:
        """Of the requests while it was down."""
        return sorted(each / 1000 for each in self.stub.look("counts")["down_times_ms"])

    def burst(self) -> list[float]:
        """Those before it was left alone. That cannot have been before the last failure came, so
        that what comes later than this was sent after the wait."""
        times = self.times()
        return [each for each in times if each < times[FAILURES - 1] + self.wait - EARLY]

    def probes(self) -> list[float]:
        return self.times()[len(self.burst()):]

    def demand_patience(self) -> None:
        has_probed = lambda: len(self.probes()) >= PROBES or self.process.has_ended()
        demand(eventually(has_probed, LIMIT), f"{self.how}: no probes: {self.times()}")
        burst, probes = self.burst(), self.probes()
        # Those on their way when the last failure was counted: one of each of the other workers.
        most = FAILURES + WORKERS - 1
        demand(FAILURES <= len(burst) <= most, f"{self.how}: {len(burst)} requests, not {FAILURES} "
               f"to {most}, before it was left alone: {self.times()}")
        for earlier, later in zip(probes, probes[1:]):
            demand(later - earlier >= self.wait - EARLY, f"{self.how}: probes "
                   f"{later - earlier:.3f} s apart, and not {self.wait:.3f}: {self.times()}")
        demand(len(probes) >= PROBES, f"{self.how}: {len(probes)} probes: {self.times()}")

    def story(self) -> str:
        times = self.times()
        return (f"{self.how}: {len(self.burst())} requests and {len(self.probes())} probes "
                f"{[round(each - times[0], 2) for each in times]}, then all of {len(self.judge.papers)} "
                "done")


def rates(rig: Rig, chosen: argparse.Namespace) -> None:
    limits = dict(REAL) if chosen.count >= 30 else REAL | {"comments.create": chosen.comments}
    words = ["--limits", ",".join(f"{name}={limit}" for name, limit in limits.items())]
    with stub_of(rig, *words) as stub:
        judge = seeded(stub, rig, mixed(chosen.count))
        options = ["--workers", "4", "--json", "--ai-rate", "600000/m", "--rate",
                   f"comments.create={limits['comments.create']}/m"]
        mill = Mill(rig, stub.url)
        began = time.time()
        process = mill.start(*options)
        some = chosen.count // 4
        demand(eventually(lambda: len(stub.comments()) > some, LONG), "no comment comes")
        process.signal(signal.SIGKILL)
        process.wait()
        code, process = mill.finish(*options, seconds=LONG)
        judged(judge, process, code)
        counts = stub.look("counts")
        comments = [row["ms"] / 1000 for row in stub.journal() if row["effect"] == "comment"]
    demand(not any(counts["limited"].values()), f"refused: {counts['limited']}")
    most = counts["most_in_a_minute"]
    for name, number in most.items():
        limit = limits.get(name, limits["others"])
        demand(number <= limit, f"{number} requests of {name} in a minute, not {limit}")
    limit = limits["comments.create"]
    # Each of the two processes begins with one; all others have to be waited for.
    for number, each in enumerate(sorted(comments), 1):
        due = (number - 2) * 60 / limit
        demand(each - began >= due - EARLY, f"comment {number} came too early: "
               f"{each - began:.2f} s after the beginning, not {due:.2f}")
    for span in (1, 5, 20):  # a tenth of them at once, and the one that a new process begins with
        allowed = limit / 10 + 1 + limit * span / 60
        seen = max(sum(first <= each < first + span for each in comments) for first in comments)
        demand(seen <= allowed, f"{seen} comments within {span} s, not {allowed:.1f}")
    print(f"{chosen.count} documents, limits {limits}; most in a minute: {most}; none refused")


def free(rig: Rig, chosen: argparse.Namespace) -> None:
    with stub_of(rig, "--limits", "none") as stub:
        judge = seeded(stub, rig, ["guided"] * chosen.count)
        # without_limits() first: the last word about an endpoint counts.
        code, process = Mill(rig, stub.url).finish("--workers", "1", "--json", *without_limits(),
                                                   "--rate", "comments.create=9/m", seconds=LONG)
        judged(judge, process, code)
        order = [row["effect"] for row in stub.journal()]
    comments = [place for place, effect in enumerate(order) if effect == "comment"]
    moves = [place for place, effect in enumerate(order) if effect == "move"]
    demand(moves[-1] < comments[1], f"the others waited: {order}")
    print(f"one worker: {len(moves)} documents were moved before the second comment was due")


PARTS = {"down": (down, 24), "rates": (rates, 12), "free": (free, 3)}
PLANTS = {"no-gate-down": ("no-gate", "before it was left alone"),
          "no-gate-rates": ("no-gate", "came too early"),
          "waiting": ("waiting-workers", "the others waited")}


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    part, count = PARTS[chosen.part]
    chosen.count = chosen.count or count
    proven(rig, chosen, PLANTS, lambda: part(rig, chosen))


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("part", choices=list(PARTS))
    parser.add_argument("--expect-caught", choices=list(PLANTS))
    # Longer than a machine with much else to do stands still.
    parser.add_argument("--wait", type=float, default=4, help="seconds between two probes")
    parser.add_argument("--comments", type=int, default=90, help="so many a minute in a short run")


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 0, test, options))
