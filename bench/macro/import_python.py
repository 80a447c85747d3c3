#!/usr/bin/env python3
"""A JSONL folder into SQLite as one would write it in an afternoon: json.loads and executemany.

  import_python.py FOLDER DATABASE

One table a file, one column a field, nested values as JSON text, `_key` as the primary key, one
transaction a file. A field that appears late gets its column then. No bad line is survived.
"""
import json
import pathlib
import sqlite3
import sys

ROWS_AT_ONCE = 1000


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def flat(value):
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else value


def store(db, table, columns, records):
    for record in records:
        for field in [field for field in record if field not in columns]:
            if columns:
                db.execute(f"alter table {table} add column {quoted(field)}")
            else:
                is_key = field == "_key" and isinstance(record[field], int)
                kind = " integer primary key" if is_key else ""
                db.execute(f"create table {table} ({quoted(field)}{kind})")
            columns[field] = None
    names = ", ".join(map(quoted, columns))
    marks = ", ".join("?" * len(columns))
    db.executemany(f"insert into {table} ({names}) values ({marks})",
                   ([flat(record.get(field)) for field in columns] for record in records))


def load(db, path):
    table, columns, records = quoted(path.stem), {}, []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            records.append(json.loads(line))
            if len(records) == ROWS_AT_ONCE:
                store(db, table, columns, records)
                records = []
    if records:
        store(db, table, columns, records)
    db.commit()


def main():
    db = sqlite3.connect(sys.argv[2])
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.jsonl")):
        load(db, path)
    db.close()


if __name__ == "__main__":
    main()
