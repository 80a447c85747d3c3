"""Rig: what the fault tests share. It finds the program (TIDEMILL) and the command it runs (CHORE;
compiled when the variable is not set), gives every test a folder of its own, keeps account of the
processes it started, and reads a journal the way a stranger would: with SQLite and nothing else.

A test is a function that takes a Rig and raises Wrong when something does not hold. run_test()
prints the seed, the replay line after a failure, and gives the exit status: 0, 1, or 77 (skipped).
"""
import argparse
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from slowness import Slowness

SKIPPED = 77
PENDING, DONE, DEAD = 0, 1, 3  # states of a task in the journal
HERE = pathlib.Path(__file__).resolve().parent


class Wrong(Exception):
    """A promise of the program does not hold."""


class Skip(Exception):
    """This machine cannot run the test."""


def demand(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Wrong(otherwise)


def pause(seconds: float) -> None:
    """For a moment at random: the one thing that no condition can stand for."""
    threading.Event().wait(seconds)


def eventually(holds: Callable[[], bool], seconds: float) -> bool:
    limit = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > limit:
            return False
        pause(0.01)
    return True


class Process:
    """The program, once. Its standard error goes to a file, its output comes through a pipe that a
    thread empties; READY is the event "start" in it."""

    def __init__(self, words: list[str], env: dict[str, str], cwd: pathlib.Path):
        self.words = words
        self._errors = tempfile.TemporaryFile()
        self._said: str | None = None  # all of it, when it has ended by itself
        self.began = time.monotonic()
        self._popen = subprocess.Popen(words, env=env, cwd=cwd, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=self._errors,
                                       start_new_session=True)
        self.pid = self._popen.pid
        self.ended = 0.0  # when its output ended
        self.ready = threading.Event()
        self.lines: list[bytes] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self._popen.stdout:
            self.lines.append(line)
            if b'"event":"start"' in line:
                self.ready.set()
        self.ended = time.monotonic()
        self.ready.set()  # it will not come any more

    def has_ended(self) -> bool:
        return self._popen.poll() is not None

    def wait_ready(self, seconds: float = 30) -> None:
        demand(self.ready.wait(seconds), f"not ready after {seconds} s: {self.words}")

    def signal(self, number: int) -> None:
        if not self.has_ended():
            self._popen.send_signal(number)

    def wait(self, seconds: float = 300) -> int:
        """Its exit status; minus the signal when it died of one."""
        try:
            code = self._popen.wait(seconds)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            self._popen.wait()
            raise Wrong(f"still there after {seconds} s: {self.words}\n{self.errors()}") from None
        # A command left behind by a kill holds the pipe a little longer.
        self._reader.join(1 if code < 0 else 30)
        if code >= 0 and self._said is None and not self._reader.is_alive():
            self._said = self.errors()  # thousands of processes are not thousands of open files
            self._errors.close()
            self._popen.stdout.close()
        return code

    def errors(self) -> str:
        if self._said is not None:
            return self._said
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace")

    def close(self) -> None:
        self.signal(signal.SIGKILL)
        self._popen.wait()
        self._errors.close()


def processes_with(entry: str) -> list[int]:
    """Whose environment has this entry, zombies and ourselves left out."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            if entry.encode() in pathlib.Path("/proc", name, "environ").read_bytes().split(b"\0"):
                found.append(int(name))
        except OSError:
            continue  # gone, or not ours
    return found


def processes_saying(word: object) -> list[int]:
    """Whose command line has this word, zombies and ourselves left out."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            if str(word).encode() in pathlib.Path("/proc", name, "cmdline").read_bytes().split(b"\0"):
                found.append(int(name))
        except OSError:
            continue  # gone
    return found


def is_dying(pid: int) -> bool:
    """It was sent SIGKILL, or is on its way out: on a busy machine it takes its time to go."""
    try:
        status = pathlib.Path("/proc", str(pid), "status").read_text()
        flags = pathlib.Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()[6]
    except OSError:
        return True
    pending = [line.split()[1] for line in status.splitlines()
               if line.startswith(("SigPnd:", "ShdPnd:"))]
    is_killed = any(int(mask, 16) >> (signal.SIGKILL - 1) & 1 for mask in pending)
    return is_killed or bool(int(flags) & 0x4)  # PF_EXITING


@dataclass
class Journal:
    """What a run's journal says, read once."""
    states: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)  # of the letters: the step that failed

    def names(self, state: int) -> list[str]:
        return [name for name, its in self.states.items() if its == state]


def read_journal(path: pathlib.Path) -> Journal:
    """Fails on damage, on a tally that differs from the tasks, on a name that is there twice."""
    db = sqlite3.connect(path, timeout=30)
    db.text_factory = lambda raw: raw.decode(errors="surrogateescape")  # names are any bytes
    try:
        said = db.execute("pragma integrity_check").fetchall()
        demand(said == [("ok",)], f"{path}: {said}")
        counts = dict(db.execute("select state, count(*) from task group by state"))
        tally = {state: n for state, n in db.execute("select state, n from tally") if n}
        demand(tally == counts, f"{path}: the tally says {tally}, the tasks say {counts}")
        rows = db.execute(
            "select coalesce(cast(folder.path as text), '') || cast(task.name as text), state,"
            " cast(trouble.step as text) from task left join folder on folder.id = task.folder"
            " left join trouble on trouble.task = task.id").fetchall()
    finally:
        db.close()
    journal = Journal({name: state for name, state, _ in rows},
                      {name: step for name, state, step in rows if state == DEAD})
    demand(len(journal.states) == len(rows), f"{path}: a name is there twice")
    return journal


class Rig:
    """One test's folder, program and dice. `with` cleans up."""

    def __init__(self, seed: int, program: str | None = None):
        self.dice = random.Random(seed)
        self.program = program or os.environ.get("TIDEMILL", "")
        demand(os.access(self.program, os.X_OK), "set TIDEMILL to the path of the program")
        self.program = os.path.abspath(self.program)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tidemill-faults-"))
        self.state = self.folder / "state"
        self.mark = f"TIDEMILL_FAULT_TEST={self.folder}"
        self.env = {key: value for key, value in os.environ.items()
                    if not key.startswith("TIDEMILL")}
        self.env |= dict([self.mark.split("=", 1)], TIDEMILL_STATE=str(self.state))
        self.processes: list[Process] = []
        self._slowness: Slowness | None = None

    def __enter__(self) -> "Rig":
        return self

    def __exit__(self, *_) -> None:
        if self._slowness:
            self._slowness.close()
        for process in self.processes:
            process.close()
        for pid in processes_with(self.mark):  # what a test that failed has left behind
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def slowness(self) -> Slowness:
        """Asked for first before anything is measured: it has to know what is usual."""
        if not self._slowness:
            self._slowness = Slowness(self.folder / "slowness")
        return self._slowness

    def start(self, *words: str, wrapper: tuple[str, ...] = ()) -> Process:
        process = Process([*wrapper, self.program, *words], self.env, self.folder)
        self.processes.append(process)
        return process

    def finish(self, *words: str, seconds: float = 300) -> tuple[int, Process]:
        process = self.start(*words)
        return process.wait(seconds), process

    def runs(self) -> set[str]:
        return self.runs_in(self.state)

    def runs_in(self, state: pathlib.Path) -> set[str]:
        return set(os.listdir(state / "runs")) if (state / "runs").is_dir() else set()

    def journal(self, run: str) -> Journal:
        return read_journal(self.state / "runs" / run / "journal.db")

    def check(self, run: str) -> None:
        """The program's own opinion, when it has one."""
        if "RUN" not in self.help_of("check"):
            return
        code, process = self.finish("check", run)
        demand(code == 0, f"check: exit {code}: {process.lines} {process.errors()}")

    def can_retry(self) -> bool:
        return "retry" in self.help_of("letters")

    def help_of(self, verb: str) -> str:
        return subprocess.run([self.program, verb, "--help"], env=self.env, text=True,
                              capture_output=True, check=False).stdout

    def list_of(self, name: str, names: list[str]) -> str:
        path = self.folder / name
        path.write_text("".join(f"{each}\n" for each in names))
        return str(path)

    def demand_nobody(self, run: str) -> None:
        entry = f"TIDEMILL_RUN={run}"
        living = [pid for pid in self.left(entry) if not is_dying(pid)]
        demand(not living, f"left running: {living}")
        demand(eventually(lambda: not self.left(entry), 30), f"never gone: {self.left(entry)}")

    def left(self, entry: str) -> list[int]:
        """Other tests may have a run of the same name: the mark tells whose it is."""
        return sorted(set(processes_with(entry)) & set(processes_with(self.mark)))

    def chore(self) -> str:
        if ready := os.environ.get("CHORE"):
            return ready
        path = self.folder / "chore"
        if not path.exists():
            subprocess.run(["g++", "-std=c++20", "-O1", "-static", HERE / "chore.cc", "-o", path],
                           check=True)
        return str(path)

    def effects(self, name: str) -> "Effects":
        return Effects(self.folder / name)


class Effects:
    """A folder for `chore effect`, and what was done in it."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        for part in ("locks", "effects"):
            (folder / part).mkdir(parents=True, exist_ok=True)

    def there(self) -> set[str]:
        return set(os.listdir(self.folder / "effects"))

    def lines(self, what: str) -> list[str]:
        """The names of these lines of the log, oldest first."""
        log = self.folder / "log"
        lines = [line.split() for line in log.read_text().splitlines()] if log.exists() else []
        return [words[1] for words in lines if words[0] == what]


def run_test(doc: str, count: int, test: Callable[[Rig, argparse.Namespace], None],
             options: Callable[[argparse.ArgumentParser], None] = lambda parser: None) -> int:
    parser = argparse.ArgumentParser(description=doc.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--count", type=int, default=int(os.environ.get("FAULTS", count)),
                        help="how many faults (also: FAULTS)")
    parser.add_argument("--seed", type=int,
                        default=int(os.environ.get("SEED", time.time_ns() % 10**9)))
    options(parser)
    chosen = parser.parse_args()
    print(f"seed {chosen.seed}", flush=True)
    began = time.monotonic()
    try:
        with Rig(chosen.seed, getattr(chosen, "program", None)) as rig:
            test(rig, chosen)
    except Skip as reason:
        print(f"SKIP: {reason}")
        return SKIPPED
    except Wrong as reason:
        # The last --seed counts.
        print(f"WRONG: {reason}\nreplay: {' '.join(sys.argv)} --seed={chosen.seed}")
        return 1
    print(f"ok after {time.monotonic() - began:.1f} s")
    return 0
