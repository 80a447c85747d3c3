#!/usr/bin/env python3
"""Compares a database that `tidemill import` made with the files it was made from, value by value.

The files are read by Python's json, the database by sqlite3, and rules.py says what must be where:
tables, columns in order, declared types, every value with its storage class, rowids, keys, refused
lines, the ledger. Both sides are streamed. The outcome does not depend on what is compared first:
a row is compared by the types that the table declares, and these are compared at the end with what
was seen.

usage: check_rows.py [options as given to the import] [--stdin FILE] [--report REPORT.json] DB SOURCE…
"""

import argparse
import gzip
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import urllib.parse

import rules

SHOWN = 20  # differences; one is as wrong as a thousand
ENDINGS = tuple(kind + packing for kind in (b".jsonl", b".ndjson") for packing in (b"", b".gz", b".zst"))
TAKEN = ("_rejects", "_tidemill_imports", "_tidemill_files", "_tidemill_columns", "_tidemill_tables",
         "_tidemill_ledger")

# The words of a reason, and what rules.py calls it.
REASONS = (
    ("truncated", "cut"), ("after the value", "trailing"), ("not an object", "not_object"),
    ("duplicate", "twice"), ("UTF-8", "utf8"), ("surrogate", "surrogate"), ("control", "control"),
    ("deep", "deep"), ("longer than", "long"), ("as its column requires", "types"),
    ("", "malformed"),
)


class Different(Exception):
    """There is nothing to compare any further."""


class Findings:
    def __init__(self):
        self.count = 0

    def add(self, where, what):
        self.count += 1
        if self.count <= SHOWN:
            print(f"{where}: {what}")
        if self.count == 100 * SHOWN:
            raise Different


def shown(value):
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:60]}… ({len(text)} letters)"


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


# The sources.

def files_of(sources):
    """Paths as bytes, in the order of the import."""
    found = []
    for source in sources:
        if source != "-" and os.path.isdir(source):
            below = []
            for folder, _, names in os.walk(os.fsencode(source)):
                below += [os.path.join(folder, name) for name in names if name.endswith(ENDINGS)]
            found += sorted(below, key=lambda path: path.split(b"/"))
        else:
            found.append(os.fsencode(source))
    return found


def opened(path):
    """A stream of the decompressed text; what packed it is told by the first bytes."""
    with open(path, "rb") as file:
        magic = file.read(4)
    if magic[:2] == b"\x1f\x8b":
        return gzip.open(path)
    if magic == b"\x28\xb5\x2f\xfd":
        return subprocess.Popen(["zstd", "-dcq", path], stdout=subprocess.PIPE).stdout
    return open(path, "rb", buffering=1 << 20)


def lines_of(path):
    """(number, offset, the line without its end, whether the end is missing)"""
    offset = 0
    with opened(path) as file:
        for number, line in enumerate(file, 1):
            start, size = offset, len(line)
            offset += size
            is_cut = not line.endswith(b"\n")
            if not is_cut:
                line = line[:-1]
            if number == 1 and line.startswith(b"\xef\xbb\xbf"):
                line, start = line[3:], start + 3
            yield number, start, line, is_cut


# One table of the database, read in the order of its rowids.

class StoredTable:
    def __init__(self, db, name):
        self.db, self.name = db, name
        self.columns, self.types, self.primary = [], [], None
        for row in db.execute("select name, type, pk, hidden from pragma_table_xinfo(?)", (name,)):
            self.columns.append(row[0])
            self.types.append(row[1].upper())
            if row[2]:
                self.primary = row[0]
        self.index = {column: i for i, column in enumerate(self.columns)}
        self.rows = self.read()

    def read(self):
        """(rowid or None, the values)"""
        folded = {rules.fold(column) for column in self.columns}
        alias = next((word for word in ("_rowid_", "rowid", "oid") if word not in folded), None)
        order = f" from {quoted(self.name)} order by {alias}" if alias else f" from {quoted(self.name)}"
        values = self.db.execute("select *" + order)
        if not alias:
            return ((None, row) for row in values)
        if len(self.columns) < rules.MOST_COLUMNS - 1:
            return ((row[0], row[1:]) for row in self.db.execute(f"select {alias}, *" + order))
        return ((rowid[0], row) for rowid, row in zip(self.db.execute(f"select {alias}" + order), values))


class TableCheck:
    """Expected and stored rows of one table, in step."""

    def __init__(self, db, model, stored, findings):
        self.db, self.model, self.findings = db, model, findings
        self.stored = stored
        self.places = []  # of the model's columns in the stored table
        is_full = stored and len(stored.columns) == rules.MOST_COLUMNS
        self.more = rules.MOST_COLUMNS - 1 if is_full else None
        self.keys = set()
        self.last_rowid = None
        self.missing = 0

    def place_of(self, index):
        while len(self.places) <= index:
            name = self.model.columns[len(self.places)].name
            place = self.stored.index.get(name)
            if place is None:
                self.findings.add(self.model.name, f"there is no column {shown(name)}")
            self.places.append(place)
        return self.places[index]

    def expect(self, where, line, rowid, values):
        """`values`: (path, seen, value) of one row; `rowid`: None where only the order is told."""
        row = [None] * len(self.stored.columns) if self.stored else []
        more = []
        for path, seen, value in values:
            index = self.model.column(path)
            if index is None:
                more.append((path, seen, value))
                continue
            column = self.model.columns[index]
            if column.seen | seen != column.seen:
                column.see(seen, line)
            if self.stored and (place := self.place_of(index)) is not None:
                row[place] = rules.stored(seen, value, self.stored.types[place])
        if self.stored:
            self.compare(where, rowid, row, more)

    def compare(self, where, rowid, row, more):
        found = next(self.stored.rows, None)
        if found is None:
            self.missing += 1
            if self.missing == 1:
                self.findings.add(where, f"the row is not in {shown(self.model.name)}")
            return
        stored_rowid, values = found
        if rowid is not None and stored_rowid not in (rowid, None):
            self.findings.add(where, f"rowid is {stored_rowid}, must be {rowid}")
            if stored_rowid > rowid:  # a row is missing: go on with the others
                self.stored.rows = chain_one(found, self.stored.rows)
                return
        if more or self.more is not None:
            row, values = self.compare_more(where, list(row), list(values), more)
        if tuple(row) != tuple(values) or [*map(type, row)] != [*map(type, values)]:
            self.tell(where, row, values)

    def compare_more(self, where, row, values, more):
        """The object of the fields that have no column: the same fields, the same texts, any order."""
        if self.more is None:
            self.findings.add(where, "there is no column _more")
            return row, values
        text, values[self.more] = values[self.more], None
        found = []
        if text is not None:
            record, _ = rules.members(text, 0)
            found = [(name, *rules.value_of(text, *rest)) for name, *rest in record]
        expected = [(rules.path_text(path), seen, value) for path, seen, value in more]
        for one in {*found} ^ {*expected}:
            self.findings.add(where, f"_more {'has' if one in found else 'has not'} {shown(one)}")
        return row, values

    def tell(self, where, row, values):
        for name, expected, value in zip(self.stored.columns, row, values):
            if expected != value or type(expected) is not type(value):
                self.findings.add(where, f"{shown(self.model.name)}.{shown(name)} is {shown(value)}, "
                                         f"must be {shown(expected)}")

    def finish(self):
        model, stored, findings = self.model, self.stored, self.findings
        if not stored:
            if model.rows or model.columns:
                findings.add(model.name, "there is no such table")
            return
        left = sum(1 for _ in stored.rows)
        if left or self.missing:
            findings.add(model.name, f"{left} rows too many, {self.missing} missing")
        expected = [(column.name, column.type) for column in model.columns]
        if model.has_more:
            expected.append((model.names.take("_more"), "TEXT"))
        if not expected:
            expected = [("_empty", "")]
        found = [*zip(stored.columns, stored.types)]
        if expected != found:
            at = next((i for i, (a, b) in enumerate(zip(expected, found)) if a != b),
                      min(len(expected), len(found)))
            findings.add(model.name, f"column {at + 1} of {len(found)} is {shown(found[at:at + 1])}, "
                                     f"must be {shown(expected[at:at + 1])} of {len(expected)}")


def chain_one(first, rest):
    yield first
    yield from rest


# The whole import.

class Check:
    def __init__(self, db, options, findings):
        self.db, self.options, self.findings = db, options, findings
        self.stored_names = {name for name, in db.execute("select name from sqlite_schema "
                                                          "where type = 'table'")}
        self.names = rules.Names(*TAKEN)
        self.tables = {}  # model → TableCheck
        self.rejects = {}  # file → (line, offset, reason, text), the last line first
        for file, *row in db.execute("select file, line, offset, reason, text from _rejects "
                                     "order by line desc"):
            self.rejects.setdefault(as_bytes(file), []).append(row)
        self.counts = {}  # file → lines, rows, blank, rejected
        self.reasons = {}  # (file, class) → count, first line
        self.child_rows = 0
        self.lists = set()  # that have a table of their own
        self.common = None
        self.files = 0  # before the one at hand

    def check_of(self, model):
        if model not in self.tables:
            stored = StoredTable(self.db, model.name) if model.name in self.stored_names else None
            self.tables[model] = TableCheck(self.db, model, stored, self.findings)
        return self.tables[model]

    def table_of(self, path):
        if self.options.table:
            if self.common is None:
                self.common = rules.Table(self.names.take(self.options.table), self.options)
            return self.common
        return rules.Table(self.names.take(rules.table_stem(path)), self.options)

    def file(self, path, contents, model):
        """Reads one file beside its rows."""
        name = path if path == b"-" else os.path.abspath(path)
        known = os.fsdecode(name)
        check = self.check_of(model)
        by_key = check.stored is not None and check.stored.primary is not None
        counts = self.counts[known] = dict(lines=0, rows=0, blank=0, rejected=0, bytes=0)
        end = 0
        for number, offset, line, is_cut in lines_of(contents):
            counts["lines"] = number
            end = offset + len(line) + (not is_cut)
            where = f"{known}:{number}"
            if not line.strip(b" \t\r"):
                counts["blank"] += 1
                continue
            try:
                if len(line) > self.options.max_line:
                    raise rules.Refused("long")
                rows = rules.rows_of(line, self.options, is_cut, self.lists, model)
            except rules.Refused as refused:
                counts["rejected"] += 1
                self.refused(where, name, number, offset, line, refused.reasons)
                continue
            counts["rows"] += 1
            self.record(where, number, offset, check, rows, by_key)
        counts["bytes"] = end

    def record(self, where, number, offset, check, rows, by_key):
        model = check.model
        (_, _, values), *children = rows
        key = model.see_key(values)
        if by_key:
            rowid = key[1] if key else None
        elif self.options.table:
            rowid = (self.files << 40) + offset + 1
        else:
            rowid = number
        check.expect(where, (len(self.counts), number), rowid, values)
        if not by_key and key is not None:
            check.keys.add(key[1] if key[0] & (rules.STRING | rules.EXACT) else repr(key[1]))
        for path, positions, inner in children:
            self.child(where, number, model, key, path, positions, inner)

    def child(self, where, number, model, key, path, positions, values):
        table = model
        for step in path:
            if step not in table.children:
                name = self.names.take(f"{table.name}_{rules.column_name(step)}")
                table.children[step] = rules.Table(name, self.options, table)
            table = table.children[step]
        seen, parent = key or (rules.INTEGER, number)
        own = [((0, "parent"), seen, parent)]
        own += [((0, "position" if level == 1 else f"position_{level}"), rules.INTEGER, position)
                for level, position in enumerate(positions, 1)]
        table.rows += 1
        self.child_rows += 1
        self.check_of(table).expect(where, (len(self.counts), number), None, own + values)

    def refused(self, where, name, number, offset, line, reasons):
        """The next of _rejects must be this line."""
        left = self.rejects.get(name)
        if not left:
            self.findings.add(where, f"must be in _rejects: {', '.join(sorted(reasons))}")
            return
        at_line, at_offset, reason, text = left.pop()
        kind = next(kind for words, kind in REASONS if words in reason)
        known = (os.fsdecode(name), kind)
        count, first = self.reasons.get(known, (0, number))
        self.reasons[known] = (count + 1, first)
        if (at_line, at_offset) != (number, offset):
            self.findings.add(where, f"_rejects has line {at_line}, offset {at_offset}; must have "
                                     f"line {number}, offset {offset}: {', '.join(sorted(reasons))}")
            if at_line is not None and at_line > number:  # one is missing: go on with the others
                left.append((at_line, at_offset, reason, text))
                return
        if kind not in reasons:
            self.findings.add(where, f"the reason is {shown(reason)}, must be one of {reasons}")
        kept = as_bytes(text)
        if kind == "long":
            is_right = line.startswith(kept)
        elif len(line) <= rules.KEPT_TEXT:
            is_right = kept == line
        else:
            is_right = line.startswith(kept) and len(kept) >= rules.KEPT_TEXT - 3
        if not is_right:
            self.findings.add(where, f"_rejects keeps {shown(text)} of {shown(line)}")
        if isinstance(text, str) != is_utf8(kept):
            self.findings.add(where, "the text of a reject is TEXT where it is UTF-8, else a BLOB")

    def finish(self):
        for file, left in self.rejects.items():
            for row in left:
                self.findings.add("_rejects", f"holds {shown((file, *row))}, which is no refused line")
        for check in self.tables.values():
            check.finish()
            if check.model.parent is None:
                self.key(check)
            self.indices(check)
        expected = {check.model.name for check in self.tables.values()}
        for name in sorted(self.stored_names - expected):
            if not name.startswith(("_tidemill_", "sqlite_")) and name != "_rejects":
                self.findings.add(name, "no file has such a table")
        self.ledger()
        for answer, in self.db.execute("pragma integrity_check"):
            if answer != "ok":
                self.findings.add("integrity_check", answer)

    def key(self, check):
        """Rowid, primary key and index, as the rules about keys say."""
        model, stored = check.model, check.stored
        if stored is None or model.rows == 0:
            return
        by_key = (model.ascends and model.last_key is not None and model.can_ascend
                  and not self.options.table)
        key = model.by_path.get((self.options.key_name,))
        key = None if key is None else model.columns[key].name
        if (stored.primary is not None) != by_key or by_key and stored.primary != key:
            self.findings.add(model.name, f"the primary key is {stored.primary}, but the keys "
                              + ("ascend" if by_key else "do not ascend"))
        if by_key or stored.primary:
            return
        is_unique = model.key_rows == model.rows == len(check.keys)
        indices = [*self.db.execute("select name, \"unique\" from pragma_index_list(?)", (model.name,))]
        found = [unique for name, unique in indices if name == model.name + "_key"]
        expected = [1] if is_unique else [0] if self.options.key and model.has_key_column else []
        if found != expected:
            self.findings.add(model.name, f"its indices are {indices}; {model.rows} rows, "
                                          f"{len(check.keys)} keys")

    def indices(self, check):
        """An index on each column that was asked for."""
        found = {column for column, in self.db.execute(
            "select info.name from pragma_index_list(?) list, pragma_index_info(list.name) info",
            (check.model.name,))}
        for column in check.model.columns:
            if column.name in self.options.indices and column.name not in found:
                if check.stored and check.stored.primary != column.name:
                    self.findings.add(check.model.name, f"there is no index on {shown(column.name)}")

    def ledger(self):
        """Every file once, with the counts of its lines."""
        columns = {row[1] for row in self.db.execute("pragma table_info(_tidemill_files)")}
        names = [name for name in ("lines", "rows", "blank", "rejected", "bytes") if name in columns]
        if len(names) < 4:
            self.findings.add("_tidemill_files", f"has the columns {sorted(columns)}")
            return
        found = {}
        for name, *counts in self.db.execute(f"select name, {', '.join(names)} from _tidemill_files"):
            found[os.fsdecode(as_bytes(name))] = dict(zip(names, counts))
        for file in sorted({*found, *self.counts}):
            expected = {name: self.counts.get(file, {}).get(name) for name in names}
            if found.get(file) != expected:
                self.findings.add(file, f"the ledger has {found.get(file)}, must have {expected}")
            elif expected["lines"] != expected["rows"] + expected["blank"] + expected["rejected"]:
                self.findings.add(file, f"lines are not rows, blank and rejected: {expected}")

    def report(self, path):
        """What the program told of itself."""
        told = json.load(open(path, encoding="utf-8"))
        total = {name: sum(counts[name] for counts in self.counts.values())
                 for name in ("lines", "rows", "blank", "rejected", "bytes")}
        total["childRows"] = self.child_rows
        for name, expected in total.items():
            if told[name] != expected:
                self.findings.add("report", f"{name} is {told[name]}, must be {expected}")
        tables = {table["name"]: (table.get("rows"), table["columns"]) for table in told["tables"]}
        expected = {check.model.name: (check.model.rows, len(check.model.columns) + check.model.has_more)
                    for check in self.tables.values()}
        for name in sorted({*tables, *expected}):
            if tables.get(name) != expected.get(name):
                self.findings.add("report", f"table {shown(name)} has {tables.get(name)}, must have "
                                            f"{expected.get(name)} (rows, columns)")
        widened = sorted((one["table"], one["column"], one["from"], one["to"], one["line"])
                         for one in told["widened"])
        expected = sorted((check.model.name, column.name, *step) for check in self.tables.values()
                          for column in check.model.columns for step in column.widened())
        for one in sorted({*widened} ^ {*expected}):
            self.findings.add("report", f"widened {'has' if one in widened else 'has not'} {shown(one)}")


def as_bytes(value):
    return value.encode() if isinstance(value, str) else value


def is_utf8(text):
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def is_whole(path):
    """Whether it can be read to its end."""
    if not os.path.isfile(path) or not os.access(path, os.R_OK):
        return False
    with open(path, "rb") as file:
        magic = file.read(4)
    packer = "gzip" if magic[:2] == b"\x1f\x8b" else "zstd" if magic == b"\x28\xb5\x2f\xfd" else None
    return packer is None or subprocess.run([packer, "-tq"], stdin=open(path, "rb"), check=False,
                                            stderr=subprocess.DEVNULL).returncode == 0


def check(database, sources, options, stdin=None, report=None):
    """How many differences there are."""
    sys.setrecursionlimit(20 * rules.DEEPEST)
    findings = Findings()
    address = "file:" + urllib.parse.quote(os.path.abspath(database)) + "?mode=ro"
    db = sqlite3.connect(address, uri=True)
    try:
        whole = Check(db, options, findings)
        for path in files_of(sources):
            contents = os.fsencode(stdin) if path == b"-" else path
            model = whole.table_of(path)
            model.can_ascend = model.can_ascend and path != b"-"
            if is_whole(contents):
                whole.file(path, contents, model)
            whole.files += 1
        whole.finish()
        if report:
            whole.report(report)
    except Different:
        pass
    except sqlite3.Error as error:
        findings.add(database, f"cannot be read: {error}")
    finally:
        db.close()
    if findings.count:
        print(f"{findings.count} differences")
    else:
        print(f"{len(whole.counts)} files, {len(whole.tables)} tables, "
              f"{sum(counts['rows'] for counts in whole.counts.values())} rows, "
              f"{whole.child_rows} in child tables, "
              f"{sum(counts['rejected'] for counts in whole.counts.values())} rejected: all as it must be")
    return findings.count


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("database")
    parser.add_argument("sources", nargs="+")
    parser.add_argument("--nested", default="json", choices=["json", "flatten", "tables"])
    parser.add_argument("--languages", default="")
    parser.add_argument("--table")
    parser.add_argument("--types", action="append", default=[])
    parser.add_argument("--key")
    parser.add_argument("--no-key", action="store_true")
    parser.add_argument("--index", action="append", default=[])
    parser.add_argument("--max-line", type=int, default=512 << 20)
    parser.add_argument("--stdin", type=pathlib.Path, help="what was read as standard input")
    parser.add_argument("--report", type=pathlib.Path, help="what --json printed")
    return parser.parse_args(arguments)


def options_of(given):
    types = dict(part.rsplit("=", 1) for each in given.types for part in each.split(","))
    return rules.Options(given.nested, [word for word in given.languages.split(",") if word],
                         given.table, types, given.key, not given.no_key, given.max_line,
                         [word for each in given.index for word in each.split(",")])


def main():
    given = parse(sys.argv[1:])
    return 1 if check(given.database, given.sources, options_of(given), given.stdin,
                      given.report) else 0


if __name__ == "__main__":
    sys.exit(main())
