#!/usr/bin/env python3
"""Flipped bits, zeroed blocks and cut files: in the journal, its log, its schema, the catalogue.

A run of `each` is killed in the middle, then its files are damaged at seeded places, one copy for
each case. After `check` and `resume`, this holds:

  - exit status 0 means that every task ran, under its own name, and that none is left;
  - anything else comes with a message, and `check` had something to say, too;
  - no command ever runs under a name that nobody gave;
  - nothing crashes and nothing hangs.

The catalogue of `dupes` is damaged the same way: the groups are right, or the exit status says no.
"""
import argparse
import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from rig import Wrong, demand, eventually

PROGRAM = os.environ["TIDEMILL"]
TASKS = 300
LIMIT = 120
SCRIPT = 'echo "$1" >>"$LOG"'


def environment(folder: pathlib.Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("TIDEMILL")}
    return kept | {"TIDEMILL_STATE": str(folder / "state"), "LOG": str(folder / "log")}


def run(folder: pathlib.Path, *words: str) -> subprocess.CompletedProcess:
    try:
        done = subprocess.run([PROGRAM, *words], env=environment(folder), cwd=folder,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        raise Wrong(f"still there after {LIMIT} s: {words}") from None
    demand(0 <= done.returncode < 128, f"{words} died: {done.returncode} {done.stderr[-500:]}")
    return done


def damage(path: pathlib.Path, dice: random.Random, start: int = 0, end: int | None = None) -> str:
    data = bytearray(path.read_bytes())
    places = [at for at in range(start, len(data) if end is None else end) if data[at]]
    how = dice.choice(["flip", "flip", "flip", "flips", "zero", "cut", "noise"])
    at = dice.choice(places)
    block = at // 512 * 512
    size = min(512, len(data) - block)
    if how == "flip":
        data[at] ^= 1 << dice.randrange(8)
    elif how == "flips":
        for _ in range(8):
            data[dice.choice(places)] ^= 1 << dice.randrange(8)
    elif how == "zero":
        data[block:block + size] = bytes(size)
    elif how == "noise":
        data[block:block + size] = dice.randbytes(size)
    else:
        del data[at:]
    path.write_bytes(data)
    return f"{how} at {at} of {path.name}"


def killed_run(folder: pathlib.Path) -> str:
    """Its id. Some of its tasks are done, some are not."""
    folder.mkdir()
    (folder / "list").write_text("".join(f"task-{i}\n" for i in range(TASKS)))
    (folder / "log").touch()
    process = subprocess.Popen([PROGRAM, "each", "--files-from", "list", "-w", "2", "-q", "--shell",
                                "--", SCRIPT], env=environment(folder), cwd=folder,
                               stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    log = folder / "log"
    is_half = eventually(lambda: log.read_text().count("\n") >= TASKS // 3, LIMIT)
    process.send_signal(signal.SIGKILL)
    process.wait()
    demand(is_half, "the run does not come along")
    demand(eventually(lambda: not list(pathlib.Path("/proc").glob(f"{process.pid}")), LIMIT), "")
    return next(iter(os.listdir(folder / "state" / "runs")))


def schema_pages(journal: pathlib.Path) -> int:
    """Where the text of the schema ends, about: page 1, and what did not fit."""
    return 4096 * 2 if journal.stat().st_size > 8192 else 4096


def journal_case(base: pathlib.Path, work: pathlib.Path, run_id: str, kind: str,
                 dice: random.Random) -> str:
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(base, work)
    journal = work / "state" / "runs" / run_id / "journal.db"
    what = "nothing"
    if kind == "log":
        what = damage(journal.with_name("journal.db-wal"), dice)
    else:
        with contextlib.closing(sqlite3.connect(journal)) as db:
            db.execute("pragma wal_checkpoint(truncate)")
        if kind != "none":
            what = damage(journal, dice, 0, schema_pages(journal) if kind == "schema" else None)
    check = run(work, "check", run_id, "--json")
    found = ""
    with contextlib.suppress(ValueError):
        findings = json.loads(check.stdout)["findings"]
        found = "; ".join(line for line in findings if "process crashed" not in line)
    is_noticed = bool(found) or not check.stdout
    resumed = run(work, "resume", run_id, "-q")
    code = resumed.returncode
    about = f"{kind}: {what}: resume {code}, check {check.returncode} '{found}' {resumed.stderr[-300:]}"
    ran = (work / "log").read_text().split("\n")[:-1]
    names = {f"task-{i}" for i in range(TASKS)}
    demand(not set(ran) - names, f"{about}: ran {set(ran) - names}")
    if code == 0:
        demand(set(ran) == names, f"{about}: {len(names - set(ran))} never ran")
        again = len(ran) - len(set(ran))
        demand(again <= 4 or is_noticed, f"{about}: {again} ran again without a word")
        return "right" if again <= 4 else "right, again"
    demand(bool(resumed.stderr), f"{about}: without a message")
    demand(is_noticed, f"{about}: check saw nothing")
    return "refused"


def groups_of(report: bytes) -> list[list[str]]:
    return sorted(sorted(name["path"] for copy in group["copies"] for name in copy["names"])
                  for group in json.loads(report)["groups"])


def tree_of_pairs(folder: pathlib.Path) -> None:
    dice = random.Random(1)
    for side in "ab":
        (folder / "tree" / side).mkdir(parents=True)
    for number in range(60):
        contents = dice.randbytes(5000)
        for side in "ab":
            own = contents if number % 2 == 0 or side == "a" else dice.randbytes(5000)
            path = folder / "tree" / side / str(number)
            path.write_bytes(own)
            os.utime(path, (1_000_000_000, 1_000_000_000))


def catalogue_case(folder: pathlib.Path, kept: bytes, groups: list, dice: random.Random) -> str:
    for path in (folder / "state").glob("catalogue.db*"):
        path.unlink()
    catalogue = folder / "state" / "catalogue.db"
    catalogue.write_bytes(kept)
    what = damage(catalogue, dice)
    done = run(folder, "dupes", "tree", "--json", "-q")
    if done.returncode != 0:
        demand(bool(done.stderr), f"{what}: {done.returncode} without a message")
        return "refused"
    demand(groups_of(done.stdout) == groups, f"{what}: other groups, exit status 0")
    return "right"


def damaged_catalogues(folder: pathlib.Path, count: int, dice: random.Random) -> dict[str, int]:
    folder.mkdir()
    tree_of_pairs(folder)

    def is_old() -> bool:  # a hash of what was written to a moment ago is not kept
        return run(folder, "dupes", "tree", "--json", "-q").returncode == 0 and (
            json.loads(run(folder, "dupes", "tree", "--json", "-q").stdout)["totals"]["bytesRead"] == 0)
    demand(eventually(is_old, LIMIT), "the catalogue does not remember")
    groups = groups_of(run(folder, "dupes", "tree", "--json", "-q").stdout)
    demand(len(groups) == 30, f"{len(groups)} groups")
    kept = (folder / "state" / "catalogue.db").read_bytes()
    counts: dict[str, int] = {}
    for _ in range(count):
        answer = catalogue_case(folder, kept, groups, dice)
        counts[answer] = counts.get(answer, 0) + 1
    return counts


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=12, help="cases of each kind")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("SEED", time.time_ns() % 10**9)))
    options = parser.parse_args()
    dice = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run_id = killed_run(folder / "base")
        try:
            whole = journal_case(folder / "base", folder / "work", run_id, "none", dice)
            demand(whole == "right", f"what is not damaged is {whole}")
            for kind in ("journal", "schema", "log"):
                counts: dict[str, int] = {}
                for _ in range(options.count):
                    answer = journal_case(folder / "base", folder / "work", run_id, kind, dice)
                    counts[answer] = counts.get(answer, 0) + 1
                print(f"{kind}: {counts}")
            print(f"catalogue: {damaged_catalogues(folder / 'pairs', options.count, dice)}")
        except Wrong as wrong:
            print(f"seed {options.seed}: {wrong}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
