"""A database that `import` fills, as a stranger reads it: with SQLite and nothing else.

A test never opens the database that the program works on: that would repair it. It opens a copy,
with the journal or the log beside it.
"""
import contextlib
import hashlib
import pathlib
import shutil
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from import_sources import stem_of
from rig import demand

BESIDE = ("", "-journal", "-wal")  # what belongs to a database; -shm is made anew
LEDGER = "_tidemill_files"
IMPORTS = "_tidemill_imports"
# In the import log, what may differ between a run and one that was killed and run again.
PASSING = ("id", "import", "begun", "ended")
NUMBERS = tuple("-0123456789")  # what they begin with
Rows = Counter[tuple]


def decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def plain(value: object) -> object:
    """The same for a number before and after its column was widened."""
    if isinstance(value, (int, float)) or isinstance(value, str) and value[:1] in NUMBERS:
        with contextlib.suppress(ValueError, OverflowError):
            return float(value)
    return value


@dataclass
class Dump:
    """All that a database says, read once."""
    schema: dict[str, str] = field(default_factory=dict)
    rows: dict[str, list[str]] = field(default_factory=dict)  # by table, with their types
    files: dict[str, Rows] = field(default_factory=lambda: defaultdict(Counter))  # by stem, plain
    import_log: dict[str, int] = field(default_factory=dict)  # by stem: the import that brought it
    is_finished: bool = True

    def difference(self, other: "Dump") -> str:
        """In words; empty when there is none."""
        for what, ours, theirs in (("schema", self.schema, other.schema),
                                   ("rows", self.rows, other.rows)):
            for name in sorted(ours.keys() | theirs.keys()):
                if ours.get(name) == theirs.get(name):
                    continue
                if what == "schema" or name not in ours or name not in theirs:
                    return f"{what} of {name}: {ours.get(name)!s:.300} / {theirs.get(name)!s:.300}"
                more = list((Counter(ours[name]) - Counter(theirs[name])).elements())
                less = list((Counter(theirs[name]) - Counter(ours[name])).elements())
                return (f"rows of {name}: {len(ours[name])}, not {len(theirs[name])}; "
                        f"{len(more)} too many {more[:2]!s:.400}, {len(less)} missing "
                        f"{less[:2]!s:.400}")
        return ""


class Book:
    """A database file and what lies beside it."""

    def __init__(self, path: pathlib.Path):
        self.path = path

    def exists(self) -> bool:
        return self.path.exists()

    def beside(self, end: str) -> pathlib.Path:
        return pathlib.Path(f"{self.path}{end}")

    def remove(self) -> None:
        for path in self.path.parent.glob(f"{self.path.name}*"):
            path.unlink()

    def copy_to(self, other: "Book") -> None:
        other.remove()
        for end in BESIDE:
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(self.beside(end), other.beside(end))

    def digest(self) -> str:
        return hashlib.blake2b(self.path.read_bytes()).hexdigest() if self.exists() else "none"

    def names(self) -> list[str]:
        """Of all files in its folder."""
        return sorted(path.name for path in self.path.parent.iterdir() if path.is_file())

    @contextlib.contextmanager
    def opened(self, spare: pathlib.Path) -> Iterator[sqlite3.Connection]:
        copy = Book(spare)
        self.copy_to(copy)
        try:
            with contextlib.closing(sqlite3.connect(copy.path)) as db:
                db.text_factory = decoded
                yield db
        finally:
            copy.remove()

    def dump(self, spare: pathlib.Path, has_rowids: bool) -> Dump:
        try:
            with self.opened(spare) as db:
                said = db.execute("pragma integrity_check").fetchall()
                demand(said == [("ok",)], f"{self.path.name} is broken: {said[:5]}")
                return read_all(db, has_rowids)
        except sqlite3.DatabaseError as damage:
            demand(False, f"{self.path.name} is broken: {damage}")
            raise


def read_all(db: sqlite3.Connection, has_rowids: bool) -> Dump:
    dump = Dump()
    found = db.execute("select type, name, sql from sqlite_master order by name").fetchall()
    dump.schema = {name: sql or "" for _, name, sql in found}
    tables = [name for kind, name, _ in found if kind == "table" and not name.startswith("sqlite_")]
    for table in tables:
        columns = [row[1] for row in db.execute(f"pragma table_info({quoted(table)})")]
        if table.startswith("_tidemill_"):
            keep = [quoted(name) for name in columns if name not in PASSING]
            rows = db.execute(f"select {','.join(keep)} from {quoted(table)}").fetchall()
            dump.rows[table] = sorted(map(repr, rows)) if table != IMPORTS else []
            continue
        rowid = "rowid" if has_rowids else "0"
        rows = db.execute(f"select {rowid}, * from {quoted(table)} order by rowid").fetchall()
        if table == "_rejects":
            sort_rejects(dump, columns, rows)
        else:
            sort_rows(dump, table, columns, rows)
        texts = map(repr, rows)
        dump.rows[table] = list(texts) if has_rowids else sorted(texts)
    read_import_log(db, dump, tables)
    return dump


def sort_rows(dump: Dump, table: str, columns: list[str], rows: list[tuple]) -> None:
    """By their origin; without one (in some child tables) by the name of their table."""
    origin = columns.index("origin") + 1 if "origin" in columns else None
    for row in rows:
        stem = (row[origin] if origin else None) or table.split("_")[0]
        its = frozenset((name, plain(value)) for name, value in zip(columns, row[1:])
                        if value is not None)
        dump.files[stem][table, its] += 1


def sort_rejects(dump: Dump, columns: list[str], rows: list[tuple]) -> None:
    file = columns.index("file") + 1
    for row in rows:
        dump.files[stem_of(row[file])]["_rejects", row[1:]] += 1


def read_import_log(db: sqlite3.Connection, dump: Dump, tables: list[str]) -> None:
    if LEDGER in tables:
        dump.import_log = {stem_of(name): number
                       for name, number in db.execute(f"select name, import from {LEDGER}")}
    if IMPORTS in tables:
        last = db.execute(f"select ended from {IMPORTS} order by id desc limit 1").fetchone()
        dump.is_finished = bool(last) and last[0] is not None


def set_journal(book: Book, journal: str) -> None:
    mode = "delete" if journal == "delete" else "wal"
    with contextlib.closing(sqlite3.connect(book.path)) as db:
        db.execute(f"pragma journal_mode={mode}")
    if journal != "left":
        return
    beside = Book(book.path.with_suffix(".left"))
    with contextlib.closing(sqlite3.connect(book.path)) as db:
        db.execute("create table left_in_the_log (origin text, x)")
        db.executemany("insert into left_in_the_log values ('log', ?)", [(n,) for n in range(500)])
        db.commit()
        book.copy_to(beside)  # while it is open: closing it would empty the log
    beside.copy_to(book)
    beside.remove()
    demand(book.beside("-wal").stat().st_size > 0, "no log lies beside the database")
