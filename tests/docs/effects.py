#!/usr/bin/env python3
"""Documents with commands, behind bad weather and a judge of the protocol, while people write in
them and the program is killed: every effect happens once.

  tidemill docs run ─► weather (5xx, 429, cuts, late answers, kills) ─► prism ─► stub

10 % of the requests are answered with 5xx, half of those after the server has acted; 5 % with 429;
2 % lose their connection, before or after; 1 % are late. After every kth look at a document the
stub's human writes a line into it: the moment between our reading and our writing. A kill is aimed
at a request: an endpoint is drawn first, so that the few calls that count are hit as often as the
many that read; then its number, and whether the request still goes on or its answer has come and
nobody has seen it. What is on its way then arrives before the same command is given again.

What must hold in the end: found = done + skipped + failed; the letters are exactly the documents
that nobody could help (stub:nonsense, stub:500), with the reason that fits; in the stub's journal
every block, title, removed line, move and comment is there once for its command, and one notice for
each letter; no line of a person is lost; prism has found nothing that the published description
does not allow. Without prism or the description the rest is tried, and the test says that it was
skipped.

--expect-caught is the proof that this test can see anything. It takes a program with faults planted
in it (built with TIDEMILL_PLANT, see ../faults/CMakeLists.txt): with `ids` comments have a new id
every time, with `whole` every change sends all of the text. What each version of the server does is
tried one by one in rows.py.
"""
import argparse
import contextlib
import json
import signal
import sys
from collections import Counter
from dataclasses import replace

from docs_rig import LIMIT, VERSIONS, Mill, Stub, stub_of, without_limits, proven
from prism import Prism, prism_of
from rig import DEAD, Process, Rig, Skip, Wrong, demand, run_test
from truth import Judge, Paper, papers
from weather import AFTER, BEFORE, STORM, Aim, Climate, Weather

CALLS_EACH = 13  # requests a document, about, the failed ones included
ENDPOINTS = ("", "documents.info", "documents.update", "documents.update", "documents.move",
             "documents.move", "comments.create", "comments.create", "comments.info",
             "chat/completions", "documents.list", "documents.search", "collections.list")
KILLED = -signal.SIGKILL
SOME_FAILED = 3  # exit status: done, but some items failed
# Of reasons: an answer of the weather's own, and what libcurl says of a connection that was cut,
# one that was kept or a new one.
WEATHER = ('"weather"', "the connection was closed", "Empty reply", "Connection reset")
PLANTS = {"ids": ("random-comment-ids", "DOUBLE"), "whole": ("whole-text", "LOST EDIT")}


class Kills:
    """What is aimed at next."""

    def __init__(self, rig: Rig, weather: Weather, chosen: argparse.Namespace):
        self.dice = rig.dice
        self.weather = weather
        self.left = chosen.kills
        self.mean = chosen.count * CALLS_EACH / (chosen.kills + 1)
        self.plant = chosen.expect_caught
        self.done: Counter[str] = Counter()

    def next(self) -> Aim | None:
        if self.plant == "ids":  # the moment at which it must show
            return Aim(1 + self.done.total(), AFTER, "comments.create") if self.left else None
        if not self.left:
            return None
        endpoint = self.dice.choice(ENDPOINTS)
        table = self.weather.table()
        share = table[endpoint] / table.total() if table.total() > 100 else 0.05
        reach = self.mean * (1 if not endpoint else share)
        nth = max(1, round(self.dice.uniform(0, 1.2) * reach))
        return Aim(nth, self.dice.choice((BEFORE, AFTER)), endpoint, round(1.5 * self.mean))

    def count(self, aim: Aim) -> None:
        self.left -= 1
        is_as_aimed = aim.endpoint and aim.seen == aim.nth
        self.done[f"{aim.when} {aim.endpoint if is_as_aimed else 'any'}"] += 1


class Trial:
    """One collection of documents, from the first process to the last."""

    def __init__(self, rig: Rig, chosen: argparse.Namespace, stub: Stub, weather: Weather):
        self.rig = rig
        self.stub = stub
        self.weather = weather
        self.kills = Kills(rig, weather, chosen)
        self.papers = papers(chosen.count, rig.dice)
        self.mill = Mill(rig, weather.url)
        # So many that the weather alone never uses them up, also not of the tasks that every new
        # process takes up first; and no waits between them, which would double each time.
        attempts = 4 if is_calm(chosen) else 40
        self.options = ["--workers", str(chosen.workers), "--attempts", str(attempts),
                        "--backoff", "0s", "--breaker-wait", "200ms", "--timeout",
                        "10s" if chosen.held else "60s", "--jsonl", *without_limits()]
        self.said: list[bytes] = []  # by all processes
        self.reasons: Counter[str] = Counter()  # of the letters
        self.judge_of_all = Judge(stub, self.papers)
        if chosen.every:
            stub.tell("human", every=chosen.every, line="A person wrote this, line")

    def run(self) -> None:
        while True:
            aim = self.kills.next()
            self.weather.aim(aim)
            process = self.mill.start(*self.options)
            if aim is not None:
                aim.shoot_at(process.pid)
            code = process.wait(LIMIT * 10)
            self.said += process.lines
            if aim is None or not aim.hit.is_set():
                return self.judge_end(code, process)
            demand(code == KILLED, f"killed {aim}, and exit {code}: {process.errors()}")
            print(f"killed {aim} after {process.ended - process.began:.1f} s", flush=True)
            self.kills.count(aim)
            demand(self.weather.settle(), "a server is stuck")

    def judge_end(self, code: int, process: Process) -> None:
        lost = [each for each in self.papers if each.is_lost()]
        demand(code == (SOME_FAILED if lost else 0), f"exit {code}: {process.errors()[-3000:]}")
        (run,) = self.rig.runs()
        self.rig.check(run)
        self.judge_letters(run, lost)
        self.judge_counts(json.loads(self.said[-1]), len(lost))

    def judge_letters(self, run: str, lost: list[Paper]) -> None:
        journal = self.rig.journal(run)
        wanted = {f"{each.id} {line}" for each in lost for line in each.commands}
        for name in sorted(set(journal.names(DEAD)) ^ wanted):
            kind = next(each.kind for each in self.papers if each.id in name)
            is_there = "a letter" if name in journal.names(DEAD) else "no letter"
            raise Wrong(f"{is_there}: {name} ({kind})\n{self.story_of(name)}")
        code, process = self.rig.finish("failures", run, "--json")
        demand(code == 0, f"letters: exit {code}: {process.errors()}")
        for letter in json.loads(b"".join(process.lines))["failures"]:
            kind = next(each.kind for each in lost if each.id in letter["name"])
            reason = letter["reason"]
            word = {"broken": "the server responded with 500", "nonsense": "JSON"}[kind]
            # The last attempt may have ended before it came so far.
            is_weather = any(word in reason for word in WEATHER)
            demand(letter["step"] == "decide" and (word in reason or is_weather),
                   f"the reason does not fit {kind}: {letter}")
            self.reasons["the weather, at last" if word not in reason else word] += 1

    def judge_counts(self, said: dict, lost: int) -> None:
        demand(said["found"] == said["done"] + said["skipped"] + said["failed"], f"{said}")
        demand(said["failed"] == lost, f"{lost} letters: {said}")

    def judge(self, prism: Prism | None) -> Judge:
        judge = self.judge_of_all
        try:
            judge.judge()
        except Wrong as wrong:
            raise Wrong(f"{wrong}\n{self.story_of(str(wrong))}") from None
        demand(not self.weather.broken, f"a server did not answer: {self.weather.broken[:3]}")
        demand(not self.weather.violations, f"{len(self.weather.violations)} violations of the "
               f"description, the first: {self.weather.violations[:1]}")
        if prism is not None:
            demand(not prism.complaints(), f"prism: {prism.complaints()[:3]}")
        return judge


    def story_of(self, wrong: str) -> str:
        """What the program said about the document that is named there."""
        its = next((each.id for each in self.papers if each.id in wrong), "none")
        events = [json.loads(line) for line in self.said if line.endswith(b"}\n")]
        tasks = {each["task"] for each in events if its in each.get("name", "")}
        return "\n".join(str(each) for each in events if each.get("task") in tasks)


def report(trial: Trial, judge: Judge) -> None:
    weather = trial.weather
    print(f"{len(trial.papers)} documents {dict(Counter(each.kind for each in trial.papers))}\n"
          f"{len(weather.calls)} requests {dict(weather.table())}\n"
          f"weather: {dict(weather.fallen)}\n"
          f"{trial.kills.done.total()} kills {dict(trial.kills.done)}\n"
          f"effects: {dict(judge.effects)}; {judge.human_lines} lines written by people\n"
          f"{trial.reasons.total()} letters {dict(trial.reasons)}; "
          f"{len(weather.violations)} violations", flush=True)


def is_calm(chosen: argparse.Namespace) -> bool:
    return chosen.calm or bool(chosen.expect_caught)


def all_of_it(rig: Rig, chosen: argparse.Namespace) -> str:
    """Why it was tried without a judge of the protocol; empty: there was one."""
    reason = "left out, as asked for" if chosen.without_prism else ""
    climate = Climate() if is_calm(chosen) else STORM
    if chosen.hasty:
        climate = replace(climate, retry_after=(1, *[0.05] * 9))
    if chosen.held:
        climate = replace(climate, held=0.002)
    with contextlib.ExitStack() as stack:
        stub = stack.enter_context(stub_of(rig, "--limits", "none", "--as", chosen.version))
        prism = None
        if not chosen.expect_caught and not chosen.without_prism:
            try:
                prism = stack.enter_context(prism_of(rig, stub))
            except Skip as skip:
                reason = str(skip)
        weather = stack.enter_context(Weather(chosen.seed, stub.port,
                                              prism.port if prism else 0))
        if prism is not None:
            prism.demand_sharp(stub, weather)
        weather.climate = climate
        trial = Trial(rig, chosen, stub, weather)
        trial.run()
        judge = trial.judge(prism)
        report(trial, judge)
        demand(trial.kills.done.total() >= 0.7 * chosen.kills, "the kills do not come")
    return reason


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    if not chosen.expect_caught:
        if reason := all_of_it(rig, chosen):
            raise Skip(f"everything but the protocol holds; {reason}")
        return
    proven(rig, chosen, PLANTS, lambda: all_of_it(rig, chosen))


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--as", dest="version", choices=VERSIONS, default=VERSIONS[-1],
                        help="the server that the stub stands in for")
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--every", type=int, default=5, help="a person writes after every nth look")
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--calm", action="store_true", help="no weather: only people and kills")
    parser.add_argument("--hasty", action="store_true",
                        help="a server that asks for patience asks for little of it")
    parser.add_argument("--held", action="store_true",
                        help="some answers never come: needs a machine that is not too busy")
    parser.add_argument("--without-prism", action="store_true")
    parser.add_argument("--program", help="instead of TIDEMILL")
    parser.add_argument("--expect-caught", choices=list(PLANTS))


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 60, test, options))
