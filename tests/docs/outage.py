#!/usr/bin/env python3
"""A server that is down, limits that are not to be exceeded, and workers that do not wait.

  down    in the middle of the work the server answers 503 (or ends connections) for a while. After
          N failures in a row, and what was on its way then, only probes come: one at a time, and
          --breaker-wait apart. Afterwards the work goes on by itself and everything is done.
  rates   the server counts as Outline does and would refuse what is too much. The program is killed
          in the middle and starts again. No request is refused, no minute has more than the limit;
          in a short run, where a minute is not over, no second has more than its share either.
  free    one worker, and hardly any comments allowed: while the first document waits for its
          comment, the others are read, changed and moved.

--expect-caught is the proof that each sees what it is for: a client without a gate, and workers that
wait at the gate instead of going on with others.

By hand: outage.py down --seconds 30, outage.py rates --count 60 (needs some minutes).
"""
import argparse
import signal
import sys

from docs_rig import LIMIT, Mill, Stub, proven, stub_of, without_limits
from rig import Process, Rig, demand, eventually, run_test
from truth import Judge, Paper, paper

LONG = 20 * LIMIT
FAILURES = 3  # in a row, until the server is left alone
WORKERS = 4
EARLY = 0.05  # seconds: a request may be quicker on its way than the one before it
REAL = {"documents.list": 100, "documents.search": 100, "documents.move": 100,
        "comments.create": 25, "others": 1000}


def seeded(stub: Stub, rig: Rig, kinds: list[str]) -> list[Paper]:
    all_papers = [paper(number, kind, rig.dice) for number, kind in enumerate(kinds, 1)]
    stub.seed([each.seed() for each in all_papers])
    return all_papers


def judge(stub: Stub, all_papers: list[Paper], process: Process, code: int) -> None:
    demand(code == 0, f"exit {code}: {process.errors()[-3000:]}")
    Judge(stub, all_papers).judge()


def mixed(count: int) -> list[str]:
    return [("file", "summarize", "title", "guided")[i % 4] for i in range(count)]


def down(rig: Rig, chosen: argparse.Namespace) -> None:
    for how in ("503", "close"):
        with stub_of(rig, "--limits", "none") as stub:
            down_once(rig, chosen, stub, how)
        rig.env["TIDEMILL_STATE"] += "-again"


def down_once(rig: Rig, chosen: argparse.Namespace, stub: Stub, how: str) -> None:
    all_papers = seeded(stub, rig, mixed(chosen.count))
    wait = chosen.seconds / 6
    process = Mill(rig, stub.url).start(
        "--workers", str(WORKERS), "--breaker-failures", str(FAILURES), "--breaker-wait",
        f"{round(wait * 1000)}ms", "--backoff", "20ms", "--json", *without_limits())
    demand(eventually(lambda: len(stub.journal()) >= 3, LIMIT), "no effect comes")
    stub.tell("down", for_ms=round(chosen.seconds * 1000), how=how)
    before = len(stub.journal())
    code = process.wait(LONG)
    judge(stub, all_papers, process, code)
    counts = stub.look("counts")
    demand(len(stub.journal()) > before, "it was done before the server was down: more documents")
    times = sorted(each / 1000 for each in counts["down_times_ms"])
    burst = [each for each in times if each - times[0] < wait - EARLY]
    probes = times[len(burst):]
    # Those on their way when the last failure was counted: of the other workers, and of the search.
    most = FAILURES + WORKERS
    demand(FAILURES <= len(burst) <= most, f"{how}: {len(burst)} requests, not {FAILURES} to "
           f"{most}, before it was left alone: {times}")
    for earlier, later in zip(times[len(burst) - 1:], probes):
        demand(later - earlier >= wait - EARLY, f"{how}: probes {later - earlier:.3f} s apart, and "
               f"not {wait:.3f}: {times}")
    demand(1 <= len(probes) <= 6, f"{how}: {len(probes)} probes: {times}")
    print(f"{how}: down for {chosen.seconds:g} s, {len(burst)} requests and {len(probes)} probes "
          f"{[round(each - times[0], 2) for each in times]}, then all of {chosen.count} done",
          flush=True)


def rates(rig: Rig, chosen: argparse.Namespace) -> None:
    limits = dict(REAL) if chosen.count >= 30 else REAL | {"comments.create": 90}
    words = ["--limits", ",".join(f"{name}={limit}" for name, limit in limits.items())]
    with stub_of(rig, *words) as stub:
        all_papers = seeded(stub, rig, mixed(chosen.count))
        options = ["--workers", "4", "--json", "--ai-rate", "600000/m", "--rate",
                   f"comments.create={limits['comments.create']}/m"]
        mill = Mill(rig, stub.url)
        process = mill.start(*options)
        some = chosen.count // 4
        demand(eventually(lambda: len(stub.comments()) > some, LONG), "no comment comes")
        process.signal(signal.SIGKILL)
        process.wait()
        code, process = mill.finish(*options, seconds=LONG)
        judge(stub, all_papers, process, code)
        counts = stub.look("counts")
        comments = [row["ms"] / 1000 for row in stub.journal() if row["effect"] == "comment"]
    demand(not any(counts["limited"].values()), f"refused: {counts['limited']}")
    most = counts["most_in_a_minute"]
    for name, number in most.items():
        limit = limits.get(name, limits["others"])
        demand(number <= limit, f"{number} requests of {name} in a minute, not {limit}")
    limit = limits["comments.create"]
    for span in (1, 5, 20):  # a tenth of them at once, and the one that a new process begins with
        allowed = limit / 10 + 1 + limit * span / 60
        seen = max(sum(first <= each < first + span for each in comments) for first in comments)
        demand(seen <= allowed, f"{seen} comments within {span} s, not {allowed:.1f}")
    print(f"{chosen.count} documents, limits {limits}; most in a minute: {most}; none refused")


def free(rig: Rig, chosen: argparse.Namespace) -> None:
    with stub_of(rig, "--limits", "none") as stub:
        all_papers = seeded(stub, rig, ["guided"] * chosen.count)
        # without_limits() first: the last word about an endpoint counts.
        code, process = Mill(rig, stub.url).finish("--workers", "1", "--json", *without_limits(),
                                                   "--rate", "comments.create=9/m", seconds=LONG)
        judge(stub, all_papers, process, code)
        order = [row["effect"] for row in stub.journal()]
    comments = [place for place, effect in enumerate(order) if effect == "comment"]
    moves = [place for place, effect in enumerate(order) if effect == "move"]
    demand(moves[-1] < comments[1], f"the others waited: {order}")
    print(f"one worker: {len(moves)} documents were moved before the second comment was due")


PARTS = {"down": (down, 24), "rates": (rates, 12), "free": (free, 3)}
PLANTS = {"no-gate-down": ("no-gate", "before it was left alone"),
          "no-gate-rates": ("no-gate", "refused"),
          "waiting": ("waiting-workers", "the others waited")}


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    part, count = PARTS[chosen.part]
    chosen.count = chosen.count or count
    proven(rig, chosen, PLANTS, lambda: part(rig, chosen))


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("part", choices=list(PARTS))
    parser.add_argument("--expect-caught", choices=list(PLANTS))
    parser.add_argument("--seconds", type=float, default=3, help="how long the server is down")


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 0, test, options))
