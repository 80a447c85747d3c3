#!/usr/bin/env python3
"""What becomes of a task that cannot be done: a letter, one comment, and a way back.

  hopeless   the assistant always fails: attempts are used up, the letter has the last answer and
             the checkpoint, the document gets one comment and nothing else. `letters retry` while
             it still fails adds no second comment. When a person has taken the cause away,
             `letters retry` does it all.
  halfway    the server refuses every move: the letter keeps what was decided and written. When
             moves work again, `letters retry` goes on with the move: the assistant is not asked
             again, and nothing that was done is done once more.

--expect-caught forgotten is the proof that this sees what it is for: the journal forgets what was
decided, and the assistant is asked again.
"""
import argparse
import contextlib
import json
import sqlite3
import sys

from docs_rig import LIMIT, Mill, Stub, fresh_state, proven, stub_of, without_limits
from rig import Process, Rig, demand, run_test
from truth import NOTICE, Paper, paper, parts_of
from weather import Weather

SOME_FAILED = 3  # exit status
MANY = 100  # more than anybody asks for here
PLANTS = {"forgotten": ("", "the assistant was asked again")}  # see Post.forget()


class Post:
    """One document, and the letters about it."""

    def __init__(self, rig: Rig, stub: Stub, weather: Weather, its: Paper):
        self.rig = rig
        self.stub = stub
        self.weather = weather
        self.its = its
        fresh_state(rig, its.kind)
        stub.seed([its.seed()])

    def run(self) -> None:
        code, process = Mill(self.rig, self.weather.url).finish(
            "--workers", "1", "--attempts", "3", "--backoff", "1ms", "--json", *without_limits())
        demand(code == SOME_FAILED, f"{self.its.kind}: exit {code}: {process.errors()}")

    def retry(self, status: int) -> list[str]:
        """The requests that it took."""
        first = len(self.weather.calls)
        code, process = self.rig.finish("letters", "last", "retry", "--all", seconds=LIMIT)
        demand(code == status, f"{self.its.kind}, retry: exit {code}: {process.errors()}")
        return [call.endpoint for call in self.weather.calls[first:]]

    def letters(self) -> list[dict]:
        code, process = self.rig.finish("letters", "last", "export")
        demand(code == 0, f"letters: exit {code}: {process.errors()}")
        return lines_of(process)

    def letter(self, *words: str) -> dict:
        (letter,) = self.letters()
        demand(letter["name"] == f"{self.its.id} {self.its.commands[0]}", f"{letter}")
        for word in words:
            demand(word in json.dumps(letter), f"{word} is not in the letter: {letter}")
        return letter

    def forget(self) -> None:
        (run,) = self.rig.runs()
        journal = self.rig.state / "runs" / run / "journal.db"
        with contextlib.closing(sqlite3.connect(journal, timeout=LIMIT)) as db:
            demand(db.execute("delete from checkpoint").rowcount == 1, "there is no checkpoint")
            db.commit()

    def effects(self) -> list[str]:
        return [part for row in self.stub.journal("client")
                for part in parts_of(row, self.its.commands)]

    def demand_one_notice(self) -> None:
        notices = [each for each in self.stub.comments() if each["text"].startswith(NOTICE)]
        demand(len(notices) == 1, f"{self.its.kind}: not one notice: {notices}")


def lines_of(process: Process) -> list[dict]:
    return [json.loads(line) for line in process.lines]


def hopeless(rig: Rig, stub: Stub, weather: Weather, _planted: str) -> None:
    its = paper(1, "broken", rig.dice)
    post = Post(rig, stub, weather, its)
    post.run()
    print(f"hopeless: {post.letter('500')['reason']}")
    demand(post.effects() == ["notice"], f"{post.effects()}")
    calls = post.retry(SOME_FAILED)
    demand("chat/completions" in calls, f"it was not tried again: {calls}")
    demand(post.effects() == ["notice"], f"after another death: {post.effects()}")
    post.letter("500")
    stub.tell("edit", id=its.id, text=its.text.replace("stub:500", "Well again."))
    post.retry(0)
    demand(not post.letters(), f"a letter is left: {post.letters()}")
    demand(post.effects() == ["notice", "summary", f"removed {its.commands[0]}", "comment"],
           f"{post.effects()}")
    post.demand_one_notice()


def halfway(rig: Rig, stub: Stub, weather: Weather, planted: str) -> None:
    its = paper(2, "guided", rig.dice)
    post = Post(rig, stub, weather, its)
    refusals = [{"endpoint": "documents.move", "when": n, "do": "503"} for n in range(1, MANY)]
    stub.tell("script", faults=refusals)
    post.run()
    letter = post.letter("documents.move", "503", "terms")
    print(f"halfway: {letter['reason']}")
    demand(letter["step"] == "move", f"{letter}")
    demand(post.effects() == ["terms", "notice"], f"{post.effects()}")
    if planted == "forgotten":
        post.forget()
    calls = post.retry(SOME_FAILED)
    demand("chat/completions" not in calls, f"the assistant was asked again: {calls}")
    demand(post.effects() == ["terms", "notice"], f"after another death: {post.effects()}")
    stub.tell("script", faults=[])
    calls = post.retry(0)
    demand("chat/completions" not in calls, f"the assistant was asked again: {calls}")
    demand(post.effects() == ["terms", "notice", "move", f"removed {its.commands[0]}", "comment"],
           f"{post.effects()}")
    demand(not post.letters(), f"a letter is left: {post.letters()}")
    post.demand_one_notice()


def both(rig: Rig, chosen: argparse.Namespace) -> None:
    with stub_of(rig, "--limits", "none") as stub, Weather(chosen.seed, stub.port) as weather:
        for part in (hopeless, halfway):
            part(rig, stub, weather, chosen.expect_caught)


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    proven(rig, chosen, PLANTS, lambda: both(rig, chosen))


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--expect-caught", choices=list(PLANTS))


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 1, test, options))
