#!/usr/bin/env python3
"""`catalogue hash` on a fleet: the table of files of the catalogue is the same, row by row, as after
the local command, whoever is killed meanwhile.
"""
import contextlib
import os
import pathlib
import shutil
import signal
import sqlite3
import sys
import time

from fleet_rig import (FLEET, NEVER, SECOND, Fleet, Member, Rig, demand, run_scenario, wait_for)

QUIET = ("--progress", "none")
LARGE = 4 << 20  # with holes: it takes time to read and no space


def catalogue(fleet: Fleet, state: str) -> pathlib.Path:
    return fleet.folder / state / "catalogue.db"


def table(fleet: Fleet, state: str) -> list[tuple]:
    with contextlib.closing(sqlite3.connect(f"file:{catalogue(fleet, state)}?mode=ro", uri=True,
                                            timeout=60)) as db:
        db.text_factory = bytes
        return db.execute("select * from files order by folder, name").fetchall()


def hashed(fleet: Fleet, state: str = "c") -> int:
    with contextlib.closing(sqlite3.connect(f"file:{catalogue(fleet, state)}?mode=ro", uri=True,
                                            timeout=60)) as db:
        return db.execute("select count(*) from files where hash is not null").fetchone()[0]


def quoted(path: bytes) -> str:
    return "".join(chr(c) if 33 <= c < 127 and c != 37 else f"%{c:02X}" for c in path)


def scan(fleet: Fleet, *roots: str, algorithm: str = "xxh3") -> int:
    """Scans the roots and writes `list`: every file of the catalogue. The catalogue, which has no
    hashes, is copied for the local command. How many files are in the list."""
    fleet.do("dupes", "-q", *roots)
    with contextlib.closing(sqlite3.connect(catalogue(fleet, "c"), isolation_level=None)) as db:
        db.text_factory = bytes
        db.execute("update files set hash = null, algorithm = null, edges = null,"
                   " hash_checksum = null, edges_checksum = null")
        host = db.execute("select value from about where key = 'host'").fetchone()[0].decode()
        # The newest row of a file that two roots have.
        files = dict(db.execute("select path, size from file_list"))
        db.execute("pragma wal_checkpoint(truncate)")
    lines = [f"{host}\t{algorithm}\t{size}\t{quoted(path)}\n" for path, size in files.items()]
    (fleet.folder / "list").write_text("tidemill wanted 1\n" + "".join(lines))
    (fleet.folder / "local").mkdir()
    shutil.copy(catalogue(fleet, "c"), catalogue(fleet, "local"))
    # A file that was written a moment ago gets no hash.
    newest = max(row[4] for row in table(fleet, "c")) / 1e9
    wait_for(lambda: time.time() > newest + 2.5, "the files are old enough")
    return len(files)


def hash_locally(fleet: Fleet, code: int = 0) -> str:
    return ended(fleet, Member(fleet, "local", ("catalogue", "hash", "--wanted", "list", *QUIET),
                               None), code)


def hash_on_fleet(fleet: Fleet, *words: str, term: str = NEVER) -> Member:
    return Member(fleet, "c", ("catalogue", "hash", "--wanted", "list", *QUIET, "--fleet", FLEET,
                               "--fleet-term", term, *words), None)


def ended(fleet: Fleet, member: Member, code: int = 0) -> str:
    fleet.finish(member, code)
    return member.errors()


def demand_same(fleet: Fleet) -> None:
    here, there = table(fleet, "local"), table(fleet, "c")
    differ = [(a, b) for a, b in zip(here, there, strict=True) if a != b]
    demand(not differ, f"{len(differ)} rows differ: {differ[:2]}")


def large_tree(fleet: Fleet, count: int = 300) -> None:
    for i in range(count):
        folder = fleet.folder / "tree" / str(i % 7)
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / f"f{i}", "wb") as file:
            file.write(b"%d" % i)
            file.truncate(LARGE)


def hash_same(rig: Rig) -> None:
    """Names of any bytes, two roots of the same name, one root below another, a root that is a file,
    a file below a folder that is a symlink. Caught: an index of the wrong root, a name that was
    changed on the way."""
    fleet = Fleet(rig)
    tree = os.fsencode(fleet.folder) + b"/tree"
    os.makedirs(tree + b"/in/deep")
    os.makedirs(os.fsencode(fleet.folder) + b"/other/tree")
    names = [b"plain", b"new\nline", b"tab\tin", b"50%25", b"\xff\xfe", b"-n", b" ", b"..."]
    names += [b"%d" % i for i in range(290)]
    folders = [tree, tree + b"/in", tree + b"/in/deep",
               os.fsencode(fleet.folder) + b"/other/tree"]
    for i, name in enumerate(names):
        pathlib.Path(os.fsdecode(folders[i % 4] + b"/" + name)).write_bytes(b"%d" % i * (i + 1))
    (fleet.folder / "alone").write_bytes(b"a root of its own")
    fleet.do("dupes", "-q", "tree/in")
    count = scan(fleet, "tree", "other/tree", "alone")
    said = hash_locally(fleet)
    for name in ("w1", "w2"):
        fleet.worker(name)
    demand(ended(fleet, hash_on_fleet(fleet)) == said, "the fleet says something else than: " + said)
    demand(f"{count} hashed, 0 already hashed" in said, said)
    demand(all(row[10] for row in table(fleet, "c")), "a file without a hash")
    demand_same(fleet)
    demand(f"0 hashed, {count} already hashed" in ended(fleet, hash_on_fleet(fleet)),
           "a second time something is hashed")
    fleet.demand_empty()


def hash_failures(rig: Rig) -> None:
    """Files that were changed, removed or replaced since the scan fail with the same words as
    locally. What is now behind a symlink that leads out of its root is not read. Caught: a worker
    that does not compare the stamp, that follows the symlink, a failure whose kind gets lost."""
    fleet = Fleet(rig)
    tree = fleet.folder / "tree"
    (tree / "moved").mkdir(parents=True)
    for name in ("good", "changed", "gone", "linked", "piped", "swapped"):
        (tree / name).write_text("contents of " + name)
    (tree / "moved" / "secret").write_text("not below the root any more")
    scan(fleet, "tree")
    (tree / "changed").write_text("something else of it")
    (tree / "gone").unlink()
    for name in ("linked", "piped", "swapped"):
        (tree / name).rename(fleet.folder / name)
    (tree / "linked").symlink_to(fleet.folder / "linked")
    os.mkfifo(tree / "piped")
    (tree / "swapped").write_text("contents of swapped")
    said = hash_locally(fleet, 3)
    fleet.worker("w1")
    theirs = ended(fleet, hash_on_fleet(fleet), 3)
    demand(theirs == said, f"not what is said locally: {theirs}{said}")
    demand("2 hashed" in said and "5 failed" in said, said)
    demand_same(fleet)
    with contextlib.closing(sqlite3.connect(catalogue(fleet, "c"), isolation_level=None)) as db:
        db.execute("update files set hash = null, algorithm = null where name = cast('secret' as blob)")
    (tree / "moved").rename(fleet.folder / "moved")
    (tree / "moved").symlink_to(fleet.folder / "moved")
    outside = ended(fleet, hash_on_fleet(fleet), 3)
    demand("moved/secret: open: a symlink on its path leads out of its root" in outside, outside)
    demand(hashed(fleet) == 1, "a file outside of its root was hashed")
    fleet.demand_empty()


def hash_killed(rig: Rig) -> None:
    """Workers and the coordinator are killed at random, and `resume` or the same command goes on.
    Caught: a result that is drained before it is stored, an epoch that goes back, ids that mean
    another file after a start, a run that nobody finishes."""
    fleet = Fleet(rig)
    large_tree(fleet)
    count = scan(fleet, "tree", algorithm="sha3-256")
    hash_locally(fleet)
    workers = {name: fleet.worker(name) for name in ("w1", "w2")}
    run = hash_on_fleet(fleet, term=SECOND)
    kills = 0
    for share in sorted(fleet.dice.uniform(0.02, 0.95) for _ in range(6)):
        wait_for(lambda share=share: run.has_ended() or hashed(fleet) >= share * count,
                 f"{share:.2f} of the files are hashed")
        if run.has_ended():
            break
        kills += 1
        if fleet.dice.random() < 0.5:
            victim = fleet.dice.choice(sorted(workers))
            workers[victim].kill()
            workers[victim] = fleet.worker(victim)
            continue
        run.kill()
        if fleet.dice.random() < 0.5:
            run = hash_on_fleet(fleet, term=SECOND)
        else:
            run = fleet.resume(*QUIET, term=SECOND)
    said = ended(fleet, run)
    demand(kills >= 3, f"only {kills} kills")
    demand("0 failed" in said, said)
    demand_same(fleet)
    fleet.demand_empty()


def hash_forgotten(rig: Rig) -> None:
    """Redis loses everything, twice: once while the coordinator works, once while it is dead. The
    catalogue keeps the epoch. Caught: an epoch of the dead coordinator that is used again."""
    fleet = Fleet(rig)
    large_tree(fleet)
    count = scan(fleet, "tree", algorithm="sha3-256")
    hash_locally(fleet)
    fleet.worker("w1")
    run = hash_on_fleet(fleet)
    wait_for(lambda: run.has_ended() or hashed(fleet) > count / 8, "an eighth of the files")
    fleet.ask("FLUSHALL")
    wait_for(lambda: run.has_ended() or hashed(fleet) > count / 2, "half of the files")
    run.kill()
    fleet.ask("FLUSHALL")
    with contextlib.closing(sqlite3.connect(catalogue(fleet, "c"), isolation_level=None)) as db:
        before = db.execute("select value from about where key = 'fleet_epoch'").fetchone()[0]
        future = before + 10**10  # as if the clock of the server had been ahead
        db.execute("update about set value = ? where key = 'fleet_epoch'", (future,))
    ended(fleet, fleet.resume(*QUIET))
    with contextlib.closing(sqlite3.connect(catalogue(fleet, "c"))) as db:
        after = db.execute("select value from about where key = 'fleet_epoch'").fetchone()[0]
    demand(after > future, f"the epoch went back: {before}, {future}, {after}")
    demand_same(fleet)
    fleet.demand_empty()


def hash_interrupted(rig: Rig) -> None:
    """Ctrl-C, and the rest with threads; then the other way round. Caught: a coordinator that waits
    for a worker that does not answer, a record that insists on its fleet."""
    fleet = Fleet(rig)
    large_tree(fleet)
    count = scan(fleet, "tree", algorithm="sha3-256")
    hash_locally(fleet)
    worker = fleet.worker("w1")
    run = hash_on_fleet(fleet)
    wait_for(lambda: run.has_ended() or hashed(fleet) > 0, "a file is hashed")
    worker.stop()
    run.signal(signal.SIGINT)
    said = ended(fleet, run, 130)
    demand(" left. The hashes so far are recorded; " in said, said)
    worker.go_on()
    said = ended(fleet, fleet.resume(*QUIET, on_fleet=False))
    demand("Waiting for" not in said and "--fleet" not in said, said)
    demand_same(fleet)
    # Started with threads.
    with contextlib.closing(sqlite3.connect(catalogue(fleet, "c"), isolation_level=None)) as db:
        db.execute("update files set hash = null, algorithm = null, hash_checksum = null")
    run = Member(fleet, "c", ("catalogue", "hash", "--wanted", "list", *QUIET), None)
    runs = fleet.folder / "c" / "runs"
    wait_for(lambda: run.has_ended() or (runs.exists() and any(runs.iterdir())), "it has begun")
    run.signal(signal.SIGINT)
    ended(fleet, run, 130)
    before = hashed(fleet)
    said = ended(fleet, fleet.resume(*QUIET))
    demand(f"{count - before:,} hashed" in said and "--fleet=" in said, said)
    demand_same(fleet)


def hash_elsewhere(rig: Rig) -> None:
    """The tree is at another place on the worker's host, with another device number; a worker
    without it is refused. Caught: a payload with the device number, an absolute path."""
    fleet = Fleet(rig)
    large_tree(fleet, 20)
    scan(fleet, "tree")
    hash_locally(fleet)
    # As a worker would see it that has it elsewhere.
    (fleet.folder / "tree").rename(fleet.folder / "here")
    (fleet.folder / "tree").symlink_to(fleet.folder / "here")
    with contextlib.closing(sqlite3.connect(catalogue(fleet, "c"), isolation_level=None)) as db:
        db.execute("update files set device = device + 1")
    fleet.worker("w1", "--map", f"tree={fleet.folder / 'here'}")
    ended(fleet, hash_on_fleet(fleet))
    with contextlib.closing(sqlite3.connect(catalogue(fleet, "c"), isolation_level=None)) as db:
        db.execute("update files set device = device - 1")
    demand_same(fleet)


if __name__ == "__main__":
    sys.exit(run_scenario(__doc__, [hash_same, hash_failures, hash_killed, hash_forgotten,
                                    hash_interrupted, hash_elsewhere]))
