#!/usr/bin/env python3
"""Test `own_job`: a job outside this tree has the whole command line (docs/guide/own-job.md).

Installs what developers get into a prefix, copies examples/own_job into an empty folder and builds it there as a
stranger would. The program counts the words of 2,000 files; two of them are FIFOs that hold both its workers, and in
that moment it is killed. What it said is done must be in its database; resumed, its database must have what Python
counts, and the one file that is not text must be a letter, until it is mended and retried.

usage: own_job_test.py SOURCE BUILD SCRATCH COMPILER FLAGS
"""
import contextlib
import json
import os
import pathlib
import pty
import random
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

SOURCE, BUILD, SCRATCH = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
COMPILER, FLAGS = sys.argv[4:6]
FILES = 2_000
HELD = (1_000, 1_001)  # in the list
NO_TEXT = 1_500
MOST_LINES = 120
NOT_LINKED = ("hiredis", "libxml2", "libcurl", "libssl", "libcrypto", "qpdf", "seccomp", "simdjson")
PATIENCE = 60  # seconds, for what takes a moment

home = SCRATCH / "home"
work = SCRATCH / "work"
program = SCRATCH / "build" / "wordcount"
around = {"HOME": str(home), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}


def demand(holds, otherwise):
    if not holds:
        sys.exit(f"FAILED: {otherwise}")


def call(*words, cwd=work):
    ran = subprocess.run(words, cwd=cwd, env=around, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout, ran.stderr


def expect(status, *words):
    """Calls the program and answers its standard output; neither stream may speak of tidemill."""
    code, out, err = call(program, *words)
    demand(code == status, f"wordcount {' '.join(words)}: exit status {code}, not {status}\n{out}\n{err}")
    demand("tidemill" not in out + err, f"wordcount {' '.join(words)} speaks of tidemill:\n{out}\n{err}")
    return out, err


def eventually(holds, what):
    limit = time.monotonic() + PATIENCE
    while not holds():
        demand(time.monotonic() < limit, f"this never came: {what}")
        select.select([], [], [], 0.02)


def build():
    main = SOURCE / "examples/own_job/main.cc"
    lines = len(main.read_text().splitlines())
    demand(lines <= MOST_LINES, f"{main}: {lines} lines, at most {MOST_LINES}")
    shutil.copytree(main.parent, SCRATCH / "own_job")
    for step in (["cmake", "--install", BUILD, "--prefix", SCRATCH / "prefix", "--component", "dev"],
                 ["cmake", "-G", "Ninja", "-S", SCRATCH / "own_job", "-B", program.parent, f"-DCMAKE_CXX_COMPILER={COMPILER}",
                  f"-DCMAKE_PREFIX_PATH={SCRATCH / 'prefix'}", f"-DCMAKE_CXX_FLAGS={FLAGS}"],
                 ["cmake", "--build", program.parent]):
        code, out, err = call(*step, cwd=SCRATCH)
        demand(code == 0, f"{' '.join(map(str, step))}\n{out}\n{err}")
    libraries = call("ldd", program)[1]
    demand("libsqlite3" in libraries, f"ldd does not know the program: {libraries}")
    for library in NOT_LINKED:
        demand(library not in libraries, f"the program links {library}:\n{libraries}")


def make_files():
    """The list of names, and the words of each."""
    dice = random.Random(20261118)
    words = {}
    for number in range(FILES):
        path = work / f"texts/{number % 20:02}/{number:04} a file.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(dice.choice(["word", "ä", " ", "\n", "\t\v", "\r\n"]) for _ in range(dice.randrange(200)))
        path.write_bytes(text.encode())
        words[str(path.relative_to(work))] = len(text.encode().split())
    names = list(words)
    for index in HELD:
        (work / names[index]).unlink()
        os.mkfifo(work / names[index])
    (work / names[NO_TEXT]).write_bytes(b"some words and\0 a NUL")
    (work / "list").write_text("".join(name + "\n" for name in names))
    return names, words


def mend(name, count):
    (work / name).unlink()
    (work / name).write_text("word " * count)


def stored(name="words.db"):
    with sqlite3.connect(f"file:{work / name}?mode=ro", uri=True) as database:
        return dict(database.execute("select path, words from words"))


def newest():
    """The newest run. In its first moment its journal cannot be read, and has no counts."""
    return json.loads(call(program, "runs", "--json")[1])["runs"][0]


@contextlib.contextmanager
def started(*words):
    """The program at work. Whatever goes wrong, it does not outlive the test."""
    with subprocess.Popen([program, *words], cwd=work, env=around, stdin=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


def kill_in_the_middle(names):
    with started("count", "--files-from", "list", "-w", "2") as process:
        runs = home / ".local/state/wordcount/runs"
        eventually(lambda: runs.exists() and any(runs.iterdir()) and newest().get("done") == HELD[0],
                   f"{HELD[0]} files done, and both workers held")
        process.send_signal(signal.SIGKILL)
        process.wait()
    demand(newest()["state"] == "crashed", f"a killed run is {newest()['state']}")
    done = [json.loads(line)["name"] for line in expect(0, "show", "last", "--state", "done", "--jsonl")[0].splitlines()]
    demand(sorted(done) == sorted(names[:HELD[0]]), f"done: {len(done)} files")
    missing = set(done) - stored().keys()
    demand(not missing, f"done, and not stored: {sorted(missing)[:5]} and others, {len(missing)}")


def resume_and_retry(names, words):
    for index in HELD:
        mend(names[index], words[names[index]])
    _, err = expect(3, "resume", "last")
    demand("wordcount failures" in err, f"the summary does not say what to do next:\n{err}")
    wrong = names[NO_TEXT]
    demand(stored() == {name: count for name, count in words.items() if name != wrong}, "the counts are not Python's")
    letters = json.loads(expect(0, "failures", "last", "--json")[0])["failures"]
    demand([letter["name"] for letter in letters] == [wrong], f"letters: {letters}")
    demand("not a text file" in letters[0]["reason"], f"because of {letters[0]['reason']}")
    mend(wrong, words[wrong])
    expect(0, "failures", "last", "retry", "--all")
    demand(stored() == words, "the counts are not Python's after the retry")
    demand(newest()["state"] == "complete", f"the run is {newest()['state']}")
    demand("done" in expect(0, "show", "last")[0], "show says nothing")
    expect(0, "check", "last")


def leave_at_the_second_interrupt(names, words):
    """A file that does not listen cannot keep the program: it leaves, and the file is not blamed."""
    name = names[HELD[0]]
    (work / name).unlink()
    os.mkfifo(work / name)
    (work / "one").write_text(name + "\n")
    with started("count", "--files-from", "one", "--into", "two.db", "-w", "1") as process:
        eventually(lambda: newest().get("pending") == 1, "the run is at work")
        process.send_signal(signal.SIGINT)
        limit = time.monotonic() + PATIENCE
        while process.poll() is None:  # what comes within a second of the first belongs to it
            demand(time.monotonic() < limit, "the second Ctrl-C does not end it")
            process.send_signal(signal.SIGINT)
            select.select([], [], [], 0.1)
        demand(process.returncode == 130, f"after two Ctrl-C: exit status {process.returncode}")
    mend(name, words[name])
    expect(0, "resume", "last")
    demand(stored("two.db") == {name: words[name]}, "the held file was not counted")
    task = json.loads(expect(0, "show", "last", "1", "--json")[0])
    demand(task["crashes"] == 0, f"the user's Ctrl-C counts as a crash: {task}")


def walk(words):
    out, _ = expect(0, "count", "texts", "--into", "walk.db", "--json")
    summary = json.loads(out)
    demand((summary["job"], summary["done"]) == ("count", FILES), f"--json: {out}")
    demand(stored("walk.db") == words, "the counts of a walk are not Python's")


def screen():
    """On a terminal of its own: the run ends, q leaves the screen, the report follows."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(work)
        os.execve(program, ["wordcount", "count", "texts/00", "--into", "walk.db", "--screen"], around)
    seen = b""
    limit = time.monotonic() + PATIENCE
    while True:
        demand(time.monotonic() < limit, f"--screen does not end: {seen[-500:]!r}")
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                seen += os.read(terminal, 65_536)
            except OSError:  # the other side is gone
                break
        if b"has ended" in seen:
            os.write(terminal, b"q")
    demand(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, f"--screen: {seen[-500:]!r}")
    demand(b"100 done" in seen, f"--screen has no report: {seen[-500:]!r}")


def pages():
    verbs = ["count", "runs", "show", "resume", "failures", "check", "forget", "completion", "man"]
    demand(expect(0, "--version")[0].startswith("wordcount 1.0\n"), "--version")
    help_text = expect(0, "--help")[0]
    for verb in verbs:
        demand(verb in help_text, f"--help does not know {verb}")
        expect(0, verb, "--help")
        demand(expect(0, "man", verb)[0].startswith(rf'.TH "WORDCOUNT\-{verb.upper()}"'), f"man {verb}")
    demand("undo" not in help_text, "there is a verb undo, and nothing to undo")
    script = expect(0, "completion", "bash")[0]
    demand("complete -F _wordcount wordcount" in script, "completion bash")
    checked = subprocess.run(["bash", "-n"], input=script, text=True, check=False)
    demand(checked.returncode == 0, "bash does not take the completion")
    for shell in ("zsh", "fish"):
        demand("wordcount" in expect(0, "completion", shell)[0], f"completion {shell}")
    expect(2, "count", "--no-such-flag")
    expect(1, "count", "no such folder")
    expect(1, "count", "texts", "--glob", "*.nothing")
    expect(1, "count", "texts", "--into", "no/such/folder/words.db")


def surroundings():
    around["WORDCOUNT_STATE"] = str(SCRATCH / "elsewhere")
    demand("no runs yet" in expect(0, "runs")[1], "$WORDCOUNT_STATE is not the state folder")
    del around["WORDCOUNT_STATE"]
    config = home / ".config/wordcount/wordcount.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[count]\ninto = "from-config.db"\n')
    shown = expect(0, "count", "--print-config")[0]
    demand("from-config.db" in shown and str(config) in shown, f"the config file is not read:\n{shown}")


def main():
    shutil.rmtree(SCRATCH, ignore_errors=True)
    work.mkdir(parents=True)
    home.mkdir()
    names, words = make_files()
    for part, arguments in ((build, ()), (kill_in_the_middle, (names,)), (resume_and_retry, (names, words)),
                            (leave_at_the_second_interrupt, (names, words)), (walk, (words,)), (screen, ()),
                            (pages, ()), (surroundings, ())):
        began = time.monotonic()
        part(*arguments)
        print(f"{part.__name__}: {time.monotonic() - began:.1f} s", flush=True)
    shutil.rmtree(SCRATCH)


if __name__ == "__main__":
    main()
