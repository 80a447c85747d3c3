#!/usr/bin/env python3
"""Runs `tidemill books` on hostile books, and judges.

usage: run_hostile.py [--books FOLDER] [--expect-caught] TIDEMILL [name...]

The books are those of make_hostile.py; with --books they are kept there for the next time. A line for
each: CPU seconds of all processes of `books check`, the same of `books repair --apply`, the most memory,
the ids, and what is wrong, if anything: more than 2 s of CPU (6 s for a repair, which checks twice),
more than 256 MB in all processes together, ids that are missing, an exit status that is none. Harmless
books must be found valid. The CPU limits are scaled by how slow the machine is right now: a fixed
workload is timed and compared with the machine on which the limits were set.

Then all once more under strace: nothing is opened for writing, made, renamed or removed but below the
state, the output and the folder for scratch files; there is no socket; no entity is fetched from a
file. Ends with 1 when something is wrong, with 77 without strace.

--expect-caught: the proof that this can see anything. A wrapper around the program writes beside the
folder and opens a forbidden file; it must be found.
"""

import argparse
import ctypes
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from make_hostile import make  # noqa: E402

MOST_CPU = {"check": 2.0, "repair": 6.0}
TRIES = 3
REFERENCE = 0.14  # CPU seconds of reference_workload() on the idle machine on which the limits were set
MOST_SLOWNESS = 4
MOST_MEMORY = 256 << 20
OTHERS = 1.5  # beside the process that reads the book: the program, and the one that forks (a third of it)
SUBREAPER = 36  # prctl()
CALLS = ("open,openat,openat2,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,"
         "unlink,unlinkat,rmdir,truncate,mknod,mknodat,chmod,fchmodat,chown,lchown,fchownat,execve,socket,"
         "connect,bind,ptrace,mount")
LINE = re.compile(r"^\d+ +(\w+)\((.*)")
FORBIDDEN = ("/etc/passwd", "evil")
HARMLESS = ("/dev/null", "/proc/self/oom_score_adj")  # it makes itself the first to be ended


def words_of(program, verb, place, *books):
    more = ["--apply", "--output", str(place / "out")] if verb == "repair" else []
    return [program, "books", verb, "--jsonl", "--no-cache", "-q", *more, *map(str, books)]


def environment_of(place):
    (place / "scratch").mkdir(exist_ok=True)
    homes = ("HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
             "TIDEMILL_STATE")
    return dict(os.environ, TMPDIR=str(place / "scratch"), **{name: str(place) for name in homes})


def run(program, verb, book, place):
    """Exit status, output, errors, CPU seconds of all, largest resident size of one."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:  # a process of its own, so that RUSAGE_CHILDREN is of this one run; all of it
        os.close(read_end)
        ctypes.CDLL(None).prctl(SUBREAPER, 1)
        words = [*words_of(program, verb, place, book), "-w", "1"]
        done = subprocess.run(words, capture_output=True, env=environment_of(place), timeout=120,
                              check=False)
        try:
            while True:
                os.wait()
        except ChildProcessError:
            pass
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        with os.fdopen(write_end, "w") as out:
            json.dump([done.returncode, done.stdout.decode(errors="replace"),
                       done.stderr.decode(errors="replace"),
                       usage.ru_utime + usage.ru_stime, usage.ru_maxrss << 10], out)
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end) as source:
        text = source.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else [-1, "", "no answer in time", 0.0, 0]


def reference_workload():
    words = {str(number): number for number in range(200000)}
    zlib.compress("".join(words).encode())


def slowness():
    """CPU time of the reference workload right now, as a multiple of REFERENCE: at least 1."""
    child = os.fork()
    if child == 0:
        reference_workload()
        os._exit(0)
    usage = os.wait4(child, 0)[2]
    return min(MOST_SLOWNESS, max(1.0, (usage.ru_utime + usage.ru_stime) / REFERENCE))


def lines_in(output):
    lines = [json.loads(line) for line in output.splitlines()]
    return [line for line in lines if line["event"] == "book"]


def missing(ids, wanted, verdict):
    """What is not there that must be, or is there and must not be."""
    if wanted == "none":
        return "" if not ids and verdict == "valid" else f"harmless, but {verdict} {sorted(ids)}"
    absent = [one for one in wanted.split(",") if not ids & set(one.split("|"))]
    return f"no {','.join(absent)}" if absent else ""


class Judge:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.bad = 0
        with tempfile.TemporaryDirectory() as place:  # what a process has before it reads a book
            self.floor = run(program, "check", folder / "epub-nav-deep.epub", Path(place))[4]

    def run(self, verb, name):
        """What run() says, the files that it made, and whether it was cheap enough in one of some tries."""
        for _ in range(TRIES):
            with tempfile.TemporaryDirectory() as place:
                said = run(self.program, verb, self.folder / name, Path(place))
                made = [path.name for path in Path(place, "out").rglob("*") if path.is_file()]
            is_cheap = said[3] <= MOST_CPU[verb] or said[3] <= MOST_CPU[verb] * slowness()
            if is_cheap:
                break
        return said, made, is_cheap

    def one(self, name, wanted):
        wrong, figures, most, ids = [], [], 0, set()
        for verb in ("check", "repair"):
            (status, out, errors, cpu, memory), made, is_cheap = self.run(verb, name)
            figures.append(f"{cpu:.2f} s")
            memory += int(OTHERS * self.floor)
            most = max(most, memory)
            if not is_cheap:
                wrong.append(f"{verb}: too much CPU")
            if memory > MOST_MEMORY:
                wrong.append(f"{verb}: too much memory")
            if status not in (0, 3) or len(lines_in(out)) != 1:
                wrong.append(f"{verb}: exit status {status} {errors.strip()[:200]}")
            elif verb == "check":
                book = lines_in(out)[0]
                ids = {finding["id"] for finding in book["findings"]}
                wrong.append(missing(ids, wanted, book["verdict"]))
            if set(made) - {name}:
                wrong.append(f"{verb}: wrote {made}")
        wrong = [one for one in wrong if one]
        self.bad += bool(wrong)
        print("\t".join([name, *figures, f"{most >> 20} MB", ",".join(sorted(ids)), "; ".join(wrong)]),
              flush=True)

    def watch(self, verb):
        """Everything again, under strace."""
        with tempfile.TemporaryDirectory() as place:
            log = Path(place, "strace.log")
            # Without --seccomp-bpf: what a cell is refused must be seen as well.
            strace = ["strace", "-f", "-y", "-qq", "-s", "4096", "-e", "signal=none", "-e", f"trace={CALLS}",
                      "-o", str(log)]
            done = subprocess.run(
                strace + words_of(self.program, verb, Path(place), self.folder), capture_output=True,
                env=environment_of(Path(place)), timeout=300, check=False)
            wrong = [line for line in log.read_text(errors="replace").splitlines()
                     if is_wrong(line, place, self.program)]
            if done.returncode not in (0, 3):
                wrong.append(f"exit status {done.returncode}: {done.stderr.decode()[:300]}")
        for line in wrong[:20]:
            print(f"{verb}, under strace: {line[:300]}")
        self.bad += bool(wrong)


def is_wrong(line, place, program):
    match = LINE.match(line)
    if not match:
        return False
    call, arguments = match[1], match[2]
    # A path is relative to the folder whose descriptor stands before it.
    paths = [os.path.join(folder, path)
             for folder, path in re.findall(r'(?:<([^<>]*)>, )?"((?:[^"\\]|\\.)*)"', arguments)]
    if call in ("socket", "connect", "bind", "ptrace", "mount"):
        return True
    if call == "execve":
        return not paths or paths[0] != program
    if any(word in path for word in FORBIDDEN for path in paths):
        return True
    if call.startswith("open") and not re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_TMPFILE", arguments):
        return False
    if call.startswith("mkdir") and "EEXIST" in arguments:
        return False
    return any(not path.startswith((place, *HARMLESS)) for path in paths)


def planted(program, folder):
    """A program that does what none may."""
    path = folder / "planted"
    path.write_text(f"#!/bin/sh\necho x > {folder}/evil\nread x < /etc/passwd\nexec {program} \"$@\"\n")
    path.chmod(0o755)
    return str(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--books")
    parser.add_argument("--expect-caught", action="store_true")
    chosen = parser.parse_args()
    if not shutil.which("strace"):
        print("SKIPPED: there is no strace here")
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(chosen.books or scratch, "hostile")
        names = chosen.names or (["epub-xxe-file.epub"] if chosen.expect_caught else [])
        if not (folder / "index.tsv").exists():
            make(folder, {*names, "epub-nav-deep.epub"} if names else ())
        program = os.path.abspath(chosen.program)
        judge = Judge(planted(program, Path(scratch)) if chosen.expect_caught else program, folder)
        for line in (folder / "index.tsv").read_text().splitlines():
            name, _what, wanted = line.split("\t")
            if not chosen.expect_caught and (not names or name in names):
                judge.one(name, wanted)
        for verb in ("check", "repair"):
            judge.watch(verb)
    print(f"{judge.bad} things were wrong")
    if chosen.expect_caught:
        return 0 if judge.bad == 2 else 1
    return 1 if judge.bad else 0


if __name__ == "__main__":
    sys.exit(main())
