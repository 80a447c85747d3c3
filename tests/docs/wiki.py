"""A wiki: an Outline server that is there already, as its people use it, over its public API; or
the stub in its place. Everything a test does happens in collections of its own, which are deleted
at the end, and the program is only ever given those.

  TIDEMILL_OUTLINE_URL         the server; without it there is nothing to try
  TIDEMILL_OUTLINE_KEY         an API key of the user that tidemill runs as
  TIDEMILL_OUTLINE_PERSON_KEY  an API key of another user, who plays the people [the same key]

  program ─► door ─► server        /api/*
                  ╰► assistant     /v1/*
"""
import argparse
import asyncio
import contextlib
import http.client
import json
import os
import secrets
import signal
import ssl
import sys
import urllib.parse
import uuid
from collections import defaultdict
from collections.abc import Iterator

from assistant import Assistant
from docs_rig import KEY, LIMIT, Mill, Stub, a_uuid, stub_of
from hooks import now, signature
from messages import Cut, Message, Upstream, as_bytes
from rig import Rig, Skip, Wrong, demand, eventually, pause
from weather import Weather

URL, PROGRAM_KEY, PERSON_KEY = (f"TIDEMILL_OUTLINE_{name}" for name in ("URL", "KEY", "PERSON_KEY"))
CHANGES = ("documents.update", "documents.move", "comments.create")
NAMES = ("Inbox", "Finance", "Elsewhere")  # the program is not to look into the last
NEVER = 10**6  # a revision that no document has
BUSY = 429
PATIENCE = 20  # seconds; Outline gives up on a request after ten
NO_ANSWER = (OSError, http.client.HTTPException)


class Wiki:
    """Thread-safe: a connection for each request."""

    def __init__(self, url: str, key: str):
        self.url = url.rstrip("/")
        self.key = key
        self.parts = urllib.parse.urlsplit(self.url)
        self.name = ""  # of its version, as far as it can be told from outside

    @property
    def host(self) -> str:
        return self.parts.hostname or ""

    @property
    def is_safe(self) -> bool:
        return self.parts.scheme == "https"

    @property
    def port(self) -> int:
        return self.parts.port or (443 if self.is_safe else 80)

    def ask(self, endpoint: str, **body: object) -> tuple[int, dict]:
        """The status and the answer. A server that asks for patience gets it; what only reads is
        asked for again when a busy server has cut the connection."""
        reads = endpoint.endswith((".info", ".list"))
        for _ in range(100):
            try:
                status, answer, patience = self._ask_once(endpoint, body)
            except NO_ANSWER:
                if not reads:
                    raise
                continue
            if status != BUSY:
                return status, answer
            pause(patience)
        raise Wrong(f"{endpoint}: no answer, or not yet, again and again")

    def _ask_once(self, endpoint: str, body: dict) -> tuple[int, dict, float]:
        kind = http.client.HTTPSConnection if self.is_safe else http.client.HTTPConnection
        with contextlib.closing(kind(self.host, self.port, timeout=LIMIT)) as connection:
            headers = {"authorization": f"Bearer {self.key}", "content-type": "application/json"}
            connection.request("POST", f"/api/{endpoint}", json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read()
            patience = float(answer.headers.get("retry-after", "1"))
        try:
            return answer.status, json.loads(text), patience
        except ValueError:
            return answer.status, {"message": text[:300].decode(errors="replace")}, patience

    def do(self, endpoint: str, **body: object):
        status, answer = self.ask(endpoint, **body)
        demand(status == 200, f"{endpoint} {body}: {status} {answer}")
        return answer.get("data")

    def document(self, its: str) -> dict:
        return self.do("documents.info", id=its)

    def text(self, its: str) -> str:
        return self.document(its)["text"]

    def comments(self, its: str) -> list[dict]:
        return self.all_of("comments.list", documentId=its)

    def all_of(self, endpoint: str, **which: str) -> list[dict]:
        """Page by page."""
        found: list[dict] = []
        while True:
            page = self.do(endpoint, limit=100, offset=len(found), **which)
            found += page
            if len(page) < 100:
                return found

    def guards_revisions(self, its: str) -> bool:
        """Whether it refuses a change that was made from another revision than the last."""
        status, _ = self.ask("documents.update", id=its, lastRevision=NEVER)
        demand(status in (200, 409), f"lastRevision: {status}")
        return status == 409


def words_in(node: object) -> str:
    """The text of a comment, as people read it."""
    if isinstance(node, dict):
        own = node.get("text", "") if node.get("type", "text") == "text" else ""
        inner = words_in(node.get("content", []))
        return own + inner + ("\n" if node.get("type") == "paragraph" else "")
    return "".join(words_in(each) for each in node) if isinstance(node, list) else ""


class Door(Weather):
    """Between the program and the server: sees every request, and can kill at one (an Aim). What
    goes to the assistant passes here, too."""

    def __init__(self, seed: int, wiki: Wiki, assistant: Assistant):
        super().__init__(seed, wiki.port)
        tls = ssl.create_default_context() if wiki.is_safe else None
        self._wiki = Upstream(wiki.port, wiki.host, tls)
        self._assistant = Upstream(assistant.port)
        self._name = wiki.parts.netloc
        self.changes: list[tuple[str, dict]] = []  # that the server made, and what was asked for
        self._turns = asyncio.Condition()
        self._changing = 0
        self._is_held = False

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """No change of the program's is on its way meanwhile."""
        self._do(self._hold())
        try:
            yield
        finally:
            self._do(self._release())

    async def _hold(self) -> None:
        async with self._turns:
            await self._turns.wait_for(lambda: not self._changing and not self._is_held)
            self._is_held = True

    async def _release(self) -> None:
        async with self._turns:
            self._is_held = False
            self._turns.notify_all()

    async def _change(self, by: int) -> None:
        async with self._turns:
            if by > 0:
                await self._turns.wait_for(lambda: not self._is_held)
            self._changing += by
            self._turns.notify_all()

    async def _forward(self, request: Message, path: str) -> Message | None:
        endpoint = path.removeprefix("/api/")
        if endpoint not in CHANGES:
            return await self._pass(request, path)
        await self._change(1)
        try:
            answer = await self._pass(request, path)
        finally:
            await self._change(-1)
        if answer is not None and answer.start.split(" ")[1] == "200":
            self.changes.append((endpoint, json.loads(request.body)))
        return answer

    async def _pass(self, request: Message, path: str) -> Message | None:
        server = self._assistant if path.startswith("/v1/") else self._wiki
        request.headers["host"] = self._name
        try:
            return await server.exchange(as_bytes(request, request.start))
        except (Cut, OSError) as reason:
            self.broken.append(f"{path}: {reason}")
            return None


class Place:
    """Three collections of our own on a wiki, and the program that may look into them only."""

    def __init__(self, rig: Rig, wiki: Wiki, door: Door, assistant: Assistant, key: str):
        self.rig, self.wiki, self.door, self.assistant = rig, wiki, door, assistant
        self.mark = secrets.token_hex(4)
        self.collections = self._collections()
        assistant.files_into = self.collections["Finance"]
        self.mill = Mill(rig, door.url)
        self.mill.token.write_text(key + "\n")
        probe = self.create("A probe", "Nothing.")
        self.guards = wiki.guards_revisions(probe["id"])
        self.subscriptions: list[str] = []

    def _collections(self) -> dict[str, str]:
        return {name: self.wiki.do("collections.create", name=f"tidemill test {self.mark} {name}",
                                   description=f"All about {name.lower()}.",
                                   permission="read_write")["id"] for name in NAMES}

    @property
    def inbox(self) -> str:
        return self.collections["Inbox"]

    def create(self, title: str, text: str, **more: object) -> dict:
        body = {"title": title, "text": text, "collectionId": self.inbox, "publish": True} | more
        return self.wiki.do("documents.create", **body)

    def look(self) -> tuple[dict[str, dict], dict[str, list[str]]]:
        """All published documents by id, and the words of their comments."""
        documents: dict[str, dict] = {}
        comments: dict[str, list[str]] = defaultdict(list)
        for its in self.collections.values():
            for each in self.wiki.all_of("documents.list", collectionId=its):
                documents[each["id"]] = each
            for each in self.wiki.all_of("comments.list", collectionId=its):
                comments[each["documentId"]].append(words_in(each["data"]))
        return documents, comments

    def scope(self) -> list[str]:
        return [word for name in NAMES[:-1] for word in ("--collection", self.collections[name])]

    def append(self, its: str, paragraph: str) -> None:
        """As a person who writes at the end, once. A server that does not guard revisions loses one
        of two changes that come within milliseconds, whoever sends them: there people wait until
        the program has none on its way. Where it does, they say what they have read."""
        edit = {"id": its, "editMode": "append", "text": f"\n\n{paragraph}"}
        while True:
            try:
                if self.guards:
                    edit["lastRevision"] = self.wiki.document(its)["revision"]
                    status, answer = self.wiki.ask("documents.update", **edit)
                else:
                    with self.door.held():
                        status, answer = self.wiki.ask("documents.update", **edit)
            except NO_ANSWER:  # a busy server gives up on a request, and may do it all the same
                if eventually(lambda: paragraph in self.wiki.text(its), PATIENCE):
                    return
                continue
            if status == 200:
                return
            demand(status == 409, f"a person cannot write: {status} {answer}")

    def hang(self, its: str, words: str) -> tuple[str, str]:
        """A person's comment on words of a document: its id, and why there is none."""
        status, answer = self.wiki.ask("comments.create", documentId=its, text="Is that so?",
                                       anchorText=words)
        return (answer["data"]["id"], "") if status == 200 else ("", answer.get("message", ""))

    def hangs(self, _: str, comment: str, words: str) -> bool:
        seen = self.wiki.do("comments.info", id=comment, includeAnchorText=True)
        return seen.get("anchorText") == words

    def subscribe(self, url: str, secret: str) -> None:
        made = self.wiki.do("webhookSubscriptions.create", name=f"tidemill test {self.mark}",
                            url=url, secret=secret, events=["documents.update"])
        self.subscriptions.append(made["id"])

    def unsubscribe(self) -> None:
        for its in self.subscriptions:
            self.wiki.ask("webhookSubscriptions.delete", id=its)
        self.subscriptions.clear()

    def close(self) -> None:
        self.unsubscribe()
        for its in self.collections.values():
            self.wiki.ask("collections.delete", id=its)


class StubPlace(Place):
    """On the stub, which makes no collections and no subscriptions."""

    def __init__(self, stub: Stub, *parts):
        self.stub = stub
        self.hooks: list[tuple[str, str]] = []  # where to, and the secret
        super().__init__(*parts)

    def _collections(self) -> dict[str, str]:
        ids = {name: a_uuid(f"{self.mark} {name}") for name in NAMES}
        self.stub.tell("seed", documents=[], collections=[
            {"id": its, "name": name, "description": ""} for name, its in ids.items()])
        return ids

    def hang(self, its: str, words: str) -> tuple[str, str]:
        self.stub.tell("anchor", id=its, text=words)
        return self.stub.documents()[its]["anchors"][-1], ""

    def hangs(self, its: str, comment: str, _: str) -> bool:
        return comment in self.stub.documents()[its]["anchors"]

    def subscribe(self, url: str, secret: str) -> None:
        self.hooks.append((url, secret))

    def unsubscribe(self) -> None:
        self.hooks.clear()

    def append(self, its: str, paragraph: str) -> None:
        super().append(its, paragraph)
        for url, secret in self.hooks:
            event = {"id": str(uuid.uuid4()), "event": "documents.update", "actorId": a_uuid("me"),
                     "payload": {"id": its, "model": self.wiki.document(its)}}
            body = json.dumps(event).encode()
            post_event(url, body, signature(body, now(), secret))


def post_event(url: str, body: bytes, signed: str) -> int:
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=LIMIT)
    with contextlib.closing(connection):
        connection.request("POST", parts.path, body, {"content-type": "application/json",
                                                      "outline-signature": signed})
        return connection.getresponse().status


def no_server() -> Skip:
    return Skip(f"NOT TRIED: tidemill docs against a real Outline server; there is none. Set {URL} "
                f"and {PROGRAM_KEY} (an API key), and {PERSON_KEY} for a second user who plays the "
                "people, and run it again; or give --stub for the stub alone")


@contextlib.contextmanager
def place_of(rig: Rig, chosen: argparse.Namespace, assistant: Assistant) -> Iterator[Place]:
    """chosen: see add_options()."""
    with contextlib.ExitStack() as stack:
        seed = rig.dice.randrange(1 << 30)
        if chosen.stub:
            version = ["--as", chosen.version] if chosen.version else []
            stub = stack.enter_context(stub_of(rig, "--limits", "none", *version))
            wiki = Wiki(stub.url, KEY)
            door = stack.enter_context(Door(seed, wiki, assistant))
            yield StubPlace(stub, rig, wiki, door, assistant, KEY)
            return
        url, key = os.environ.get(URL, ""), os.environ.get(PROGRAM_KEY, "")
        if not url:
            raise no_server()
        demand(bool(key), f"set {PROGRAM_KEY} to an API key for {url}")
        wiki = Wiki(url, os.environ.get(PERSON_KEY) or key)
        door = stack.enter_context(Door(seed, wiki, assistant))
        place = Place(rig, wiki, door, assistant, key)
        stack.callback(place.close)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # nothing is left behind then, either
        yield place


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stub", action="store_true", help="the stub in place of a server")
    parser.add_argument("--as", dest="version", help="the version of Outline that the stub plays")
