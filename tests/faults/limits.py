#!/usr/bin/env python3
"""Every job under `ulimit -v`, `-u` and `-n`, from generous to hopeless.

What must hold: the program ends by itself, with a documented exit status and a message, never by a
signal and never not at all; and when the limit is lifted the same command (of `each` and `docs`:
resume, if the run came into being) comes to the right result. A limit under which not even
`tidemill --version` starts is passed over: that is the loader's message, or the kernel's. Processes
are limited for a user, and root is not: so everything runs as a user of its own, which needs root.
`docs` needs its stub (DOCS_STUB).

usage: limits.py [--grid] [--job NAME …] [--show]; without --grid only the points that failed once.
"""
import argparse
import collections
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass

from rig import Rig, Skip, demand, run_test

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "docs"))
from docs_rig import Mill, Stub, stub_of, without_limits  # noqa: E402
from truth import paper, parts_of  # noqa: E402

USER = 54321  # whose processes are counted: nobody else's
LIMIT = 60.0  # seconds, on a busy machine; a hang takes all of it
DOCUMENTED = (0, 1, 2, 3, 4, 130)
STEPS = {
    "v": (4_000_000, 1_000_000, 300_000, 200_000, 150_000, 140_000, 128_000, 118_000, 100_000,
          80_000),
    "u": (64, 32, 12, 9, 8, 7, 6, 5, 4, 2),
    "n": (256, 128, 64, 40, 32, 24, 16, 12, 9, 6),
}
# Those that hung, crashed or aborted.
ONCE_WRONG = (("batch", "v", 128_000), ("batch", "v", 118_000),
              ("dupes", "v", 150_000), ("dupes", "v", 100_000), ("each", "v", 100_000),
              ("each", "u", 4), ("each", "u", 2), ("import", "v", 118_000), ("docs", "n", 24))


@dataclass
class Job:
    """How it is called, and what must be there when it is through."""
    words: list[str]
    result: Callable[[bytes], object]
    codes: tuple[int, ...] = (0,)  # when nothing limits it
    has_letters: bool = False  # a run that is resumed, and does not begin anew


class Wiki:
    """A server with a few tasks in its documents."""

    def __init__(self, rig: Rig, stub: Stub):
        self.stub = stub
        self.papers = [paper(number, kind, rig.dice) for number, kind
                       in enumerate(("guided", "summarize", "title", "ask"))]
        self.mill = Mill(rig, stub.url)

    def fresh(self) -> None:
        self.stub.seed([each.seed() for each in self.papers])

    def words(self) -> list[str]:
        return self.mill.words("--attempts", "3", "--backoff", "1ms", *without_limits())

    def effects(self) -> collections.Counter[str]:
        """Without those that say that something failed."""
        commands = [command for each in self.papers for command in each.commands]
        return collections.Counter(part for row in self.stub.journal("client")
                                   for part in parts_of(row, commands) if part != "notice")


class Place:
    """The inputs of all jobs, and a fresh folder for each point."""

    def __init__(self, rig: Rig, wiki: Wiki | None):
        self.rig = rig
        self.wiki = wiki
        self.inputs = rig.folder / "inputs"
        self.inputs.mkdir()
        self._texts(self.inputs / "texts")
        self._twins(self.inputs / "twins")
        self._lines(self.inputs / "lines")
        self._books(self.inputs / "books")
        (self.inputs / "names").write_text("".join(f"t{i}\n" for i in range(40)))
        self.work = rig.folder / "work"
        rig.env["HOME"] = str(rig.folder)
        rig.env.pop("XDG_CONFIG_HOME", None)

    def _texts(self, folder: pathlib.Path) -> None:
        folder.mkdir()
        for i in range(200):
            (folder / f"f{i:03}.txt").write_text("river stone " * (i % 20 + 1))

    def _twins(self, folder: pathlib.Path) -> None:
        for copy in range(3):
            (folder / f"d{copy}").mkdir(parents=True)
            for group in range(12):
                data = self.rig.dice.__class__(group).randbytes((10, 5_000, 300_000)[group % 3])
                (folder / f"d{copy}" / f"g{group}").write_bytes(data)

    def _lines(self, folder: pathlib.Path) -> None:
        folder.mkdir()
        for name in ("one", "two"):
            rows = (json.dumps({"id": i, "text": "word " * (i % 30)}) for i in range(5_000))
            (folder / f"{name}.jsonl").write_text("\n".join(rows) + "\n")

    def _books(self, folder: pathlib.Path) -> None:
        folder.mkdir()
        for i in range(4):
            with zipfile.ZipFile(folder / f"b{i}.epub", "w") as book:
                book.writestr("mimetype", "application/epub+zip")
                book.writestr("chapter.xhtml", "<p>no package" * (i + 1))

    def fresh(self) -> None:
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.rmtree(self.rig.state, ignore_errors=True)
        self.work.mkdir()
        self.rig.state.mkdir()
        for name in ("twins", "books"):
            shutil.copytree(self.inputs / name, self.work / name)
        if self.wiki:
            self.wiki.fresh()
        for folder, _, files in os.walk(self.rig.folder):
            os.chown(folder, USER, USER)
            for name in files:
                os.chown(os.path.join(folder, name), USER, USER)

    def jobs(self) -> dict[str, Job]:
        work, inputs = self.work, self.inputs
        jobs = {
            "each": Job(["each", "--files-from", f"{inputs}/names", "-w", "4", "--",
                         "touch", f"{work}/{{}}"],
                        lambda _: len([n for n in os.listdir(work) if n.startswith("t")
                                       and n != "twins"]), has_letters=True),
            "dupes": Job(["dupes", f"{work}/twins", "--fdupes"],
                         lambda out: sorted(sorted(g.split(b"\n")) for g in out.strip().split(b"\n\n"))),
            "apply": Job(["dupes", f"{work}/twins", "--action", "hardlink", "--apply"],
                         lambda _: (len(set(self.inodes())), len(self.inodes()))),
            "import": Job(["import", f"{inputs}/lines", "--into", f"{work}/t.db"],
                          lambda _: self.rows()),
            "batch": Job(["batch", f"{inputs}/texts", "--tokenizer", "bytes/4", "-m", "100"],
                         lambda out: out),
            "check": Job(["books", "check", f"{work}/books"], lambda out: out.count(b".epub"),
                         (0, 3)),
            "repair": Job(["books", "repair", f"{work}/books", "--apply", "--output",
                           f"{work}/repaired"], lambda out: out.count(b".epub"), (0, 3)),
        }
        if wiki := self.wiki:
            jobs["docs"] = Job(wiki.words(), lambda _: wiki.effects(), has_letters=True)
        return jobs

    def inodes(self) -> list[int]:
        return [p.stat().st_ino for p in (self.work / "twins").rglob("g*")]

    def rows(self) -> object:
        if not (self.work / "t.db").exists():
            return "no database"
        db = sqlite3.connect(self.work / "t.db")
        try:
            whole = db.execute("pragma integrity_check").fetchone()[0]
            return whole, [db.execute(f"select count(*) from {t}").fetchone()[0] for t in ("one", "two")]
        finally:
            db.close()

    def run(self, words: list[str], limit: str = "") -> tuple[int | str, bytes, str]:
        as_user = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
        shell = ["bash", "-ec", f'{limit}\nexec "$0" "$@"']
        process = subprocess.Popen([*as_user, *shell, self.rig.program, *words], env=self.rig.env,
                                   cwd=self.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True)
        try:
            out, errors = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            out, errors = process.communicate()
            return "hung", out, errors.decode(errors="replace")
        return process.returncode, out, errors.decode(errors="replace")


def try_point(place: Place, name: str, kind: str, step: int, expected: object) -> str:
    """The exit status as text; raises Wrong."""
    place.fresh()
    job = place.jobs()[name]
    limit = f"ulimit -{kind} {step}"
    if place.run(["--version"], limit)[0] != 0:
        return "-"
    code, out, errors = place.run(job.words, limit)
    point = f"{name} under {limit}: exit {code}: {errors[-400:]}"
    demand(code in DOCUMENTED, point)
    demand(code in job.codes or errors.strip() != "", f"{point} without a message")
    if code == 0:
        demand(job.result(out) == expected, f"{point}: false success")
        return "0"
    runs = place.rig.runs()
    words = job.words
    if job.has_letters and runs and place.run(["show", next(iter(runs))])[0] == 0:
        words = ["resume", next(iter(runs))]
        if code == 3:
            words = ["letters", next(iter(runs)), "retry", "--all"]
    again, out, errors = place.run(words)
    demand(again in job.codes, f"{point}\nthen, without the limit, exit {again}: {errors[-400:]}")
    demand(job.result(out) == expected, f"{point}\nthen, without the limit: {job.result(out)!r:.200},"
           f" not {expected!r:.200}")
    return str(code)


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    if os.getuid() != 0:
        raise Skip("needs root, to be another user")
    rig.folder.chmod(0o755)
    copy = rig.folder / "tidemill"  # where the other user may read it
    shutil.copy(rig.program, copy)
    rig.program = str(copy)
    if not os.environ.get("DOCS_STUB"):
        print("NOT TRIED: docs, without DOCS_STUB")
        return try_points(Place(rig, None), chosen)
    with stub_of(rig, "--limits", "none") as stub:
        return try_points(Place(rig, Wiki(rig, stub)), chosen)


def try_points(place: Place, chosen: argparse.Namespace) -> None:
    expected = {}
    names = chosen.job or list(place.jobs())
    for name in names:
        place.fresh()
        job = place.jobs()[name]
        code, out, errors = place.run(job.words)
        demand(code in job.codes, f"{name} without a limit: exit {code}: {errors}")
        expected[name] = job.result(out)
    points = [(name, kind, step) for name in names for kind in STEPS for step in STEPS[kind]]
    if not chosen.grid:
        points = [point for point in ONCE_WRONG if point[0] in names]
    rows = collections.defaultdict(list)
    wrong = []
    for name, kind, step in points:
        try:
            said = try_point(place, name, kind, step, expected[name])
        except Exception as reason:  # the others are of interest, too
            if not chosen.grid:
                raise
            wrong.append(str(reason))
            said = "WRONG"
        rows[name, kind].append(f"{step}: {said}")
    for (name, kind), said in rows.items():
        print(f"{name:7} -{kind}  {'  '.join(said)}")
    demand(not wrong, f"{len(wrong)} points:\n" + "\n".join(wrong))


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--grid", action="store_true", help="all steps of all limits")
    parser.add_argument("--job", action="append", help="only this one")


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 1, test, options))
