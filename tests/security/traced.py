#!/usr/bin/env python3
"""Every job that writes, run by root over a tree of another user, with strace watching: nothing below a folder of that
user is written, made, renamed, linked, removed or given another mode or owner by a path that is absolute or has more
than one part. Such a path is looked up anew by each call, and whoever owns a folder on it decides what it means.

Allowed are one name in a folder that is held open, and /proc/self/fd/N or /proc/self/fd/N/NAME, which say the same in
the words of libraries that take nothing but paths.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

from neighbour import HERE, Neighbour, Rig, Skip, demand, run_test

# Of each call where its paths are: (the argument of the folder or None, the argument of the path).
PATHS = {"open": [(None, 0)], "creat": [(None, 0)], "openat": [(0, 1)], "openat2": [(0, 1)],
         "rename": [(None, 0), (None, 1)], "renameat": [(0, 1), (2, 3)], "renameat2": [(0, 1), (2, 3)],
         "link": [(None, 0), (None, 1)], "linkat": [(0, 1), (2, 3)],
         "symlink": [(None, 1)], "symlinkat": [(1, 2)], "unlink": [(None, 0)], "unlinkat": [(0, 1)],
         "mkdir": [(None, 0)], "mkdirat": [(0, 1)], "rmdir": [(None, 0)], "mknod": [(None, 0)], "mknodat": [(0, 1)],
         "chmod": [(None, 0)], "fchmodat": [(0, 1)], "chown": [(None, 0)], "lchown": [(None, 0)], "fchownat": [(0, 1)],
         "truncate": [(None, 0)], "utime": [(None, 0)], "utimes": [(None, 0)], "utimensat": [(0, 1)],
         "setxattr": [(None, 0)], "lsetxattr": [(None, 0)], "removexattr": [(None, 0)], "lremovexattr": [(None, 0)]}
OPENS = ("open", "openat", "openat2")
WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_TMPFILE")
# A call that another thread interrupts is on two lines; all paths are on the first.
LINE = re.compile(r"^\d+ +(\w+)\((.*?)(?:\) += (.*)| *<unfinished \.\.\.>)$")
HELD = re.compile(r"/proc/(self|thread-self|\d+)/fd/\d+(/[^/]+)?")


def arguments_of(text: str) -> list[str]:
    """As strace writes them, strings and descriptors kept whole."""
    return [part.strip() for part in re.findall(r'(?:"(?:[^"\\]|\\.)*"(?:\.\.\.)?|<[^>]*>|\{[^}]*\}|[^,"<{])+', text)]


def string_in(argument: str) -> str | None:
    match = re.match(r'"((?:[^"\\]|\\.)*)"', argument)
    return match[1].encode().decode("unicode_escape").encode("latin-1").decode(errors="replace") if match else None


def folder_in(argument: str) -> str:
    match = re.search(r"<([^>]*)>", argument)
    return match[1] if match else ""


def offences(log: pathlib.Path, cwd: pathlib.Path, theirs: list[pathlib.Path]) -> tuple[int, list[str]]:
    """How many calls were looked at below their folders, and those that may not be."""
    seen, found = 0, []
    for line in log.read_text(errors="replace").splitlines():
        if not (match := LINE.match(line)) or match[1] not in PATHS:
            continue
        name, words = match[1], arguments_of(match[2])
        if name in OPENS and not WRITES.search(match[2]):
            continue
        for at_folder, at_path in PATHS[name]:
            path = string_in(words[at_path]) if at_path < len(words) else None
            if path is None:
                continue
            base = folder_in(words[at_folder]) if at_folder is not None else str(cwd)
            whole = os.path.normpath(os.path.join(base, path))
            if whole.startswith("/proc/") and name in OPENS:
                whole = folder_in(match[3] or "") or whole  # where it has led
            if not any(pathlib.Path(whole).is_relative_to(folder) for folder in theirs):
                continue
            seen += 1
            if "/" in path and not HELD.fullmatch(path):
                found.append(line)
    return seen, found


class Watch:
    def __init__(self, rig: Rig):
        if not shutil.which("strace"):
            raise Skip("NOT TESTED: there is no strace here")
        self.rig = rig
        self.neighbour = Neighbour(rig)
        self.log = rig.folder / "strace.log"
        self.number = 0

    def tree(self, files: dict[str, bytes]) -> pathlib.Path:
        """A tree that the neighbour owns, all of it."""
        self.number += 1
        tree = self.neighbour.folder(f"tree-{self.number}")
        for name, data in files.items():
            path = tree / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        for path in (tree, *tree.rglob("*")):
            os.chown(path, self.neighbour.uid, self.neighbour.uid)
            os.utime(path, (1_700_000_000, 1_700_000_000))
        return tree

    def trace(self, *words: str | pathlib.Path) -> subprocess.CompletedProcess:
        traced = ",".join(PATHS)
        return subprocess.run(["strace", "-f", "-qq", "-y", "-s", "4096", "-e", "signal=none", "-e", f"trace={traced}",
                               "-o", self.log, *words],
                              env=self.rig.env, cwd=self.rig.folder, capture_output=True, check=False, timeout=300)

    def demand_eyes(self) -> None:
        """Programs that do use such paths are seen to."""
        tree = self.tree({"a/one": b"1"})
        for words in (("touch", tree / "new"), ("mv", tree / "a/one", tree / "a/two"), ("chmod", "600", tree / "a/two"),
                      ("ln", tree / "a/two", tree / "b"), ("rm", f"{tree.name}/b"), ("mkdir", tree / "c")):
            done = self.trace(*words)
            demand(done.returncode == 0, f"{words}: {done.stderr}")
            demand(bool(offences(self.log, self.rig.folder, [tree])[1]), f"{words} was not noticed")

    def run(self, tree: pathlib.Path, *words: str | pathlib.Path, codes: tuple[int, ...] = (0,), least: int = 1) -> None:
        """`least`: so many calls below the tree must have been seen, or nothing was tested."""
        done = self.trace(self.rig.program, *words)
        what = " ".join(map(str, words))
        demand(done.returncode in codes, f"{what}: exit {done.returncode}: {done.stdout} {done.stderr}")
        seen, found = offences(self.log, self.rig.folder, [tree])
        print(f"{seen:4} calls: {what.replace(str(self.rig.folder), '')}", flush=True)
        demand(not found, f"{what}:\n" + "\n".join(found[:20]))
        demand(seen >= least, f"{what}: strace saw only {seen} calls below the tree")


def mendable() -> bytes:
    made = pathlib.Path(subprocess.run(["mktemp"], capture_output=True, text=True, check=True).stdout.strip())
    subprocess.run([sys.executable, HERE.parent / "books/make_book.py", made, "mimetype-last"], check=True)
    data = made.read_bytes()
    made.unlink()
    return data


def each(watch: Watch) -> None:
    tree = watch.tree({"a/one": b"1", "b/two": b"2"})
    watch.run(tree, "each", tree, "--results", tree / "results", "--log", tree / "logs/each.log", "--", "echo", "{}",
              least=5)
    watch.run(tree, "each", tree / "a", "--results", tree / "results", "--", "sh", "-c", "head -c 3000000 /dev/zero")


def dupes(watch: Watch) -> None:
    same = b"the same bytes" * 400
    names = {f"a/{number}": same + b"%d" % number for number in range(3)}
    names |= {name.replace("a/", "b/c/"): data for name, data in names.items()}
    for action in ("delete", "hardlink", "reflink", "move"):
        tree = watch.tree(names)
        words = f"move:{tree}/moved" if action == "move" else action
        # Not every file system can share blocks.
        codes, least = ((0, 1, 3), 0) if action == "reflink" else ((0,), 6)
        watch.run(tree, "dupes", tree, "--action", words, "--apply", codes=codes, least=least)
        watch.run(tree, "undo", "last", codes=codes, least=least)


def imports(watch: Watch) -> None:
    tree = watch.tree({"a.jsonl": b'{"id": 1, "name": "x"}\n', "b.jsonl": b'{"id": 2}\n'})
    database = tree / "a.db"
    watch.run(tree, "import", tree / "a.jsonl", "--into", database)
    watch.run(tree, "import", tree / "a.jsonl", "--into", database, "--replace")
    watch.run(tree, "import", tree / "b.jsonl", "--into", database, "--append")
    watch.run(tree, "import", tree / "a.jsonl", "--into", tree / "key.db", "--key", "id")
    watch.run(tree, "import", tree / "a.jsonl", "--into", tree / "key.db", "--key", "id", "--upsert")


def books(watch: Watch) -> None:
    book = mendable()
    library = {"a/one.epub": book, "a/deep/two.epub": book}
    tree = watch.tree(library)
    watch.run(tree, "books", "repair", "--in-place", "--apply", tree, least=6)
    tree = watch.tree(library)
    watch.run(tree, "books", "repair", "--in-place", "--apply", "--backup-dir", tree / "old", tree, least=6)
    tree = watch.tree(library)
    watch.run(tree, "books", "repair", "--apply", "--output", tree / "new", tree, least=4)
    watch.run(tree, "books", "check", "--format", "html", "-o", tree / "report.html", tree, codes=(0, 3), least=2)


def others(watch: Watch) -> None:
    tree = watch.tree({"a/one": b"1", "a/two": b"1"})
    watch.run(tree, "dupes", tree, least=0)
    watch.run(tree, "catalogue", "export", tree / "copy.db", least=2)
    other = watch.tree({"a/one": b"1", "a/three": b"3"})
    watch.run(other, "dupes", other, "--with", tree / "copy.db", "--wanted", other / "wanted", least=2)
    watch.run(tree, "man", "--folder", tree / "man", least=2)
    watch.run(tree, "batch", tree, "--max-tokens", "100", "--dry-run", least=0)
    watch.run(tree, "tokens", tree, least=0)


def attack(rig: Rig, _: argparse.Namespace) -> None:
    watch = Watch(rig)
    watch.demand_eyes()
    for job in (each, dupes, imports, books, others):
        job(watch)


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 1, attack))
