"""What the tests of `docs` share: a server of their own (docs_stub), and the command line. Prism
and the weather, which may stand between the two, are in files of their own.

The program is never asked what it did: the stub keeps a journal of every effect, and the texts that
people write into documents are made here.

  TIDEMILL   the program          DOCS_STUB  the stub server
"""
import argparse
import contextlib
import http.client
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Iterator

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "faults"))
from rig import Process, Rig, Wrong, demand, eventually  # noqa: E402  (tests/faults)

VERSIONS = ("1.9.2", "next")  # of Outline, as the stub's --as has them
KEY = "ol_api_" + "a" * 38
LIMIT = 120  # seconds for a run that takes some when it is left alone
# Few: each costs a request before an assistant can be asked, and in bad weather all of them must
# succeed in a row.
COLLECTIONS = ("Finance", "Harbour")


def a_uuid(name: str) -> str:
    """Always the same for a name, and of a kind that servers give (version 4)."""
    return str(uuid.UUID(bytes=uuid.uuid5(uuid.NAMESPACE_URL, name).bytes, version=4))


def collections() -> list[dict]:
    return [{"id": a_uuid(name), "name": name, "description": f"All about {name.lower()}."}
            for name in COLLECTIONS]


def exchange(port: int, method: str, path: str, body: object = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT)
    headers = {"authorization": f"Bearer {KEY}"}
    if body is not None:
        headers["content-type"] = "application/json"
    with contextlib.closing(connection):
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()


class Server:
    """A process of ours that listens, and ends with us."""

    def __init__(self, words: list[str], rig: Rig):
        self.lines: list[str] = []
        self.port = 0
        self._popen = subprocess.Popen(words, env=rig.env, cwd=rig.folder, stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                       start_new_session=True)
        self.pid = self._popen.pid
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self._popen.stdout:
            self.lines.append(line.rstrip())

    def wait_port(self) -> None:
        eventually(lambda: self.find_port() or self._popen.poll() is not None, LIMIT)
        demand(bool(self.port), f"{self._popen.args[:3]} does not listen: {self.lines[-5:]}")

    def find_port(self) -> int:
        raise NotImplementedError

    def close(self) -> None:
        self._popen.kill()
        self._popen.wait()
        self._reader.join(5)


class Stub(Server):
    """See tests/docs/stub for what it understands."""

    def __init__(self, rig: Rig, *words: str):
        program = os.environ.get("DOCS_STUB", "")
        demand(os.access(program, os.X_OK), "set DOCS_STUB to the path of the stub server")
        super().__init__([os.path.abspath(program), "--until-eof", *words], rig)
        self.is_guarded = VERSIONS[0] not in words  # keeps to lastRevision
        self.wait_port()

    def find_port(self) -> int:
        for line in self.lines:
            if found := re.search(r"listening on http://127\.0\.0\.1:(\d+)", line):
                self.port = int(found[1])
        return self.port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def tell(self, what: str, **body: object):
        return self._control("POST", what, body)

    def look(self, what: str):
        return self._control("GET", what)

    def _control(self, method: str, what: str, body: object = None):
        status, text = exchange(self.port, method, f"/control/{what}", body)
        demand(status == 200, f"stub: {what}: {status} {text[:500]!r}")
        return json.loads(text) if text.strip() else None

    def seed(self, documents: list[dict]) -> None:
        self.tell("seed", collections=collections(), documents=documents)

    def journal(self, by: str = "") -> list[dict]:
        return [row for row in self.look("journal") if by in ("", row["by"])]

    def documents(self) -> dict[str, dict]:
        return {document["id"]: document for document in self.look("state")["documents"]}

    def comments(self) -> list[dict]:
        return self.look("state")["comments"]


class Mill:
    """The program, against one server."""

    def __init__(self, rig: Rig, url: str, ai_url: str = ""):
        self.rig = rig
        self.url = url
        self.ai_url = f"{ai_url or url}/v1"
        self.token = rig.folder / "token"
        if not self.token.exists():
            self.token.touch(0o600)
            self.token.write_text(KEY + "\n")

    def words(self, *options: str) -> list[str]:
        return ["docs", "run", "--url", self.url, "--token-file", str(self.token),
                "--ai-url", self.ai_url, "--ai-model", "stub", *options]

    def start(self, *options: str) -> Process:
        return self.rig.start(*self.words(*options))

    def finish(self, *options: str, seconds: float = LIMIT) -> tuple[int, Process]:
        process = self.start(*options)
        return process.wait(seconds), process


def fresh_state(rig: Rig, name: str) -> None:
    """From here on the program knows of no run."""
    rig.state = rig.folder / name
    rig.env["TIDEMILL_STATE"] = str(rig.state)


def without_limits() -> list[str]:
    """Outline's own would make a test take hours."""
    words = ["--ai-rate", "600000/m"]
    for endpoint in ("auth.info", "collections.list", "comments.create", "comments.info",
                     "documents.info", "documents.list", "documents.move", "documents.search",
                     "documents.update"):
        words += ["--rate", f"{endpoint}=600000/m"]
    return words


@contextlib.contextmanager
def stub_of(rig: Rig, *words: str) -> Iterator[Stub]:
    stub = Stub(rig, *words)
    try:
        yield stub
    finally:
        stub.close()


def proven(rig: Rig, chosen: argparse.Namespace, plants: dict[str, tuple[str, str]],
           test: Callable[[], None]) -> None:
    """The test itself; or, with --expect-caught, the proof that it sees the fault planted in the
    program: plants has the fault and a part of what the test must say."""
    if not chosen.expect_caught:
        return test()
    rig.env["TIDEMILL_PLANT"], symptom = plants[chosen.expect_caught]
    try:
        test()
    except Wrong as reason:
        demand(symptom in str(reason), f"not the planted fault: {reason}")
        print(f"caught, as it should be: {str(reason)[:200]}")
        return None
    raise Wrong(f"the planted fault {chosen.expect_caught} was not noticed")
