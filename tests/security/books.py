#!/usr/bin/env python3
"""`books repair --in-place` over the folders of a neighbour, who wants the rights of whoever repairs.

setuid: the neighbour's books have set-user-ID and everybody may run them; what takes their place must not lend the
rights of whoever mended them. flip: a folder of the neighbour is exchanged for a symlink to a folder of root's and
back, as often as they can; nothing in root's folder may change, and nothing may be made there.
"""
import argparse
import functools
import os
import pathlib
import stat
import subprocess
import sys
import tempfile

from neighbour import HERE, PYTHON, Neighbour, Rig, demand, eventually, run_test

BOOKS = 24
FLIPPER = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
one, other, started = (os.fsencode(word) for word in sys.argv[1:])
open(started, "w").close()
while True:
    if libc.renameat2(-100, one, -100, other, 2) != 0:  # RENAME_EXCHANGE
        sys.exit(os.strerror(ctypes.get_errno()))
"""


@functools.cache
def book() -> bytes:
    """One that can be mended."""
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run([sys.executable, HERE.parent / "books/make_book.py", file.name, "mimetype-last"], check=True)
        return pathlib.Path(file.name).read_bytes()


def make_book(path: pathlib.Path, owner: int, mode: int = 0o644) -> None:
    path.write_bytes(book())
    os.chown(path, owner, owner)
    path.chmod(mode)  # behind chown, which takes bits of it


def repair(rig: Rig, *roots: pathlib.Path, **options) -> subprocess.CompletedProcess:
    return subprocess.run([rig.program, "books", "repair", "--in-place", "--no-backup", "--apply", *roots],
                          env=rig.env | options.pop("env", {}), capture_output=True, check=False, **options)


def setuid(rig: Rig, _: argparse.Namespace) -> None:
    neighbour = Neighbour(rig)
    for runner in (0, neighbour.uid + 1):
        shelf = neighbour.folder(f"shelf-{runner}")
        shelf.chmod(0o777)
        state = rig.folder / f"state-{runner}"
        state.mkdir(mode=0o700)
        os.chown(state, runner, runner)
        modes = {"user": 0o4755, "group": 0o2755, "both": 0o6777, "plain": 0o644}
        for name, mode in modes.items():
            make_book(shelf / f"{name}.epub", neighbour.uid, mode)
        done = repair(rig, shelf, env={"TIDEMILL_STATE": str(state)}, user=runner, group=runner, extra_groups=[])
        demand(done.returncode == 0, f"repair: {done.returncode} {done.stdout} {done.stderr}")
        for name, mode in modes.items():
            seen = (shelf / f"{name}.epub").stat()
            demand(not seen.st_mode & (stat.S_ISUID | stat.S_ISGID),
                   f"{name}.epub of uid {seen.st_uid} lends rights: {seen.st_mode:o}")
            wanted = mode & 0o777 if seen.st_uid == neighbour.uid else mode & 0o700
            demand(stat.S_IMODE(seen.st_mode) == wanted, f"{name}.epub: {seen.st_mode:o}, not {wanted:o}")
            demand(seen.st_uid == (neighbour.uid if runner == 0 else runner), f"{name}.epub is of {seen.st_uid}")


def flip(rig: Rig, chosen: argparse.Namespace) -> None:
    neighbour = Neighbour(rig)
    for turn in range(chosen.count):
        outside = rig.folder / f"outside-{turn}"
        outside.mkdir(mode=0o700)
        tree = neighbour.folder(f"tree-{turn}")
        shelf = neighbour.folder(f"tree-{turn}/shelf")
        for number in range(BOOKS):
            make_book(shelf / f"{number}.epub", neighbour.uid)
            make_book(outside / f"{number}.epub", 0)
        before = {path.name: (path.stat().st_ino, path.read_bytes()) for path in outside.iterdir()}
        neighbour.python("import os, sys; os.symlink(sys.argv[1], sys.argv[2])", str(outside), str(tree / "link"))
        started = tree / "started"
        flipper = neighbour.start(PYTHON, "-c", FLIPPER, str(shelf), str(tree / "link"), str(started))
        try:
            demand(eventually(started.exists, 30), "the flipper did not start")
            repair(rig, tree)
        finally:
            flipper.kill()
            flipper.wait()
        after = {path.name: (path.stat().st_ino, path.read_bytes()) for path in outside.iterdir()}
        changed = sorted(name for name in before | after if before.get(name) != after.get(name))
        demand(not changed, f"turn {turn}: written outside of the tree: {changed}")


if __name__ == "__main__":
    PARTS = {"setuid": setuid, "flip": flip}
    sys.exit(run_test(__doc__, 3, lambda rig, chosen: PARTS[chosen.part](rig, chosen),
                      lambda parser: parser.add_argument("part", choices=PARTS)))
