#!/usr/bin/env python3
"""`tidemill import` beside what people use today, and beside what it cannot be faster than.

  import.py --data DIR [--full] [--tenth] [--memory] [--rounds 5] [--seed 1] [--state DIR]
            [--corpus DIR] [--modules DIR] [--build build/release] [--tidemill BIN]

DIR holds the sets `s1` (1.4 GB, 1.48 million rows in 57 files) and `s01` (a tenth of it) of
gen_sde.py; what is missing is made there when --corpus, or else TIDEMILL_CORPUS, names the folder
with jsonl/gen_sde.py. Without a choice --tenth is measured. Databases are written to --state, which
should be a disk. DuckDB is taken from npm and kept in --modules, outside of the repository.

First everybody imports once, the rows are counted, and who lost some is left out. This also warms
the page cache. Then, in every round, all run once, in random order; before each, the database of
the one before is deleted and the disk is quiet:

  pages, pages 1     tidemill import, with two workers and with one
  sql                tidemill import --writer sql
  ... no verify      the same without the check at the end
  recipe             import_recipe: the same reader and parser, but stored as is usually advised:
                     WAL, synchronous NORMAL, pages of 4 KiB, 64 MB of cache, one row a statement,
                     a commit every 1,000 rows
  bare insert        import_bare: the rows lie in memory, an insert loop stores them, only this is
                     timed. A limit for whoever lets SQLite store rows. + fsync: and is durable
  DuckDB             into its own format, typed by all lines; sampled: typed by the first 20,480
  sqlite-utils       insert --nl --alter, a command a file; one start: the same in one process
  Python script      import_python.py: json.loads and executemany

--memory looks at the resident size of ours: both sets, the same as .gz, and one line of 100 MB.
CPU time is user + system, children included; how it is measured: contest.py.
"""
import argparse
import gzip
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

import import_rivals
from contest import (Cost, Disturbance, Goal, judge, ratios_of, tell_machine, verdict, version_of,
                     worthless)
from import_rivals import Contestant, count_sqlite

PUBLISHED = 20_000  # rows a second, by the author of the usual importer of this data
MOST_MEMORY = 64 * 2**20
LONG_LINE = 100_000_000

GOALS = {
    "s1": [
        Goal("sql: CPU / recipe", "sql", "cpu", ["recipe"], 1 / 1.9),
        Goal("pages: CPU / recipe", "pages", "cpu", ["recipe"], 1 / 3),
        Goal("sql: CPU / DuckDB", "sql", "cpu", ["DuckDB"], 1 / 4),
        Goal("pages: CPU / DuckDB", "pages", "cpu", ["DuckDB"], 1 / 6),
        Goal("sql: RSS / DuckDB", "sql", "rss", ["DuckDB"], 1 / 15),
        Goal("pages: RSS / DuckDB", "pages", "rss", ["DuckDB"], 1 / 15),
        Goal("pages: wall / bare insert", "pages", "wall", ["bare insert"], 0.8),
    ],
    "s01": [
        Goal("sql: CPU / sqlite-utils", "sql", "cpu", ["sqlite-utils"], 1 / 40),
        Goal("pages: CPU / sqlite-utils", "pages", "cpu", ["sqlite-utils"], 1 / 40),
    ],
}
# Not promised, but good to know: the same with what is left out, or against a harder rival.
BESIDE = {
    "s1": [
        Goal("sql, no verify: CPU / recipe", "sql no verify", "cpu", ["recipe"], 1 / 1.9),
        Goal("pages, no verify: CPU / recipe", "pages no verify", "cpu", ["recipe"], 1 / 3),
        Goal("sql: wall / recipe", "sql", "wall", ["recipe"], 1 / 1.9),
        Goal("pages: wall / recipe", "pages", "wall", ["recipe"], 1 / 3),
        Goal("sql: CPU / DuckDB sampled", "sql", "cpu", ["DuckDB sampled"], 1 / 4),
        Goal("pages: CPU / DuckDB sampled", "pages", "cpu", ["DuckDB sampled"], 1 / 6),
        Goal("pages, no verify: wall / bare insert", "pages no verify", "wall", ["bare insert"],
             0.8),
        Goal("pages: wall / bare insert + fsync", "pages", "wall", ["bare + fsync"], 0.8),
        Goal("pages, no verify: wall / bare + fsync", "pages no verify", "wall", ["bare + fsync"],
             0.8),
        Goal("pages: CPU / bare insert", "pages", "cpu", ["bare insert"], 1.5),
        Goal("pages: wall / pages with one worker", "pages", "wall", ["pages 1"], 1 / 1.5),
    ],
    "s01": [
        Goal("sql: CPU / sqlite-utils, one start", "sql", "cpu", ["one start"], 1 / 40),
        Goal("pages: CPU / sqlite-utils, one start", "pages", "cpu", ["one start"], 1 / 40),
        Goal("sql: CPU / Python script", "sql", "cpu", ["Python script"], 1 / 20),
        Goal("pages: CPU / Python script", "pages", "cpu", ["Python script"], 1 / 20),
    ],
}


def find_set(options, name):
    """Makes it when that is possible; None and a message when not."""
    folder = options.data / name
    if (folder / "MANIFEST.json").is_file():
        return folder
    generator = options.corpus / "jsonl" / "gen_sde.py"
    if folder.exists() or not generator.is_file():
        print(f"skipped: {folder} is no generated set, and there is no {generator} to make it")
        return None
    print(f"making {folder}", flush=True)
    scale = {"s1": "1", "s01": "0.1"}[name]
    subprocess.run([sys.executable, generator, "--out", folder, "--scale", scale],
                   stdout=subprocess.DEVNULL, check=True)
    return folder


def lines_of(folder):
    return json.loads((folder / "MANIFEST.json").read_text(encoding="utf-8"))["lines"]


def ours(options, source):
    call = [options.tidemill, "import", "-q", source, "--into", "{out}", "--jobs"]
    pages, sql = [*call, "2", "--writer", "pages"], [*call, "2", "--writer", "sql"]
    commands = {
        "pages": pages,
        "pages no verify": [*pages, "--no-verify"],
        "pages 1": [*call, "1", "--writer", "pages"],
        "sql": sql,
        "sql no verify": [*sql, "--no-verify"],
    }
    return {name: Contestant(command, count_sqlite) for name, command in commands.items()}


def everybody(options, source, rows_in, is_full):
    """By name, in the order of the table. `rows_in`: a database with the rows of the source."""
    bench = options.build / "bench"
    found = ours(options, source)
    found["recipe"] = Contestant([bench / "import_recipe", source, "{out}"], count_sqlite)
    found["bare insert"] = Contestant([bench / "import_bare", rows_in, "{out}"], count_sqlite, True)
    modules = import_rivals.duckdb_modules(options.modules)
    print(import_rivals.versions(modules))
    if modules:
        found["DuckDB"] = import_rivals.duckdb(source, modules)
        found["DuckDB sampled"] = import_rivals.duckdb(source, modules, "20480")
    else:
        print("DuckDB: node or @duckdb/node-api cannot be had, left out")
    if not is_full:
        found |= import_rivals.slow_ones(source)
    for name in [name for name, one in found.items() if not shutil.which(one.command[0])]:
        print(f"{name}: {found.pop(name).command[0]} was not found, left out")
    return found


def measure(name, contestant, out, options):
    """What it cost, by name: who times itself has a second line with its fsync."""
    shutil.rmtree(out.parent, ignore_errors=True)
    out.parent.mkdir()
    os.sync()
    command = [str(part).replace("{out}", str(out)) for part in contestant.command]
    environment = dict(os.environ, TIDEMILL_STATE=str(out.parent.parent / "state"))
    if not contestant.times_itself:
        command.insert(0, str(options.build / "bench" / "cost_of"))
    said = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          env=environment, check=False)
    fields = said.stdout.split()
    if said.returncode != 0 or (not contestant.times_itself and fields[0] != b"0"):
        return None
    if contestant.times_itself:
        wall, cpu, sync = map(float, fields[1:])
        return {name: Cost(wall, cpu, 0), "bare + fsync": Cost(wall + sync, cpu, 0)}
    return {name: Cost(float(fields[1]), float(fields[2]), int(fields[3]))}


def keep_who_lost_nothing(contestants, rows, out, options):
    """Everybody plays once. Ours must be right; of the others it is said who is not."""
    kept = {}
    for name, contestant in contestants.items():
        cost = measure(name, contestant, out, options)
        found = contestant.count(out) if cost else None
        if found == rows:
            kept[name] = contestant
            continue
        what = "failed" if found is None else f"{found} rows of {rows}"
        if contestant.command[0] == options.tidemill:
            worthless(f"{name}: {what}")
        print(f"{name}: {what}, LEFT OUT", flush=True)
    print(f"{rows} rows each: {', '.join(kept)}", flush=True)
    return kept


def play(contestants, out, options, dice):
    rounds, order = [], list(contestants)
    for _ in range(options.rounds):
        dice.shuffle(order)
        played = {}
        for name in order:
            cost = measure(name, contestants[name], out, options)
            if cost is None:
                worthless(f"{name} failed")
            played |= cost
        rounds.append(played)
    return rounds


def table(rounds, order, rows):
    print(f"\n{'':16} {'wall s min':>10} {'median':>8} {'CPU s min':>10} {'median':>8} "
          f"{'RSS MB':>8} {'rows/s':>9}   pages/it: wall   CPU   sql/it: wall   CPU")
    for name in [*order, *(name for name in rounds[0] if name not in order)]:
        costs = [played[name] for played in rounds]
        walls, cpus = [cost.wall for cost in costs], [cost.cpu for cost in costs]
        rss = max(cost.rss for cost in costs) / 1e6
        ratios = [statistics.median(ratios_of(rounds, Goal("", us, field, [name], 0)))
                  for us in ("pages", "sql") for field in ("wall", "cpu")]
        print(f"{name:16} {min(walls):10.3f} {statistics.median(walls):8.3f} {min(cpus):10.3f} "
              f"{statistics.median(cpus):8.3f} {rss if rss else '-':>8{'.1f' if rss else ''}} "
              f"{rows / statistics.median(walls):9.0f}          {ratios[0]:6.3f} {ratios[1]:6.3f}"
              f"        {ratios[2]:6.3f} {ratios[3]:6.3f}")


def contest(name, options, dice, work):
    folder = find_set(options, name)
    if not folder:
        return
    rows, out = lines_of(folder), work / "out" / "database"
    print(f"\n== {name}: {folder.name}, {rows} rows")
    rows_in = work / "rows_in.db"
    subprocess.run([options.tidemill, "import", "-q", folder, "--into", rows_in], check=True)
    contestants = everybody(options, folder, rows_in, name == "s1")
    contestants = keep_who_lost_nothing(contestants, rows, out, options)
    disturbance = Disturbance()
    rounds = play(contestants, out, options, dice)
    table(rounds, contestants, rows)
    judge(rounds, GOALS[name])
    judge_more(rounds, rows)
    print("beside the goals:")
    for goal in BESIDE[name]:
        verdict(goal.text, ratios_of(rounds, goal), goal.limit)
    disturbance.tell()
    rows_in.unlink()


def judge_more(rounds, rows):
    for us in ("pages", "sql"):
        slowest = [PUBLISHED * 15 / (rows / played[us].wall) for played in rounds]
        verdict(f"{us}: 15 x {PUBLISHED} rows/s / its rows/s", slowest, 1)
        verdict(f"{us}: RSS / 64 MiB", [played[us].rss / MOST_MEMORY for played in rounds], 1)


def pack(folder):
    """The same set, each file as gzip makes it; kept beside the set."""
    packed = folder.with_name(folder.name + "gz")
    if packed.is_dir():
        return packed
    part = packed.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    print(f"making {packed}", flush=True)
    for path in folder.glob("*.jsonl"):
        with open(path, "rb") as plain, gzip.open(part / (path.name + ".gz"), "wb", 6) as to:
            shutil.copyfileobj(plain, to, 2**20)
    return part.rename(packed)


def long_line(work, name, piece, brackets):
    """Among 20,000 ordinary lines one whose field `long` makes it as long as LONG_LINE."""
    path = work / f"{name}.jsonl"
    start, end = brackets
    with open(path, "w", encoding="ascii") as file:
        for key in range(20_000):
            file.write(f'{{"_key": {2 * key}, "name": "ordinary", "size": {key * 1.5}}}\n')
            if key == 10_000:
                repeats = LONG_LINE // len(piece)
                file.write(f'{{"_key": {2 * key + 1}, "long": {start}{piece * repeats}1{end}}}\n')
    return path


def memory(options, work):
    """Whether it depends on the size of the input."""
    print("\n== memory: largest resident size, of three runs")
    cases = []
    for name in ("s01", "s1"):
        if folder := find_set(options, name):
            cases += [(name, folder, 0), (f"{name}, .gz", pack(folder), 0)]
    cases += [
        ("100 MB line: a string", long_line(work, "plain", "text ", '""'), LONG_LINE),
        ("100 MB line: escapes", long_line(work, "escapes", "a\\u00e9\\n", '""'), LONG_LINE),
        ("100 MB line: a list", long_line(work, "list", "1.5,[2],", "[]"), LONG_LINE),
    ]
    out = work / "out" / "database"
    for text, source, line in cases:
        for writer in ("pages", "sql"):
            contestant = ours(options, source)[writer]
            costs = [measure(writer, contestant, out, options) for _ in range(3)]
            if None in costs:
                print(f"  {text}, {writer}: failed")
                continue
            used = [cost[writer].rss for cost in costs]
            allowed = MOST_MEMORY + line
            verdict(f"{text}, {writer} ({max(used) / 2**20:.1f} MiB)",
                    [rss / allowed for rss in used], 1)


def parsed():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    parser.add_argument("--data", type=pathlib.Path, required=True, help="the folder of the sets")
    parser.add_argument("--corpus", type=pathlib.Path, help="has jsonl/gen_sde.py",
                        default=os.environ.get("TIDEMILL_CORPUS", "."))
    parser.add_argument("--full", action="store_true", help="1.48 million rows")
    parser.add_argument("--tenth", action="store_true", help="a tenth, and the slow ones too")
    parser.add_argument("--memory", action="store_true", help="the resident size of ours")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--build", type=pathlib.Path, default="build/release")
    parser.add_argument("--tidemill", type=pathlib.Path, help="the program; else of --build")
    parser.add_argument("--modules", type=pathlib.Path, default=cache / "tidemill-bench" / "npm",
                        help="where DuckDB is, or is put")
    parser.add_argument("--state", help="where databases are written: a disk, not a tmpfs")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("less than one round makes no sense")
    options.build, options.data = options.build.absolute(), options.data.absolute()
    options.tidemill = (options.tidemill or options.build / "tidemill").absolute()
    for program in (options.tidemill, options.build / "bench" / "cost_of"):
        if not os.access(program, os.X_OK):
            parser.error(f"{program} is no program; see --build and --tidemill")
    return options


def main():
    options = parsed()
    dice = random.Random(options.seed)
    tell_machine(f"{version_of(options.tidemill)}, {options.rounds} rounds, "
                 f"seed {options.seed}")
    wants_none = not (options.full or options.tenth or options.memory)
    with tempfile.TemporaryDirectory(dir=options.state) as folder:
        work = pathlib.Path(folder).absolute()
        if options.tenth or wants_none:
            contest("s01", options, dice, work)
        if options.full:
            contest("s1", options, dice, work)
        if options.memory:
            memory(options, work)


if __name__ == "__main__":
    main()
