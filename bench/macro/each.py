#!/usr/bin/env python3
"""`tidemill each` beside what people use today: `true` for N arguments, two at a time.

  each.py [--build build/release] [--count 20000] [--rounds 5] [--seed 1] [--state DIR]

In every round all programs run once, in random order, with the same list of arguments:

  bare       spawn_loop: two threads, posix_spawn and waitpid, nothing else. The limit.
  tidemill   each with capture, journal at full synchronisation, and --timeout 60
  xargs      xargs -P2 -n1
  fd         fd -j2 -x, over a folder with N empty files (the only one that has to list a folder)
  parallel   GNU parallel -j2 --joblog; with N/10 arguments, its time times ten
  walk       tidemill each over the same folder as fd, for information

CPU time is user + system of the program and all its children (wait4). Ratios are the median over
the rounds of the ratio within a round, so that a slow minute of the machine hurts all alike.
"""
import argparse
import os
import pathlib
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def measure(command, stdin, environment):
    with open(stdin) as source, open(os.devnull, "w") as sink:
        began = time.monotonic()
        child = subprocess.Popen(command, stdin=source, stdout=sink, stderr=sink, env=environment)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - began
    if status != 0:
        sys.exit(f"{command[0]} ended with {status}: the figures would be worthless")
    return wall, usage.ru_utime + usage.ru_stime


def programs(options, work):
    build = pathlib.Path(options.build)
    names, tenth, folder = work / "names", work / "tenth", work / "files"
    folder.mkdir()
    for i in range(options.count):
        (folder / str(i)).touch()
    names.write_text("".join(f"{i}\n" for i in range(options.count)))
    tenth.write_text("".join(f"{i}\n" for i in range(options.count // 10)))
    tidemill = [str(build / "tidemill"), "each", "-q", "-w2", "--timeout=60"]
    true = shutil.which("true")
    found = {
        "bare": ([build / "bench" / "spawn_loop", str(options.count), "2", true], names, 1),
        "tidemill": (tidemill + ["--files-from", names, "--", true, "{}"], names, 1),
        "xargs": (["xargs", "-P2", "-n1", true], names, 1),
        "parallel": (["parallel", "-j2", "--joblog", work / "joblog", true], tenth, 10),
        "walk": (tidemill + [folder, "--", true, "{}"], names, 1),
    }
    if fd := shutil.which("fdfind") or shutil.which("fd"):
        found["fd"] = ([fd, "-j2", ".", folder, "-x", true], names, 1)
    for name in list(found):
        if not shutil.which(found[name][0][0]):
            print(f"{name}: not found, left out")
            del found[name]
    return found


def table(rounds):
    goals = {"bare": "CPU <= 1.08, wall <= 1.2", "xargs": "wall <= 0.65", "parallel": "wall <= 0.1"}
    print(f"{'':10} {'CPU s':>8} {'wall s':>8}   tidemill/it: {'CPU':>6} {'wall':>6}   goal")
    for name in rounds[0]:
        cpu = statistics.median(r[name][1] for r in rounds)
        wall = statistics.median(r[name][0] for r in rounds)
        cpu_ratio = statistics.median(r["tidemill"][1] / r[name][1] for r in rounds)
        wall_ratio = statistics.median(r["tidemill"][0] / r[name][0] for r in rounds)
        print(f"{name:10} {cpu:8.2f} {wall:8.2f} {'':15} {cpu_ratio:6.3f} {wall_ratio:6.3f}   "
              f"{goals.get(name, '')}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state", default=None, help="where runs are kept: a disk, not a tmpfs")
    options = parser.parse_args()
    dice = random.Random(options.seed)
    with tempfile.TemporaryDirectory(dir=options.state) as folder:
        work = pathlib.Path(folder)
        environment = dict(os.environ, TIDEMILL_STATE=str(work / "state"))
        everything = programs(options, work)
        print(f"{time.strftime('%Y-%m-%d %H:%M')} {platform.platform()} {os.cpu_count()} cores, "
              f"load {os.getloadavg()[0]:.2f}, {options.count} arguments, {options.rounds} rounds")
        rounds = []
        for _ in range(options.rounds):
            order = list(everything)
            dice.shuffle(order)
            took = {}
            for name in order:
                command, stdin, times = everything[name]
                wall, cpu = measure(list(map(str, command)), stdin, environment)
                took[name] = (wall * times, cpu * times)
            rounds.append({name: took[name] for name in everything})
        table(rounds)
        print(f"load at the end {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    main()
