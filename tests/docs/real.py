#!/usr/bin/env python3
"""The docs job against a real Outline server, in collections of the test's own.

  tidemill docs run ─► door (counts, and kills at a request) ─► Outline      (wiki.py)
                            ╰► an assistant in this process                  (assistant.py)

Only the public API is used, and only the end is judged (endings.py): every effect that a command
asked for is there once, every line of a command is gone, all that people wrote is there in its
order, and nothing else has happened.

  commands   all six, between people's paragraphs, an empty one, a list, a fence, below another
             document, in a draft, beside a comment that hangs on words of the text
  again      a second /summarize renews the block where it stands; one more run changes nothing
  breaks     commands on lines of one paragraph (Shift+Enter), four commands in a document and
             --workers, while people add paragraphs
  watch      --watch does a command that is written later, and ends with Ctrl-C
  webhooks   a subscription of the server itself tells of a command; a wrong secret is refused
  kills      --kills times kill -9, aimed at requests, over --count documents, while people write

--stub takes the stub instead of a server: a test of this script. Without either it is skipped.

--expect-caught is the proof that this test sees anything; it takes a program with faults planted in
it: `ids` (--only kills) comments have a new id every time, `markers` (--only again) no blank lines
stand around ours, `whole` (--only commands) every change sends the whole text.
"""
import argparse
import contextlib
import json
import pathlib
import re
import secrets
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable

from assistant import Assistant
from docs_rig import LIMIT, a_uuid, fresh_state, proven, without_limits
from endings import (FILE, RELATED, SUMMARIZE, TITLE, Ending, Sheet, create, is_command, judged,
                     pieces_of, sheet_of, write)
from hooks import now, signature
from rig import Process, Rig, Wrong, demand, eventually, run_test
from weather import AFTER, BEFORE, Aim
from wiki import NAMES, Place, add_options, place_of, post_event

PLANTS = {"ids": ("random-comment-ids", "comments, not"),
          "markers": ("tight-markers", "blocks summary"), "whole": ("whole-text", "hangs on")}
KILLED = -signal.SIGKILL
INTERRUPTED = 128 + signal.SIGINT


class Trial:
    """What the parts share."""

    def __init__(self, place: Place, chosen: argparse.Namespace):
        self.place, self.chosen = place, chosen
        self.rig, self.wiki, self.door = place.rig, place.wiki, place.door
        self.rows: list[tuple[str, int, int, int, Counter[str]]] = []
        self.wrong: list[str] = []
        self.untried: list[str] = []

    def options(self, workers: int = 4) -> list[str]:
        """A busy Outline cuts connections, which is for the program to survive. More than four
        changes at once can make 1.9 wait for itself, and then for a while nothing is
        answered: its connections to the database are five, and some requests take two."""
        return ["--workers", str(workers), "--attempts", "20", "--backoff", "50ms",
                "--breaker-wait", "2s", "--json", *without_limits()]

    def run(self, workers: int = 4, scope: list[str] | None = None) -> dict:
        """Once, in peace; what it said in the end."""
        scope = self.place.scope() if scope is None else scope
        code, process = self.place.mill.finish(*scope, *self.options(workers), seconds=5 * LIMIT)
        demand(code == 0, f"exit {code}: {process.errors()[-3000:]}")
        said = json.loads(b"".join(process.lines).splitlines()[-1])
        demand(said["found"] == said["done"] + said["skipped"] + said["failed"], f"{said}")
        return said

    def judge(self, part: str, sheets: list[Sheet], kills: int = 0) -> None:
        effects, wrong = judged(self.place, sheets)
        self.rows.append((part, len(sheets), kills, len(wrong), effects))
        self.wrong += wrong
        for each in wrong:
            print(f"{part}: {each}", flush=True)

    def demand_quiet(self, why: str) -> None:
        """One more run asks the server for no change."""
        demand(self.door.settle(), "the server is stuck")
        before = len(self.door.changes)
        self.run()
        more = self.door.changes[before:]
        if more:
            self.wrong.append(f"{why}: a second run changed {more}")
            print(self.wrong[-1], flush=True)


def anchored(trial: Trial, sheet: Sheet, words: str) -> None:
    """A person's comment on words of the text, where the API can make one."""
    comment, why = trial.place.hang(sheet.id, words)
    if comment:
        sheet.own_comments.add(comment)
        sheet.anchor = words
    else:
        trial.untried.append(f"a comment that hangs on words: {why}")


def furnished(command: str, unsure: bool = False) -> Sheet:
    """Among everything that a change could damage."""
    sheet = sheet_of(f"About {command.split(' ')[0][1:]}", [command], unsure=unsure)
    sheet.text = sheet.text.replace("Between, 0: a person wrote this.", "\n\n".join([
        "Before the gap.", "\\", "Behind the gap, _with_ a literal a\\*b.", "* one\n* two",
        f"```\n{FILE}\n```", "The lantern hangs here."]))
    sheet.kept = ["Before the gap.\n\n\nBehind the gap", f"```\n{FILE}\n```"]
    return sheet


def commands(trial: Trial) -> None:
    place = trial.place
    fresh_state(trial.rig, "state-commands")
    sheets = [create(place, furnished(command)) for command in
              (FILE, f"{FILE} to finance, 2 * 3", "?ai-file surely finance", "/ai Who repairs it?",
               SUMMARIZE, TITLE, RELATED)]
    sheets.append(create(place, furnished(FILE, unsure=True)))
    for sheet in sheets:
        anchored(trial, sheet, "lantern hangs")
    parent = create(place, sheet_of("A parent", []))
    child = sheet_of("A child", [SUMMARIZE, FILE])
    child.parent = parent.id
    create(place, child, parentDocumentId=parent.id)
    draft = create(place, sheet_of("A draft", [SUMMARIZE]), publish=False)
    elsewhere = create(place, sheet_of("Elsewhere", [SUMMARIZE]),
                       collectionId=place.collections["Elsewhere"])
    said = trial.run()
    demand(said["failed"] == 0, f"{said}")
    for other in (draft, elsewhere):
        seen = [each for each in pieces_of(trial.wiki.text(other.id)) if is_command(each)]
        demand(seen == [SUMMARIZE], f"it was not asked to look at {other.title}")
    trial.judge("commands", [*sheets, parent, child])
    trial.run(scope=["--document", draft.id])
    trial.judge("a draft, named", [draft])
    # The person answers the question that the program asked back.
    unsure = sheets[-1]
    trial.wiki.do("documents.update", id=unsure.id, editMode="patch", findText="?ai-file",
                  text="?ai-file surely finance")
    unsure.commands, unsure.is_unsure = [FILE, "?ai-file surely finance"], False
    trial.run()
    trial.judge("asked back", [unsure])
    trial.demand_quiet("commands")


def again(trial: Trial) -> None:
    place = trial.place
    fresh_state(trial.rig, "state-again")
    sheets = [create(place, sheet_of(f"Again {number}", [command]))
              for number, command in enumerate((SUMMARIZE, FILE, RELATED, "/ai Why?"))]
    trial.run()
    trial.judge("first", sheets)
    trial.demand_quiet("again")
    for sheet in sheets:
        write(place, sheet, "A later paragraph.")
        write(place, sheet, sheet.commands[0])
    trial.run()
    trial.judge("again", sheets)
    trial.demand_quiet("again and again")


class People:
    """Who add paragraphs to documents while the program runs. `with` waits for them."""

    def __init__(self, trial: Trial, sheets: list[Sheet], *lines: str):
        self.trial, self.sheets, self.lines = trial, sheets, lines
        self.fault: list[Exception] = []
        self._thread = threading.Thread(target=self._write)

    def __enter__(self) -> "People":
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._thread.join()
        demand(not self.fault, f"{self.fault}")

    def _write(self) -> None:
        try:
            for line in self.lines:
                for sheet in self.sheets:
                    write(self.trial.place, sheet, f"{line}, a person adds this.")
        except Exception as reason:  # told where it can be seen
            self.fault.append(reason)


def breaks(trial: Trial) -> None:
    place = trial.place
    fresh_state(trial.rig, "state-breaks")
    sheets = []
    for number in range(trial.chosen.many):
        lines = [SUMMARIZE, f"/ai What is {number}?", FILE, RELATED]
        trial.rig.dice.shuffle(lines)
        sheet = sheet_of(f"Breaks {number}", lines)
        paragraph = "\\\n".join([f"A line in front of {sheet.mark}.", *lines, "A line behind."])
        if number % 3 == 0:
            paragraph = "\\\n".join(lines)
        sheet.text = f"Above.\n\n{paragraph}\n\nBelow."
        if number % 3 == 1:
            sheet.text = "\n\n".join([f"{sheet.mark}.", *lines, "Below."])
        elif number % 3 == 0:
            sheet.text = sheet.text.replace("Above.", f"Above {sheet.mark}.")
        sheets.append(create(place, sheet))
    with People(trial, sheets, "First", "Second", "Third"):
        said = trial.run(trial.chosen.workers)
    demand(said["failed"] == 0, f"{said}")
    trial.judge("breaks", sheets)
    trial.demand_quiet("breaks")


def watch(trial: Trial) -> None:
    fresh_state(trial.rig, "state-watch")
    process = trial.place.mill.start("--watch", "--every", "500ms", *trial.place.scope(),
                                     *trial.options())
    sheet = create(trial.place, sheet_of("Watched", []))
    for command in (SUMMARIZE, RELATED):
        write(trial.place, sheet, command)
        demand(eventually(lambda: is_done(trial, sheet), LIMIT),
               f"nobody did {command}: {process.errors()[-2000:]}")
    process.signal(signal.SIGINT)
    code = process.wait(LIMIT)
    demand(code == INTERRUPTED, f"exit {code} after Ctrl-C: {process.errors()[-2000:]}")
    trial.judge("watch", [sheet])


def webhooks(trial: Trial) -> None:
    """A look around comes once an hour: what is done was told by the server."""
    fresh_state(trial.rig, "state-webhooks")
    place, secret = trial.place, secrets.token_hex(16)
    file = trial.rig.folder / "webhook-secret"
    file.touch(0o600)
    file.write_text(secret + "\n")
    looks = lists_answered(trial) + len(NAMES[:-1])  # a start begins with one over everything
    process = place.mill.start("--webhook", "127.0.0.1:0", "--webhook-secret-file", str(file),
                               "--every", "1h", *place.scope(), *trial.options())
    port = port_of(process)
    demand(eventually(lambda: lists_answered(trial) >= looks, LIMIT), "it does not look around")
    url = f"http://127.0.0.1:{port}/hooks"
    for words in (secret, "guessed"):
        place.subscribe(url, words)
    sheet = create(place, sheet_of("Told of", []))
    elsewhere = create(place, sheet_of("Told of, elsewhere", [SUMMARIZE]),
                       collectionId=place.collections["Elsewhere"])
    write(place, sheet, SUMMARIZE)
    demand(eventually(lambda: is_done(trial, sheet), LIMIT),
           f"no event came: {process.errors()[-2000:]}")
    write(place, sheet, "/ai Who told you?")
    demand(eventually(lambda: is_done(trial, sheet), LIMIT), "no second event came")
    body = json.dumps({"id": a_uuid("forged"), "event": "documents.update",
                       "payload": {"id": elsewhere.id, "model": {"id": elsewhere.id}}}).encode()
    status = post_event(url, body, signature(body, now(), "guessed"))
    demand(status == 401, f"a forged event: {status}")
    place.unsubscribe()
    process.signal(signal.SIGTERM)
    code = process.wait(LIMIT)
    demand(code == 128 + signal.SIGTERM, f"exit {code}: {process.errors()[-2000:]}")
    said = json.loads(process.lines[-1])["webhooks"]
    print(f"webhooks: {said}", flush=True)
    demand(said["accepted"] >= 2 and said["rejected"] >= 2, f"{said}")
    demand(SUMMARIZE in pieces_of(trial.wiki.text(elsewhere.id)), "it went elsewhere")
    trial.judge("webhooks", [sheet])


def lists_answered(trial: Trial) -> int:
    return sum(call.endpoint == "documents.list" and call.status == 200
               for call in list(trial.door.calls))


def port_of(process: Process) -> int:
    said = pathlib.Path(f"/proc/{process.pid}/fd/2")
    pattern = re.compile(r"Listening for webhooks on port (\d+)\n")
    demand(eventually(lambda: process.has_ended() or bool(
        pattern.search(said.read_text(errors="replace"))), LIMIT), "it does not listen")
    demand(not process.has_ended(), f"it ended: {process.errors()}")
    return int(pattern.search(said.read_text(errors="replace"))[1])


def is_done(trial: Trial, sheet: Sheet) -> bool:
    with contextlib.suppress(Wrong):
        Ending(trial.place, sheet).judge()
        return True
    return False


KINDS = ([SUMMARIZE], [FILE], ["/ai Who did it?"], [RELATED], [TITLE], [SUMMARIZE, FILE],
         ["/ai One?", "/ai Two?"], [TITLE, RELATED])
TARGETS = ("", "documents.info", "documents.update", "documents.update", "documents.update",
           "documents.move", "comments.create", "comments.create", "comments.info",
           "chat/completions", "documents.list")
EACH = 16  # documents, and a state of its own for each group


def kills(trial: Trial) -> None:
    groups = max(1, trial.chosen.count // EACH)
    for group in range(groups):
        share = trial.chosen.kills * (group + 1) // groups - trial.chosen.kills * group // groups
        killed(trial, group, share)


def killed(trial: Trial, group: int, wanted: int) -> None:
    """So many kills over one group of documents; then it may end."""
    fresh_state(trial.rig, f"state-kills-{group}")
    dice, done = trial.rig.dice, 0
    sheets = [create(trial.place, sheet_of(f"Killed {group}.{number}", list(lines)))
              for number, lines in enumerate(KINDS * (EACH // len(KINDS)))]
    for life in range(3 * wanted):
        if done == wanted:
            break
        aim = Aim(dice.randint(1, 4), dice.choice((BEFORE, AFTER)), dice.choice(TARGETS), 40)
        if trial.chosen.expect_caught == "ids":  # the moment at which it must show
            aim = Aim(1, AFTER, "comments.create")
        trial.door.aim(aim)
        with People(trial, dice.sample(sheets, 2), f"In life {life}"):
            process = trial.place.mill.start(*trial.place.scope(), *trial.options())
            aim.shoot_at(process.pid)
            code = process.wait(5 * LIMIT)
        if not aim.hit.is_set():
            demand(code == 0, f"exit {code}: {process.errors()[-2000:]}")
            for sheet in sheets:  # all is done: people ask for more
                write(trial.place, sheet, sheet.commands[0])
            continue
        demand(code == KILLED, f"killed {aim}, and exit {code}: {process.errors()[-2000:]}")
        done += 1
        if not trial.chosen.late:
            demand(trial.door.settle(), "the server is stuck")
    trial.door.aim(None)
    trial.run()
    trial.judge(f"kills {group + 1}", sheets, done)
    trial.demand_quiet(f"kills {group + 1}")


PARTS: dict[str, Callable[[Trial], None]] = {
    "commands": commands, "again": again, "breaks": breaks, "watch": watch,
    "webhooks": webhooks, "kills": kills}


def report(trial: Trial) -> None:
    kinds = ("lines removed", "summary", "terms", "moves", "titles", "comments")
    print(f"revisions are {'' if trial.place.guards else 'not '}guarded")
    print(f"{'part':<16} {'documents':>9} {'kills':>5} {'wrong ends':>10} "
          + " ".join(f"{kind:>13}" for kind in kinds))
    for part, documents, kills, wrong, effects in trial.rows:
        print(f"{part:<16} {documents:>9} {kills:>5} {wrong:>10} "
              + " ".join(f"{effects[kind]:>13}" for kind in kinds))
    if given_up := trial.door.broken:  # a busy Outline does so after ten seconds
        print(f"the server gave up on {len(given_up)} requests, such as {given_up[0]}")
    for each, times in Counter(trial.untried).items():
        print(f"NOT TRIED ({times}): {each}")


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    proven(rig, chosen, PLANTS, lambda: whole(rig, chosen))


def whole(rig: Rig, chosen: argparse.Namespace) -> None:
    with Assistant() as assistant, place_of(rig, chosen, assistant) as place:
        trial = Trial(place, chosen)
        for name in chosen.only or PARTS:
            print(f"{name} …", flush=True)
            try:
                PARTS[name](trial)
            except Wrong as fault:
                if not chosen.keep_going:
                    raise
                trial.wrong.append(f"{name}: {fault}")
                print(trial.wrong[-1], flush=True)
        report(trial)
    demand(not trial.wrong, f"{len(trial.wrong)} wrong ends, the first: {trial.wrong[:1]}")


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", action="append", choices=list(PARTS))
    add_options(parser)
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--many", type=int, default=12, help="documents with four commands each")
    parser.add_argument("--workers", type=int, default=4, help="for the part breaks")
    parser.add_argument("--late", action="store_true",
                        help="what a killed process sent may arrive beside the next one")
    parser.add_argument("--expect-caught", choices=list(PLANTS))
    parser.add_argument("--keep-going", action="store_true", help="do all parts, whatever happens")


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 96, test, options))
