#!/usr/bin/env python3
"""undo run by root: a neighbour who owns the kept file, or a folder, must not decide what comes back.

`dupes --action delete` of root has deleted files of root; --ignore-difference made it keep a neighbour's copy, or the kept
file was given to the neighbour afterwards. Until the undo he does to his files what he likes. Nothing comes back with
other contents, with privileges, or as a file of his.
"""
import os
import pathlib
import sys

from dupes_owners import as_neighbour, attack_all, give, write
from neighbour import Neighbour, Rig, demand, run_test

# The first bytes of the secret that XXH3 takes when it is given none.
SECRET = bytes.fromhex("b8fe6c3923a44bbe7c01812cf721ad1c")


def same_xxh3() -> tuple[bytes, bytes]:
    """Two files with one XXH3, of any width. It adds, for every 64 bytes, the product of the two halves of each 8 bytes
    XOR the secret, and the 8 bytes themselves. Where the lower half is the secret's the product is 0, so what is added to
    the upper half in one place can be taken away in the next."""
    def content(upper: int) -> bytes:
        made = bytearray(b"#" * 4095 + b"\n")
        made[0:8] = SECRET[0:4] + upper.to_bytes(4, "little")
        made[64:72] = SECRET[8:12] + (0x7000_0000 - upper).to_bytes(4, "little")
        return bytes(made)
    return content(0x0A676F6F), content(0x0A626164)


class Scene:
    def __init__(self, rig: Rig, eve: Neighbour, name: str):
        self.rig = rig
        self.eve = eve
        self.tree = rig.folder / name
        self.tree.mkdir()

    def delete(self, *words: str) -> None:
        roots = () if words and words[0].startswith("/") else (str(self.tree),)
        code, process = self.rig.finish("dupes", *roots, "--progress", "none", "--action", "delete", "--apply", *words)
        demand(code == 0 and "0 skipped, 0 failed" in process.errors(), f"exit {code}: {process.errors()}")

    def undo(self) -> str:
        _, process = self.rig.finish("undo", "last", "--progress", "none")
        return process.errors()

    def write_as_eve(self, path: pathlib.Path, content: bytes) -> None:
        as_neighbour(self.eve, lambda: write(path, content))


def forged_hash(scene: Scene) -> None:
    good, bad = same_xxh3()
    kept = give(scene.eve.folder(f"{scene.tree.name}/eve") / "program", good, scene.eve.uid, 0o755)
    roots = give(scene.tree / "srv" / "program", good, 0, 0o4755)
    scene.delete("--ignore-difference", "owner", "--ignore-difference", "mode")
    demand(not roots.exists(), "nothing was deleted")
    scene.write_as_eve(kept, bad)
    said = scene.undo()
    demand(not roots.exists(), f"root has a program of the neighbour's, mode {roots.stat().st_mode:o}"
           if roots.exists() and roots.read_bytes() == bad else "it came back, nobody knows from where")
    demand("the contents have changed since" in said, f"no reason is told: {said}")
    scene.write_as_eve(kept, good)
    scene.undo()
    demand(roots.read_bytes() == good and roots.stat().st_mode & 0o7777 == 0o4755,
           "with the right contents it does not come back")


def changed_hands(scene: Scene) -> None:
    kept = give(scene.tree / "a" / "program", b"program", 0, 0o4755)
    roots = give(scene.tree / "b" / "program", b"program", 0, 0o4755)
    plain = give(scene.tree / "b" / "plain", b"plain")
    other = give(scene.tree / "a" / "plain", b"plain")
    scene.delete()
    for path in (kept, other):
        os.chown(path, scene.eve.uid, scene.eve.uid)
    said = scene.undo()
    demand(not roots.exists(), "set-user-id root was given to the contents of a neighbour's file")
    demand("the owner of the kept file has changed" in said, f"no reason is told: {said}")
    demand(plain.read_bytes() == b"plain", "what has no privileges does not come back")
    os.chown(kept, 0, 0)
    scene.undo()
    demand(roots.stat().st_mode & 0o7777 == 0o4755, "with its owner it does not come back")


def other_name(scene: Scene) -> None:
    """Root's file had two names, one in a folder of the neighbour's. He puts a file of his own there: what comes back must
    not be another name of that."""
    roots = give(scene.tree / "srv" / "config", b"config")
    give(scene.tree / "a" / "config", b"config")
    link = scene.eve.folder(f"{scene.tree.name}/eve") / "config"
    os.link(roots, link)
    scene.delete()
    demand(not roots.exists() and not link.exists(), "nothing was deleted")
    scene.write_as_eve(link, b"config")
    scene.undo()
    demand(roots.exists(), "it did not come back")
    demand(roots.stat().st_uid == 0 and not roots.samefile(link), "root's name is the neighbour's file now")


def other_folder(scene: Scene) -> None:
    """The neighbour's folder, which root looked through, is a symlink to one of root's when his file comes back."""
    uid = scene.eve.uid
    scene.eve.folder(scene.tree.name + "/eve")
    looked = scene.eve.folder(scene.tree.name + "/eve/photos")
    kept = scene.eve.folder(scene.tree.name + "/eve/backup")
    etc = scene.tree.with_name("etc")
    etc.mkdir()
    for folder in (looked, kept):
        give(folder / "evil", b"evil", uid)
    scene.delete(str(kept), str(looked))

    def exchange():
        looked.rename(looked.with_name("gone"))
        looked.symlink_to(etc)
    as_neighbour(scene.eve, exchange)
    scene.undo()
    demand(not (etc / "evil").exists(), "the neighbour has a file in a folder of root's")


def test(rig: Rig, _) -> None:
    eve = Neighbour(rig)
    attacks = [forged_hash, changed_hands, other_name, other_folder]
    attack_all(attacks, lambda name: Scene(rig, eve, name))


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 1, test))
