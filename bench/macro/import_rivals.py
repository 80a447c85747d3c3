"""Other ways from a folder of JSONL files to a database: how each is called, and its rows counted.

A contestant's command writes the database `{out}`. `count` says how many rows arrived there. One
that `times_itself` prints rows, wall and CPU seconds of the part that counts, and the wall seconds
of an fsync behind it.
"""
import collections
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess

from contest import version_of

HERE = pathlib.Path(__file__).resolve().parent
DEBIAN_PYTHON = "/usr/bin/python3"  # the one that has Debian's sqlite-utils

Contestant = collections.namedtuple("Contestant", "command count times_itself", defaults=(False,))

# As one types it, one command a table; and all of them in one process, which starts Python once.
SQLITE_UTILS = """for file in "$1"/*.jsonl; do name=${file##*/}
sqlite-utils insert "$2" "${name%.jsonl}" "$file" --nl --alter --silent || exit 1; done"""
SQLITE_UTILS_ONCE = """import pathlib, sys
from sqlite_utils.cli import cli
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.jsonl")):
    cli.main(["insert", sys.argv[2], path.stem, str(path), "--nl", "--alter", "--silent"],
             standalone_mode=False)"""


def count_sqlite(database):
    """The rows of all tables but those in which tidemill keeps its own."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as db:
        names = [name for name, in db.execute("select name from sqlite_schema where type='table'")
                 if name != "_rejects" and not name.startswith(("sqlite_", "_tidemill_"))]
        quoted = ['"' + name.replace('"', '""') + '"' for name in names]
        return sum(db.execute(f"select count(*) from {name}").fetchone()[0] for name in quoted)


def counted_by_duckdb(modules):
    def count(database):
        said = subprocess.run(["node", HERE / "import_duckdb.mjs", modules, "--count", database],
                              stdout=subprocess.PIPE, check=True)
        return int(said.stdout)
    return count


def duckdb_modules(cache):
    """Where @duckdb/node-api is, installed when it is not; None when that fails."""
    modules = cache / "node_modules"
    package = modules / "@duckdb" / "node-api" / "package.json"
    if not shutil.which("node"):
        return None
    if not package.is_file():
        cache.mkdir(parents=True, exist_ok=True)
        install = ["npm", "install", "--no-audit", "--no-fund", "--prefix", cache,
                   "@duckdb/node-api"]
        try:
            subprocess.run(install, stdout=subprocess.DEVNULL, check=True)
        except (OSError, subprocess.CalledProcessError):
            return None
    return modules


def versions(modules):
    """Of those who are here, on one line."""
    told = []
    if modules:
        package = modules / "@duckdb" / "node-api" / "package.json"
        told.append(f"@duckdb/node-api {json.loads(package.read_text())['version']}")
    for program in ("sqlite-utils", "sqlite3"):
        if shutil.which(program):
            told.append(f"{program} {version_of(program).split('version ')[-1][:6]}")
    return ", ".join(told)


def duckdb(folder, modules, *more):
    call = ["node", HERE / "import_duckdb.mjs", modules, folder, "{out}", *more]
    return Contestant(call, counted_by_duckdb(modules))


def slow_ones(folder):
    """Too slow for the full set."""
    found = {"Python script": Contestant(["python3", HERE / "import_python.py", folder, "{out}"],
                                         count_sqlite)}
    if shutil.which("sqlite-utils"):
        found["sqlite-utils"] = Contestant(["sh", "-c", SQLITE_UTILS, "sh", folder, "{out}"],
                                           count_sqlite)
        if os.access(DEBIAN_PYTHON, os.X_OK):
            found["one start"] = Contestant(
                [DEBIAN_PYTHON, "-c", SQLITE_UTILS_ONCE, folder, "{out}"], count_sqlite)
    return found
