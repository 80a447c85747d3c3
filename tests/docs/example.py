#!/usr/bin/env python3
"""Runs examples/steps_over_http against the stub, compares what it prints with the .out file beside
its source, and asks the stub what was done: each effect once, though one process was killed behind
its update, a person wrote in between, and the answer to the comment was lost, and so was the
question whether it is there.

usage: example.py PROGRAM SOURCE        DOCS_STUB  the stub server
"""
import difflib
import os
import pathlib
import subprocess
import sys
import tempfile

from docs_rig import KEY, LIMIT, Stub, a_uuid, collections
from rig import demand

MOST_LINES = 120


class Place:
    """What Stub wants of a rig."""

    def __init__(self, folder: str):
        self.folder = folder
        self.env = dict(os.environ)


def effects_of(program: str, stub: Stub, journal: str) -> tuple[bytes, list[dict]]:
    document = a_uuid("example")
    stub.seed([{"id": document, "title": "Tides", "text": "High at noon.\n",
                "collectionId": collections()[0]["id"]}])
    stub.tell("human", every=2, line="a person")  # between the second read and its write: a 409
    stub.tell("script", faults=[{"endpoint": "comments.create", "when": 1, "do": "cut-after"},
                                {"endpoint": "comments.info", "when": 1, "do": "503"}])
    ran = subprocess.run([program, stub.url, document, journal], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, env=os.environ | {"API_KEY": KEY}, check=False,
                         timeout=LIMIT)
    demand(ran.returncode == 0, f"exit status {ran.returncode}")
    text = stub.documents()[document]["text"]
    status = stub.look("counts")["status"]
    demand(status.get("409") == 1, f"a person was faster, once: {status}, {ran.stdout!r}")
    demand("a person 1" in text and "High at noon." in text, f"lost: {text!r}")
    return ran.stdout, stub.journal("client")


def main() -> int:
    program, source = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    lines = len(source.read_text().splitlines())
    demand(lines <= MOST_LINES, f"{source}: {lines} lines, at most {MOST_LINES}")
    with tempfile.TemporaryDirectory() as folder:
        stub = Stub(Place(folder))
        try:
            printed, journal = effects_of(program, stub, f"{folder}/journal.db")
        finally:
            stub.close()
    wanted = source.with_suffix(".out")
    if printed != wanted.read_bytes():
        print("\n".join(difflib.unified_diff(wanted.read_text().splitlines(),
                                             printed.decode(errors="backslashreplace").splitlines(),
                                             str(wanted), "printed", lineterm="")))
        return 1
    demand([row["effect"] for row in journal] == ["update", "comment"], f"{journal}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
