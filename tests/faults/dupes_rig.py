"""What the tests of `dupes` share: trees whose groups are known, the report of a scan, and the
catalogue as a stranger reads it, with SQLite and nothing else.

A group is (size, paths); the truth about a tree comes from reading it here, byte by byte.
"""
import contextlib
import hashlib
import json
import pathlib
import random
import shutil
import sqlite3
import tempfile
import time

from rig import Process, Rig, Wrong, demand, eventually

FRESH = 2.1  # seconds: a younger file's hash is not remembered
SMALL = 64 << 10  # a larger file is read at both ends first
EDGES = 2 * 4096
SLOW = ("--hash", "sha512", "--jobs", "1")  # so that there is time to aim
Groups = set[tuple[int, tuple[str, ...]]]


def age(folder: pathlib.Path) -> None:
    """Until every file is old enough for its hash to be remembered. ctime cannot be set."""
    newest = max(path.lstat().st_ctime for path in [folder, *folder.rglob("*")])
    eventually(lambda: time.time() > newest + FRESH, 2 * FRESH)


def make_small(folder: pathlib.Path, dice: random.Random, count: int) -> None:
    """Files of few sizes, most contents two to four times, some alone."""
    number = 0
    while number < count:
        content = dice.randbytes(dice.choice((600, 4096, 9000, 20_000)))
        for _ in range(dice.choice((1, 2, 2, 3, 4))):
            place = folder / f"d{number % 40}" / f"e{number % 3}"
            place.mkdir(parents=True, exist_ok=True)
            (place / f"f{number}").write_bytes(content)
            number += 1


def make_large(folder: pathlib.Path, count: int, size: int) -> None:
    """Sparse files with the same ends: they must be read whole. Pairs have the same contents."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        with open(folder / f"large{number}", "wb") as file:
            file.truncate(size)
            file.seek(size // 2)
            file.write(str(number // 2).encode())


def make_lonely(folder: pathlib.Path, count: int) -> None:
    """Files of sizes of their own, in many folders: they are looked at and never read."""
    for number in range(count):
        place = folder / f"l{number % 200}"
        if number < 200:
            place.mkdir(parents=True)
        with open(place / f"lonely{number}", "wb") as file:
            file.truncate(10_000_000 + number)


def truth_of(folder: pathlib.Path) -> Groups:
    """Names of one file (hard links) are no duplicates of each other."""
    found: dict[tuple[int, bytes], list[tuple[int, str]]] = {}
    for path in folder.rglob("*"):
        if path.is_file() and (stat := path.stat()).st_size:
            with open(path, "rb") as file:
                digest = hashlib.file_digest(file, "blake2b").digest()
            found.setdefault((stat.st_size, digest), []).append((stat.st_ino, str(path)))
    return {(size, tuple(sorted(path for _, path in names)))
            for (size, _), names in found.items() if len({inode for inode, _ in names}) > 1}


def look_at(folder: pathlib.Path) -> dict[str, tuple[int, ...]]:
    """The stamp of everything below: nobody has touched it while it stays the same."""
    stats = {str(path): path.lstat() for path in folder.rglob("*")}
    return {path: (s.st_ino, s.st_size, s.st_mode, s.st_mtime_ns, s.st_ctime_ns)
            for path, s in stats.items()}


class Report:
    """The object that a scan with --json has printed."""

    def __init__(self, process: Process):
        try:
            self.all = json.loads(b"".join(process.lines))
        except ValueError:
            raise Wrong(f"no JSON: {process.lines[:1]} {process.errors()[-500:]}") from None
        self.totals: dict[str, int] = self.all["totals"]
        self.failures: list[dict[str, str]] = self.all["failures"]

    def groups(self) -> Groups:
        return {(group["size"], tuple(sorted(name["path"] for copy in group["copies"]
                                             for name in copy["names"])))
                for group in self.all["groups"]}

    def hashes(self) -> set[tuple[str, str]]:
        """Of a path: the same in every report, whoever has read the file."""
        return {(copy["names"][0]["path"], group["hash"])
                for group in self.all["groups"] for copy in group["copies"]}


def demand_groups(found: Groups, expected: Groups, when: str) -> None:
    if found == expected:
        return
    false, missed = sorted(found - expected), sorted(expected - found)
    raise Wrong(f"{when}: the groups differ: {len(false)} false {false[:2]}, "
                f"{len(missed)} missed {missed[:2]}")


def bytes_read_by(process: Process) -> int:
    """So far, the system's files and the catalogue as well. 0: it does not tell."""
    try:
        for line in pathlib.Path(f"/proc/{process.pid}/io").read_text().splitlines():
            if line.startswith("rchar:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def is_zombie(process: Process) -> bool:
    try:
        stat = pathlib.Path(f"/proc/{process.pid}/stat").read_bytes()
    except OSError:
        return True
    return stat.rsplit(b")", 1)[1].split()[0] == b"Z"


def is_stopped(process: Process) -> bool:
    """Each of its threads stands still, or it is no more."""
    stats = pathlib.Path(f"/proc/{process.pid}/task").glob("*/stat")
    try:
        return all(stat.read_bytes().rsplit(b")", 1)[1].split()[0] in b"TZ" for stat in stats)
    except OSError:
        return False  # one has just ended


class Scanner:
    """Scans of one tree with one catalogue."""

    def __init__(self, rig: Rig, tree: pathlib.Path, catalogue: pathlib.Path, *options: str):
        self.rig = rig
        self.tree = tree
        self.catalogue = catalogue
        self.options = options

    def start(self, *more: str) -> Process:
        return self.rig.start("dupes", str(self.tree), "--catalogue", str(self.catalogue),
                              "--json", "-q", *self.options, *more)

    def finish(self, *more: str) -> Report:
        process = self.start(*more)
        code = process.wait()
        demand(code == 0, f"exit {code}: {process.errors()[-500:]}")
        return Report(process)

    def finish_without(self, *more: str) -> Report:
        """The same by a program that remembers nothing."""
        code, process = self.rig.finish("dupes", str(self.tree), "--no-catalogue", "--json", "-q",
                                        *self.options, *more)
        demand(code == 0, f"exit {code}: {process.errors()[-500:]}")
        return Report(process)

    def log(self) -> pathlib.Path:
        return pathlib.Path(f"{self.catalogue}-wal")

    def may_be_written(self) -> bool:
        """Nobody is in the middle of a transaction that writes."""
        with contextlib.closing(sqlite3.connect(self.catalogue, timeout=0)) as db:
            try:
                db.execute("begin immediate")
                db.rollback()
            except sqlite3.OperationalError:
                return False
        return True

    def remove(self) -> None:
        for end in ("", "-wal", "-shm", "-lock"):
            pathlib.Path(f"{self.catalogue}{end}").unlink(missing_ok=True)

    @contextlib.contextmanager
    def copy(self):
        """A connection to a copy: opening the catalogue itself would repair it."""
        with tempfile.TemporaryDirectory(dir=self.rig.folder) as folder:
            for end in ("", "-wal"):
                with contextlib.suppress(FileNotFoundError):
                    shutil.copyfile(f"{self.catalogue}{end}", f"{folder}/copy{end}")
            with contextlib.closing(sqlite3.connect(f"{folder}/copy")) as db:
                yield db

    def demand_sound(self) -> None:
        if not self.catalogue.exists():
            return
        try:
            with self.copy() as db:
                said = db.execute("pragma integrity_check").fetchall()
        except sqlite3.DatabaseError as damage:
            said = [(str(damage),)]
        demand(said == [("ok",)], f"{self.catalogue}: {said[:5]}")

    def demand_true(self) -> None:
        """The program's own opinion, when it has one: all hashes are those of the contents."""
        self.demand_sound()
        if "catalogue verify" not in self.rig.help_of("catalogue"):
            return
        code, process = self.rig.finish("catalogue", "verify", "--catalogue", str(self.catalogue))
        demand(code == 0, f"catalogue verify: exit {code}: {process.lines} {process.errors()}")

    def remembered(self) -> int:
        """Bytes of contents that the next scan need not read."""
        if not self.catalogue.exists() or not self.catalogue.stat().st_size:
            return 0
        with self.copy() as db:
            if not db.execute("select 1 from sqlite_master where name = 'files'").fetchone():
                return 0
            return db.execute(
                f"select coalesce(sum(iif(hash is null, 0, size)"
                f" + iif(size > {SMALL} and edges is not null, {EDGES}, 0)), 0) from files"
                f" where removed_at is null").fetchone()[0]

    def change(self, *statements: str) -> None:
        """What nobody should do to a catalogue."""
        with contextlib.closing(sqlite3.connect(self.catalogue)) as db, db:
            for statement in statements:
                done = db.execute(statement)
                demand(done.rowcount != 0, f"nothing was changed by: {statement}")
