#!/usr/bin/env python3
"""Makes fixtures/*.tar.gz: the files that a version of the program leaves when it ends or is killed.

  make_fixtures.py PROGRAM [SCENE...]

Do not regenerate fixtures that are in the repository: they show what older versions wrote. Add a scene for a new format.
"""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tarfile

from place import FIXTURES, Scene, base_folder, wait_until

MAKE_BOOK = pathlib.Path(__file__).resolve().parent.parent / "books/make_book.py"


def is_at_work(folder):
    """A process has the folder as its working directory."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.readlink(process / "cwd") == str(folder):
                return True
    return False


def release(pipe):
    """Processes that wait for the pipe read end of file."""
    with contextlib.suppress(OSError):  # no process waits
        os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))


def let_age():
    """Files that are less than two seconds old when they are read are not cached."""
    signal.sigtimedwait([], 2.5)


def anonymous_host(catalogue):
    with sqlite3.connect(catalogue) as database:
        database.execute("update about set value = 'mill' where key = 'host'")
        database.execute("update about set value = '0123456789abcdef0123456789abcdef' where key = 'machine_id'")
    database.close()


def each_killed(scene):
    """Killed when four of nine tasks are done and two are running."""
    names = [f"{i}.txt" for i in range(1, 10)]
    scene.write("names", "".join(name + "\n" for name in names))
    hold = scene.work / "hold"
    os.mkfifo(hold)
    script = 'echo "$1" >>started; case $1 in [5-9]*) [ -e go ] || cat hold;; esac; echo "$1" >>done'
    process = scene.start("each", "--files-from", "names", "-w", "2", "--max-letters", "7", "-a", "2", "--backoff", "1ms",
                          "--progress", "none", "--shell", "--", script)
    started = scene.work / "started"
    wait_until(lambda: started.exists() and len(started.read_text().split()) == 6, "four tasks are done and two are running")
    process.kill()
    process.wait()
    release(hold)
    wait_until(lambda: not is_at_work(scene.work), "the remaining commands have ended")
    hold.unlink()
    scene.write("done", "".join(f"{i}.txt\n" for i in range(1, 5)))  # as if the commands had been killed too


def each_failed(scene):
    """Two of five tasks failed."""
    for i in range(5):
        scene.write(f"tree/{i}.txt", f"{i}\n")
    scene.write("tree/skip/5.txt", "5\n")
    scene.write("tree/6.bin", "6\n")
    script = 'case $1 in */[13].txt) [ -e mended ] || { echo "no $1" >&2; exit 9; };; esac; echo "$1" >>done'
    scene.run("each", "tree", "-g", "*.txt", "-x", "skip", "-w", "2", "--max-letters", "4", "--no-hidden", "-a", "1",
              "--order", "name", "--shell", "--", script, status=3)


def dupes_deleted(scene):
    """Three of four duplicates are deleted; the catalogue describes the tree before that."""
    for i in range(4):
        scene.write(f"tree/same-{i}", "the same\n" * 100)
        os.utime(scene.work / f"tree/same-{i}", ns=(0, 1_700_000_000_000_000_000 + i))
        scene.write(f"tree/other-{i}", f"other {i}\n")
    scene.run("dupes", "tree", "--keep", "oldest", "--action", "delete", "--ignore-difference", "mtime", "--threads", "2",
              "--ignore-files", "--apply")
    anonymous_host(scene.state / "catalogue.db")


def dupes_linked(scene):
    """Three of four duplicates are hard links to the fourth."""
    for i in range(4):
        scene.write(f"tree/same-{i}", "the same\n" * 100)
        os.utime(scene.work / f"tree/same-{i}", ns=(0, 1_700_000_000_000_000_000 + i))
    scene.run("dupes", "tree", "--keep", "oldest", "--action", "hardlink", "--ignore-difference", "mtime", "--no-catalogue",
              "--apply")


def catalogue(scene):
    """Four files of the same size, three with the same contents, and one other file; all are hashed."""
    for i in range(4):
        scene.write(f"tree/folder-{i}/same", "the same\n" if i else "another\n\n")
    scene.write("tree/alone", "of a size of its own\n")
    for path in sorted(scene.work.rglob("*")):
        os.utime(path, ns=(0, 1_700_000_000_000_000_000))
    let_age()
    scene.run("dupes", "tree", "--hash-all", "--threads", "2")
    anonymous_host(scene.state / "catalogue.db")


def import_db(scene):
    """Two tables with keys, and one rejected line."""
    scene.write("data/people.jsonl", '{"_key":1,"name":"Ada"}\n{"_key":2,"name":"Grace","born":1906}\nno row\n')
    scene.write("data/places.jsonl", '{"_key":"a","at":{"x":1,"y":2.5}}\n')
    scene.run("import", "data", "--into", "out.db", "--nested", "flatten", "-w", "1", status=3)


def import_killed(scene):
    """An import into an existing database in WAL mode, killed when the first of three files is imported."""
    scene.write("data/one.jsonl", "".join(f'{{"_key":{i},"v":"one"}}\n' for i in range(50)))
    scene.run("import", "data/one.jsonl", "--into", "out.db", "-w", "1")
    database = sqlite3.connect(scene.work / "out.db")
    database.execute("pragma journal_mode = wal")
    scene.write("data/two.jsonl", "".join(f'{{"_key":{i},"v":"two"}}\n' for i in range(5000)))
    hold = scene.work / "data/three.jsonl"
    os.mkfifo(hold)
    scene.write("data/four.jsonl", '{"_key":1,"v":"four"}\n')
    process = scene.start("import", "data/two.jsonl", "data/three.jsonl", "data/four.jsonl", "--into", "out.db", "--append",
                          "-w", "2", "-q")
    wait_until(lambda: (scene.work / "out.db.tidemill.part").exists(), "it has started")
    process.send_signal(signal.SIGSTOP)
    signal.sigtimedwait([], 1.5)  # the program commits at the end of a file, at most once a second
    process.send_signal(signal.SIGCONT)
    wait_until(lambda: database.execute("select count(*) from _tidemill_files").fetchone()[0] == 2,
               "the first file is imported (on a timeout the program was too fast: try again)")
    process.kill()
    process.wait()
    hold.unlink()
    scene.write("data/three.jsonl", '{"_key":1,"v":"three"}\n')
    for end in ("", "-wal"):  # the last connection that closes empties the log
        shutil.copy(scene.work / f"out.db{end}", scene.work / f"kept{end}")
    database.close()
    for end in ("", "-wal"):
        os.replace(scene.work / f"kept{end}", scene.work / f"out.db{end}")


def batch_killed(scene):
    """A producer, killed while the queue is full."""
    for i in range(40):
        scene.write(f"tree/{i:02}.txt", "word " * 200)
    scene.write("tree/.gitignore", "3?.txt\n")
    with scene.redis() as redis:
        process = scene.start("batch", "tree", "-n", "2000", "-w", "2", "--gitignore", "--job", "nightly", "--patience", "1m",
                              "--tokenizer", "bytes/4", "--paths", "relative", "--no-catalogue", "--to", "redis:files",
                              "--redis", f"unix://{redis.socket}", "--max-queued", "2", "--settle", "0", "-q")
        wait_until(lambda: redis.ask("xlen", "files") in ("2", "3"), "two batches are queued")
        process.kill()
        process.wait()
        redis.ask("save")
    redis.log.unlink()


def books_killed(scene):
    """A check of books, killed, and the cache of an earlier check."""
    books = scene.work / "library"
    books.mkdir(parents=True)
    subprocess.run([sys.executable, MAKE_BOOK, books / "good.epub"], check=True)
    subprocess.run([sys.executable, MAKE_BOOK, books / "bad.epub", "missing-link"], check=True)
    let_age()
    flags = ("--shelf", "books.shelf", "-w", "1", "--no-hidden")
    scene.run("books", "check", "library", *flags, status=3)
    for i in range(300):
        shutil.copy(books / "good.epub", books / f"{i}.epub")
    process = scene.start("books", "check", "library", *flags, "-q")
    wait_until(lambda: any((scene.state / "runs").glob("*/command")), "it has started")
    process.kill()
    process.wait()
    for i in range(300):
        (books / f"{i}.epub").unlink()


SCENES = (each_killed, each_failed, dupes_deleted, dupes_linked, catalogue, import_db, import_killed, batch_killed,
          books_killed)


def list_flags(program):
    """fixtures/flags.txt: a line for each verb, with its flags; those of every verb are with the first."""
    def help_of(*verb):
        return subprocess.run([program, *verb, "--help"], capture_output=True, text=True, check=True).stdout

    def names_in(text, heading):
        part = re.search(rf"^{heading}\n(.*?)\n\n", text, re.S | re.M)
        return re.findall(r"^  ([a-z]+(?: [a-z]+)?)  ", part[1], re.M) if part else []

    with (FIXTURES / "flags.txt").open("w") as file:
        of_every_verb = set()
        for verb in names_in(help_of(), "VERBS"):
            flags = re.findall(r"^ +(?:(-\w), )?(?:    )?(--[a-z-]+)", help_of(*verb.split()), re.M)
            names = dict.fromkeys(name for pair in flags for name in pair if name and name not in of_every_verb)
            print(verb, *names, sep="\t", file=file)
            of_every_verb = {"-h", "--help", "--version", "--print-config", "--color", "-q", "--quiet"}


def anonymous(entry):
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def main():
    program, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    FIXTURES.mkdir(exist_ok=True)
    if not wanted or "flags" in wanted:
        list_flags(program)
    with base_folder():
        for make in SCENES:
            if wanted and make.__name__ not in wanted:
                continue
            scene = Scene(program, make.__name__)
            scene.work.mkdir(parents=True)
            make(scene)
            file = FIXTURES / f"{scene.name}.tar.gz"
            with tarfile.open(file, "w:gz", format=tarfile.PAX_FORMAT) as tar:
                tar.add(scene.folder, arcname=scene.name, filter=anonymous)
            print(f"{file.name}: {file.stat().st_size} bytes")


if __name__ == "__main__":
    main()
