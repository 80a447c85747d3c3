#!/usr/bin/env python3
"""The output of `each`: a task is done once its output is out, or safe and printed by `resume`.

kills: each task prints one line of some length. The program is killed once so many lines have come out,
resumed, killed again, and so on to its end, in each way to print: as it comes, in order (-k), tagged, and as
events (--jsonl). Over all processes of a run no line is missing, at most one a kill comes twice, and with -k
they are in order.

full: standard output is a file on a full file system. The run fails, and resume prints the rest.

--expect-caught early is the proof that this test can see anything: it runs a program that notes a task as
done before its command has begun.
"""
import argparse
import collections
import json
import signal
import subprocess
import sys

from rig import Process, Rig, Skip, Wrong, demand, eventually, run_test

TASKS = 300
KILLS = 3  # of one run
WAYS = ([], ["-k"], ["--tag"], ["--jsonl"])
# Lines of 10 bytes to 100 kB, which is more than is kept in memory; some take their time, so that others
# wait for them.
SCRIPT = """
case "$1" in *7) sleep 0.05 ;; esac
case "$1" in *3) n=100000 ;; *5) n=5000 ;; *) n=1 ;; esac
head -c $n /dev/zero | tr '\\0' x
echo " $1"
"""


def lines_of(process: Process, way: list[str]) -> list[str]:
    """The names whose whole line was printed, as they came."""
    names = []
    for line in list(process.lines):
        if not line.endswith(b"\n"):
            continue
        if way == ["--jsonl"]:
            event = json.loads(line)
            if event["event"] == "task":
                names.append(event["name"])
        elif b"x " in line:
            names.append(line.split()[-1].decode())
    return names


def only_run(rig: Rig, before: set[str]) -> str:
    return next(iter(rig.runs() - before), "")


def demand_all(printed: list[str], names: list[str], kills: int, way: list[str]) -> None:
    times = collections.Counter(printed)
    lost = [name for name in names if name not in times]
    demand(not lost, f"{way}: not printed: {len(lost)} of {len(names)}, {lost[:5]}")
    twice = sum(times.values()) - len(names)
    demand(twice <= kills, f"{way}: {twice} printed twice by {kills} kills")
    if way == ["-k"]:
        numbers = [int(name) for name in printed]
        demand(numbers == sorted(numbers), "-k: not in order")


def killed_run(rig: Rig, way: list[str]) -> int:
    before = rig.runs()
    names = [str(1000 + i) for i in range(TASKS)]
    words = ["each", "--files-from", rig.list_of("list", names), "-w", "4", "-q", *way, "--shell", "--", SCRIPT]
    printed: list[str] = []
    kills = 0
    while kills < KILLS:
        process = rig.start(*words)
        aim = rig.dice.randrange(TASKS // KILLS)
        eventually(lambda: process.has_ended() or len(process.lines) > aim, 60)
        process.signal(signal.SIGKILL)
        code = process.wait()
        printed += lines_of(process, way)
        if code == 0:
            break
        kills += 1
        words = ["resume", only_run(rig, before), "-q"]
    if code != 0:
        code, process = rig.finish(*words)
        printed += lines_of(process, way)
    demand(code == 0, f"the last resume: exit {code}: {process.errors()}")
    demand_all(printed, names, kills, way)
    rig.check(only_run(rig, before))
    return kills


def kills(rig: Rig, count: int) -> None:
    killed = 0
    number = 0
    while killed < count:
        killed += killed_run(rig, WAYS[number % len(WAYS)])
        number += 1
    print(f"{killed} kills of {number} runs of {TASKS} tasks: no output lost")


def finish_elsewhere(rig: Rig, run: str, first: list[str], names: list[str]) -> None:
    code, process = rig.finish("check", run)
    demand(code == 1, f"check: exit {code} with output that was not printed")
    code, process = rig.finish("resume", run, "-q")
    demand(code == 0, f"resume: exit {code}: {process.errors()}")
    demand_all(first + lines_of(process, []), names, 0, [])
    rig.check(run)


def full(rig: Rig) -> None:
    folder = rig.folder / "full"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], check=False).returncode:
        raise Skip("no permission to mount a tmpfs")
    try:
        names = [str(1000 + i) for i in range(TASKS)]
        with open(folder / "out", "wb") as out:
            code = subprocess.run([rig.program, "each", "--files-from", rig.list_of("list", names), "-w", "4",
                                   "-q", "--shell", "--", SCRIPT], stdout=out, stderr=subprocess.DEVNULL,
                                  env=rig.env, check=False).returncode
        lines = (folder / "out").read_bytes().split(b"\n")[:-1]
    finally:
        subprocess.run(["umount", folder], check=True)
    demand(code == 1, f"a full standard output: exit {code}")
    finish_elsewhere(rig, only_run(rig, set()), [line.split()[-1].decode() for line in lines], names)


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    if chosen.expect_caught:
        rig.env["TIDEMILL_PLANT"] = chosen.expect_caught
        try:
            kills(rig, 10 * chosen.count)
        except Wrong as caught:
            demand("not printed" in str(caught), str(caught))
            print(f"caught, as it should be: {caught}")
            return
        raise Wrong(f"the planted fault {chosen.expect_caught} was not noticed")
    full(rig)
    kills(rig, chosen.count)


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--expect-caught", choices=["early"])


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 12, test, options))
