#!/usr/bin/env python3
"""Every value of an import, by an independent reader: both writers, 1, 2 and 8 workers, all ways.

The data come from the generator in TIDEMILL_CORPUS (jsonl/gen_sde.py); without it the test is skipped,
loudly. check_rows.py compares with the sources; databases that must be the same are compared with
each other, table by table. Then odd records by chance (odd.py), imports that are killed, files that
change between two imports, and the generator's hostile files, one by one and together.

usage: TIDEMILL=program exact.py [--scale 0.01] [--only PART] [--self-test]
"""

import argparse
import gzip
import hashlib
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

import check_rows
import odd

PROGRAM = os.environ.get("TIDEMILL", "tidemill")
HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
DONE, FAILED, SOME_FAILED = 0, 1, 3


class Wrong(Exception):
    pass


def run(*arguments, status=DONE, stdin=None):
    """The report; the exit status must be the one that is expected."""
    done = subprocess.run([PROGRAM, "import", *map(str, arguments), "--json", "-q"], stdin=stdin,
                          capture_output=True, check=False)
    if done.returncode != status:
        raise Wrong(f"exit status {done.returncode}, must be {status}: {arguments}\n"
                    + done.stderr.decode(errors="replace")[-2000:])
    return done.stdout


def checked(database, sources, given, report, stdin=None):
    """Reads it all again, and fails if something is not where it must be."""
    told = database.with_suffix(".json")
    told.write_bytes(report)
    options = check_rows.options_of(check_rows.parse([*given, str(database), *map(str, sources)]))
    if check_rows.check(database, [*map(str, sources)], options, stdin, told):
        raise Wrong(f"{database.name}: {' '.join(given)}")


# Two databases.

def tables_of(db):
    return [name for name, in db.execute("select name from sqlite_schema where type = 'table' and "
                                         "name not like '\\_tidemill\\_%' escape '\\' order by name")]


def digest(database, with_rowids=True):
    """Table → a hash of its values with their types; and of its rowids, what it declares, its indices."""
    db = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    digests = {}
    for name in tables_of(db):
        mark = hashlib.blake2b(digest_size=16)
        texts = (repr(row if with_rowids else row[1]) for row in check_rows.StoredTable(db, name).rows)
        for text in texts if with_rowids else sorted(texts):
            mark.update(text.encode())
        if with_rowids:
            for schema in db.execute("select type, name, sql from sqlite_schema where tbl_name = ? "
                                     "order by type, name", (name,)):
                mark.update(repr(schema).encode())
        digests[name] = mark.hexdigest()
    db.close()
    return digests


def same(first, second, why):
    if first != second:
        names = sorted(name for name in {*first, *second} if first.get(name) != second.get(name))
        raise Wrong(f"{why}: tables differ: {names[:8]}")


# The parts.

WAYS = [  # flags; the first is done with every number of workers
    [], ["--nested", "flatten"], ["--nested", "tables"], ["--languages", "en,de"],
    ["--nested", "tables", "--languages", "en"], ["--nested", "flatten", "--languages", "fr,ja"],
    ["--table", "all"], ["--no-key"], ["--key", "typeID"],
    ["--types", "basePrice=text,radius=real"], ["--index", "typeID,groupID"],
]


def clean_data(folder, data):
    """Ways, writers and workers."""
    for way in WAYS:
        first = None
        for writer in ("pages", "sql"):
            for workers in (1, 2, 8) if way == [] else (2,):
                database = folder / "clean.db"
                # A key that is not unique is told with the exit status, when it was asked for.
                status = SOME_FAILED if "--key" in way else DONE
                report = run(data, "--into", database, "--replace", "--writer", writer, "--jobs",
                             workers, *way, status=status)
                if first is None:
                    checked(database, [data], way, report)
                    first = digest(database)
                same(first, digest(database), f"{way} with {writer} and {workers} workers")
    for size in ("4K", "64K"):
        database = folder / "size.db"
        report = run(data, "--into", database, "--page-size", size, "--replace")
        checked(database, [data], [], report)
        pages = sqlite3.connect(database).execute("pragma page_size").fetchone()[0]
        if pages != int(size[:-1]) * 1024:
            raise Wrong(f"a page has {pages} bytes")


def packed_data(folder, data):
    """gz, zst and a mixture, standard input, single files."""
    packed = folder / "packed"
    packed.mkdir()
    for number, path in enumerate(sorted(data.glob("*.jsonl"))):
        if number % 3 == 0:
            (packed / (path.name + ".gz")).write_bytes(gzip.compress(path.read_bytes(), 1))
        elif number % 3 == 1:
            subprocess.run(["zstd", "-q", "-1", path, "-o", packed / (path.name + ".zst")], check=True)
        else:
            shutil.copy(path, packed / path.name.replace(".jsonl", ".ndjson"))
    for writer in ("pages", "sql"):
        database = folder / "packed.db"
        report = run(packed, "--into", database, "--replace", "--writer", writer)
        checked(database, [packed], [], report)
        whole = folder / "whole.db"
        run(data, "--into", whole, "--replace", "--writer", writer)
        same(digest(whole), digest(database), f"packed and plain, {writer}")
        for source in (data / "blueprints.jsonl", data / "translationLanguages.jsonl"):
            database = folder / "stdin.db"
            with open(source, "rb") as stdin:
                report = run("-", "--into", database, "--replace", "--writer", writer, stdin=stdin)
            checked(database, ["-"], [], report, source)


def damaged_data(folder, data):
    """A file that cannot be read to its end is not in; the others are."""
    damaged = folder / "damaged"
    damaged.mkdir()
    for name in ("types", "groups", "icons"):
        packed = gzip.compress((data / f"{name}.jsonl").read_bytes(), 1)
        (damaged / f"{name}.jsonl.gz").write_bytes(packed if name != "groups" else packed[:-500])
    for writer in ("pages", "sql"):
        database = folder / "damaged.db"
        report = run(damaged, "--into", database, "--replace", "--writer", writer, status=SOME_FAILED)
        failures = [os.path.basename(one["file"]) for one in json.loads(report)["failures"]]
        if failures != ["groups.jsonl.gz"]:
            raise Wrong(f"failed files: {failures}")
        checked(database, [damaged], [], report)


def hostile_data(folder, dirty):
    """Each file alone, and all of them together; the facts about them are the generator's."""
    facts = json.loads((dirty / "EXPECT.json").read_text())
    for writer in ("pages", "sql"):
        for name, fact in facts.items():
            hostile_file(folder, dirty / name, fact, writer, "json")
            if writer == "pages" and (fact["lines"] < 10000 or "objects" in fact):
                hostile_file(folder, dirty / name, fact, writer, "flatten")
                hostile_file(folder, dirty / name, fact, writer, "tables")
        database = folder / "dirty.db"
        report = run(dirty, "--into", database, "--replace", "--writer", writer, status=SOME_FAILED)
        checked(database, [dirty], [], report)


def hostile_file(folder, path, fact, writer, nested):
    database = folder / "dirty.db"
    database.unlink(missing_ok=True)  # nothing but rejects would not replace it
    bad = refused_lines(path.name, fact)
    report = run(path, "--into", database, "--writer", writer, "--nested", nested,
                 status=SOME_FAILED if bad else DONE)
    checked(database, [path], ["--nested", nested], report)
    told = json.loads(report)
    if told["lines"] != fact["lines"] or told["rejected"] != len(bad):
        raise Wrong(f"{path.name}: {told['lines']} lines, {told['rejected']} rejected")
    db = sqlite3.connect(database)
    found = [line for line, in db.execute("select line from _rejects order by line")]
    if found != bad:
        raise Wrong(f"{path.name}: rejected lines {found}, must be {bad}")
    db.close()


def refused_lines(name, fact):
    """What the facts and the rules say: not by the model, but by looking at the files."""
    known = {"dup_field.jsonl": [1], "deep.jsonl": [3], "not_objects.jsonl": [2, 3, 4, 5],
             "two_per_line.jsonl": [1]}
    return sorted(known.get(name, []) + fact.get("bad_lines", [])
                  + fact.get("invalid_utf8_lines", []) + fact.get("lone_surrogate_lines", []))


ODD_WAYS = [[], ["--nested", "flatten"], ["--nested", "tables", "--languages", "en,de"],
            ["--languages", "en,zh-CN", "--no-key"], ["--table", "all", "--nested", "flatten"],
            ["--types", "a=integer,b=real,x=text,position=text", "--key", "a"]]


def odd_data(folder, _):
    """Records and damaged lines by chance, the same every time (ODD_SEED: others)."""
    data = folder / "odd"
    odd.write(data, os.environ.get("ODD_SEED", "1"))
    for way in ODD_WAYS:
        first = None
        for writer, workers in (("pages", 1), ("pages", 8), ("sql", 2)):
            database = folder / "odd.db"
            report = run(data, "--into", database, "--replace", "--writer", writer, "--jobs", workers,
                         *way, status=SOME_FAILED)
            if first is None:
                checked(database, [data], way, report)
                first = digest(database)
            same(first, digest(database), f"{way} with {writer} and {workers} workers")


# Kills, and files that change.

def wait_for(process, is_reached):
    """Until it is reached, or the process has ended."""
    while process.poll() is None and not is_reached():
        signal.sigtimedwait([], 0.002)


def start(*arguments):
    return subprocess.Popen([PROGRAM, "import", *map(str, arguments), "-q"],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def size_of(path):
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def killed_fresh(folder, data):
    """The old database is as it was, and the next import does not mind what is left."""
    database, part = folder / "killed.db", folder / "killed.db.tidemill.part"
    run(data / "groups.jsonl", "--into", database, "--replace")
    before = database.read_bytes()
    whole = folder / "whole.db"
    run(data, "--into", whole, "--replace")
    largest = size_of(whole)
    for share in (0, 0.2, 0.5, 0.9):
        for writer in ("pages", "sql"):
            process = start(data, "--into", database, "--replace", "--writer", writer)
            wait_for(process, lambda: size_of(part) > share * largest)
            process.kill()
            if process.wait() == 0:
                database.write_bytes(before)  # it was faster than the kill
            elif database.read_bytes() != before:
                raise Wrong(f"killed at {share}: the old database has changed")
    run(data, "--into", database, "--replace")
    same(digest(whole), digest(database), "after a kill")
    left = sorted(path.name for path in folder.glob("killed.db*"))
    if left != ["killed.db"]:
        raise Wrong(f"left behind: {left}")


def killed_append(folder, data):
    """The same command goes on: no file twice, none missing."""
    whole = folder / "whole.db"
    run(data, "--into", whole, "--replace")
    expected = digest(whole, with_rowids=False)
    kills = 0
    for mode in ("--append", "--incremental"):
        for files in (1, 5, 20):
            database = folder / f"append{mode}{files}.db"
            db = sqlite3.connect(database)
            db.execute("pragma journal_mode = wal")  # others can look into it meanwhile
            db.close()
            process = start(data, "--into", database, mode)
            wait_for(process, lambda: files_in(database) >= files)
            process.kill()
            process.wait()
            if is_finished(database):
                continue  # it was faster than the kill; again would be another import
            kills += 1
            between = files_in(database)
            run(data, "--into", database, mode)
            same(expected, digest(database, with_rowids=False), f"{mode}, killed at {between} files")
            run(data, "--into", database, "--incremental")
            same(expected, digest(database, with_rowids=False), f"{mode}, then --incremental")
    print(f"{kills} of 6 were killed in the middle")


def files_in(database):
    try:
        db = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
        count = db.execute("select count(*) from _tidemill_files").fetchone()[0]
        db.close()
        return count
    except sqlite3.Error:
        return 0


def is_finished(database):
    try:
        db = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
        ended = db.execute("select max(ended) from _tidemill_imports").fetchone()[0]
        db.close()
        return ended is not None
    except sqlite3.Error:
        return False


def changed_files(folder, data):
    """--incremental ends where an import of everything would, whatever changed between."""
    copy = folder / "copy"
    shutil.copytree(data, copy)
    database, whole = folder / "changing.db", folder / "whole.db"
    for way in ([], ["--nested", "tables", "--languages", "en"]):
        run(copy, "--into", database, "--replace", *way)
        for path, lines in ((copy / "groups.jsonl", slice(3, -5)), (copy / "types.jsonl", slice(0, 40)),
                            (copy / "_sde.jsonl", slice(0, 0))):
            path.write_bytes(b"".join(path.read_bytes().splitlines(True)[lines]))
        with open(copy / "icons.jsonl", "ab") as file:
            file.write(b'{"_key": 99999999, "iconFile": 5, "late": [1, {"a": 2}]}\n{"_key": \n')
        (copy / "brand_new.jsonl").write_bytes(b'{"_key": 1}\n')
        report = json.loads(run(copy, "--into", database, "--incremental", *way, status=SOME_FAILED))
        if report["done"] != 5:
            raise Wrong(f"5 of the files have changed: {report['done']}")
        run(copy, "--into", whole, "--replace", *way, status=SOME_FAILED)
        first, second = (digest(each, with_rowids=False) for each in (whole, database))
        same(first, second, f"incremental {way}")
        shutil.rmtree(copy)
        shutil.copytree(data, copy)


# The checker itself: what is changed in a good database must be found.

DAMAGES = {
    "a value": "update groups set published = 1 - published where rowid = 7",
    "a letter": "update groups set name_en = name_en || '.' where rowid = 9",
    "a storage class": "update translationLanguages set name = cast(name as blob) where rowid = 2",
    "a missing value": "update groups set categoryID = null where rowid = 3",
    "the last digit": "update mapStars set radius = radius + 1 where rowid = (select max(rowid) from mapStars)",
    "a row less": "delete from icons where rowid = (select max(rowid) from icons)",
    "a row less in the middle": "delete from icons where rowid = 30",
    "a row more": "insert into icons(_key, iconFile) values(123456789, 'x')",
    "a rowid": "update translationLanguages set rowid = 100 where rowid = 8",
    "a line number": "update _rejects set line = line + 1 where rowid = (select min(rowid) from _rejects)",
    "an offset": "update _rejects set offset = offset - 1 where rowid = (select max(rowid) from _rejects)",
    "a reason": "update _rejects set reason = 'not UTF-8' where reason like '%twice%'",
    "a text": "update _rejects set text = text || ' ' where reason like '%twice%'",
    "a reject less": "delete from _rejects where rowid = (select max(rowid) from _rejects)",
    "a reject more": "insert into _rejects select * from _rejects limit 1",
    "a count": "update _tidemill_files set blank = blank + 1 where name like '%icons%'",
    "a file less": "delete from _tidemill_files where name like '%icons%'",
    "a table less": "drop table races",
    "a table more": "create table more(x)",
    "a column more": "alter table icons add column more",
    "an index less": "drop index translationLanguages_key",
    "a column renamed": "alter table icons rename column iconFile to iconfile",
    "a type": "pragma writable_schema = on; update sqlite_schema set sql = "
              "replace(sql, '\"categoryID\" INTEGER', '\"categoryID\" REAL') where name = 'groups'",
    "a child's position": "update masteries__value set position = position + 1 where rowid = "
                          "(select max(rowid) from masteries__value)",
    "a child's parent": "update masteries__value set parent = parent + 1 where rowid = "
                        "(select min(rowid) from masteries__value)",
}


def self_test(folder, data):
    mixed = folder / "mixed"
    mixed.mkdir()
    for name in ("groups", "icons", "translationLanguages", "races", "mapStars", "masteries"):
        shutil.copy(data / f"{name}.jsonl", mixed)
    (mixed / "bad.jsonl").write_bytes(b'{"_key":1}\n{"_key":2,"_key":3}\n\n{"_key":4,\n{"a":1.50}\n')
    good, copy, way = folder / "good.db", folder / "bad.db", ["--nested", "tables"]
    report = run(mixed, "--into", good, *way, status=SOME_FAILED)
    checked(good, [mixed], way, report)
    options = check_rows.options_of(check_rows.parse([*way, str(good), str(mixed)]))
    for what, damage in DAMAGES.items():
        shutil.copy(good, copy)
        db = sqlite3.connect(copy)
        db.executescript(damage)
        is_changed = db.total_changes > 0 or damage.startswith(("drop", "create", "alter"))
        db.commit()
        db.close()
        print(f"-- {what}")
        if not is_changed:
            raise Wrong(f"nothing was changed by: {damage}")
        if not check_rows.check(copy, [str(mixed)], options):
            raise Wrong(f"not found: {what}")


PARTS = {"clean": clean_data, "packed": packed_data, "damaged": damaged_data, "odd": odd_data,
         "killed_fresh": killed_fresh, "killed_append": killed_append, "changed": changed_files}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", default="0.01")
    parser.add_argument("--only", choices=[*PARTS, "hostile"])
    parser.add_argument("--self-test", action="store_true", help="tries the checker, not the program")
    given = parser.parse_args()
    corpus = os.environ.get("TIDEMILL_CORPUS")
    if not corpus:
        print("SKIPPED: TIDEMILL_CORPUS is not set, so there is no generator", file=sys.stderr)
        return SKIPPED
    generator = pathlib.Path(corpus, "jsonl", "gen_sde.py")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data, dirty = folder / "data", folder / "dirty"
        subprocess.run([sys.executable, generator, "--out", data, "--scale", given.scale], check=True)
        subprocess.run([sys.executable, generator, "--out", dirty, "--dirty"], check=True)
        try:
            if given.self_test:
                self_test(folder, data)
                return 0
            for part, test in PARTS.items():
                if given.only in (None, part):
                    print(f"== {part}", flush=True)
                    (folder / part).mkdir()
                    test(folder / part, data)
            if given.only in (None, "hostile"):
                print("== hostile", flush=True)
                hostile_data(folder, dirty)
        except Wrong as wrong:
            print(f"WRONG: {wrong}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
