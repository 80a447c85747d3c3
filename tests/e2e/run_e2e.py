#!/usr/bin/env python3
"""Runs one end-to-end script and compares what it wrote with NAME.out.

The script runs as `bash -eu` in a fresh folder, with its own HOME and its own state of the program;
`tidemill` is first in its PATH. It must end with 0, write what NAME.out says, and leave no process
behind. What differs from run to run (ids, times, paths) is replaced on both sides by a word. A
script that cannot do its work here says why and ends with 77.

usage: run_e2e.py [--update] [--limit SECONDS] NAME.sh
       TIDEMILL  the program under test; without it the one in PATH
       E2E_*     passed on to the script: sizes of the heavy ones
"""
import argparse
import difflib
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
HERE = pathlib.Path(__file__).resolve().parent
PASSED_ON = re.compile(r"^(E2E_\w+|(A|T|UB|L)SAN_OPTIONS)$")

# What varies, and the word that stands for it; the folder of the test comes before these.
NUMBER = rb"[0-9]+(?:[.,][0-9]+)*"
VARIES = [(re.compile(pattern), word) for pattern, word in (
    (rb"\b[0-9]{8}-[0-9]{4}-(?:each|dupes|batch|docs|import|books|catalogue|tokens)(?:-(?:scan|check|repair|hash|verify|dry-run))?(-[0-9]+)?\b", b"RUN"),
    (rb"\b[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z", b"DATE"),
    (rb"\b[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}(:[0-9]{2})?\b", b"DATE"),
    (rb"(econds\":)" + NUMBER + rb"(e-?[0-9]+)?", rb"\1TIME"),
    (rb"\b(in|after|outcome +) ?<?" + NUMBER + rb" ?(ms|s|min|us|h)\b( [0-9]+ (s|min)\b)?", rb"\1 TIME"),
    (rb"\bprocess [0-9]+ on \S+", b"process PID on HOST"),
    (rb"\b(pid|process) [0-9]+", rb"\1 PID"),
    (rb"(\"pid\":)[0-9]+", rb"\1PID"),
)]


def normal(text, folder):
    text = text.replace(os.fsencode(folder), b"DIR")
    for pattern, word in VARIES:
        text = pattern.sub(word, text)
    return text


def make_folder():
    """Short, and open to other users: some tests change to one."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="e2e-")).resolve()
    folder.chmod(0o755)
    for name in ("bin", "home", "work", "tmp"):
        (folder / name).mkdir()
    for tool in (HERE / "lib").iterdir():
        if tool.suffix != ".sh":
            (folder / "bin" / tool.stem).symlink_to(tool)
    return folder


def environment(folder, program):
    kept = {name: value for name, value in os.environ.items() if PASSED_ON.match(name)}
    (folder / "bin/tidemill").symlink_to(program)
    home = folder / "home"
    return kept | {
        "PATH": f"{folder}/bin:" + os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": str(home), "TMPDIR": str(folder / "tmp"), "DIR": str(folder),
        "XDG_CONFIG_HOME": str(home / ".config"), "XDG_STATE_HOME": str(home / ".local/state"),
        "XDG_CACHE_HOME": str(home / ".cache"), "XDG_DATA_HOME": str(home / ".local/share"),
        "TIDEMILL_STATE": str(folder / "state"), "LIB": str(HERE / "lib/lib.sh"),
        "LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "dumb", "PYTHONDONTWRITEBYTECODE": "1"}


def marked(folder):
    """Processes of this test: they have its state folder in their environment, or work in its folder (servers that
    write their title over the environment)."""
    mark = os.fsencode(f"TIDEMILL_STATE={folder}/state")
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            works_here = pathlib.Path(os.readlink(entry / "cwd")).is_relative_to(folder)
            if works_here or mark in (entry / "environ").read_bytes().split(b"\0"):
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                found[int(entry.name)] = words.strip()
        except OSError:
            continue  # it ended meanwhile, or is somebody else's
    return found


def end_marked(folder, patience):
    """Gives what is about to end a moment; kills and returns the rest."""
    until = time.monotonic() + patience
    while (left := marked(folder)) and time.monotonic() < until:
        signal.sigtimedwait([], 0.02)
    for process in left:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return left


def remove(folder):
    """Also what the script made unreadable."""
    for path, folders, _ in os.walk(folder):
        for name in folders:
            inner = os.path.join(path, name)
            if not os.path.islink(inner):
                os.chmod(inner, stat.S_IRWXU)
    shutil.rmtree(folder, ignore_errors=True)


def run(script, folder, program, limit):
    """What it wrote, its exit status (None: too slow), and the processes it left."""
    log = folder / "log"
    with open(log, "wb") as out, subprocess.Popen(
            ["bash", "-eu", str(script)], cwd=folder / "work", stdin=subprocess.DEVNULL, stdout=out,
            stderr=subprocess.STDOUT, env=environment(folder, program),
            start_new_session=True) as shell:
        try:
            status = shell.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
            os.killpg(shell.pid, signal.SIGKILL)
    left = end_marked(folder, 5 if status is not None else 0)
    return log.read_bytes(), status, left


def compare(script, text, folder, update):
    """The difference from what is expected, as lines."""
    expected = script.with_suffix(".out")
    actual = normal(text, folder)
    if update:
        expected.write_bytes(actual)
        return []
    before = expected.read_bytes() if expected.exists() else b""
    lines = [part.decode(errors="backslashreplace").splitlines() for part in (before, actual)]
    if before == actual:
        return []
    return list(difflib.unified_diff(*lines, expected.name, "what it wrote", lineterm="")) or [
        f"{expected.name} differs in line ends"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("script", type=pathlib.Path)
    parser.add_argument("--update", action="store_true", help="write NAME.out")
    parser.add_argument("--limit", type=float, default=float(os.environ.get("E2E_LIMIT", "240")))
    options = parser.parse_args()
    script = options.script.resolve()
    program = os.environ.get("TIDEMILL") or shutil.which("tidemill")
    if not program or not os.access(program, os.X_OK):
        sys.exit(f"there is no program to test: {program}")
    folder = make_folder()
    try:
        text, status, left = run(script, folder, pathlib.Path(program).resolve(), options.limit)
        if status == SKIPPED:
            print(f"SKIPPED {script.stem}: " + text.decode(errors="replace").strip())
            return SKIPPED
        wrong = [f"left running: {process} {words}" for process, words in left.items()]
        if status is None:
            wrong.append(f"not done after {options.limit:g} s")
        elif status != 0:
            wrong.append(f"ended with {status}")
        update = options.update and not wrong
        wrong = compare(script, text, folder, update) + wrong
    finally:
        remove(folder)
    print("\n".join(wrong) or f"{script.stem}: ok")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
