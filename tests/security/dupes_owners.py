#!/usr/bin/env python3
"""dupes run by root: a neighbour who copies root's files must not get them by that.

Root looks for duplicates in a tree in which a neighbour may write. Whatever the neighbour put there, the file that root had
is still there afterwards, nobody else can write to it or exchange it, and nothing becomes readable or privileged by being
moved. What was declined is told with the flag that allows it, and the exit status is 0 as for everything declined.
"""
import contextlib
import os
import pathlib
import subprocess
import sys
from collections.abc import Callable

from neighbour import Neighbour, Rig, Skip, Wrong, demand, run_test

CONFIG = b"PermitRootLogin no\n"
WHEN = (1_700_000_000_000_000_000,) * 2


def write(path: pathlib.Path, content: bytes) -> None:
    """As whoever runs this."""
    path.write_bytes(content)
    path.chmod(0o644)
    os.utime(path, ns=WHEN)


def give(path: pathlib.Path, content: bytes = CONFIG, uid: int = 0, mode: int = 0o644) -> pathlib.Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    write(path, content)
    os.chown(path, uid, uid)
    path.chmod(mode)
    return path


def as_neighbour(eve: Neighbour, action: Callable) -> None:
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(eve.uid)
            os.setuid(eve.uid)
            action()
            os._exit(0)
        except OSError as wrong:
            print(f"the neighbour: {wrong}", flush=True)
        finally:
            os._exit(1)
    demand(os.waitpid(child, 0)[1] == 0, "the neighbour could not do it")


def attack_all(attacks: list[Callable], scene: Callable) -> None:
    """All of them, each in a scene of its own; those that succeed are named together."""
    wrongs = []
    for attack in attacks:
        try:
            attack(scene(attack.__name__))
        except Wrong as wrong:
            wrongs.append(f"{attack.__name__}: {wrong}")
    demand(not wrongs, "\n".join(["these attacks succeed:", *wrongs]))


class Scene:
    """A tree with a file of root and a copy of it by the neighbour, at a name that comes first and is kept."""

    def __init__(self, rig: Rig, eve: Neighbour, name: str):
        self.rig = rig
        self.eve = eve
        self.tree = rig.folder / name
        self.tree.mkdir()
        self.roots = give(self.tree / "srv" / "config")
        eve.folder(f"{name}/eve")
        as_neighbour(eve, lambda: write(self.tree / "eve" / "config", self.roots.read_bytes()))
        self.inode = self.roots.stat().st_ino

    def dupes(self, *words: str) -> str:
        code, process = self.rig.finish("dupes", str(self.tree), "--progress", "none", *words)
        said = process.errors() + b"".join(process.lines).decode(errors="replace")
        demand(code == 0, f"exit {code}: {said}")
        return said

    def demand_kept(self) -> None:
        demand(self.roots.exists(), "root's file is gone, the neighbour's copy was kept")
        seen = self.roots.stat()
        demand((seen.st_ino, seen.st_uid) == (self.inode, 0), "root's name is the neighbour's file now")


def owner_by_delete(scene: Scene) -> None:
    plan = scene.dupes("--action", "delete")
    said = scene.dupes("--action", "delete", "--apply")
    scene.demand_kept()
    demand("the owner differs (root needs --ignore-difference owner)" in plan, f"no reason is told: {plan}")
    demand("1 skipped" in said and "add --ignore-difference owner" in said, f"no reason is told: {said}")
    scene.dupes("--action", "delete", "--ignore-difference", "owner", "--apply")
    demand(not scene.roots.exists(), "--ignore-difference owner does not allow it")


def owner_by_hardlink(scene: Scene) -> None:
    scene.dupes("--action", "hardlink", "--apply")
    scene.demand_kept()


def owner_by_move(scene: Scene) -> None:
    scene.dupes("--action", f"move:{scene.rig.folder}/away", "--apply")
    scene.demand_kept()


def owner_by_script(scene: Scene) -> None:
    """One written by root, and one written by somebody and then run by root."""
    scripts = [scene.dupes("--action", "script", "-q")]
    done = scene.eve.run(scene.rig.program, "dupes", str(scene.tree), "--action", "script", "-q",
                         env=scene.rig.env | {"TIDEMILL_STATE": str(scene.tree / "eve" / "state"), "HOME": "/"})
    demand(b"pair " in done.stdout, f"no script: {done.stderr.decode()}")
    scripts.append(done.stdout.decode())
    for script in scripts:
        subprocess.run(["sh", "-s", "delete"], input=script.encode(), check=False, capture_output=True)
        scene.demand_kept()
    demand("# skipped: " in scripts[0], "root's script does not say what was skipped")


def mode_by_delete(scene: Scene) -> None:
    """A copy of root's own that everybody may write to is not a copy of one that nobody may."""
    give(scene.tree / "eve" / "config", mode=0o666)
    scene.dupes("--action", "delete", "--apply")
    scene.demand_kept()


def folder_by_delete(scene: Scene) -> None:
    """Both are root's, but the neighbour owns the folder of one: he can put anything at its name, or remove it."""
    give(scene.tree / "eve" / "config")
    said = scene.dupes("--action", "delete", "--apply")
    scene.demand_kept()
    demand("add --ignore-difference folder" in said, f"no reason is told: {said}")


def folder_by_move(scene: Scene) -> None:
    """The neighbour was there first: a folder of his waits where files are moved to."""
    (scene.tree / "eve" / "config").unlink()
    give(scene.tree / "a" / "config")
    away = scene.eve.folder(scene.tree.name + "-away")
    scene.dupes("--action", f"move:{away}", "--apply")
    scene.demand_kept()


def symlink_by_move(scene: Scene) -> None:
    """Root moves the neighbour's files to a place in the neighbour's folder, and that is a symlink by now."""
    etc = scene.tree.with_name("etc")
    etc.mkdir()
    for name in ("a", "b"):
        give(scene.tree / "eve" / name, b"evil", scene.eve.uid)
    as_neighbour(scene.eve, lambda: os.symlink(etc, scene.tree / "eve" / "away"))
    scene.dupes("-x", "srv", "--action", f"move:{scene.tree}/eve/away", "--apply")
    demand(not any(path.is_file() for path in etc.rglob("*")), "the neighbour has a file in a folder of root's")


def privacy_by_move(scene: Scene) -> None:
    """What lay in a folder of root's own is not laid open."""
    (scene.tree / "eve" / "config").unlink()
    (scene.tree / "srv").chmod(0o700)
    give(scene.tree / "a" / "config")
    away = scene.rig.folder / "private-away"
    scene.dupes("--action", f"move:{away}", "--apply")
    moved = away / "srv" / "config"
    demand(moved.exists(), "nothing was moved")
    demand(scene.eve.run("cat", str(moved)).returncode != 0, "the neighbour can read it where it was moved to")
    for folder in (away, away / "srv"):
        demand(folder.stat().st_mode & 0o777 == 0o700, f"{folder} has mode {folder.stat().st_mode:o}")


@contextlib.contextmanager
def other_file_system(place: pathlib.Path):
    place.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "nosuid,mode=755", "none", str(place)],
                          capture_output=True, check=False)
    if done.returncode != 0:
        raise Skip(f"NOT TESTED: no file system can be mounted here: {done.stderr.decode().strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def privileges_by_move(scene: Scene) -> None:
    """From a file system without set-user-id to one with it. Root's own programs keep what they have."""
    capability = bytes.fromhex("0100000200040000000000000000000000000000")  # cap_net_bind_service
    uid = scene.eve.uid
    away = scene.rig.folder / "privileged-away"
    with other_file_system(scene.tree / "mnt") as mounted:
        for folder in ("a", "b"):
            give(mounted / folder / "evil", b"evil", uid, 0o6755)
            give(mounted / folder / "good", b"good", 0, 0o6755)
            os.setxattr(give(mounted / folder / "able", b"able", uid, 0o755), "security.capability", capability)
        scene.dupes("-x", "srv", "-x", "eve", "--action", f"move:{away}", "--apply")
    moved = away / "mnt" / "b"
    demand((moved / "evil").stat().st_uid == uid, "it has changed hands")
    demand((moved / "evil").stat().st_mode & 0o7777 == 0o755,
           f"the neighbour's file has mode {(moved / 'evil').stat().st_mode:o}")
    demand("security.capability" not in os.listxattr(moved / "able"), "the neighbour's file has capabilities")
    demand((moved / "good").stat().st_mode & 0o7777 == 0o6755, "root's own program has lost its mode")


def test(rig: Rig, _) -> None:
    eve = Neighbour(rig)
    attacks = [owner_by_delete, owner_by_hardlink, owner_by_move, owner_by_script, mode_by_delete, folder_by_delete,
               folder_by_move, symlink_by_move, privacy_by_move, privileges_by_move]
    attack_all(attacks, lambda name: Scene(rig, eve, name))


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 1, test))
