"""Shared by make_fixtures.py and check.py: the folder in which both work, and ways to run the program there."""
import contextlib
import fcntl
import os
import pathlib
import shutil
import signal
import subprocess
import time

BASE = pathlib.Path("/tmp/tidemill-old-formats")  # the same on every machine: journals hold absolute paths
FIXTURES = pathlib.Path(__file__).resolve().parent / "fixtures"
PATIENCE = 120  # seconds to wait for something that takes less than one


class Skip(Exception):
    """A scene cannot run on this machine; says why."""


class Broken(Exception):
    """A check failed."""


def demand(holds, what):
    if not holds:
        raise Broken(what)


@contextlib.contextmanager
def base_folder():
    """Creates BASE and removes it at the end. Only one process at a time has it; others wait."""
    while True:
        with contextlib.suppress(FileExistsError):
            BASE.mkdir(mode=0o700)
        try:
            folder = os.open(BASE, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise Skip(f"{BASE}: {error.strerror}") from error
        if os.fstat(folder).st_uid != os.geteuid():
            os.close(folder)
            raise Skip(f"{BASE} belongs to another user")
        fcntl.flock(folder, fcntl.LOCK_EX)
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(folder), os.lstat(BASE)):
                break
        os.close(folder)  # the previous owner has removed it
    try:
        clear(BASE)
        yield
    finally:
        clear(BASE)
        BASE.rmdir()
        os.close(folder)


def clear(folder):
    for entry in folder.iterdir():
        shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()


def wait_until(holds, what):
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            raise Broken(f"timed out after {PATIENCE} s, waiting until {what}")
        signal.sigtimedwait([], 0.005)


class Scene:
    """A folder below BASE: `work`, where commands run, and `state`, the state folder of the program."""

    def __init__(self, program, name):
        self.program, self.name = program, name
        self.folder = BASE / name
        self.work, self.state = self.folder / "work", self.folder / "state"
        self.env = {"HOME": str(self.folder), "TIDEMILL_STATE": str(self.state), "LC_ALL": "C.UTF-8", "TZ": "UTC",
                    "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "TERM": "dumb"}

    def write(self, path, text):
        file = self.work / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def start(self, *arguments, **how):
        return subprocess.Popen([self.program, *arguments], cwd=self.work, env=self.env, stdin=subprocess.DEVNULL, **how)

    def run(self, *arguments, status=0):
        """Runs a command and returns its standard output. Fails on any other exit status."""
        ran = subprocess.run([self.program, *arguments], cwd=self.work, env=self.env, stdin=subprocess.DEVNULL,
                             capture_output=True, text=True, timeout=PATIENCE, check=False)
        command = "tidemill " + " ".join(map(str, arguments))
        demand(ran.returncode == status,
               f"{command}: exit status {ran.returncode}, not {status}\n{ran.stdout}{ran.stderr}")
        return ran.stdout

    def only_run(self):
        runs = [run.name for run in (self.state / "runs").iterdir()]
        demand(len(runs) == 1, f"one run, not {runs}")
        return runs[0]

    def redis(self):
        """Starts a Redis server on a socket in the folder `redis`, with the data of dump.rdb there."""
        server = shutil.which("redis-server")
        if not server:
            raise Skip("redis-server is not installed")
        folder = self.folder / "redis"
        folder.mkdir(exist_ok=True)
        return Redis(server, folder)


class Redis:
    def __init__(self, server, folder):
        self.socket, self.log = folder / "socket", folder / "log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [server, "--port", "0", "--unixsocket", self.socket, "--dir", folder, "--save", "",
                 "--loglevel", "warning"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def __enter__(self):
        wait_until(lambda: self.process.poll() is not None or self.answers(), "redis-server answers")
        if self.process.returncode is not None:
            raise Skip("redis-server does not start here: " + self.log.read_text())
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.socket.unlink(missing_ok=True)

    def answers(self):
        return self.socket.exists() and self.ask("ping", check=False) == "PONG"

    def ask(self, *words, check=True):
        return subprocess.run(["redis-cli", "-s", self.socket, *words], capture_output=True, text=True, check=check,
                              timeout=PATIENCE).stdout.strip()
