"""What works on the disk when its power fails: a job, and what must hold when it comes back.

Each job writes to the disk alone (its state folder is there too), except for batches, which go to a
Redis on another machine. judge() is called on the rebooted machine: it looks at what is there, ends
the work by `resume`, by `undo` or by the same command again, and looks once more.
"""
import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import dupes_kill
from batch_redis import Redis
from batch_rig import BULL, LIMIT, LINES, STREAM, Batch, Mill, Place, Truth
from batch_rig import Tree as TextTree
from dupes_rig import is_stopped
from import_book import Book
from import_rig import SCENARIOS, Scenario, Stage
from power_rig import Disk, journal_of
from rig import DONE, PENDING, Journal, Process, Rig, demand, eventually

TASKS = 300
GROUPS = 40  # of equal files
FILES = 600  # in batches, one each


class Job:
    """A command on a disk. `kind` is its name on the command line of the test."""
    kind = ""
    codes = (0,)  # when nothing disturbs it
    cuts = 2  # of one run; the machines that come back do not know of each other

    def __init__(self, rig: Rig):
        self.rig = rig
        self.point = rig.folder / "disk"
        self.spare = rig.folder / "journal"

    def prepare(self, disk: Disk) -> None:
        """What the disk has before; it is synced then."""

    def start(self) -> Process:
        raise NotImplementedError

    def folders(self) -> list[pathlib.Path]:
        """Where something happens that a cut can be aimed at, beside the journal."""
        return []

    def freeze(self, process: Process) -> None:
        """Whatever it does after the cut has no effect that outlives it."""

    def judge(self, has_ended: bool) -> None:
        """has_ended: the program said that all is done before the power failed."""
        raise NotImplementedError

    def journal(self) -> Journal | None:
        return journal_of(self.rig.state, self.spare)

    def done(self, *words: str) -> None:
        code, process = self.rig.finish(*words, seconds=LIMIT)
        demand(code == 0, f"{words[0]}: exit {code}: {process.errors()[-500:]}")


class Each(Job):
    """--results: a task that is done has its whole output."""
    kind = "each"

    def __init__(self, rig: Rig):
        super().__init__(rig)
        self.results = self.point / "results"
        self.names: list[str] = []

    def prepare(self, disk: Disk) -> None:
        self.names = [str(number) for number in self.rig.dice.sample(range(1, 5_000), TASKS)]
        self.rig.list_of("names", self.names)

    def words(self) -> tuple[str, ...]:
        return ("each", "--files-from", str(self.rig.folder / "names"), "-w", "4", "-q",
                "--results", str(self.results), "--", "seq", "{}")

    def start(self) -> Process:
        return self.rig.start(*self.words())

    def folders(self) -> list[pathlib.Path]:
        return [self.results]

    def judge(self, has_ended: bool) -> None:
        journal = self.journal()
        demand(bool(journal) or not has_ended, "the run has vanished, though it was complete")
        if journal:
            self.demand_outputs("before the resume")
            if not has_ended:
                self.done("resume", "last", "-q")
        else:
            shutil.rmtree(self.rig.state, ignore_errors=True)
            self.done(*self.words())
        journal = self.journal()
        demand(sorted(journal.names(DONE)) == sorted(self.names),
               f"{len(journal.names(DONE))} of {TASKS} tasks are done")
        self.demand_outputs("at the end")

    def demand_outputs(self, when: str) -> None:
        with contextlib.closing(sqlite3.connect(self.spare / "journal.db")) as db:
            done = db.execute("select id, cast(name as text) from task where state = ?",
                              (DONE,)).fetchall()
        torn = [number for number, name in done
                if self.output(number) != "".join(f"{n}\n" for n in range(1, int(name) + 1))]
        empty = sum(not self.output(number) for number in torn)
        demand(not torn, f"{when}: {len(torn)} of {len(done)} tasks that are done do not have "
               f"their output ({empty} nothing of it)")

    def output(self, number: int) -> str:
        path = self.results / f"{number}.out"
        return path.read_text() if path.exists() else ""


class Import(Job):
    """Every row once: the same command, run again, makes what an undisturbed run makes."""

    def __init__(self, rig: Rig, mode: str, scenario: Scenario):
        super().__init__(rig)
        self.kind = f"import-{mode}"
        self.stage = Stage(rig, scenario, self.kind)
        self.stage.book = Book(self.point / "into" / "book.db")
        self.codes = (self.stage.code,)

    def prepare(self, disk: Disk) -> None:
        self.stage.book.path.parent.mkdir()
        self.stage.begin()

    def start(self) -> Process:
        return self.stage.start()

    def folders(self) -> list[pathlib.Path]:
        into = self.stage.book.path.parent
        return [into, *into.iterdir()]

    def judge(self, has_ended: bool) -> None:
        now = self.stage.look()
        if self.stage.is_complete(now):
            return
        demand(not has_ended, f"{self.stage.scenario.name}: the import was complete, and is not any "
               f"more: {now.difference(self.stage.truth) if now else 'nothing is there'}")
        self.stage.demand_true(*self.stage.finish())


class Dupes(Job):
    """Every name has its old contents or its new ones, and `undo` gives the tree as it was."""

    def __init__(self, rig: Rig, action: str, is_undone: bool = False):
        super().__init__(rig)
        self.kind = f"dupes-{action}{'-undo' if is_undone else ''}"
        self.is_undone = is_undone  # the power fails while `undo` works
        self.action = f"move:{self.point / 'away'}" if action == "move" else action
        self.tree = dupes_kill.Tree(self.point, GROUPS)

    def words(self) -> tuple[str, ...]:
        return ("dupes", str(self.point / "tree"), "--action", self.action, "--apply", "-q")

    def prepare(self, disk: Disk) -> None:
        self.tree.make()
        if self.is_undone:
            self.done(*self.words())

    def start(self) -> Process:
        return self.rig.start(*(("undo", "last", "-q") if self.is_undone else self.words()))

    def folders(self) -> list[pathlib.Path]:
        return [path for path in self.point.glob("*/*") if path.is_dir()]

    def judge(self, has_ended: bool) -> None:
        self.tree.demand_old_or_new(self.action)
        if self.is_undone:
            if not has_ended:
                self.done("undo", "last", "-q")
            self.tree.demand_old()
            return
        journal = self.journal()
        if has_ended:
            demand(bool(journal), "the run has vanished, though it was complete")
            self.demand_acted(journal)
        if not journal or not journal.states:
            self.tree.demand_old()
            return
        if self.rig.dice.random() < 0.5 and not has_ended:
            code, process = self.rig.finish("resume", "last", "-q", seconds=LIMIT)
            is_partial = code == 1 and "before the plan was complete" in process.errors()
            demand(code == 0 or is_partial, f"resume: exit {code}: {process.errors()[-500:]}")
            self.demand_acted(self.journal())
        self.done("undo", "last", "-q")
        self.tree.demand_old()

    def demand_acted(self, journal: Journal) -> None:
        self.tree.demand_tidy()
        self.tree.demand_old_or_new(self.action)
        waiting = journal.names(PENDING)
        demand(not waiting, f"{len(waiting)} steps are not done")
        if len(journal.states) == GROUPS * dupes_kill.COPIES:  # the plan was whole
            self.tree.demand_new(self.action)


class Batches(Job):
    """The queue has every batch once."""
    cuts = 1  # Redis has seen what came after it

    def __init__(self, rig: Rig, yard: "Yard", to: str):
        super().__init__(rig)
        self.kind = f"batch-{to}"
        self.yard = yard
        self.to = to
        self.place = Place(to, "none")

    def prepare(self, disk: Disk) -> None:
        self.place = Place(self.to, f"queue{self.yard.number()}")

    def start(self) -> Process:
        return self.yard.mill.start(self.rig.state, self.place, self.yard.redis.url(), "--settle",
                                    "0", "--lease", "1s", "--if-held", "wait")

    def freeze(self, process: Process) -> None:
        process.signal(signal.SIGSTOP)
        demand(eventually(lambda: is_stopped(process), 20), "it does not stand still")

    def judge(self, has_ended: bool) -> None:
        if not has_ended:
            if self.journal():
                process = self.yard.mill.resume(self.rig.state)
            else:
                shutil.rmtree(self.rig.state, ignore_errors=True)
                process = self.start()
            code = process.wait(LIMIT)
            demand(code == 0, f"resume: exit {code}: {process.errors()[-500:]}")
        self.yard.truth.demand_all(self.arrived())

    def arrived(self) -> list[Batch]:
        with contextlib.closing(self.yard.redis.client()) as client:
            if self.to == STREAM:
                return self.place.stream(client)
            return self.place.oldest(client, 10 * FILES)


class Lines(Job):
    """Batches as lines in a file on the disk, which a resumed run goes on with."""
    kind = "batch-lines"

    def __init__(self, rig: Rig, yard: "Yard"):
        super().__init__(rig)
        self.yard = yard
        self.file = self.point / "lines"
        self.wrapper = ("sh", "-c", 'exec "$@" >> "$0"', str(self.file))

    def start(self) -> Process:
        return self.yard.mill.start(self.rig.state, Place(LINES, ""), self.yard.redis.url(),
                                    wrapper=self.wrapper)

    def folders(self) -> list[pathlib.Path]:
        return [self.file]

    def judge(self, has_ended: bool) -> None:
        if not has_ended:
            if self.journal():
                process = self.yard.mill.resume(self.rig.state, self.wrapper)
            else:
                shutil.rmtree(self.rig.state, ignore_errors=True)
                process = self.start()
            code = process.wait(LIMIT)
            demand(code == 0, f"resume: exit {code}: {process.errors()[-500:]}")
        self.yard.truth.demand_all(self.arrived(), may_double=True)

    def arrived(self) -> list[Batch]:
        """What was not synced may be half a line, with the next one right behind it."""
        found = []
        for line in self.file.read_bytes().split(b"\n"):
            with contextlib.suppress(ValueError, UnicodeDecodeError):
                whole = line[max(line.rfind(b'{"id"'), 0):]
                found.append(Batch(json.loads(whole)["id"], whole))
        return found


class Yard:
    """What the jobs of batches share: a tree and a Redis, neither of them on the disk."""

    def __init__(self, rig: Rig):
        self.redis = Redis(rig, "--save", "", "--appendonly", "no")
        self.redis.wait_ready()
        self.mill = Mill(rig, TextTree.make(rig, "texts", FILES), "-m", "40", "--progress", "none",
                         "--max-files", "1", "--no-catalogue")
        self.truth: Truth = self.mill.truth(self.redis)
        self._number = 0

    def number(self) -> int:
        self._number += 1
        return self._number


def make_jobs(rig: Rig, is_wanted: Callable[[str], bool]) -> list[Job]:
    """Those whose kind is wanted. Imports are prepared side by side: they wait until their files are
    old enough."""
    with ThreadPoolExecutor() as pool:
        imports = [pool.submit(Import, rig, mode, rig.dice.choice(SCENARIOS[mode]))
                   for mode in SCENARIOS if is_wanted(f"import-{mode}")]
        jobs: list[Job] = [Each(rig)]
        jobs += [Dupes(rig, action, is_undone) for action in ("hardlink", "delete", "move")
                 for is_undone in (False, True)]
        if any(is_wanted(kind) for kind in ("batch-redis", "batch-bullmq", Lines.kind)):
            yard = Yard(rig)
            jobs += [Batches(rig, yard, to) for to in (STREAM, BULL)]
            jobs.append(Lines(rig, yard))
        return [*(job for job in jobs if is_wanted(job.kind)),
                *(each.result() for each in imports)]


def written_back(job: Job, dice: random.Random) -> list[pathlib.Path]:
    """Files that the kernel may have chosen to write before the power failed, most often some of
    those that change all the time and that nobody syncs."""
    if dice.random() < 0.25:
        return []
    books = [path for path in (job.rig.state / "runs").glob("*/*")
             if path.is_file() and dice.random() < 0.5]
    others: list[pathlib.Path] = []
    if dice.random() < 0.5:
        found = [pathlib.Path(folder, name) for folder, _, names in os.walk(job.point)
                 for name in names]
        others = dice.sample(found, min(len(found), dice.randint(1, 6)))
    chosen = books + others
    dice.shuffle(chosen)
    return chosen
