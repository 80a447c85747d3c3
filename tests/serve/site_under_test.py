"""Site: `tidemill serve` on a free port, over a state folder with runs of several kinds and names that attack pages."""
import contextlib
import http.client
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

LIMIT = 60  # seconds for what takes a moment

# As names of files, reasons of failures and words of commands.
HOSTILE = ["<script>alert(1)<", "\"onload='x", "new\nline", "\u202egnp.exe", "\x1b[31mred", "&amp;", "a&b=c#d?e",
           "--flag", "${x}`id`", "'quoted'", "caf\u00e9 \u5927", "%2e%2e%2f"]
INVALID = b"bad\xff\xfename"


class Broken(Exception):
    """What does not hold."""


def demand(holds: object, otherwise: str) -> None:
    if not holds:
        raise Broken(otherwise)


def wait_until(holds, what: str) -> None:
    end = time.monotonic() + LIMIT
    while not holds():
        demand(time.monotonic() < end, f"timeout: no {what}")
        select.select([], [], [], 0.01)


@dataclass
class Reply:
    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str | None:
        found = [value for key, value in self.headers if key.lower() == name.lower()]
        demand(len(found) <= 1, f"{name} is there {len(found)} times")
        return found[0] if found else None

    @property
    def text(self) -> str:
        return self.body.decode()  # fails if it is not UTF-8


class Site:
    def __init__(self, program: str):
        self.program = os.path.abspath(program)
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="serve-"))
        self.state = self.base / "state"
        self.folder = self.base / "here"
        self.folder.mkdir()
        self.env = {"HOME": str(self.base), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8",
                    "TIDEMILL_STATE": str(self.state), "TIDEMILL_CATALOGUE": str(self.base / "catalogue.db")}
        self.server: subprocess.Popen | None = None
        self.others: list[subprocess.Popen] = []
        self.port, self.token = 0, ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in [*self.others, *([self.server] if self.server else [])]:
            if process.poll() is None:
                process.kill()
            process.wait()
        shutil.rmtree(self.base, ignore_errors=True)

    def run(self, *words: str, expect=(0,)) -> subprocess.CompletedProcess:
        done = subprocess.run([self.program, *words], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=LIMIT, check=False)
        demand(done.returncode in expect, f"{words}: exit status {done.returncode}: {done.stderr[-500:]!r}")
        return done

    def runs(self) -> list[str]:
        return [folder.name for parent in ("runs", "finished") for folder in (self.state / parent).glob("[0-9]*")]

    def add_files(self) -> None:
        (self.folder / "in").mkdir()
        names = [os.fsencode(name) for name in HOSTILE] + [INVALID, b"plain.txt"]
        for number, name in enumerate(names):
            path = os.path.join(os.fsencode(self.folder), b"in", name.replace(b"/", b"_"))
            with open(path, "wb") as file:
                file.write(b"contents %d\n" % (number % 3))

    def add_runs(self) -> None:
        """Complete, with failures for several reasons, crashed, halted; a search, a run that acted, a command."""
        self.add_files()
        self.run("each", "in", "-q", "--", "true")
        self.run("each", "in", "-q", "-a", "1", "--", "sh", "-c",
                 'printf "%s\\n" "$1"; case $1 in *plain*) exit 7;; *) exit 3;; esac', "sh", "{}", expect={3})
        self.run("each", "in", "-q", "-a", "1", "--shell", "--", 'echo "<b>$1</b>" >&2; kill -9 $$', expect={3})
        self.run("each", "in", "-q", "-j", "1", "--", "sh", "-c", "test -e go || kill -9 $PPID", expect={-signal.SIGKILL})
        self.run("dupes", "in", "-q")
        self.run("dupes", "in", "--action", "delete", "--apply", "-q", expect={0, 3})
        (self.folder / "lines.jsonl").write_text('{"a": 1, "<b>": "<i>"}\nnot json\n')
        self.run("import", "lines.jsonl", "--into", "out.db", "-q", expect={0, 3})

    def start_run(self) -> str:
        """A run in progress, until end_runs()."""
        before = set(self.runs())
        self.others.append(subprocess.Popen(
            [self.program, "each", "in", "-q", "-j", "1", "--", "sh", "-c", "until test -e stop; do sleep 0.05; done"],
            cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL))
        wait_until(lambda: set(self.runs()) - before, "run")
        return (set(self.runs()) - before).pop()

    def end_runs(self) -> None:
        (self.folder / "stop").touch()
        for process in self.others:
            process.wait(LIMIT)

    def start(self, *words: str) -> None:
        self.server = subprocess.Popen([self.program, "serve", *(words or ("--listen", "127.0.0.1:0"))], env=self.env,
                                       cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL)
        line = self.server.stdout.readline().decode()
        demand(line, f"serve said nothing and ended with {self.server.poll()}")
        if found := re.match(r"http://[^/]*:(\d+)/", line):
            self.port = int(found[1])
        self.token = (self.state / "serve.token").read_text().strip()
        demand(self.token not in line, "the token is printed where there is no terminal")

    def end(self, number: int = signal.SIGTERM) -> int:
        self.server.send_signal(number)
        return self.server.wait(LIMIT)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def cookie(self) -> str:
        return f"tidemill-{self.port}={self.token}"

    def ask(self, path: str, method: str = "GET", headers: dict[str, str] | None = None, body: bytes | None = None,
            is_signed_in: bool = True) -> Reply:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT)
        with contextlib.closing(connection):
            cookie = {"Cookie": self.cookie} if is_signed_in else {}
            connection.request(method, path, body, {**cookie, **(headers or {})})
            answer = connection.getresponse()
            return Reply(answer.status, answer.getheaders(), answer.read())


POLICY = ("default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
          "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'")


def demand_headers(reply: Reply, what: str) -> None:
    policy = {part.strip() for part in (reply.header("Content-Security-Policy") or "").split(";")}
    demand(policy == set(POLICY), f"{what}: the policy is {policy}")
    for name, value in (("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
                        ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin")):
        demand(reply.header(name) == value, f"{what}: {name} is {reply.header(name)}")
    demand(reply.header("Cache-Control"), f"{what}: no Cache-Control")


def main(test) -> None:
    try:
        with Site(os.environ["TIDEMILL"]) as site:
            test(site)
    except Broken as why:
        sys.exit(f"WRONG: {why}")
