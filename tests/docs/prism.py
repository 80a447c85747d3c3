"""Prism: judges every request and every answer by Outline's published description. It is somebody
else's program (npm, @stoplight/prism-cli), so that the stub cannot drift to please the client.

  MODULES          where tests/install_packages.sh has put it
  TIDEMILL_CORPUS  has outline/spec3.json, the description

Where prism cannot make sense of a schema it lets everything pass and says nothing. It cannot where
"nullable" stands without "type": three such places (who resolved a comment, who invited a user, who
made a share) are reached from the answers of all endpoints. So it gets a copy without these three
words, and demand_sharp() shows, endpoint by endpoint, that a wrong answer does not get by.
"""
import contextlib
import json
import os
import pathlib
import shutil
from collections.abc import Iterator

from docs_rig import COLLECTIONS, LIMIT, Server, Stub, a_uuid, exchange
from rig import Rig, Skip, demand, eventually
from weather import Weather

def mended(node: object) -> object:
    if isinstance(node, list):
        return [mended(each) for each in node]
    if not isinstance(node, dict):
        return node
    is_void = node.get("nullable") is True and "type" not in node
    return {key: mended(value) for key, value in node.items() if key != "nullable" or not is_void}


class Prism(Server):
    def __init__(self, rig: Rig, upstream: str):
        folder = pathlib.Path(os.environ.get("MODULES", "")).resolve()
        program = folder / "node_modules/@stoplight/prism-cli/dist/index.js"
        published = pathlib.Path(os.environ.get("TIDEMILL_CORPUS", ""), "outline/spec3.json")
        if not os.environ.get("TIDEMILL_CORPUS") or not published.exists():
            raise Skip("NOT TESTED: no published description (set TIDEMILL_CORPUS)")
        if not shutil.which("node") or not program.exists():
            raise Skip("NOT TESTED: there is no prism here (tests/install_packages.sh)")
        spec = rig.folder / "spec3.json"
        spec.write_text(json.dumps(mended(json.loads(published.read_text()))))
        super().__init__(["node", str(program), "proxy", "--errors", "--cors=false", "-v", "error",
                          "-h", "127.0.0.1", "-p", "0", str(spec), f"{upstream}/api"], rig)
        self._provoked = 0
        self.wait_port()

    def find_port(self) -> int:
        """It is quiet, for talking would make it slower: the system knows."""
        with contextlib.suppress(OSError):
            ours = {os.readlink(each) for each in pathlib.Path(f"/proc/{self.pid}/fd").iterdir()}
            for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
                _, local, _, state, _, _, _, _, _, inode, *_ = line.split()
                if state == "0A" and f"socket:[{inode}]" in ours:
                    self.port = int(local.split(":")[1], 16)
        return self.port

    def complaints(self) -> list[str]:
        """Of its log. It also complains of connections that end: those are no violations."""
        return [line for line in self.lines if "errors#" in line][self._provoked:]

    def demand_sharp(self, stub: Stub, weather: Weather) -> None:
        """What is not as described must not get by; then a clean slate."""
        its, comment = a_uuid("sharp"), a_uuid("sharp comment")
        stub.seed([{"id": its, "title": "Sharp", "text": "Sharp", "collectionId":
                    a_uuid(COLLECTIONS[0])}])
        on_it = {"documentId": its, "text": "Sharp"}
        exchange(stub.port, "POST", "/api/comments.create", on_it | {"id": comment})
        calls = {"auth.info": None, "collections.list": {}, "documents.list": {},
                 "documents.search": {"query": "sharp"}, "documents.info": {"id": its},
                 "documents.update": {"id": its, "title": "Sharper"},
                 "documents.move": {"id": its, "collectionId": a_uuid(COLLECTIONS[1])},
                 "comments.create": on_it, "comments.info": {"id": comment}}
        for endpoint, body in calls.items():
            demand(violations(stub, weather, endpoint, body) == 0, f"{weather.violations}")
            demand(violations(stub, weather, endpoint, body, "garble") == 1,
                   f"prism lets a wrong answer of {endpoint} pass")
        demand(violations(stub, weather, "comments.create", {"text": "on no document"}) == 1,
               "prism lets a wrong request pass")
        demand(violations(stub, weather, "documents.list", {}, "409") == 1,
               "prism lets a status pass that is not described")
        # Of the last one there is a header only.
        eventually(lambda: len(self.complaints()) > len(calls), LIMIT)
        self._provoked = len(self.complaints())
        weather.violations.clear()


def violations(stub: Stub, weather: Weather, endpoint: str, body: dict | None,
               fault: str = "") -> int:
    """How many one call brings, with this fault of the stub."""
    before = len(weather.violations)
    stub.tell("script", faults=[{"endpoint": endpoint, "when": 1, "do": fault}] if fault else [])
    exchange(weather.port, "POST", f"/api/{endpoint}", body)
    return len(weather.violations) - before


@contextlib.contextmanager
def prism_of(rig: Rig, stub: Stub) -> Iterator[Prism]:
    prism = Prism(rig, stub.url)
    try:
        yield prism
    finally:
        prism.close()
