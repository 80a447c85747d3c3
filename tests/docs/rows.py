#!/usr/bin/env python3
"""What a real server does that a description of its API does not say, one scene for each: a document,
a command, and what must be true in the end. stub/README.md names where each was seen.

Every scene is tried with the stub as each version that behaves so. With --expect-caught the program
does what it once did (planted_outline.h has the faults, built with TIDEMILL_PLANT), and the scene
must see it. --list names them all.
"""
import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass

from docs_rig import VERSIONS, Mill, Stub, a_uuid, fresh_state, proven, stub_of, without_limits
from rig import Rig, Wrong, demand, run_test
from truth import block_of, lines_of
from weather import AFTER, Aim, Weather

OLD, NEXT = VERSIONS
PERSONS = "A person wrote this."
LIMIT = 60  # seconds
SOME_FAILED = 3
HERE, THERE = a_uuid("Finance"), a_uuid("Harbour")


class Scene:
    """Documents on a stub of one version, and runs of the program over them."""

    def __init__(self, rig: Rig, version: str):
        self.rig = rig
        self.version = version
        self.options: list[str] = []
        self.ids: list[str] = []
        self.said = b""

    def play(self, act: "Callable[[Scene], None]") -> None:
        with stub_of(self.rig, "--limits", "none", "--as", self.version) as self.stub:
            self.mill = Mill(self.rig, self.stub.url)
            act(self)

    def seed(self, *texts: str, **more: object) -> None:
        """As documents 0, 1, …; `more` is for the first."""
        documents = [{"id": a_uuid(f"scene {n}"), "title": f"Scene {n}", "text": text,
                      "collectionId": HERE} for n, text in enumerate(texts)]
        documents[0].update(more)
        self.ids = [each["id"] for each in documents]
        self.stub.seed(documents)
        fresh_state(self.rig, f"state-{self.rig.dice.random()}")

    def run(self, *options: str, status: int = 0) -> dict:
        """The documents afterwards, by their number."""
        code, process = self.mill.finish("--workers", "1", "--attempts", "2", "--backoff", "1ms",
                                         "--json", *self.options, *options, *without_limits())
        self.said = b"".join(process.lines)
        demand(code == status, f"exit {code}: {process.errors()[-2000:]}")
        documents = self.stub.documents()
        return {n: documents[its] for n, its in enumerate(self.ids)}

    def updates(self) -> list[dict]:
        return [row for row in self.stub.journal("client") if row["effect"] == "update"]

    def comments(self) -> list[str]:
        return [each["text"] for each in self.stub.comments()]


def ids(scene: Scene) -> None:
    """1: ids of comments are uuids of version 4."""
    scene.seed(f"{PERSONS}\n\n/ai What is it?")
    document = scene.run()[0]
    demand(len(scene.comments()) == 1 and "/ai" not in document["text"], f"{scene.comments()}")


def markers(scene: Scene) -> None:
    """2: lines of one paragraph are joined: a block is found again after a lost answer."""
    scene.seed(f"{PERSONS}\n\n/summarize")
    # The third: two are the questions what the server can do.
    scene.stub.tell("script", faults=[{"endpoint": "documents.update", "when": 3,
                                       "do": "502-after"}])
    document = scene.run()[0]
    demand(document["text"].count("<!--") == 2 and block_of(document["text"], "summary"),
           f"not one block between lines of their own: {document['text']!r}")


def revision(scene: Scene) -> None:
    """4: a server without lastRevision would not notice a person who sets the title meanwhile."""
    for every in (2, 3):
        scene.seed(f"{PERSONS}\n\n/enhance-title")
        scene.stub.tell("human", every=every, title="A person's own title")
        title = scene.run()[0]["title"]
        lost = [row for row in scene.updates() if row["overwrote"]]
        demand(not lost, f"LOST EDIT: {title!r}: {lost}")
        scene.stub.tell("human", every=0)


def live(scene: Scene) -> None:
    """5: what a live editor saves raises no revision."""
    scene.seed(f"{PERSONS}\n\n/related")
    scene.run("--document", scene.ids[0])
    scene.stub.tell("edit", id=scene.ids[0], append="/related", live=True)
    # It is the same run that goes on: one for a server.
    scene.run("--document", scene.ids[0])
    demand(len(scene.comments()) == 2, f"not done again: {scene.comments()}")


def collection(scene: Scene) -> None:
    """6: filters that a server does not know are ignored in silence."""
    scene.seed(f"{PERSONS}\n\n/related", f"{PERSONS}\n\n/related", collectionId=THERE)
    documents = scene.run("--collection", THERE)
    demand("/related" not in documents[0]["text"], "the document of the collection was left out")
    demand("/related" in documents[1]["text"] and len(scene.comments()) == 1,
           "a document of another collection was taken")


def parts(scene: Scene) -> None:
    """7: the whole text, sent, is parsed anew: anchors, empty paragraphs and marks go."""
    scene.seed(f"An anchor hangs here.\n\n\\\n\n\\_So\\_ it is.\n\n/summarize\n\n{PERSONS}\n\n/related")
    scene.stub.tell("anchor", id=scene.ids[0], text="An anchor")
    before = scene.stub.documents()[scene.ids[0]]
    now = scene.run()[0]
    demand(now["anchors"] == before["anchors"], f"LOST EDIT: {now['anchors']}")
    lost = [row for row in scene.updates() if row["empties_lost"] or row["anchors_lost"]]
    demand(not lost, f"LOST EDIT: {lost}")


def comparison(scene: Scene) -> None:
    """8: what comes back has other escapes than what was sent; that is not a change."""
    scene.seed(f"/summarize\n\nIt is a_b & <c> of 2 * 3.")
    aim = Aim(3, AFTER, "documents.update")  # as above
    with Weather(1, scene.stub.port) as weather:
        weather.aim(aim)
        process = Mill(scene.rig, weather.url, scene.stub.url).start(
            "--workers", "1", "--json", *without_limits())
        aim.shoot_at(process.pid)
        process.wait(LIMIT)
        demand(aim.hit.is_set() and weather.settle(), "it was not killed")
        first = len(weather.calls)
        code, process = Mill(scene.rig, weather.url, scene.stub.url).finish(
            "--workers", "1", "--json", *without_limits())
        demand(code == 0, process.errors())
        changes = [call for call in weather.calls[first:] if call.endpoint == "documents.update"]
    demand(len(changes) == 1, f"DOUBLE: {len(changes)} changes, and only the line was left to go")


def breaks(scene: Scene) -> None:
    """9: Shift+Enter is a backslash and an n within the line; arguments carry escapes."""
    scene.seed(f"{PERSONS}\\\n/ai What is 2 * 3?\\\n/related\\\nAnother line.")
    document = scene.run()[0]
    demand(lines_of(document["text"]) == [PERSONS, "Another line."],
           f"commands were missed: {document['text']!r}")
    demand(any("What is 2 * 3?" in each.replace("\\", "") for each in scene.comments()),
           f"{scene.comments()}")


def nested(scene: Scene) -> None:
    """10: a move takes a document out from below another: the comment says where it was."""
    scene.seed(f"{PERSONS}\n\n/ai-file", "Above.", parentDocumentId=a_uuid("scene 1"))
    scene.run("--document", scene.ids[0])
    demand(scene.stub.documents()[scene.ids[0]]["collectionId"] == THERE, "it was not moved")
    demand(any("below" in each for each in scene.comments()),
           f"nobody was told where it was: {scene.comments()}")


def drafts(scene: Scene) -> None:
    """10: drafts are not in the list; who names one means it."""
    scene.seed(f"{PERSONS}\n\n/related", draft=True)
    demand("/related" in scene.run()[0]["text"], "a draft was taken that nobody named")
    scene.run("--document", scene.ids[0])
    demand(len(scene.comments()) == 1, "a draft that was named was left out")


def sizes(scene: Scene) -> None:
    """12: comments have 1,000 characters."""
    scene.seed(f"{PERSONS}\n\n/ai {'What is it? ' * 200}")
    scene.run()
    demand(len(scene.comments()) == 1 and len(scene.comments()[0]) <= 1000, f"{scene.comments()}")


def failures(scene: Scene) -> None:
    """1: an answer that could not be posted is a failure, and its line stays."""
    scene.seed(f"{PERSONS}\n\n/ai What is it?")
    scene.stub.tell("script", faults=[{"endpoint": "comments.create", "when": n, "do": "400"}
                                      for n in range(1, 9)])
    document = scene.run(status=SOME_FAILED)[0]
    demand("/ai What is it?" in document["text"], "the question is gone, and nobody answered it")


@dataclass(frozen=True)
class Row:
    act: Callable[[Scene], None]
    versions: tuple[str, ...] = VERSIONS
    plant: str = ""  # empty: the program has never done otherwise, or rows beside it show it
    symptom: str = ""


ROWS = {
    "ids": Row(ids, plant="old-comment-ids", symptom="exit 3"),
    "markers": Row(markers, plant="tight-markers", symptom="not one block"),
    "revision": Row(revision, (OLD,), "blind-title", "LOST EDIT"),
    "guarded": Row(revision, (NEXT,)),
    "live": Row(live, plant="by-revision-alone", symptom="not done again"),
    "collection": Row(collection, plant="trusting-lists", symptom="of another collection"),
    "parts": Row(parts, plant="whole-text", symptom="LOST EDIT"),
    "comparison": Row(comparison, plant="byte-by-byte", symptom="DOUBLE"),
    "breaks": Row(breaks, plant="as-it-was", symptom="were missed"),
    "nested": Row(nested, plant="no-parents", symptom="nobody was told"),
    "drafts": Row(drafts),
    "sizes": Row(sizes, plant="long-comments", symptom="exit 3"),
    "failures": Row(failures),
}
CAUGHT = {name: (row.plant, row.symptom) for name, row in ROWS.items() if row.plant}


def played(rig: Rig, name: str, version: str) -> None:
    try:
        Scene(rig, version).play(ROWS[name].act)
    except Wrong as wrong:
        raise Wrong(f"{name}, as {version}: {wrong}") from None
    print(f"{name}, as {version}: holds", flush=True)


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    for name in CAUGHT if chosen.expect_caught == "all" else ():
        one = argparse.Namespace(expect_caught=name)
        proven(rig, one, CAUGHT, lambda: played(rig, name, ROWS[name].versions[0]))
    if chosen.expect_caught == "all":
        return
    for name in chosen.row or ROWS:
        for version in ROWS[name].versions:
            played(rig, name, version)


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--expect-caught", choices=("all",))
    parser.add_argument("--row", action="append", choices=list(ROWS), help="only these")


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 0, test, options))
