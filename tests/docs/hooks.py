"""Hooks: events as Outline sends them, the program that listens for them, and many senders."""
import hashlib
import hmac
import http.client
import json
import pathlib
import queue
import re
import signal
import sqlite3
import threading
import time
from collections import Counter
from dataclasses import dataclass

from docs_rig import LIMIT, Mill, Stub, a_uuid, without_limits
from rig import PENDING, Process, Rig, demand, eventually
from truth import Paper

SECRET = "ol_whs_" + "b" * 30
SENDERS = 16
EVENTS = ("documents.update", "documents.create", "documents.publish", "revisions.create")
NO_ANSWER = (OSError, http.client.HTTPException)


def now() -> int:
    return time.time_ns() // 10**6


def signature(body: bytes, at: int, secret: str = SECRET) -> str:
    code = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},s={code}"


@dataclass
class Event:
    """As Outline sends it: a document's carries the whole of it."""
    delivery: str
    its: Paper
    name: str = EVENTS[0]

    def body(self) -> bytes:
        model = self.its.seed()
        payload = {"id": self.its.id, "model": model}
        if self.name == "revisions.create":
            payload = {"id": a_uuid(f"revision of {self.its.id}"),
                       "model": {"documentId": self.its.id, "title": self.its.title}}
        return json.dumps({"id": self.delivery, "actorId": a_uuid("actor"), "event": self.name,
                           "payload": payload}).encode()


class Hook:
    """The program that listens, and those that come after it."""

    def __init__(self, rig: Rig, stub: Stub):
        self.rig = rig
        self.mill = Mill(rig, stub.url)
        self.secret = rig.folder / "webhook-secret"
        self.secret.touch(0o600)
        self.secret.write_text(SECRET + "\n")
        self.process: Process
        self.port = 0
        self.times: list[float] = []
        self.summaries: list[dict] = []

    def start(self) -> None:
        self.process = self.mill.start("--webhook", "127.0.0.1:0", "--webhook-secret-file",
                                       str(self.secret), "--backoff", "20ms", "--json",
                                       *without_limits())
        demand(eventually(self._finds_port, LIMIT), "it does not listen")

    def _finds_port(self) -> bool:
        demand(not self.process.has_ended(), f"it ended: {self.process.errors()}")
        said = pathlib.Path(f"/proc/{self.process.pid}/fd/2").read_text(errors="replace")
        if found := re.search(r"Listening for webhooks on port (\d+)\n", said):
            self.port = int(found[1])
        return bool(found)

    def kill(self) -> None:
        self.process.signal(signal.SIGKILL)
        self.process.wait()

    def end(self) -> None:
        """In peace; it says what it did."""
        self.process.signal(signal.SIGTERM)
        code = self.process.wait(LIMIT)
        demand(code == 128 + signal.SIGTERM, f"exit {code}: {self.process.errors()}")
        self.summaries.append(json.loads(self.process.lines[-1])["webhooks"])

    def send(self, body: bytes, signed: str, connection: http.client.HTTPConnection | None = None,
             ) -> int:
        """The status. Raises one of NO_ANSWER."""
        mine = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT)
        began = time.monotonic()
        try:
            headers = {"content-type": "application/json"}
            if signed:
                headers["outline-signature"] = signed
            mine.request("POST", "/hooks/outline", body, headers)
            status = mine.getresponse()
            status.read()
        finally:
            if mine is not connection:
                mine.close()
        self.times.append(time.monotonic() - began)
        return status.status

    def deliver(self, event: Event) -> int:
        body = event.body()
        return self.send(body, signature(body, now()))

    def pending(self) -> int:
        (run,) = self.rig.runs()
        db = sqlite3.connect(self.rig.state / "runs" / run / "journal.db", timeout=30)
        try:
            return db.execute("select count(*) from task where state = ?", [PENDING]).fetchone()[0]
        finally:
            db.close()

    def wait_done(self) -> None:
        """An event is in the journal before it is answered, and its command before it is done."""
        demand(eventually(lambda: self.pending() == 0, 5 * LIMIT), f"{self.pending()} are left")


class Burst:
    """Many senders at once, and a receiver that may be killed under them. Who gets no answer sends
    again."""

    def __init__(self, hook: Hook, events: list[Event]):
        self.hook = hook
        self.waiting: queue.SimpleQueue[Event] = queue.SimpleQueue()
        for number, event in enumerate(events):
            for _ in range(2 if number % 20 == 0 else 1):  # some twice, at about the same moment
                self.waiting.put(event)
        self.count = len(events)
        self.answered: dict[str, Event] = {}  # with 200, by delivery
        self.statuses: Counter[int] = Counter()
        self.repeated = 0
        self.wrong: list[str] = []
        self.threads = [threading.Thread(target=self._send_all) for _ in range(SENDERS)]
        for thread in self.threads:
            thread.start()

    def _send_all(self) -> None:
        connection = None
        while True:
            try:
                event = self.waiting.get_nowait()
            except queue.Empty:
                return
            port = self.hook.port
            if connection is None or connection.port != port:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT)
            body = event.body()
            try:
                status = self.hook.send(body, signature(body, now()), connection)
            except NO_ANSWER:
                self.repeated += 1
                self.waiting.put(event)
                connection = None
                if not eventually(lambda: self.hook.port != port, LIMIT):
                    self.wrong.append(f"{event.delivery}: no answer, and nobody was killed")
                    return
                continue
            self.statuses[status] += 1
            if status == 200:
                self.answered[event.delivery] = event
            else:
                self.waiting.put(event)

    def kill_at(self, share: float) -> None:
        eventually(lambda: len(self.answered) >= share * self.count, LIMIT)
        self.hook.kill()
        self.hook.start()

    def join(self) -> None:
        for thread in self.threads:
            thread.join()
        demand(not self.wrong, f"{self.wrong}")
        demand(len(self.answered) == self.count, f"{len(self.answered)} of {self.count} answered")
