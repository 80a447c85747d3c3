#!/usr/bin/env python3
"""The stub must answer what real Outline servers answered.

stub/pairs.json has inputs of ours and what servers of two versions made of them: texts of new
documents ("trips"), of documents after one documents.update ("edits"), comments that hang on words
and live through an edit or do not ("anchors"), and other things that clients rely on ("facts",
see PROBES). All of them are tried against the stub, once as each version; and what its people and
its journal do, which no real server can be asked for.

With TIDEMILL_OUTLINE_URL and TIDEMILL_OUTLINE_KEY set, a real server is tried instead (--as says
which version it is); it gets a collection "Pairs" with a document for every pair. --record writes
down what it answers. --rows is handed to the stub: without a row, pairs must fail.
"""
import argparse
import contextlib
import json
import os
import pathlib
import sys
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator

from docs_rig import KEY, LIMIT, Stub, a_uuid, stub_of
from rig import Rig, demand, eventually, run_test

FILE = pathlib.Path(__file__).resolve().parent / "stub" / "pairs.json"
VERSIONS = ("1.9.2", "next")
SHOWN = 5  # pairs that differ, in a message
Pairs = dict[str, list[dict]]


class Outline:
    """A server, and a collection in it."""

    def __init__(self, url: str, key: str, collection: str = ""):
        self._url = url.rstrip("/")
        self._key = key
        self.collection = collection or self._find_collection()

    def open(self, endpoint: str, body: dict):
        request = urllib.request.Request(
            f"{self._url}/api/{endpoint}", json.dumps(body).encode(),
            {"content-type": "application/json", "authorization": f"Bearer {self._key}"})
        return urllib.request.urlopen(request, timeout=LIMIT)

    def call(self, endpoint: str, **body: object) -> tuple[int, dict]:
        try:
            with self.open(endpoint, body) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refusal:
            return refusal.code, json.load(refusal)

    def ask(self, endpoint: str, **body: object):
        status, said = self.call(endpoint, **body)
        demand(status == 200, f"{endpoint}: {status} {said}")
        return said["data"]

    def refusal(self, endpoint: str, **body: object) -> str:
        status, said = self.call(endpoint, **body)
        return f"{status} {said.get('error', '')} {said.get('message', '')}".strip()

    def create(self, **fields: object) -> dict:
        return self.ask("documents.create", **{
            "title": "Pair", "collectionId": self.collection, "publish": True, **fields})

    def renew(self) -> None:
        """Forget all documents, where that is possible."""

    def hang(self, document: str, words: str) -> str:
        """A comment on these words, by a person."""
        return self.ask("comments.create", documentId=document, text="hm", anchorText=words)["id"]

    def lives(self, _document: str, comment: str) -> bool:
        return bool(self.ask("comments.info", id=comment, includeAnchorText=True).get("anchorText"))

    def uncomment(self, comment: str) -> None:
        self.call("comments.delete", id=comment)

    def _find_collection(self) -> str:
        for each in self.ask("collections.list", limit=100):
            if each["name"] == "Pairs":
                return each["id"]
        return self.ask("collections.create", name="Pairs")["id"]


class StubOutline(Outline):
    """The stub has people of its own."""

    def __init__(self, stub: Stub, collection: str):
        super().__init__(stub.url, KEY, collection)
        self.stub = stub
        self.renew()

    def renew(self) -> None:
        self.stub.tell("seed", collections=[{"id": self.collection, "name": "Pairs"}], documents=[])

    def hang(self, document: str, words: str) -> str:
        self.stub.tell("anchor", id=document, text=words)
        return self.stub.documents()[document]["anchors"][-1]

    def lives(self, document: str, comment: str) -> bool:
        return comment in self.stub.documents()[document]["anchors"]

    def uncomment(self, comment: str) -> None:
        self.stub.tell("uncomment", id=comment)

    def retry_after(self, endpoint: str) -> str:
        try:
            self.open(endpoint, {}).close()
        except urllib.error.HTTPError as refusal:
            return refusal.headers.get("Retry-After", "")
        return ""


def taken_id(outline: Outline) -> list:
    document, comment = outline.create()["id"], str(uuid.uuid4())
    fields = {"id": comment, "documentId": document, "text": "a"}
    said = [outline.refusal("comments.create", **fields) for _ in range(2)]
    outline.uncomment(comment)
    return [*said, outline.refusal("comments.info", id=comment),
            outline.refusal("comments.create", **fields)]


def other_ids(outline: Outline) -> list:
    document = outline.create()["id"]
    return [outline.refusal("comments.create", id=str(each), documentId=document, text="a")
            for each in (uuid.uuid1(), uuid.uuid5(uuid.NAMESPACE_URL, "a"), "nonsense")]


def last_revision(outline: Outline) -> list:
    document = outline.create(text="a")["id"]
    return [outline.refusal("documents.update", id=document, text=text, lastRevision=1000)
            for text in ("a", "b")] + [outline.ask("documents.info", id=document)["text"]]


def filters(outline: Outline) -> str:
    outline.create()
    alone = [{"field": "documentId", "operator": "eq", "value": outline.create()["id"]}]
    return "one" if len(outline.ask("documents.list", filters=alone, limit=100)) == 1 else "more"


def draft(outline: Outline) -> list:
    document = outline.create(publish=False)["id"]
    rows = outline.ask("documents.list", limit=100, sort="createdAt", direction="DESC")
    return [document in [row["id"] for row in rows],
            outline.ask("documents.info", id=document)["publishedAt"]]


def move(outline: Outline) -> list:
    parent = outline.create()["id"]
    child = outline.create(parentDocumentId=parent)
    outline.ask("documents.move", id=child["id"], collectionId=outline.collection)
    return [child["parentDocumentId"] == parent,
            outline.ask("documents.info", id=child["id"])["parentDocumentId"]]


def created(outline: Outline) -> bool:
    document = outline.create()
    return eventually(lambda: outline.ask("documents.info", id=document["id"])["revision"] ==
                      document["revision"] + 1, 30)  # a worker does it


def sizes(outline: Outline) -> list:
    document = outline.create()["id"]
    return [outline.refusal("comments.create", documentId=document, text="b" * 1001),
            outline.refusal("documents.update", id=document, title="t" * 101)]


PROBES: dict[str, Callable[[Outline], object]] = {
    "an id that is taken, also by a deleted comment": taken_id,
    "ids of other versions": other_ids,
    "a lastRevision that is not there": last_revision,
    "filters of documents.list": filters,
    "a draft in documents.list": draft,
    "a move without a parent": move,
    "a revision more after documents.create": created,
    "long comments and titles": sizes,
}


def text_after(outline: Outline, pair: dict) -> str | dict:
    """What the API gives in the end, or the refusal."""
    document = outline.create(text=pair["text"])
    if "edit" in pair:
        status, said = outline.call("documents.update", id=document["id"], **pair["edit"])
        if status != 200:
            return {"status": status, "error": said["error"], "message": said["message"]}
        document = said["data"]
    again = outline.ask("documents.info", id=document["id"])["text"]
    demand(again == document["text"], f"documents.info says something else: {again!r}")
    return again


def lives_after(outline: Outline, pair: dict) -> bool:
    outline.renew()
    document = outline.create(text=pair["text"])["id"]
    comment = outline.hang(document, pair["anchor"])
    demand(outline.lives(document, comment), f"hangs on nothing: {pair}")
    outline.ask("documents.update", id=document, **pair["edit"])
    return outline.lives(document, comment)


def answer(outline: Outline, pair: dict, version: str):
    if "anchor" in pair and version == "1.9.2" and not isinstance(outline, StubOutline):
        return wanted(pair, version)  # it lets no client hang a comment on words
    if "fact" in pair:
        return PROBES[pair["fact"]](outline)
    return lives_after(outline, pair) if "anchor" in pair else text_after(outline, pair)


def wanted(pair: dict, version: str):
    return pair.get(f"gives {version}", pair.get("gives"))


def try_all(pairs: Pairs, version: str, outline: Outline) -> None:
    wrong = []
    for pair in sum(pairs.values(), []):
        given = answer(outline, pair, version)
        if given != wanted(pair, version):
            its = {key: value for key, value in pair.items() if not key.startswith("gives")}
            wrong.append(f"{its!r:.600}\n  wanted {wanted(pair, version)!r:.600}\n"
                         f"  given  {given!r:.600}")
    count = sum(map(len, pairs.values()))
    demand(not wrong, f"{version}: {len(wrong)} of {count} pairs differ:\n" +
           "\n".join(wrong[:SHOWN]))
    print(f"{version}: {count} pairs agree")


def record(pairs: Pairs, version: str, outline: Outline) -> None:
    """What both versions give is written once."""
    known = {pair["fact"]: pair for pair in pairs["facts"]}
    pairs["facts"] = [known.get(each, {"fact": each}) for each in PROBES]
    for pair in sum(pairs.values(), []):
        given = {each: wanted(pair, each) for each in VERSIONS}
        given[version] = answer(outline, pair, version)
        pair.pop("gives 1.9.2", None)
        pair["gives"] = given["next"] if given["next"] is not None else given[version]
        if given["1.9.2"] not in (None, pair["gives"]):
            pair["gives 1.9.2"] = given["1.9.2"]
    write(pairs)


def write(pairs: Pairs) -> None:
    parts = [f' "{name}": [\n  ' + ",\n  ".join(map(json.dumps, rows)) + "\n ]"
             for name, rows in pairs.items()]
    FILE.write_text("{\n" + ",\n".join(parts) + "\n}\n")


class People:
    """What people do to the stub, and what its journal says of clients that come between."""

    def __init__(self, outline: StubOutline, version: str):
        self._outline = outline
        self._stub = outline.stub
        self._is_old = version == "1.9.2"
        outline.renew()

    def try_all(self) -> None:
        for each in (self.live_edits, self.lost_titles, self.lost_texts, self.lost_marks,
                     self.appended_lines, self.limits, self.seeds):
            each()

    def live_edits(self) -> None:
        before = self._outline.create(text="a")["id"]
        seen = self._outline.ask("documents.info", id=before)
        self._stub.tell("edit", id=before, append="b", live=True)
        after = self._outline.ask("documents.info", id=before)
        raised = after["revision"] - seen["revision"]
        demand(raised == (0 if self._is_old else 1), f"a live edit raised the revision by {raised}")
        demand(after["updatedAt"] >= seen["updatedAt"] and after["text"] == "a\n\nb", f"{after}")

    def lost_titles(self) -> None:
        document = self._outline.create(title="Old")["id"]
        self._expect(document, False, title="Mine")
        self._stub.tell("edit", id=document, title="Theirs")
        self._expect(document, True, title="Mine again")
        self._stub.tell("edit", id=document, title="Theirs again")
        self._outline.ask("documents.info", id=document)
        self._expect(document, False, title="Mine at last")

    def lost_texts(self) -> None:
        document = self._outline.create(text="a")["id"]
        seen = self._outline.ask("documents.info", id=document)["revision"]
        self._stub.tell("edit", id=document, append="b")
        if self._is_old:
            self._expect(document, True, text="c", lastRevision=seen)
        else:
            said = self._outline.refusal("documents.update", id=document, text="c",
                                         lastRevision=seen)
            demand(said.startswith("409"), said)
        self._stub.tell("edit", id=document, append="d")
        self._expect(document, False, text="x\n\n", editMode="prepend")
        self._stub.tell("edit", id=document, append="e")
        self._expect(document, True, text="f")

    def lost_marks(self) -> None:
        document = self._outline.create(text="one\n\n\\\n\n/ai q\n\ntwo")["id"]
        self._outline.hang(document, "two")
        self._stub.tell("edit", id=document, text="1\n\n\\\n\n/ai q\n\ntwo")
        self._outline.ask("documents.info", id=document)
        self._expect(document, False, text="", editMode="patch", findText="/ai q")
        row = self._expect(document, False, text="1\n\ntwo")
        lost = (row["anchors_lost"], row["empties_lost"])
        demand(lost == (1, 1), f"anchors and empty paragraphs lost: {lost} instead of 1 and 1")

    def appended_lines(self) -> None:
        document = self._outline.create(text="a\nb")["id"]
        self._stub.tell("edit", id=document, append="c\nd")
        row = self._stub.journal("human")[-1]
        demand((row["text_before"], row["text_after"]) == ("a b", "a b\n\nc d"), f"{row}")

    def limits(self) -> None:
        self._stub.tell("script", faults=[{"endpoint": "auth.info", "when": 1, "do": "429"}])
        wait = self._outline.retry_after("auth.info")
        demand("." in wait, f"Retry-After: {wait} has no fraction")

    def seeds(self) -> None:
        child, parent = a_uuid("child"), a_uuid("parent")
        place = self._outline.collection
        rows = [{"id": parent, "title": "P", "text": "a\nb", "collectionId": place},
                {"id": child, "title": "C", "text": "\\/ai x", "parentDocumentId": parent,
                 "collectionId": place, "draft": True}]
        self._stub.tell("seed", collections=[{"id": place, "name": "Pairs"}], documents=rows)
        state = self._stub.documents()
        demand((state[parent]["text"], state[child]["text"]) == ("a b", "/ai x"), f"{state}")
        demand(state[child]["parentDocumentId"] == parent, f"{state[child]}")
        listed = [row["id"] for row in self._outline.ask("documents.list")]
        demand(listed == [parent], f"listed: {listed}")

    def _expect(self, document: str, overwrote: bool, **fields: object) -> dict:
        self._outline.ask("documents.update", id=document, **fields)
        row = self._stub.journal("client")[-1]
        demand(row["overwrote"] == overwrote, f"overwrote should be {overwrote}: {row}")
        return row


@contextlib.contextmanager
def stub_as(rig: Rig, version: str, rows: str) -> Iterator[StubOutline]:
    with stub_of(rig, "--as", version, "--rows", rows, "--limits", "none") as stub:
        yield StubOutline(stub, a_uuid("pairs"))


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    pairs = json.loads(FILE.read_text())
    url, key = (os.environ.get(f"TIDEMILL_OUTLINE_{each}", "") for each in ("URL", "KEY"))
    demand(bool(url) or not chosen.record, "--record: set TIDEMILL_OUTLINE_URL and _KEY")
    if url:
        demand(bool(chosen.version), "say with --as which version the server has")
        (record if chosen.record else try_all)(pairs, chosen.version, Outline(url, key))
        return
    for version in [chosen.version] if chosen.version else VERSIONS:
        with stub_as(rig, version, chosen.rows) as outline:
            try_all(pairs, version, outline)
            People(outline, version).try_all()


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--as", dest="version", choices=VERSIONS, help="only this version")
    parser.add_argument("--rows", default="all", help="of the stub [all]")
    parser.add_argument("--record", action="store_true", help="write down what a real server gives")


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 0, test, options))
