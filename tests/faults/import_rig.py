"""What the tests of `import` share: scenarios. Each is a command, the database that it begins with,
and what an undisturbed run makes of it.
"""
from collections import Counter
from dataclasses import dataclass

from import_book import Book, Dump, Rows, set_journal
from import_sources import CLEAN, FRESH, KEYED, Sources
from rig import Process, Rig, demand, eventually

LIMIT = 120  # seconds for a run of less than one


@dataclass(frozen=True)
class Scenario:
    name: str
    mode: str  # fresh, replace, append, upsert, incremental
    words: tuple[str, ...] = ()
    base: str = ""  # journal of the old database: delete, wal; left: a log lies beside it
    only: tuple[str, ...] = ()

    def is_built_beside(self) -> bool:
        return self.mode in ("fresh", "replace")


TABLES = ("--nested", "tables", "--languages", "en,de")
INDEX = ("--index", "origin,value")
SCENARIOS = {
    "fresh": (Scenario("pages", "fresh"),
              Scenario("sql", "fresh", ("--writer", "sql")),
              Scenario("tables", "fresh", (*TABLES, *INDEX))),
    "replace": (Scenario("pages", "replace", (), "delete"),
                Scenario("sql", "replace", ("--writer", "sql"), "wal"),
                Scenario("log beside", "replace", (), "left")),
    "append": (Scenario("journal", "append", INDEX, "delete"),
               Scenario("log", "append", ("--no-key",), "wal"),
               Scenario("one table", "append", ("--table", "all", "--no-key"), "delete"),
               Scenario("tables", "append", TABLES, "left")),
    "upsert": (Scenario("journal", "upsert", (), "delete", KEYED),
               Scenario("log", "upsert", INDEX, "wal", KEYED)),
    "incremental": (Scenario("journal", "incremental", (), "delete"),
                    Scenario("tables", "incremental", (*TABLES, *INDEX), "wal")),
}


class Stage:
    """A scenario with its files, its first database and the truth: what an undisturbed run makes
    of them."""

    def __init__(self, rig: Rig, scenario: Scenario, folder: str, is_clean: bool = False,
                 more: int = 0):
        self.rig = rig
        self.scenario = scenario
        self.folder = rig.folder / folder
        only = scenario.only or (CLEAN if is_clean else ())
        self.sources = Sources(self.folder / "sources", only, more)
        (self.folder / "into").mkdir()
        self.book = Book(self.folder / "into" / "book.db")
        self.first = Book(self.folder / "first.db")
        self.has_rowids = scenario.is_built_beside()
        self.base = Dump()
        self.make_base()
        self.base_digest = self.first.digest()
        self.truth, self.code, self.names = self.undisturbed()

    def make_base(self) -> None:
        """The old database holds the first version of the files; then they change."""
        self.sources.write(1)
        if self.scenario.base:
            self.wait_until_old()
            code, process = self.rig.finish(
                "import", str(self.sources.folder), "--into", str(self.first.path),
                *self.base_words())
            demand(code in (0, 3), f"the old database: exit {code}: {process.errors()}")
            set_journal(self.first, self.scenario.base)
            self.base = self.first.dump(self.folder / "spare", self.has_rowids)
        self.sources.write(2)
        self.wait_until_old()

    def base_words(self) -> tuple[str, ...]:
        """Without those whose work must be left to do."""
        words = self.scenario.words
        for option in ("--writer", "--index"):
            if option in words:
                at = words.index(option)
                words = (*words[:at], *words[at + 2:])
        return words

    def wait_until_old(self) -> None:
        demand(eventually(self.sources.is_old, 2 * FRESH), "the files do not age")

    def words(self) -> tuple[str, ...]:
        mode = () if self.scenario.mode == "fresh" else (f"--{self.scenario.mode}",)
        return ("import", str(self.sources.folder), "--into", str(self.book.path),
                "--progress", "none", "--jobs", "2", *mode, *self.scenario.words)

    def begin(self) -> None:
        self.book.remove()
        if self.scenario.base:
            self.first.copy_to(self.book)

    def undisturbed(self) -> tuple[Dump, int, list[str]]:
        self.begin()
        code, process = self.finish()
        demand(code in (0, 3), f"undisturbed: exit {code}: {process.errors()}")
        return self.dump(), code, self.book.names()

    def start(self, *strace: str) -> Process:
        return self.rig.start(*self.words(), wrapper=strace)

    def finish(self) -> tuple[int, Process]:
        process = self.start()
        return process.wait(LIMIT), process

    def dump(self) -> Dump:
        return self.book.dump(self.folder / "spare", self.has_rowids)

    def look(self) -> Dump | None:
        """What any reader would find; None: no database. Demands what holds at any time, whatever
        happened to the program."""
        if not self.scenario.is_built_beside():
            now = self.dump()
            self.demand_whole_files(now)
            return now
        if not self.book.exists():
            demand(not self.scenario.base, "the old database is gone")
            return None
        if self.book.digest() == self.base_digest and not self.book.beside("-wal").exists():
            return self.base
        now = self.dump()
        if self.scenario.base and not now.difference(self.base):
            demand(self.scenario.base != "delete", "the old database was written to")
            return self.base
        difference = now.difference(self.truth)
        demand(not difference, f"neither the old database nor the new one: {difference}")
        return now

    def is_complete(self, now: Dump | None) -> bool:
        """The last thing was done: there is nothing left to be run again."""
        if not now or now is self.base:
            return False
        return now.is_finished and not now.difference(self.truth)

    def demand_whole_files(self, now: Dump) -> None:
        for stem in self.sources.stems():
            is_new = self.is_new(now, stem)
            wanted = (self.truth if is_new else self.base).files.get(stem, Counter())
            rows = now.files.get(stem, Counter())
            if rows != wanted:
                what = "is in the import log" if is_new else "is not in the import log"
                raise_rows(stem, what, rows, wanted)

    def is_new(self, now: Dump, stem: str) -> bool:
        return now.import_log.get(stem) != self.base.import_log.get(stem)

    def demand_true(self, code: int, process: Process) -> None:
        """After the last run: nobody can tell that there were others before."""
        # 0: what was rejected came in before.
        demand(code in (0, self.code),
               f"run again: exit {code}, not {self.code}: {process.errors()}")
        self.demand_truth()

    def demand_true_again(self, now: Dump | None) -> None:
        """The same command once more, also when all is in: who failed or was killed cannot know."""
        code, process = self.finish()
        if self.scenario.mode == "fresh" and self.is_complete(now):
            demand(code == 1 and "already exists" in process.errors(),
                   f"run again: exit {code}, not 1: {process.errors()}")
            self.demand_truth()
        else:
            self.demand_true(code, process)

    def demand_truth(self) -> None:
        difference = self.dump().difference(self.truth)
        demand(not difference, f"not as undisturbed: {difference}")
        demand(self.book.names() == self.names, f"left over: {self.book.names()}")


def raise_rows(stem: str, what: str, rows: Rows, wanted: Rows) -> None:
    more, less = rows - wanted, wanted - rows
    demand(False, f"{stem} {what}, but has {rows.total()} rows, not {wanted.total()}: "
           f"{more.total()} too many {list(more)[:1]!s:.300}, {less.total()} missing "
           f"{list(less)[:1]!s:.300}")
