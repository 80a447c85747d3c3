#!/usr/bin/env python3
"""`tidemill dupes` beside what people use today, and beside what it cannot be faster than.

  dupes.py --corpus DIR [--small] [--large] [--cold] [--rounds 5] [--seed 1] [--state DIR]
           [--build build/release] [--tidemill BIN] [--tree small]
  dupes.py --files N [--folder DIR] [--rounds 5]

DIR holds the trees `small` and `large` of gen_corpus.py and their truth; what is missing is made
when TIDEMILL_CORPUS names the folder with tree/gen_corpus.py. Without a choice --small is measured.
--tree takes another tree in the place of `small`. --cold empties the page cache before every run
(root only). --files makes N files of 8 bytes in DIR, which may be a tmpfs, and looks at memory.

First every program finds the groups once: ours must be those of the truth, and the others' as many.
This also warms the page cache. Then, in every round, all run once, in random order, from the same
folder with the same relative name of the tree, with no output:

  tidemill         its catalogue deleted before; also with --verify
  no catalogue     tidemill --no-catalogue
  rescan           tidemill with the catalogue of a run before, nothing changed
  jdupes, ...      see dupes_rivals.py; who is not installed is left out
  bare walk        walk_bench: getdents64 and statx with two threads, nothing else. A limit.
  sweep            walk_bench: tidemill's own walk. bfs: the same with -printf %s
  pure read        pure_read: the files that share their size with another one are opened, read and
                   closed by two threads, nothing else. A limit.
  walk + read      the sum of both limits: what finding duplicates costs without any thought

How it is measured: contest.py.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import dupes_rivals
from contest import (Contestant, Disturbance, Goal, add_sum, judge, judge_memory, play, table,
                     tell_machine, verdict, version_of, worthless)

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
DEBIAN = ["jdupes -Q", "rmlint", "rdfind"]

GOALS = {
    "small": [
        Goal("wall / jdupes -Q", "tidemill", "wall", ["jdupes -Q"], 0.40),
        Goal("CPU / jdupes -Q", "tidemill", "cpu", ["jdupes -Q"], 0.75),
        Goal("--verify: wall / jdupes", "verify", "wall", ["jdupes"], 0.50),
        Goal("wall / rmlint", "tidemill", "wall", ["rmlint"], 0.10),
        Goal("CPU / pure read", "tidemill", "cpu", ["pure read"], 1.3),
        Goal("--no-catalogue: CPU / pure read", "no catalogue", "cpu", ["pure read"], 1.1),
        Goal("sweep: wall / bare walk", "sweep", "wall", ["bare walk"], 1.15),
        Goal("sweep: wall / bfs with sizes", "sweep", "wall", ["bfs"], 0.55),
        Goal("rescan: CPU / bare walk", "rescan", "cpu", ["bare walk"], 2.0),
    ],
    "large": [
        Goal("wall / jdupes -Q", "tidemill", "wall", ["jdupes -Q"], 0.45),
        Goal("CPU / pure read", "tidemill", "cpu", ["pure read"], 1.3),
        Goal("--no-catalogue: CPU / pure read", "no catalogue", "cpu", ["pure read"], 1.1),
    ],
    "cold": [
        Goal("wall / best in Debian", "tidemill", "wall", DEBIAN, 0.5),
        Goal("--jobs 8: wall / best in Debian", "8 threads", "wall", DEBIAN, 0.5),
    ],
}


def write_candidates(folder, tree, to):
    """The files that some other file is as large as, one name each, ended by a NUL; by inode in
    each folder, as nobody can read them much faster."""
    by_size, folders = collections.defaultdict(dict), [os.fsencode(folder / tree)]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in sorted(entries, key=lambda entry: entry.inode()):
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                elif entry.is_file(follow_symlinks=False):
                    status = entry.stat(follow_symlinks=False)
                    by_size[status.st_size].setdefault((status.st_dev, status.st_ino), entry.path)
    partners = {path for size, files in by_size.items() if size > 0 and len(files) > 1
                for path in files.values()}
    in_order = sorted((os.path.dirname(path), inode, path) for files in by_size.values()
                      for (_, inode), path in files.items() if path in partners)
    start = len(os.fsencode(folder)) + 1
    to.write_bytes(b"".join(path[start:] + b"\0" for _, _, path in in_order))


def totals_of(tidemill, arguments, folder, state):
    """The last line of --jsonl."""
    environment = dict(os.environ, TIDEMILL_STATE=str(state))
    last = b""
    with subprocess.Popen([tidemill, "dupes", "-q", "--jsonl", *arguments], cwd=folder,
                          env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE) as child:
        for last in child.stdout:
            pass
    if child.returncode != 0:
        worthless(f"tidemill dupes ended with {child.returncode}")
    return json.loads(last)


def check_truth(tidemill, folder, tree, work):
    """Only the absolute root gives the names that the truth has."""
    with open(work / "report.json", "wb") as report:
        subprocess.run([tidemill, "dupes", "-q", "--json", "--no-catalogue", folder / tree],
                       stdout=report, env=dict(os.environ, TIDEMILL_STATE=str(work)), check=True)
    script = REPOSITORY / "tests" / "dupes" / "check_truth.py"
    truth = folder / f"{tree}.truth.tsv"
    print("tidemill:", end=" ", flush=True)
    call = [sys.executable, script, truth, work / "report.json"]
    if subprocess.run(call, check=False).returncode != 0:
        worthless("not the groups of the truth")


def check_everybody(tidemill, folder, tree, work, others):
    """Those of `others` that find as many groups: who finds another number did other work. Leaves a
    catalogue for the rescan."""
    check_truth(tidemill, folder, tree, work)
    totals = totals_of(tidemill, [tree], folder, work / "kept")
    verified = totals_of(tidemill, ["--no-catalogue", "--verify", tree], folder, work / "kept")
    if verified["groups"] != totals["groups"]:
        worthless(f"{totals['groups']} groups, but {verified['groups']} with --verify")
    equals = []
    for rival in others:
        groups = dupes_rivals.groups_of(rival, folder, dict(os.environ))
        found = "failed" if groups is None else f"{groups} groups"
        if groups == totals["groups"]:
            equals.append(rival)
        else:
            found += ", LEFT OUT"
        print(f"{rival.name}: {found} ({version_of(rival.command[0])})", flush=True)
    return totals, equals


def ours(options, tree, work):
    """Everything of tidemill, by name; the order is that of the table."""
    call = [options.tidemill, "dupes", "-q", "--top", "1", tree]
    return {
        "tidemill": Contestant(call, work / "fresh", True),
        "8 threads": Contestant([*call, "--jobs", "8"], work / "fresh8", True),
        "no catalogue": Contestant([*call, "--no-catalogue"], work / "none", True),
        "verify": Contestant([*call, "--verify"], work / "verify", True),
        "rescan": Contestant(call, work / "kept"),
    }


def limits(options, tree, work, threads=2):
    bench = options.build / "bench"
    found = {
        "pure read": Contestant([bench / "pure_read", work / "candidates", threads]),
        "bare walk": Contestant([bench / "walk_bench", "--once", "bare", tree]),
        "sweep": Contestant([bench / "walk_bench", "--once", "sweep", tree]),
        "bfs": Contestant(["bfs", tree, "-type", "f", "-printf", "%s\\n"]),
    }
    for name, limit in list(found.items()):
        if not shutil.which(limit.command[0]):
            print(f"{name}: {limit.command[0]} was not found, left out")
            del found[name]
    return found


def find_tree(folder, tree):
    """Makes it when that is possible; False and a message when not."""
    if (folder / tree).is_dir() and (folder / f"{tree}.truth.tsv").is_file():
        return True
    generator = pathlib.Path(os.environ.get("TIDEMILL_CORPUS", "")) / "tree" / "gen_corpus.py"
    if (folder / tree).exists() or tree not in ("small", "large") or not generator.is_file():
        print(f"skipped: {folder} has no {tree} with its truth, and TIDEMILL_CORPUS no "
              "tree/gen_corpus.py to make it")
        return False
    print(f"making {folder / tree}", flush=True)
    subprocess.run([sys.executable, generator, tree, folder / tree], check=True)
    return True


def contest(kind, options, dice, work):
    """One of GOALS: everybody on one tree."""
    folder, is_cold = options.corpus, kind == "cold"
    tree = "large" if kind == "large" else options.tree
    if is_cold and os.geteuid() != 0:
        print("skipped: --cold empties the page cache, which only root can do")
        return
    if not find_tree(folder, tree):
        return
    print(f"\n== {kind}: {tree}")
    totals, others = check_everybody(options.tidemill, folder, tree, work, dupes_rivals.rivals(tree))
    write_candidates(folder, tree, work / "candidates")
    everybody = ours(options, tree, work)
    for name in ("no catalogue", "verify", "rescan") if is_cold else ("8 threads",):
        del everybody[name]
    everybody |= {rival.name: Contestant(rival.command) for rival in others
                  if not is_cold or rival.name != "jdupes"}
    found = limits(options, tree, work, 8 if is_cold else 2)
    everybody |= {name: limit for name, limit in found.items()
                  if not is_cold or name == "pure read"}
    disturbance = Disturbance()
    rounds = play(everybody, folder, options, dice, is_cold)
    add_sum(rounds, "walk + read", ["bare walk", "pure read"])
    table(rounds, everybody)
    judge(rounds, GOALS[kind])
    judge_memory(rounds, "tidemill", 16e6 + 100 * totals["found"], "RSS / (16 MB + 100 B a file)")
    if "rescan" in everybody:
        read = totals_of(options.tidemill, [tree], folder, work / "kept")["bytesRead"]
        verdict("rescan: bytes of contents read", [read], 0)
    disturbance.tell()


def make_files(folder, count):
    """Pairs: every file has one copy, and all have the same size."""
    for number in range(count):
        if number % 1000 == 0:
            place = folder / f"folder{number // 1000:06d}"
            place.mkdir()
        with open(place / f"file{number:09d}.txt", "wb") as file:
            file.write(b"%08d" % (number // 2))


def many_files(options, dice, work):
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="many-files-") as place:
        make_files(pathlib.Path(place), options.files)
        everybody = {name: one for name, one in ours(options, ".", work).items()
                     if name in ("tidemill", "no catalogue")}
        small = [*everybody["tidemill"].command, "--memory", "64M"]
        everybody["--memory 64M"] = Contestant(small, work / "small", True)
        print(f"\n== {options.files} files of 8 bytes in {place}")
        disturbance = Disturbance()
        rounds = play(everybody, place, options, dice)
        table(rounds, everybody)
        print("\ngoals:")
        allowed = 16e6 + 100 * options.files
        for name in ("tidemill", "no catalogue"):
            judge_memory(rounds, name, allowed, f"{name}: RSS / (16 MB + 100 B a file)")
        judge_memory(rounds, "--memory 64M", 64 * 2**20, "--memory 64M: RSS / 64 MiB")
        disturbance.tell()


def parsed():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=pathlib.Path, help="the folder of the trees")
    parser.add_argument("--small", action="store_true", help="200,000 small files, warm")
    parser.add_argument("--large", action="store_true", help="200 large files, warm")
    parser.add_argument("--cold", action="store_true", help="200,000 small files, cold; root only")
    parser.add_argument("--tree", default="small", help="in the place of small")
    parser.add_argument("--files", type=int, help="make so many files and look at memory")
    parser.add_argument("--folder", help="where --files makes them")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--build", type=pathlib.Path, default="build/release")
    parser.add_argument("--tidemill", type=pathlib.Path, help="the program; else of --build")
    parser.add_argument("--state", help="where catalogues are kept: a disk, not a tmpfs")
    options = parser.parse_args()
    if not options.corpus and not options.files:
        parser.error("--corpus or --files is needed")
    if options.rounds < 1 or (options.files is not None and options.files < 1):
        parser.error("less than one makes no sense")
    options.build = options.build.absolute()  # all programs run in the folder of the trees
    options.tidemill = (options.tidemill or options.build / "tidemill").absolute()
    for program in (options.tidemill, options.build / "bench" / "cost_of"):
        if not os.access(program, os.X_OK):
            parser.error(f"{program} is no program; see --build and --tidemill")
    if options.corpus:
        options.corpus = options.corpus.absolute()
    return options


def main():
    options = parsed()
    dice = random.Random(options.seed)
    tell_machine(f"{version_of(options.tidemill)}, {options.rounds} rounds, "
                 f"seed {options.seed}")
    kinds = [kind for kind in GOALS if getattr(options, kind)] or ["small"]
    with tempfile.TemporaryDirectory(dir=options.state) as folder:
        work = pathlib.Path(folder).absolute()
        if options.files:
            many_files(options, dice, work)
        for kind in kinds if options.corpus else []:
            place = work / kind
            place.mkdir()
            contest(kind, options, dice, place)


if __name__ == "__main__":
    main()
