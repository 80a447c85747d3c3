#!/usr/bin/env python3
"""Every verb with every common flag: the flag has an effect, or it is refused by its name.

  matrix.py --program build/release/tidemill [--stub build/release/docs_stub] [--expect-caught] [VERB...]

The program itself says which verbs there are and which flags each has (its help is made from the descriptions). A verb
without a scene here, and a flag of a verb without a proof, fail the test: a new verb is in the matrix by itself.

A flag that the verb does not have must end with exit status 2, be named in the message, and leave the folder as it was.
A flag that it has is proven by what it changes: see the functions that are called proves_*.

--expect-caught: the proof that this can see anything. The program takes each of the flags and ignores it.

Exit status 1: something does not hold; 77: the stub or redis-server is not here, and all the rest holds.
"""
import argparse
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "docs"), str(HERE.parent / "faults")]

PATIENCE = 60  # seconds for a run that takes less than one

# How each of them is typed. A letter can be another flag in another verb.
COMMON = {
    "-j": ["-j", "3"], "-n": ["-n"], "-q": ["-q"], "--json": ["--json"], "--jsonl": ["--jsonl"],
    "--rate": ["--rate", "10/s"], "-t": ["-t", "1ms"], "-a": ["-a", "2"], "--screen": ["--screen"],
    "--log": ["--log", "the.log"], "--progress": ["--progress", "json"]}


class Broken(Exception):
    """What does not hold."""


class Absent(Exception):
    """Something is not on this machine."""


def demand(holds, what):
    if not holds:
        raise Broken(what)


class Place:
    """A folder of its own with a state folder, and the program in it."""

    def __init__(self, program, stub, prepare):
        self.program, self.stub, self.prepare = program, stub, prepare
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="matrix-"))
        self.folder = self.base / "here"
        self.folder.mkdir()
        self.env = {"HOME": str(self.base), "TIDEMILL_STATE": str(self.base / "state"), "PATH": os.environ["PATH"],
                    "TERM": "xterm", "LC_ALL": "C.UTF-8", "TIDEMILL_CATALOGUE": str(self.base / "catalogue.db")}
        self.servers = []
        self.twins = []

    def twin(self):
        """Another one with the same scene: what a command does only once can be done again."""
        twin = Place(self.program, self.stub, self.prepare)
        self.twins.append(twin)
        self.prepare(twin)
        return twin

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run(self, words, expect=None):
        process = subprocess.Popen([self.program, *words], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        first = b""
        if words[0] == "serve":  # works until it is told to end
            first = process.stdout.readline()
            process.terminate()
        try:
            out, errors = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise
        done = subprocess.CompletedProcess(process.args, process.returncode, first + out, errors)
        if expect is not None:
            demand(done.returncode in expect, f"{words}: exit status {done.returncode}: {done.stderr.decode()[-600:]}")
        return done

    def files(self):
        """All names below the folder and the state, with the size of files."""
        roots = (self.folder, self.base / "state")
        return {str(path): path.stat().st_size for root in roots for path in root.rglob("*") if path.is_file()}

    def close(self):
        for one in (*self.servers, *self.twins):
            one.close()
        shutil.rmtree(self.base, ignore_errors=True)


# ---------------------------------------------------------------------------------------------------------------------
# The scenes: what is there, and a command line that works. Flags are put where "FLAGS" stands.

def texts(place):
    for number in range(6):
        place.write(f"in/{number}.txt", f"line {number % 2}\n" * 40)


def lines_of_json(place):
    for number in range(4):
        place.write(f"in/{number}.jsonl", f'{{"a": {number}}}\n' * 20)


def books(place):
    for name in ("one", "two"):
        words = [sys.executable, HERE.parent / "books" / "make_book.py", f"in/{name}.epub", "mimetype-last"]
        (place.folder / "in").mkdir(exist_ok=True)
        subprocess.run(words, cwd=place.folder, check=True, capture_output=True)


def scanned(place):
    texts(place)
    place.run(["dupes", "in", "-q"], expect={0})


def wanted_by_another(place):
    """Its catalogue knows the sizes of our files, and asks for their hashes."""
    texts(place)
    place.write("far/1.txt", "line 1\n" * 40)
    place.run(["dupes", "far", "--hash-all", "-q", "--catalogue", "../far.db"], expect={0})
    place.run(["dupes", "in", "-q"], expect={0})
    place.run(["catalogue", "export", "../ours.db"], expect={0})
    place.run(["dupes", "far", "-q", "--catalogue", "../far.db", "--with", "../ours.db", "--wanted", "../wanted"],
              expect={0})


def a_run(place):
    texts(place)
    place.run(["each", "in", "-q", "--", "true"], expect={0})
    place.run(["each", "in", "-q", "--", "true"], expect={0})


def a_run_with_failures(place):
    texts(place)
    place.run(["each", "in", "-q", "-a", "1", "--", "sh", "-c", "test -e go"], expect={3})
    place.write("go", "")


def a_stopped_run(place):
    """By kill -9 in its first task: all six are to be done."""
    texts(place)
    script = "echo >>tries; [ -e go ] || kill -KILL $PPID; [ ! -e slow ] || exec sleep 5; [ ! -e fail ] || exit 75"
    place.run(["each", "in", "-q", "-w", "1", "-a", "1", "--", "sh", "-c", script], expect={-9})
    place.write("go", "")


def applied_dupes(place):
    texts(place)
    place.run(["dupes", "in", "--action", "delete", "--apply", "-q"], expect={0})


def a_server(place):
    from docs_rig import KEY, Stub, a_uuid, collections  # noqa: PLC0415
    if not place.stub:
        raise Absent("docs_stub")
    os.environ["DOCS_STUB"] = place.stub
    stub = Stub(place)
    place.servers.append(stub)
    stub.seed([{"id": a_uuid(f"document {n}"), "title": f"Document {n}", "text": "/ai say something\n",
                "collectionId": collections()[0]["id"]} for n in range(3)])
    place.env |= {"TIDEMILL_DOCS_TOKEN": KEY, "TIDEMILL_URL": stub.url, "TIDEMILL_AI_URL": f"{stub.url}/v1",
                  "TIDEMILL_AI_MODEL": "stub"}
    place.server = stub


class Redis:
    def __init__(self, place):
        if not shutil.which("redis-server") or not shutil.which("redis-cli"):
            raise Absent("redis-server")
        self.socket = place.base / "redis.sock"
        self.process = subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", self.socket, "--save", ""],
                                        cwd=place.base, stdout=subprocess.DEVNULL)
        wait_until(lambda: self.socket.exists() and self.ask("ping") == b"PONG\n")  # it listens later

    def ask(self, *words, given=b""):
        return subprocess.run(["redis-cli", "-s", self.socket, *words], input=given, check=False,
                              capture_output=True).stdout

    def close(self):
        self.process.kill()
        self.process.wait()


def a_queue(place):
    texts(place)
    redis = Redis(place)
    place.servers.append(redis)
    place.run(["batch", "in", "-m", "1000", "--to", "redis:files", "--redis", f"unix://{redis.socket}", "-q"],
              expect={0})


def a_fleet(place):
    """A run without a signature, a drained host, and another one."""
    redis = Redis(place)
    place.servers.append(redis)
    redis.ask("sadd", "{films}:drained", "nas1")
    redis.ask("-x", "hset", "{films}:runs", "run", given=b"\0\1\4name\3run")
    now = redis.ask("time").split()[0] + b"000 "
    redis.ask("-x", "hset", "{films}:hosts", "c", given=now + b"\1\10consumer\1c\4host\4nas2")


def a_fleet_with_work(place):
    """A run whose coordinator was killed: it left its only task."""
    texts(place)
    redis = Redis(place)
    place.servers.append(redis)
    left = subprocess.Popen(
        [place.program, "each", "in/1.txt", "-q", "--fleet", "redis:films", "--redis", f"unix://{redis.socket}",
         "--insecure-fleet", "--", "true"], cwd=place.folder, env=place.env)
    try:
        wait_until(lambda: redis.ask(
            "--raw", "eval",
            "local n = 0 for _, k in ipairs(redis.call('KEYS', '*:q')) do n = n + redis.call('XLEN', k) end return n",
            "0").strip() not in (b"", b"0"))
    finally:
        left.kill()
        left.wait()


FLEET = ["redis:films", "--redis", "unix://BASE/redis.sock", "FLAGS"]

SCENES = {
    "each": (texts, ["each", "in", "FLAGS", "--", "echo", "{}"]),
    "dupes": (texts, ["dupes", "in", "FLAGS"]),
    "import": (lines_of_json, ["import", "in", "--into", "out.db", "FLAGS"]),
    "batch": (texts, ["batch", "in", "--max-tokens", "1000", "--to", "-", "FLAGS"]),
    "books check": (books, ["books", "check", "in", "--no-cache", "FLAGS"]),
    "books repair": (books, ["books", "repair", "in", "--no-cache", "FLAGS"]),
    "books rules": (texts, ["books", "rules", "FLAGS"]),
    "docs run": (a_server, ["docs", "run", "FLAGS"]),
    "tokens": (texts, ["tokens", "in", "FLAGS"]),
    "queue": (a_queue, ["queue", "unix://BASE/redis.sock", "files", "FLAGS"]),
    "worker": (a_fleet_with_work, ["worker", "--fleet", "redis:films", "--redis", "unix://BASE/redis.sock",
                                   "--insecure-fleet", "--until-idle", "500ms", "FLAGS"]),
    "fleet remove": (a_fleet, ["fleet", "remove", "redis:films", "run", *FLEET[1:]]),
    "fleet status": (a_fleet, ["fleet", "status", *FLEET]),
    "fleet runs": (a_fleet, ["fleet", "runs", *FLEET]),
    "fleet hosts": (a_fleet, ["fleet", "hosts", *FLEET]),
    "fleet pause": (a_fleet, ["fleet", "pause", "redis:films", "run", *FLEET[1:]]),
    "fleet unpause": (a_fleet, ["fleet", "unpause", "redis:films", "run", *FLEET[1:]]),
    "fleet drain": (a_fleet, ["fleet", "drain", "redis:films", "nas2", *FLEET[1:]]),
    "fleet undrain": (a_fleet, ["fleet", "undrain", "redis:films", "nas1", *FLEET[1:]]),
    "fleet key": (texts, ["fleet", "key", "../films.key", "FLAGS"]),
    "catalogue ls": (scanned, ["catalogue", "ls", "FLAGS"]),
    "catalogue show": (scanned, ["catalogue", "show", "in/1.txt", "FLAGS"]),
    "catalogue verify": (scanned, ["catalogue", "verify", "FLAGS"]),
    "catalogue hash": (wanted_by_another, ["catalogue", "hash", "--wanted", "../wanted", "FLAGS"]),
    "catalogue forget": (scanned, ["catalogue", "forget", "in", "FLAGS"]),
    "catalogue export": (scanned, ["catalogue", "export", "copy.db", "FLAGS"]),
    "runs": (a_run, ["runs", "FLAGS"]),
    "show": (a_run, ["show", "last", "FLAGS"]),
    "report": (a_run, ["report", "last", "FLAGS"]),
    "resume": (a_stopped_run, ["resume", "last", "FLAGS"]),
    "undo": (applied_dupes, ["undo", "last", "FLAGS"]),
    "failures": (a_run_with_failures, ["failures", "last", "retry", "--all", "FLAGS"]),
    "check": (a_run, ["check", "last", "FLAGS"]),
    "forget": (a_run, ["forget", "last", "FLAGS"]),
    "doctor": (texts, ["doctor", "FLAGS"]),
    "serve": (a_run, ["serve", "--listen", "127.0.0.1:0", "FLAGS"]),
    "completion": (texts, ["completion", "bash", "FLAGS"]),
    "man": (texts, ["man", "each", "FLAGS"]),
}


# ---------------------------------------------------------------------------------------------------------------------
# The proofs, by the long name of a flag. `words` is the scene's command line; flags() puts something into it.

def flags(words, more):
    at = words.index("FLAGS")
    return [*words[:at], *more, *words[at + 1:]]


def wait_until(holds):
    end = time.monotonic() + PATIENCE
    while not holds():
        demand(time.monotonic() < end, "it does not come")
        select.select([], [], [], 0.01)


def worked(place, words, expect=frozenset({0, 3})):
    return place.run(words, expect)


def proves_quiet(place, words, typed, is_worker):
    done = worked(place, flags(words, typed))
    if is_worker:
        loud = worked(place.twin(), flags(words, []))
        demand(len(done.stdout + done.stderr) < len(loud.stdout + loud.stderr), "it says as much as without it")
    said = [line for line in done.stderr.splitlines() if b"The previous process crashed" not in line]  # of a resumed run
    demand(done.returncode == 3 or not said, f"it says {said[:3]}")  # what failed may be told
    if is_worker and words[0] not in PRINT_DATA:
        demand(not done.stdout, f"it prints {done.stdout[:300]!r}")


PRINT_DATA = {"each", "dupes", "books", "batch", "tokens", "resume", "failures"}  # what they print is what they are for


def proves_json(place, words, typed, is_worker):
    if words[0] == "batch":  # the batches themselves are on standard output
        words = ["--dry-run" if word == "--to" else word for word in words if word != "-"]
    json.loads(worked(place, flags(words, typed)).stdout)


def proves_jsonl(place, words, typed, is_worker):
    lines = worked(place, flags(words, typed)).stdout.splitlines()
    demand(lines, "it prints nothing")
    for line in lines:
        demand(isinstance(json.loads(line), dict), f"no object: {line[:100]!r}")


def progress_of(done):
    events = []
    for line in done.stderr.splitlines():
        if line.startswith(b"{"):
            events.append(json.loads(line))
    return [event for event in events if event.get("event") == "progress"]


def proves_progress(place, words, typed, is_worker):
    events = progress_of(worked(place, flags(words, typed)))
    demand(events and events[-1]["isLast"], "no progress as JSON")


def proves_log(place, words, typed, is_worker):
    worked(place, flags(words, typed))
    log = place.folder / typed[-1]
    demand(log.exists(), "there is no log")
    for line in log.read_text().splitlines():
        json.loads(line)
    place.write("file", "")
    refused = place.run(flags(words, ["--log", "file/log"]))
    demand(refused.returncode in (1, 2) and b"log" in refused.stderr, f"cannot be: {refused.stderr[:300]!r}")


def proves_screen(place, words, typed, is_worker):
    """On a terminal it takes the whole of it; without one it is refused by name."""
    refused = place.run(flags(words, typed))
    demand(refused.returncode == 2 and b"--screen" in refused.stderr, f"without a terminal: {refused.stderr[:300]!r}")
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(place.folder)
        os.execve(place.program, [place.program, *flags(words, typed)], place.env)
    seen, ended = b"", False
    try:
        end = time.monotonic() + PATIENCE
        while not ended and time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    seen += os.read(terminal, 1 << 16)
                except OSError:
                    break
            if b"\x1b[?1049h" in seen:
                os.write(terminal, b"q")
            ended = os.waitpid(pid, os.WNOHANG)[0] != 0
    finally:
        os.close(terminal)
        if not ended:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    demand(b"\x1b[?1049h" in seen, f"it did not take the screen: {seen[-300:]!r}")


def threads_of(place, words):
    """Threads and processes that the program starts."""
    trace = place.base / "trace"
    done = subprocess.run(["strace", "-f", "-qq", "-o", trace, "-e", "trace=clone,clone3,fork,vfork", place.program,
                           *words], cwd=place.folder, env=place.env, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=PATIENCE, check=False)
    demand(done.returncode in (0, 3), f"{words}: {done.stderr.decode()[-300:]}")
    return len(re.findall(r"= \d+$", trace.read_text(), re.M))


def proves_jobs(place, words, typed, is_worker):
    if not shutil.which("strace"):
        raise Absent("strace")
    few = threads_of(place, flags(words, [typed[0], "1"]))
    many = threads_of(place.twin(), flags(words, [typed[0], "5"]))
    demand(many >= few + 3, f"{few} threads with one worker, {many} with five")


def failing(words):
    """Where commands are run, one that fails and leaves a trace."""
    return [*words[:words.index("--")], "--", "sh", "-c", "echo >>tries; exit 75"] if "--" in words else words


def proves_attempts(place, words, typed, is_worker):
    if words[0] == "docs":
        place.env["TIDEMILL_AI_URL"] = "http://127.0.0.1:1/v1"
        place.run(flags(words, typed), expect={3})
        letters = [json.loads(line) for line in place.run(["failures", "last", "--jsonl"]).stdout.splitlines()]
        demand(letters and all(letter["attempts"] == 2 for letter in letters), f"{letters[:1]}")
        return
    place.write("fail", "")
    place.write("tries", "")
    place.run(flags(failing(words), typed), expect={3})
    count = len((place.folder / "tries").read_text())
    demand(count == 2 * 6, f"{count} tries")


def proves_timeout(place, words, typed, is_worker):
    """What takes longer is given up: the exit status says so."""
    place.write("slow", "")
    if "--" in words:
        words = [*words[:words.index("--")], "--", "sh", "-c", "exec sleep 5"]
    if words[0] == "docs":
        typed = [typed[0], "100ms", "-a", "1"]
        silent = socket.create_server(("127.0.0.1", 0))  # takes a connection and never answers
        place.servers.append(silent)
        place.env["TIDEMILL_AI_URL"] = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
    if words[0] == "books":
        large = "<p>words</p>" * 200_000
        add_document(place.folder / "in" / "one.epub", large)
    done = place.run(flags(words, [*typed, "--json"]), expect={1, 3})
    said = (done.stdout + done.stderr).decode()
    demand(re.search(r"TIDE-004|timed out|timeout:", said), f"it does not say why: {said[-300:]}")


def add_document(path, body):
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("OEBPS/large.xhtml", f'<html xmlns="http://www.w3.org/1999/xhtml">{body}</html>')


def proves_rate(place, words, typed, is_worker):
    least = 0.35
    if words[0] == "docs":
        typed = [typed[0], "documents.update=120/m"]
    if words[0] == "each":  # six files, two a second: longer than a loaded machine takes without a rate
        typed, least = [typed[0], "2/s"], 2
    began = time.monotonic()
    worked(place, flags(words, typed))
    demand(time.monotonic() - began >= least, "it was not slowed down")


ACTS = {"dupes": ["--action", "delete"], "books": ["--in-place"]}


def proves_dry_run(place, words, typed, is_worker):
    """What would be done is told and not done."""
    acting = [*flags(words, [*ACTS.get(words[0], []), "FLAGS"])]
    if "--" in acting:
        acting = [*acting[:acting.index("--")], "--", "rm", "{}"]
    before = place.files()
    done = place.run(flags(acting, typed), expect={0, 3})
    left = {name for name in before if name not in place.files()}
    demand(not left, f"gone: {left}")
    demand({name: size for name, size in place.files().items() if "/here/" in name} ==
           {name: size for name, size in before.items() if "/here/" in name}, "files have changed")
    demand(done.stdout or done.stderr, "it tells nothing")
    if words[0] == "docs":
        demand(not [row for row in place.server.journal() if row["by"] != "seed"], "the server was written to")


def proves_limit(place, words, typed, is_worker):
    runs = json.loads(place.run(flags(words, [*typed, "1", "--json"]), expect={0}).stdout)
    demand(len(runs["runs"]) == 1, f"{len(runs['runs'])} runs")


def proves_max_tokens(place, words, typed, is_worker):
    few, many = (len(place.run(flags(words, [*typed, size, "-q"]), expect={0}).stdout.splitlines())
                 for size in ("1000000", "200"))
    demand(few < many, f"{few} batches, and {many} that are smaller")


# ---------------------------------------------------------------------------------------------------------------------

class Verb:
    def __init__(self, program, name):
        self.name = name
        text = subprocess.run([program, *name.split(), "--help"], capture_output=True, text=True, check=True).stdout
        found = re.findall(r"^ +(?:(-\w), )?--([\w-]+)(?:=\S+)?  ", text, re.M)
        found += re.findall(r"^ +(?:(-\w), )?--([\w-]+)(?:=\S+)?$", text, re.M)
        self.by_spelling = {f"--{name}": name for _, name in found} | {letter: name for letter, name in found if letter}

    @property
    def works(self):
        return "--progress" in self.by_spelling


def verbs_of(program):
    text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    section = re.search(r"^VERBS\n((?:  .*\n)+)", text, re.M)[1]
    names = re.findall(r"^  (\w[\w-]*(?: \w[\w-]*)?)(?:  |$)", section, re.M)
    return [name for name in names if not any(other.startswith(name + " ") for other in names)]


def refuses(place, words, typed):
    before = place.files()
    done = place.run(flags(words, typed))
    demand(done.returncode == 2, f"exit status {done.returncode}")
    demand(typed[0].lstrip("-").encode() in done.stderr, f"it does not name it: {done.stderr[:300]!r}")
    demand(place.files() == before, "something was done")


def one_cell(verb, flag, options, program=None):
    prepare, words = SCENES[verb.name]
    place = Place(program or os.path.abspath(options.program), options.stub, prepare)
    words = [word.replace("BASE", str(place.base)) for word in words]
    try:
        prepare(place)
        long = verb.by_spelling.get(flag)
        if long is None:
            refuses(place, words, COMMON[flag])
            return "refused"
        proof = globals().get(f"proves_{long.replace('-', '_')}")
        demand(proof, f"no proof for --{long}: write one")
        proof(place, words, COMMON[flag], verb.works)
        return "works"
    finally:
        place.close()


DEAF = """#!/bin/sh
# The program, but for one flag, and its value if it has one, that it takes and ignores.
for word; do
  shift
  if [ -n "$skips" ]; then skips=; continue; fi
  if [ "$word" = "{flag}" ]; then skips={has_value}; continue; fi
  set -- "$@" "$word"
done
exec {program} "$@"
"""


def unseen(options):
    """Flags that can be ignored without being noticed: by `each`, which has all of them, and by `runs`."""
    with tempfile.TemporaryDirectory() as folder:
        deaf = pathlib.Path(folder, "deaf")
        for name, flag in [("each", flag) for flag in COMMON] + [("runs", "--screen"), ("runs", "--log")]:
            has_value = "1" if len(COMMON[flag]) > 1 else ""
            deaf.write_text(DEAF.format(flag=flag, has_value=has_value, program=os.path.abspath(options.program)))
            deaf.chmod(0o755)
            try:
                one_cell(Verb(options.program, name), flag, options, str(deaf))
                yield f"{name} {flag}"
            except (Broken, ValueError, subprocess.TimeoutExpired) as why:
                print(f"caught, as it should be: {name} {flag}: {str(why)[:100]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--stub", default="")
    parser.add_argument("--expect-caught", action="store_true")
    parser.add_argument("verbs", nargs="*")
    options = parser.parse_args()
    if options.expect_caught:
        missed = list(unseen(options))
        print(f"not seen: {missed}")
        sys.exit(1 if missed else 0)
    names = verbs_of(options.program)
    broken, absent = [], set()
    for name in options.verbs or names:
        row = []
        if name not in SCENES:
            broken.append(f"{name}: a verb without a scene")
            continue
        verb = Verb(options.program, name)
        for flag in COMMON:
            try:
                row.append(f"{flag} {one_cell(verb, flag, options)}")
            except Absent as what:
                absent.add(str(what))
                row.append(f"{flag} not tried")
            except (Broken, ValueError, subprocess.TimeoutExpired) as why:
                broken.append(f"{name} {flag}: {why}")
                row.append(f"{flag} BROKEN")
        print(f"{name}: {', '.join(row)}", flush=True)
    for line in broken:
        print("WRONG:", line)
    if absent:
        print(f"NOT TESTED, because it is not here: {', '.join(sorted(absent))}")
    sys.exit(1 if broken else 77 if absent else 0)


if __name__ == "__main__":
    main()
