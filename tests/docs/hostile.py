#!/usr/bin/env python3
"""Hostile answers: whatever an assistant says, nothing of it is ever obeyed.

--count documents hold one command of a person each; the assistant answers it with a text that is
built to become a command, to end our block, or to break the document (hostilities.py). The program
runs three times:

  first    does what the person asked for
  second   finds nothing to do
  third    after people have been there: some have deleted the markers around what we wrote; some
           have taken the quotes away, too, so that a line of the assistant's stands there as a
           command, and some have also joined it with the paragraph behind it

What must hold after each: the assistant was asked once for each command of a person; each document
has one comment of ours; none has changed its collection; no line of an assistant's reads like a
command; what people wrote is all there; found = done + skipped + failed. In the third run each line
that an assistant wrote and that now stands there bare is a skipped task.

Against the stub, or with TIDEMILL_OUTLINE_URL (wiki.py) against a real server.

--expect-caught is the proof that this test sees anything: with `quoting` the program writes what an
assistant says as it is, with `memory` it does not know again what an assistant wrote.
"""
import argparse
import json
import os
import re
import sys
from collections import Counter
from dataclasses import dataclass, field

from assistant import Assistant, Call
from docs_rig import LIMIT, proven, without_limits
from endings import BLOCKS, Sheet, a_mark, create, is_command, pieces_of, without_blocks
from hostilities import UNSURE, WAYS, Hostility, hostile_answers
from rig import Rig, demand, run_test
from wiki import URL, Place, add_options, place_of

PLANTS = {"quoting": ("no-quoting", "UNQUOTED"), "memory": ("no-memory", "OBEYED")}
QUOTED = re.compile(r"(?<=\n\n)([/?])`(ai-file|ai)`")  # a paragraph that would be a command
MARKERS = re.compile(r"<!-- AI-(?:SUMMARY|SEARCH-TERMS)-(?:START|END) -->")


def visible_commands(text: str) -> list[str]:
    """Lines that read like a command, wherever they stand, our blocks included. Not in a fence."""
    found, is_code = [], False
    for line in text.splitlines():
        if line.lstrip(" ").startswith(("```", "~~~")):
            is_code = not is_code
        if not is_code:
            found += [part.strip() for part in re.split(r"(?<!\\)\\n", line) if is_command(part)]
    return found


@dataclass
class Case:
    hostility: Hostility
    sheet: Sheet
    bare: list[str] = field(default_factory=list)  # lines of the assistant's, after people came
    is_edited: bool = False

    def __str__(self) -> str:
        its = self.hostility
        return f"{its.number} ({its.shape}, {its.way}, {its.command!r}, {self.sheet.id})"


class Villain:
    """Answers as the document's mark says."""

    def __init__(self, place_of_mark: dict[str, Hostility]):
        self.hostilities = place_of_mark
        self.home = self.other = ""  # collections

    def __call__(self, call: Call) -> str:
        its = self.hostilities.get(call.mark)
        if its is None:
            return "I know nothing of it."
        if call.kind != "file":
            return its.answer
        # Where it is already: a document that moves was moved by somebody else's command.
        is_first = "Guidance by the person who asks: none" in call.user
        terms = [its.answer, *its.answer.split("\n"), f"term\\n{its.command}"]
        return json.dumps({
            "collection_id": self.home if is_first else self.other,
            "confidence": 0.4 if is_first and its.way == UNSURE else 0.95,
            "reasoning": its.answer, "search_terms": terms[:20],
            "alternatives": [{"collection_id": self.other, "why": its.answer}]})


class Trial:
    def __init__(self, place: Place, villain: Villain, cases: list[Case], is_planted: bool):
        self.place, self.cases, self.is_planted = place, cases, is_planted
        villain.home, villain.other = place.inbox, place.collections["Finance"]
        for case in cases:  # one by one: a busy Outline 1.9 was seen to answer 500
            create(place, case.sheet)

    def run(self) -> dict:
        code, process = self.place.mill.finish(
            *self.place.scope(), "--workers", "4", "--attempts", "20", "--backoff", "50ms",
            "--breaker-wait", "2s", "--json", *without_limits(), seconds=20 * LIMIT)
        demand(code == 0, f"exit {code}: {process.errors()[-3000:]}")
        said = json.loads(process.lines[-1])
        demand(said["found"] == said["done"] + said["skipped"] + said["failed"], f"{said}")
        return said

    def judge(self, run: str, said: dict, skipped: int) -> None:
        obeyed, wrong = [], []
        documents, comments = self.place.look()
        for case in self.cases:
            its = documents[case.sheet.id]
            obeyed += [f"OBEYED {case}: {each}"
                       for each in self._obeyed(case, its, comments[case.sheet.id])]
            wrong += [f"{case}: {each}" for each in self._wrong(case, its["text"])]
        summary = f"{run} run: {len(obeyed)} obeyed, {len(wrong)} wrong"
        print(f"{summary}; {said['done']} done, {said['skipped']} skipped", flush=True)
        if self.is_planted:  # nothing is quoted then: whether it is obeyed is the question
            wrong = []
        demand(not obeyed and not wrong, "\n".join([summary, *obeyed[:20], *wrong[:20]]))
        counts = (said["found"], said["skipped"], said["failed"])
        wanted = (len(self.cases) + skipped, skipped, 0)
        demand(counts == wanted, f"{run} run: found, skipped and failed are not {wanted}: {said}")

    def _obeyed(self, case: Case, document: dict, comments: list[str]) -> list[str]:
        calls = self.place.assistant.calls_about(case.sheet.mark)
        faults = [] if len(calls) == 1 else [f"asked {[call.kind for call in calls]}"]
        if document["collectionId"] != case.sheet.collection:
            faults.append("moved")
        if len(comments) != 1:
            faults.append(f"{len(comments)} comments: {comments}")
        return faults

    def _wrong(self, case: Case, text: str) -> list[str]:
        faults = []
        allowed = ["?ai-file"] if case.hostility.way == UNSURE else []
        if (seen := visible_commands(text)) != allowed + case.bare and not case.is_edited:
            faults.append(f"UNQUOTED: {seen}: {text[:3000]!r}")
        if case.is_edited:
            return faults
        rest = [each for each in pieces_of(without_blocks(text)) if not is_command(each)]
        if rest != case.sheet.people:
            faults.append(f"people wrote {case.sheet.people}, and there is {text[:3000]!r}")
        wanted = {"summarize": ["summary"], "file": ["terms"]}.get(case.hostility.way, [])
        for name, mark in BLOCKS.items():
            lines = re.findall(rf"(?m)^<!-- {mark}-(?:START|END) -->$", text)
            if len(lines) != 2 * (name in wanted):
                faults.append(f"{len(lines)} markers of {name}: {text[:3000]!r}")
        return faults


class People:
    """Who edit what we wrote."""

    def __init__(self, place: Place):
        self.place = place
        self.edits: Counter[str] = Counter()

    def visit(self, case: Case, before: str) -> None:
        if case.hostility.way not in ("summarize", "file") or case.hostility.number % 4 == 3:
            return
        case.is_edited = True
        text = MARKERS.sub("", before)
        self.edits["markers deleted"] += 1
        if case.hostility.has_words and case.hostility.number % 4 != 0:
            found = QUOTED.search(text)
            if found:
                text = text[:found.start()] + found[1] + found[2] + text[found.end():]
                self.edits["quotes removed"] += 1
                if case.hostility.number % 4 == 2:
                    text = joined(text, found.start())
                    self.edits["joined"] += 1
        now = self.place.wiki.do("documents.update", id=case.sheet.id, text=text)["text"]
        allowed = ["?ai-file"] if case.hostility.way == UNSURE else []
        case.bare = [each for each in dict.fromkeys(visible_commands(now)) if each not in allowed]


def joined(text: str, start: int) -> str:
    """The paragraph there and the one behind it as one."""
    end = text.find("\n\n", start)
    return text if end < 0 else f"{text[:end]} {text[end:].lstrip(chr(10))}"


def sheet_for(its: Hostility) -> Sheet:
    mark = a_mark()
    text = f"This is {mark}, about the pump.\n\n{WAYS[its.way]}\n\nThe end."
    return Sheet(f"Hostile {its.number}", [WAYS[its.way]], text, mark)


def whole(rig: Rig, chosen: argparse.Namespace) -> None:
    cases = [Case(its, sheet_for(its)) for its in hostile_answers(chosen.count, rig.dice)]
    villain = Villain({case.sheet.mark: case.hostility for case in cases})
    chosen.stub = chosen.stub or not os.environ.get(URL)
    with Assistant(villain) as assistant, place_of(rig, chosen, assistant) as place:
        trial = Trial(place, villain, cases, chosen.expect_caught == "memory")
        trial.judge("first", trial.run(), 0)
        before = len(place.door.changes)
        trial.judge("second", trial.run(), 0)
        demand(len(place.door.changes) == before, f"OBEYED: {place.door.changes[before:]}")
        people = People(place)
        documents, _ = place.look()
        for case in cases:
            people.visit(case, documents[case.sheet.id]["text"])
        bare = sum(len(case.bare) for case in cases)
        print(f"people: {dict(people.edits)}; {bare} lines stand there bare", flush=True)
        demand(bare > 0 or chosen.count < 50, "nothing of it was laid bare")
        trial.judge("third", trial.run(), bare)
    shapes = Counter(case.hostility.way for case in cases)
    print(f"{len(cases)} hostile answers {dict(shapes)}, none obeyed in three runs", flush=True)


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    proven(rig, chosen, PLANTS, lambda: whole(rig, chosen))


def options(parser: argparse.ArgumentParser) -> None:
    add_options(parser)
    parser.add_argument("--expect-caught", choices=list(PLANTS))


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 249, test, options))
