#!/usr/bin/env python3
"""Webhooks: nothing is accepted that should not be, and nothing is lost that was accepted.

Every document asks for a summary, and only an event can tell of it: the server refuses to list
documents (429), so looking around finds nothing. Then

  refused   no signature, a wrong one, one of another body or time, old and early events, garbled
            ones: 401 or 400, and their documents stay as they are
  burst     --count signed events from many senders at once, and kill -9 in the middle (--kills) and
            once more when all are answered; the same command goes on. Who got no answer sends
            again, and some events come twice at the same moment
  replayed  in the same process and in the next one, events that were accepted before are sent once
            more, after a person has asked for another summary: 200, and nothing happens

Everything that was answered 200 has its effects in the server's journal, exactly once. Times of all
answers are measured: Outline waits for 5 seconds.

--expect-caught lost|replay|forged breaks a promise from outside, and the test must see it: an event
that is never sent, a replay under another name, a stranger who knows the secret.
"""
import argparse
import os
import sys
import time
from collections import Counter, defaultdict

from docs_rig import Stub, a_uuid, stub_of
from hooks import EVENTS, SECRET, Burst, Event, Hook, now, signature
from rig import Rig, Wrong, demand, run_test
from truth import SUMMARIZE, Paper, paper, parts_of

REFUSED = 8  # documents that only forged events tell of
REPLAYED = 20
PATIENCE = float(os.environ.get("PATIENCE", "10"))  # seconds for an answer; by hand, on a free machine: 1
TOLERANCE = 5 * 60 * 1000  # milliseconds


def forgeries(event: Event, is_planted: bool) -> list[tuple[bytes, str, int]]:
    """Body, signature, and the status it deserves."""
    body = event.body()
    other = body.replace(b"documents.update", b"documents.create")
    secret = SECRET if is_planted else "guessed"
    early, late = now() + TOLERANCE + 30_000, now() - TOLERANCE - 1_000
    good = signature(body, now())
    return [(body, signature(body, now(), secret), 401), (body, "", 401),
            (body, good[:-1] + ("0" if good[-1] != "0" else "1"), 401), (other, good, 401),
            (body, signature(body, late), 401), (body, signature(body, early), 401),
            (body, signature(body, now()).replace("t=1", "t=2"), 401),
            (body[:-1], signature(body[:-1], now()), 400)]


def refused(hook: Hook, some: list[Paper], expect: str) -> None:
    for number, its in enumerate(some):
        event = Event(a_uuid(f"forged {number}"), its)
        for which, (body, signed, wanted) in enumerate(forgeries(event, expect == "forged")):
            status = hook.send(body, signed)
            demand(status == wanted, f"CAUGHT forged: {which}: {status} and not {wanted}")


def demand_effects(stub: Stub, wanted: dict[str, Counter[str]]) -> None:
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for row in stub.journal("client"):
        seen[row["document"]].update(parts_of(row, [SUMMARIZE]))
    for its, effects in wanted.items():
        missing, doubles = effects - seen[its], seen[its] - effects
        demand(not missing, f"CAUGHT lost: {its}: {dict(missing)}")
        demand(not doubles, f"CAUGHT replay: {its}: {dict(doubles)}")
    strangers = set(seen) - set(wanted)
    demand(not strangers, f"CAUGHT forged: {strangers}")


def replayed(hook: Hook, accepted: list[Event], expect: str) -> None:
    for number, event in enumerate(accepted):
        again = event
        if expect == "replay":
            again = Event(a_uuid(f"new {number}"), event.its, event.name)
        demand(hook.deliver(again) == 200, "a replay is answered as the first time")


def whole(rig: Rig, stub: Stub, chosen: argparse.Namespace) -> None:
    papers = [paper(number, "summarize", rig.dice) for number in range(chosen.count + REFUSED)]
    stub.seed([each.seed() for each in papers])
    stub.tell("faults", seed=1, p429=1.0, endpoints=["documents.list"])
    told, untold = papers[REFUSED:], papers[:REFUSED]
    events = [Event(a_uuid(f"event {number}"), its, EVENTS[number % len(EVENTS)])
              for number, its in enumerate(told)]
    hook = Hook(rig, stub)
    hook.start()
    refused(hook, untold, chosen.expect_caught)

    sent = events[1:] if chosen.expect_caught == "lost" else events
    began = time.monotonic()
    burst = Burst(hook, sent)
    for kill in range(chosen.kills):
        burst.kill_at((kill + 1) / (chosen.kills + 1))
    burst.join()
    took = time.monotonic() - began
    if chosen.kills:
        hook.kill()  # nothing was promised but what was answered
        hook.start()
    hook.wait_done()
    wanted = {its.id: its.wanted(stub.is_guarded) for its in told}
    demand_effects(stub, wanted)

    # A person asks for another summary, and nobody tells of it: who accepted a replay would do it.
    accepted = rig.dice.sample(sent, min(REPLAYED, len(sent)))
    for event in accepted:
        stub.tell("edit", id=event.its.id, append=SUMMARIZE)
    replayed(hook, accepted, chosen.expect_caught)
    hook.end()
    hook.start()
    replayed(hook, accepted, chosen.expect_caught)
    hook.wait_done()
    hook.end()
    demand_effects(stub, wanted)

    known = [each["known"] for each in hook.summaries]
    new = sum(each["accepted"] for each in hook.summaries)
    demand(known[-1] == len(accepted) and known[0] >= len(accepted), f"{hook.summaries}")
    demand(chosen.kills or new == len(sent), f"{hook.summaries}")
    demand(chosen.kills or hook.summaries[0]["rejected"] == 8 * REFUSED, f"{hook.summaries}")
    times = sorted(hook.times)
    slowest = times[-1]
    print(f"{len(sent)} events answered in {took:.2f} s, {burst.repeated} sent again after a kill, "
          f"statuses {dict(burst.statuses)}; {len(times)} answers: half within "
          f"{1000 * times[len(times) // 2]:.1f} ms, 99 % within "
          f"{1000 * times[len(times) * 99 // 100]:.0f} ms, the slowest {1000 * slowest:.0f} ms",
          flush=True)
    demand(slowest < PATIENCE, f"an answer took {slowest:.1f} s")


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    with stub_of(rig, "--limits", "none") as stub:
        try:
            whole(rig, stub, chosen)
        except Wrong as reason:
            if chosen.expect_caught and f"CAUGHT {chosen.expect_caught}" in str(reason):
                print(f"as it should be: {reason}")
                return
            raise
    demand(not chosen.expect_caught, f"nobody noticed: {chosen.expect_caught}")


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--expect-caught", choices=("", "lost", "replay", "forged"), default="")


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 1000, test, options))
