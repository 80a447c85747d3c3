#!/usr/bin/env python3
"""What the state folder holds is for its owner alone, whatever the umask: while a run works, and afterwards."""
import os
import sys

from neighbour import Rig, demand, run_test


def attack(rig: Rig, _chosen) -> None:
    os.umask(0)
    (rig.folder / "tree").mkdir()
    for name in ("a", "b"):
        (rig.folder / "tree" / name).write_text("the same")
    # In the middle of a run there are a write-ahead log, a slate and an output too large for memory.
    look = f"find '{rig.state}' -perm /077; head -c 3000000 /dev/zero | tr '\\0' x >&2; ls '{rig.state}'/runs/*"
    code, process = rig.finish("each", "--files-from", rig.list_of("names", ["x", "y"]), "-w", "1", "--shell", "--", look)
    said = b"".join(process.lines).decode()
    demand(code == 0, f"each: exit {code}, {process.errors()[-500:]}")
    demand("journal.db-wal" in said and "slate" in said, f"not in the middle of a run: {said}")
    demand(str(rig.state) + "/" not in said.replace(":\n", "").replace(f"{rig.state}/runs", ""),
           f"open to others: {said}")
    for words in (("dupes", "tree"), ("books", "check", "tree"), ("books", "repair", "tree"), ("tokens", "tree")):
        rig.finish(*words)
    names = {path.name for path in rig.state.rglob("*")}
    demand({"catalogue.db", "catalogue.db-lock", "books.shelf", "repairs.shelf", "journal.db"} <= names, f"only {names}")
    for path in [rig.state, *rig.state.rglob("*")]:
        mode = path.stat().st_mode & 0o7777
        demand(mode == (0o700 if path.is_dir() else 0o600), f"{path.name} has mode {mode:o}")


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 1, attack))
