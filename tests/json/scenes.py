"""Small real inputs for every verb that prints JSON. A scene is a function that runs the program in a Place, where
see() validates what it prints. SCENES lists them. A scene raises Absent if something is missing on this machine."""
import contextlib
import json
import os
import pathlib
import pty
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import warnings
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "docs"), str(HERE.parent / "faults")]

LIMIT = 120  # seconds for what takes a moment
BAD = b"bad\xff"  # a name that is not UTF-8


class Broken(Exception):
    """The program did not do what the scene needs."""


class Absent(Exception):
    """Something is missing on this machine."""


def demand(holds, what):
    if not holds:
        raise Broken(what)


def wait_until(holds, what):
    end = time.monotonic() + LIMIT
    while not holds():
        demand(time.monotonic() < end, f"timeout: no {what}")
        select.select([], [], [], 0.01)


class Place:
    """A folder of its own with a state folder, and the program in it."""

    def __init__(self, program, stub, take):
        self.program, self.stub, self.take = program, stub, take
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="json-"))
        self.folder = self.base / "here"
        self.folder.mkdir()
        self.env = {"HOME": str(self.base), "PATH": os.environ["PATH"], "TERM": "xterm", "LC_ALL": "C.UTF-8",
                    "TIDEMILL_STATE": str(self.base / "state")}
        self.servers = []

    def write(self, name, content="some words\n"):
        path = pathlib.Path(os.fsdecode(os.path.join(os.fsencode(self.folder), os.fsencode(name))))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def start(self, *words, **more):
        return subprocess.Popen([self.program, *words], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=more.pop("stderr", subprocess.PIPE), **more)

    def run(self, *words, expect=(0,), before=()):
        """`before`: words before the program, such as prlimit."""
        done = subprocess.run([*before, self.program, *words], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=LIMIT, check=False)
        said = done.stderr.decode(errors="replace")[-500:]
        demand(done.returncode in expect, f"{words}: exit status {done.returncode}: {said}")
        return done

    def see(self, schema, *words, expect=(0,), before=()):
        """Runs the program and validates its standard output. Returns the objects."""
        done = self.run(*words, expect=expect, before=before)
        return self.check(schema, done.stdout, words)

    def check(self, schema, output, words):
        """Validates one object per line, or one over several lines."""
        demand(output.strip(), f"{words}: no output")
        try:
            values = [json.loads(output)]
        except ValueError:
            values = [json.loads(line) for line in output.splitlines()]
        for value in values:
            self.take(schema, value, words)
        return values

    def see_progress(self, verb, *words, expect=(0,)):
        self.check_progress(self.run(verb, "--progress", "json", *words, expect=expect).stderr, words)

    def check_progress(self, output, words):
        lines = [line for line in output.splitlines() if line.startswith(b'{"v":1,"event":"progress"')]
        self.check("progress", b"\n".join(lines), words)

    def close(self):
        for server in self.servers:
            server.close()
        shutil.rmtree(os.fsencode(self.base), ignore_errors=True)


def bound():
    """Words before the program that keep root from reading what its mode forbids."""
    if os.getuid() != 0:
        return []
    if not shutil.which("setpriv"):
        raise Absent("setpriv")
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


def is_settled(path):
    """Old enough for its hash to be kept: a younger file may change again without a new time stamp."""
    return time.time() - path.stat().st_ctime > 3


def closed(path):
    os.chmod(os.fsencode(path), 0)


# ---------------------------------------------------------------------------------------------------------------------

def each(place):
    for name in ("a", "b", BAD):
        place.write(b"in/" + os.fsencode(name))
    place.see("each", "each", "in", "--json", "--", "true")
    place.see("each", "each", "in", "--json", "-g", "nothing", "--allow-empty", "--", "true")
    place.see("each", "each", "in", "--jsonl", "-g", "nothing", "--allow-empty", "--", "true")
    place.see("each", "each", "in", "--jsonl", "-w", "2", "-a", "2", "--backoff", "1ms", "--keep-output", "4",
              "--shell", "--", 'printf "%s" "$1"; printf "%s" "$1" >&2; exit 75', expect=(3,))
    place.see("each", "each", "in", "--json", "--shell", "--", 'exit 4', expect=(3,))
    place.see("each", "each", "in", "--jsonl", "--shell", "--", 'echo a; echo b >&2; kill -KILL $$', expect=(3,))
    place.see("each", "each", "in", "--jsonl", "--halt", "now", "--", "false", expect=(1,))
    place.write(b"odd/" + BAD)
    for report in ("--json", "--jsonl"):
        place.see("each", "each", "odd", report, "--shell", "--", 'printf "%s" "$1" | tee /dev/stderr; exit 1',
                  expect=(3,))
    script = place.write("script", "#!/nowhere/interpreter\n")
    script.chmod(0o755)
    place.see("each", "each", "in", "--jsonl", "-a", "2", "--backoff", "1ms", "--", "./script", expect=(3,))
    place.see("failures", "failures", "last", "--json")
    place.see("failures", "failures", "last", "--jsonl")
    place.see("show", "show", "last", "--tasks", "--jsonl")
    closed(place.write("tree/shut/file").parent)
    place.see("each", "each", "tree", "--json", "--", "true", expect=(3,), before=bound())
    for name in (b"shut", b"shut" + BAD):
        closed(place.write(name + b"/file").parent)
        for report in ("--json", "--jsonl"):
            place.see("each", "each", name, report, "--", "true", expect=(1,), before=bound())
        place.see("show", "show", "last", "--json")
        place.see("check", "check", "last", "--json", expect=(0, 1))
    place.see("runs", "runs", "--json")


def resume(place):
    for name in "abc":
        place.write(f"in/{name}")
    os.mkfifo(place.folder / "hold")
    stop = "[ -e go ] || { kill -INT $PPID; read line <hold; }; [ -e good ] || exit 1"
    for report in ("--json", "--jsonl"):
        place.see("each", "each", "in", report, "-w", "1", "--grace", "100ms", "--shell", "--", stop, expect=(130,))
    place.see("runs", "runs", "--json")
    place.write("go")
    run = json.loads(place.run("runs", "--json").stdout)["runs"][1]["run"]
    place.see("each", "resume", "last", "--json", expect=(3,))
    place.see("each", "resume", run, "--jsonl", expect=(3,))
    place.write("good")
    place.see("each", "failures", "last", "retry", "--all", "--json")
    place.see("each", "failures", run, "retry", "--all", "--jsonl")


def runs(place):
    """Runs in every state, and in a folder whose name is not UTF-8: their tasks, failures and journals."""
    place.see("runs", "runs", "--json")
    place.write(b"in/" + BAD)
    place.write("in/b")
    place.run("each", "in", "--order", "size", "--shell", "--", "printf 'x\\377'; exit 1", expect=(3,))
    place.see("failures", "failures", "last", "--json")
    place.see("failures", "failures", "last", "--jsonl")
    place.see("failures", "failures", "last", "export")
    place.see("failures", "failures", "last", "show", "1", "--json")
    place.see("show", "show", "last", "1", "--json")
    place.see("show", "show", "last", "--json")
    place.run("failures", "last", "drop", "1")
    place.see("show", "show", "last", "--tasks", "--jsonl")
    place.see("show", "show", "last", "--json")
    place.run("each", "in", "--shell", "--", "echo words; exit 1", expect=(3,))
    place.see("failures", "failures", "last", "--json")
    place.see("failures", "failures", "last", "--jsonl")
    place.see("show", "show", "last", "1", "--json")
    place.run("each", "in", "--", "true")
    place.see("show", "show", "last", "--tasks", "--jsonl")
    place.see("failures", "failures", "last", "--json")
    place.see("check", "check", "last", "--json")
    place.see("check", "check", "last", "--json", "--remove-orphans")
    place.run("tokens", "in")
    place.see("check", "check", "last", "--json")
    place.see("show", "show", "last", "--json")
    place.run("each", "in", "-w", "1", "--shell", "--", "kill -KILL $PPID", expect=(-signal.SIGKILL,))
    place.see("check", "check", "last", "--json", expect=(1,))
    odd = place.write(BAD + b"folder/x").parent
    subprocess.run([place.program, "each", "x", "--", "true"], cwd=os.fsencode(odd), env=place.env, check=True,
                   capture_output=True)
    place.see("check", "check", "last", "--json")
    place.see("show", "show", "last", "--json")
    os.mkfifo(place.folder / "hold")
    working = place.start("each", "in", "-w", "1", "--grace", "100ms", "--jsonl", "--shell", "--", "read line <hold")
    try:
        newest = json.loads(working.stdout.readline())["run"]
        place.see("show", "show", newest, "--json")
        place.see("check", "check", newest, "--json", expect=(0, 1))
        place.see("runs", "runs", "--json")
    finally:
        working.send_signal(signal.SIGINT)
        working.communicate(timeout=LIMIT)
    with contextlib.closing(sqlite3.connect(place.base / "state" / "runs" / newest / "journal.db")) as journal:
        journal.execute("delete from note")
        journal.commit()
    place.see("check", "check", newest, "--json", expect=(1,))
    place.see("runs", "runs", "--json")
    place.env["TIDEMILL_STATE"] = os.fsdecode(os.fsencode(place.base) + b"/state" + BAD)
    place.run("each", "in", "--", "true")
    place.see("show", "show", "last", "--json")


def dupes(place):
    for name in (b"a/1", b"b/1", b"a/" + BAD, b"b/" + BAD):
        place.write(b"in/" + name, "same")
    for number, name in enumerate((b"a/onlyA", b"b/onlyB", b"a/onlyA" + BAD, b"b/onlyB" + BAD)):
        place.write(b"in/" + name, f"nobody else has it: {number}")
    place.write(b"in/a/differs", "333")
    place.write(b"in/b/differs", "4444")
    place.write(b"in/a/differs" + BAD, "55555")
    place.write(b"in/b/differs" + BAD, "666666")
    for tree in ("one", "two"):
        place.write(f"in/{tree}/x", "the whole folder")
    for tree in (b"three" + BAD, b"four" + BAD):
        place.write(b"in/" + tree + b"/x", "the whole of another folder")
    for tree in (b"five" + BAD, b"six" + BAD):
        place.write(b"in/" + tree + b"/x", "two folders that overlap")
        place.write(b"in/" + tree + b"/y", b"and differ: " + tree)
    closed(place.write("in/closed", "same"))
    closed(place.write(b"in/closed" + BAD, "same"))
    for report in ("--json", "--jsonl"):
        place.see("dupes", "dupes", "in", report, "--folders", "--overlap", "10", expect=(3,), before=bound())
        place.see("dupes", "dupes", "in", report, "--unique", expect=(3,), before=bound())
        place.see("dupes", "dupes", "in", report, "-g", "nothing", "--allow-empty")
    place.see_progress("dupes", "in", expect=(3, 0))
    another_host(place)
    place.see("dupes", "dupes", "in/one", "in/two", "--action", "delete", "--apply", "--json")
    place.see("dupes", "dupes", "in/one", "in/two", "--action", "delete", "--apply", "--json")
    place.see("undo", "undo", "last", "--json")
    place.see("dupes", "dupes", b"in/a/" + BAD, b"in/b/" + BAD, "--action", "delete", "--apply", "--json")
    place.see("show", "show", "last", "--tasks", "--jsonl")
    place.see("dupes", "dupes", "in/one", "in/two", "--action", "delete", "--apply", "--jsonl")
    place.see("runs", "runs", "--json")


def another_host(place):
    """The catalogue of another host has files like ours."""
    for name in ("far/x", "far/alone"):
        place.write(name, "the whole folder" if name == "far/x" else "nobody else has it")
    wait_until(lambda: is_settled(place.folder / "far" / "alone"), "file that is old enough")
    place.run("dupes", "far", "--hash-all", "-q", "--catalogue", "../far.db")
    with sqlite3.connect(place.base / "far.db") as catalogue:
        catalogue.execute("update about set value = 'nas' where key = 'host'")
        catalogue.execute("delete from about where key = 'machine_id'")
    (place.folder / "far").rename(place.base / "gone")
    for report in ("--json", "--jsonl"):
        place.see("dupes", "dupes", "in/one", report, "--with", "../far.db")
        place.see("dupes", "dupes", "in/one", report, "--with", "../far.db", "--unique")


def catalogue(place):
    path = place.write("in/a", "one")
    place.write("in/b", "one")
    place.write(b"in/" + BAD, "two")
    closed(place.write("in/closed", "six"))
    scan = ("dupes", "in", "--hash-all", "-q")
    wait_until(lambda: is_settled(path), "file that is old enough")
    place.run(*scan, expect=(3,), before=bound())
    place.see("catalogue", "catalogue", "ls", "--json")
    place.see("catalogue", "catalogue", "show", "in", "in/a", b"in/" + BAD, "in/closed", "--json")
    path.write_text("changed")
    place.run(*scan, expect=(3,), before=bound())
    place.see("catalogue", "catalogue", "show", "in/a", "--json")
    path.unlink()
    place.run(*scan, expect=(3,), before=bound())
    place.see("catalogue", "catalogue", "show", "in/a", "--json")
    path.write_text("changed")
    place.run(*scan, expect=(3,), before=bound())
    place.see("catalogue", "catalogue", "show", "in/a", "--json")
    odd = place.write(b"root" + BAD + b"/x").parent
    place.run("dupes", os.fsencode(odd), "-q", "--catalogue", "../odd.db")
    place.see("catalogue", "catalogue", "ls", "--json", "--catalogue", "../odd.db")
    place.see("catalogue", "catalogue", "show", os.fsencode(odd), os.fsencode(odd) + b"/x", "--json",
              "--catalogue", "../odd.db")


def imports(place):
    place.write("in/a.jsonl", '{"_key": 1, "v": 1, "list": [{"x": 1}]}\n\nno json\n{"_key": 2, "v": "text"}\n')
    place.write(b"in/" + BAD + b".jsonl", '{"_key": 1, "v": 1}\nno json\n{"_key": 1, "v": "text"}\n')
    place.write("in/broken.jsonl.gz", b"\x1f\x8b broken")
    place.write(b"in/broken" + BAD + b".jsonl.gz", b"\x1f\x8b broken")
    plan = ("import", "--dry-run", "--json")
    place.see("import", *plan, "in", "--into", b"out" + BAD + b".db")
    for name in (b"", BAD):
        closed(place.write(b"tree/shut" + name + b"/a.jsonl").parent)
    place.see("import", *plan, "tree", "in/a.jsonl", "--into", "out.db", expect=(3,), before=bound())
    place.see("import", "import", "in", "--into", "out.db", "--nested", "tables", "--key", "_key", "--json",
              expect=(3,))
    place.see("import", "import", "in", "--into", "out.db", "--incremental", "--json", expect=(3, 0))
    place.see("import", "import", "in", "--into", b"out" + BAD + b".db", "-g", "nothing", "--allow-empty", "--json")
    place.see("import", "import", "in/a.jsonl", "--into", b"out" + BAD + b".db", "--json", expect=(3,))
    place.see_progress("import", "in/a.jsonl", "--into", "more.db", expect=(3,))


def tokens(place):
    place.write("in/a")
    place.write("in/binary", b"\0\0")
    place.write(b"in/" + BAD)
    closed(place.write("in/closed"))
    for words in (["in", "--json"], ["in", "--jsonl", "--log", "log"]):
        place.see("tokens", "tokens", *words, expect=(3,), before=bound())
    place.check("log", (place.folder / "log").read_bytes(), "--log")
    place.see("tokens", "tokens", "in", "-g", "nothing", "--allow-empty", "--json")


def batch(place):
    texts(place)
    place.see("batch", "batch", "in", "--max-tokens", "8", "--to", "-", "--inline", expect=(3,), before=bound())
    place.see("batch", "batch", "in", "--max-tokens", "8", "--dry-run", expect=(3,), before=bound())
    place.see("batch", "batch", "in", "--max-tokens", "8", "--dry-run", "--json", expect=(3,), before=bound())
    place.see("batch", "batch", "in", "--max-tokens", "8", "--dry-run", "--json", "-g", "nothing", "--allow-empty")


def texts(place):
    place.write("in/a")
    place.write("in/long", "many words " * 20)
    place.write("in/binary", b"\0\0")
    place.write(b"in/" + BAD, b"not UTF-8: \xff\n")
    closed(place.write("in/closed"))
    closed(place.write(b"in/closed" + BAD))


class Redis:
    def __init__(self, place):
        if not shutil.which("redis-server") or not shutil.which("redis-cli"):
            raise Absent("redis-server")
        self.socket = place.base / "redis.sock"
        self.url = f"unix://{self.socket}"
        self.process = subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", self.socket, "--save", ""],
                                        cwd=place.base, stdout=subprocess.DEVNULL)
        place.servers.append(self)
        wait_until(lambda: self.socket.exists() and self.ask("ping") == b"PONG", "redis-server")

    def ask(self, *words):
        words = ["redis-cli", "-s", self.socket, *words]
        return subprocess.run(words, capture_output=True, timeout=LIMIT, check=False).stdout.strip()

    def close(self):
        self.process.kill()
        self.process.wait()


def queue(place):
    """A producer, workers, dead letters; then other producers of the same job."""
    redis = Redis(place)
    texts(place)
    send = ["batch", "in", "--max-tokens", "8", "--redis", redis.url, "--settle", "0"]
    place.see("batch", *send, "--to", "redis:files", "--json", expect=(3,), before=bound())
    place.see("batch", *send, "--to", "redis:files", "--json", expect=(3,), before=bound())
    place.see("batch", *send, "--to", b"redis:" + BAD, "--json", expect=(3,), before=bound())
    place.see("show", "show", "last", "--json")
    place.see("failures", "failures", "last", "--json")
    closed(place.write(b"odd/" + BAD))
    place.see("batch", "batch", "odd", *send[2:], "--to", "redis:odd", "--json", expect=(3,), before=bound())
    redis.ask("xreadgroup", "group", "tidemill", "worker", "count", "1", "streams", "files", ">")
    redis.ask("xgroup", "create", "files", b"group" + BAD, "0")
    redis.ask("xreadgroup", "group", b"group" + BAD, b"worker" + BAD, "count", "1", "streams", "files", ">")
    place.see("queue", "queue", redis.url, "files", "--json")
    place.see("queue", "queue", redis.url, BAD, "--json")
    for suffix in (b"", BAD):
        redis.ask("xadd", "{files}:dead", "*", "id", b"id" + suffix, "source", b"1-1" + suffix,
                  "reason", b"no" + suffix, "consumer", b"worker" + suffix, "deliveries", "3", "batch", b"{}" + suffix)
    place.see("queue", "queue", redis.url, "files", "dead", "--json")
    redis.ask("set", "{files}:lease", b"other 7 elsewhere:9" + BAD, "px", "100000")
    place.see("queue", "queue", redis.url, "files", "--json")
    redis.ask("set", "{files}:lease", "other 7 elsewhere:9", "px", "100000")
    place.see("queue", "queue", redis.url, "files", "--json")
    place.see("batch", *send, "--to", "redis:files", "--json", "--if-held", "fail", expect=(4,), before=bound())
    other_producers(place, redis, send)
    place.see("doctor", "doctor", "--redis", redis.url, "--json", expect=(0, 1))


def packed(**fields):
    """As coordinators and workers of a fleet pack what they publish: names and values with their lengths. Lists are
    several fields; dicts are records in records."""
    def text(value):
        demand(len(value) < 128, "a length of one byte")
        return bytes([len(value)]) + value
    whole = b""
    for name, values in fields.items():
        for value in values if isinstance(values, list) else [values]:
            value = packed(**value) if isinstance(value, dict) else bytes([value]) if isinstance(value, int) else value
            whole += text(name.encode()) + text(value)
    return whole


def fleet(place):
    """Runs and hosts of which no byte is signed: shown without a key, and refused with one."""
    redis = Redis(place)
    place.see("fleet", "fleet", "status", "redis:films", "--redis", redis.url, "--json")
    now = redis.ask("time").split()[0] + b"000 "
    for end in (b"", BAD):
        run = packed(name=b"run" + end, id=b"7" + end, host=b"nas1" + end, user=b"ann" + end,
                     recipe={"name": b"each", "version": 2, "digest": b"a1b2" + end},
                     root=[{"name": b"photos" + end, "path": b"/data/photos" + end}])
        set_bytes(redis, "{films}:runs", b"run" + end, b"\0\1" + run)
        host = packed(consumer=b"c" + end, host=b"nas2" + end, pid=17, version=b"1" + end, places=8, busy=3, done=9,
                      recipe=[{"name": b"each" + end}, {"name": b"tokens", "version": 3}],
                      refusal=[{"run": b"run" + end, "why": b"no such folder" + end}])
        set_bytes(redis, "{films}:hosts", b"c" + end, now + b"\1" + host)
        redis.ask("sadd", "{films}:drained", b"nas2" + end)
    set_bytes(redis, "{films}:hosts", b"later", now + b"\2")
    redis.ask("xgroup", "create", "{films}:run:q", "w", "0", "mkstream")
    redis.ask("sadd", "{films}:paused", b"run" + BAD)
    for what in ("status", "runs", "hosts"):
        place.see("fleet", "fleet", what, "redis:films", "--redis", redis.url, "--json")
    place.run("fleet", "key")
    place.see("fleet", "fleet", "status", "redis:films", "--redis", redis.url, "--json")
    place.write("tree/1", "1")
    here = ("--fleet", "redis:real", "--redis", redis.url, "--insecure-fleet")
    worker = place.start("worker", *here, "--until-idle", "1s")
    place.run("each", "tree", *here, "--", "true")
    worker.communicate(timeout=LIMIT)
    place.see("show", "show", "last", "--json")


def set_bytes(redis, key, field, value):
    """An argument of a program cannot have a NUL."""
    words = ["redis-cli", "-s", redis.socket, "-x", "hset", key, field]
    subprocess.run(words, input=value, capture_output=True, timeout=LIMIT, check=True)


def other_producers(place, redis, send):
    for number in range(3):
        place.write(f"more/{number}")
    send = ["batch", "more", *send[2:], "--to", "redis:more"]
    place.see("batch", *send, "--json")
    job = redis.ask("hkeys", "{more}:progress")
    rest = redis.ask("hget", "{more}:progress", job).split(b" ", 3)[3]
    redis.ask("hset", "{more}:progress", job, b"other 4 0 " + rest)
    redis.ask("set", "{more}:lease", "other 7 elsewhere:9", "px", "1000000")
    waiting = place.start(*send, "--json", "--if-held", "wait")
    demand(waiting.stderr.readline(), "no message that it waits for the lease")
    redis.ask("hset", "{more}:progress", job, b"other 6 1 " + rest)
    redis.ask("del", "{more}:lease")
    output, errors = waiting.communicate(timeout=LIMIT)
    demand(waiting.returncode == 0, f"exit status {waiting.returncode}: {errors.decode()[-500:]}")
    place.check("batch", output, send)
    redis.ask("hset", "{more}:progress", job, b"other 6 0 " + rest)
    place.env["TIDEMILL_STATE"] = str(place.base / "state of another")
    place.see("batch", *send, "--json")


def books(place):
    (place.folder / "in").mkdir()
    for name, *faults in (("good",), ("double",), ("mime", "mimetype-last"), ("link", "missing-link"),
                          ("ids", "bad-id"), (BAD, "bad-id")):
        words = [sys.executable, HERE.parent / "books" / "make_book.py", b"in/" + os.fsencode(name) + b".epub", *faults]
        subprocess.run(words, cwd=place.folder, check=True, capture_output=True)
    with warnings.catch_warnings(), zipfile.ZipFile(place.folder / "in" / "double.epub", "a") as archive:
        warnings.simplefilter("ignore")  # of a duplicate name, which is intended
        archive.writestr("OEBPS/style.css", "p { margin: 1em }")
    place.write("in/unknown.epub", "no book")
    closed(place.write("in/closed.epub", "no book"))
    place.write("in/small.pdf", PDF)
    for report in ("--json", "--jsonl"):
        place.see("books-check", "books", "check", "in", report, expect=(3,), before=bound())
        place.see("books-check", "books", "check", "in", report, "-g", "nothing", "--allow-empty")
        place.see("books-repair", "books", "repair", "in", report, expect=(3,), before=bound())
        place.see("books-repair", "books", "repair", "in", report, "-g", "nothing", "--allow-empty")
    shutil.copytree(os.fsencode(place.folder / "in"), os.fsencode(place.folder / "more"),
                    ignore=lambda *_: [b"closed.epub"])
    repair = ("books", "repair", "--apply")
    place.see("books-repair", *repair, "in", "--output", "repaired", "--json", expect=(3,), before=bound())
    place.see("books-repair", *repair, "in", "--in-place", "--jsonl", expect=(3,), before=bound())
    place.see("books-repair", *repair, "more", "--in-place", "--json", expect=(3,))
    place.see("books-rules", "books", "rules", "--json")
    place.see("books-rules", "books", "rules", "--fixers", "--json")


PDF = (b"%PDF-1.4\n"
       b"1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n"
       b"2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n"
       b"3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>\nendobj\n"
       b"trailer\n<< /Root 1 0 R /Size 4 >>\n%%EOF\n")


def docs(place):
    from docs_rig import KEY, Stub, a_uuid, collections, without_limits  # noqa: PLC0415
    if not place.stub:
        raise Absent("docs_stub")
    os.environ["DOCS_STUB"] = place.stub
    stub = Stub(place)
    place.servers.append(stub)
    place.env |= {"TIDEMILL_DOCS_TOKEN": KEY, "TIDEMILL_URL": stub.url, "TIDEMILL_AI_URL": f"{stub.url}/v1",
                  "TIDEMILL_AI_MODEL": "stub"}
    limits = without_limits()

    def seed(name):
        stub.seed([{"id": a_uuid(f"{name} {n}"), "title": f"Document {n}", "text": "/ai say something\n\n/summarize\n",
                    "collectionId": collections()[0]["id"]} for n in range(3)])
    seed("first")
    place.see("docs-run", "docs", "run", *limits, "--json")
    seed("second")
    place.see("docs-run", "docs", "run", *limits, "--jsonl")
    place.see("show", "show", "last", "--tasks", "--jsonl")
    seed("third")
    stub.tell("script", faults=[{"endpoint": "comments.create", "when": n, "do": "503"} for n in range(1, 100)])
    words = ["docs", "run", *limits, "-a", "2", "--backoff", "1ms", "--breaker-failures", "100"]
    place.see("docs-run", *words, "--jsonl", expect=(3,))
    place.see("failures", "failures", "last", "--json")
    failed = place.see("failures", "failures", "last", "--jsonl")
    place.see("show", "show", "last", str(failed[0]["task"]), "--json")
    stub.tell("script", faults=[])
    seed("fourth")
    place.env["TIDEMILL_AI_URL"] = "http://127.0.0.1:1/v1"
    place.see("docs-run", *words, "--jsonl", expect=(3,))
    place.see("docs-run", "failures", "last", "retry", "--all", "--json", expect=(3,))
    place.see("failures", "failures", "last", "--json")
    for report in ("--json", "--jsonl"):  # no server there
        place.see("docs-run", *words, "--url", "http://127.0.0.1:1", report, expect=(1,))


def progress(place):
    place.write(b"in/" + BAD)
    place.write("in/b")
    os.mkfifo(place.folder / "hold")
    held = place.start("each", "in", "--progress", "json", "-w", "2", "--shell", "--", "read line <hold")
    lines = []
    while not lines or b'"note' not in lines[-1]:  # a line that says what runs now
        lines.append(held.stderr.readline())
        demand(lines[-1], "no progress with a running task")
    # Open for reading too: a pipe that its last reader closes forgets what the next one would have read.
    hold = os.open(place.folder / "hold", os.O_RDWR)
    try:
        os.write(hold, b"go\ngo\n")
        lines.append(held.communicate(timeout=LIMIT)[1])
    finally:
        os.close(hold)
    place.check_progress(b"".join(lines), "--progress json")
    for name in "cde":
        place.write(f"in/{name}")
    place.see_progress("each", "in", "--rate", "1/s", "--", "true")


def doctor(place):
    place.see("doctor", "doctor", "--json")
    place.write("in/a")
    place.run("each", "in", "--", "true")
    place.see("doctor", "doctor", "--json")
    limits = ["prlimit", "--nofile=64:512", "--nproc=9999", "--fsize=100000000"]
    place.see("doctor", "doctor", "--json", before=limits, expect=(0, 1))
    redis = Redis(place)
    of_fleet = ["--fleet", "redis:films", "--redis", redis.url, "--json"]
    place.see("doctor", "doctor", *of_fleet, expect=(0, 1))
    redis.ask("acl", "setuser", "default", "-eval")
    place.see("doctor", "doctor", *of_fleet, expect=(1,))
    config = place.base / ".config" / "tidemill"
    config.mkdir(parents=True)
    (config / "tidemill.toml").write_text("quiet = true\n")
    master, terminal = pty.openpty()
    try:
        on_terminal = place.start("doctor", "--json", stderr=terminal)
        output = on_terminal.communicate(timeout=LIMIT)[0]
    finally:
        os.close(master)
        os.close(terminal)
    place.check("doctor", output, "doctor on a terminal")
    place.env["TIDEMILL_STATE"] = os.fsdecode(os.fsencode(place.base) + b"/" + BAD)
    place.env["TIDEMILL_TOKENS"] = place.env["TMPDIR"] = place.env["TIDEMILL_STATE"]
    place.env["LC_ALL"] = place.env["TERM"] = os.fsdecode(BAD)
    place.see("doctor", "doctor", "--json", expect=(0, 1))


SCENES = (each, resume, runs, dupes, catalogue, imports, tokens, batch, queue, fleet, books, docs, progress, doctor)
