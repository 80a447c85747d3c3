#!/usr/bin/env python3
"""A disk that fills up while the program works: it pauses, and goes on by itself.

The state folder is on a tmpfs of 3 MB that a ballast file fills. What must hold while the
disk is full: the program says "Paused" once, its memory does not grow, and it starts no more
commands than fit between its workers and the journal. With room again it goes on to the end without
help: every task is done, none was run twice. And when it is interrupted while it is paused, it is
out within five seconds, and a resume runs at most as many commands again as there are workers: also
when the journal itself has filled the disk, so that its last small commit finds room in its log and
the one before did not. Seconds are those of a machine that is free, see slowness.py.

Needs root, for the mount; says SKIP otherwise.
"""
import argparse
import os
import pathlib
import signal
import subprocess
import sys
import time

from rig import DONE, Effects, Process, Rig, Skip, demand, eventually, pause, run_test

TASKS = 12_000
WORKERS = 2
MOST_BEYOND = 1_000  # commands started after the disk is full: about 512 are on their way
MOST_GROWTH = 50 * 1024  # kB of memory
STILL = 3.0  # seconds without a new command: it stands
BALLAST = "ballast"


def mount(folder: pathlib.Path) -> None:
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", folder],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Skip(f"no tmpfs can be mounted here: {done.stderr.strip()}")


def memory_of(pid: int) -> int:
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


class FullRun:
    def __init__(self, rig: Rig, name: str, has_ballast: bool):
        self.rig = rig
        self.has_ballast = has_ballast
        self.disk = rig.folder / name
        mount(self.disk)
        rig.env["TIDEMILL_STATE"] = str(self.disk / "state")
        rig.state = self.disk / "state"
        self.effects: Effects = rig.effects(f"effects of {name}")
        self.names = [f"{name}-task{i}" for i in range(TASKS)]
        self.id = ""

    def start(self) -> Process:
        names = self.rig.list_of("list", self.names)
        script = f"echo \"begin $1\" >> '{self.effects.folder}/log'"
        process = self.rig.start("each", "--files-from", names, "-w", str(WORKERS), "--shell", "--",
                                 script)
        demand(eventually(lambda: len(self.begun()) > 50, 60), f"no start: {process.errors()}")
        self.id = max(self.rig.runs())
        return process

    def begun(self) -> list[str]:
        return self.effects.lines("begin")

    def fill(self) -> None:
        with open(self.disk / BALLAST, "wb", buffering=0) as ballast:
            try:
                while True:
                    ballast.write(bytes(4096))
            except OSError:
                pass

    def make_room(self) -> None:
        subprocess.run(["mount", "-o", "remount,size=64m", self.disk], check=True)

    def wait_for_the_pause(self, process: Process) -> None:
        """Paused, and no command has been started for a while."""
        if self.has_ballast:
            self.fill()
        at_full = len(self.begun())
        demand(eventually(lambda: "Paused" in process.errors() or process.has_ended(), 100),
               f"no word about a full disk: {process.errors()[-500:]}")
        demand(not process.has_ended(), f"ended on a full disk: {process.errors()[-500:]}")
        seen = [-1, time.monotonic()]
        def stands() -> bool:
            if len(self.begun()) != seen[0]:
                seen[:] = [len(self.begun()), time.monotonic()]
            return time.monotonic() - seen[1] > STILL
        demand(eventually(stands, 60), "commands are started for ever on a full disk")
        beyond = len(self.begun()) - at_full if self.has_ballast else 0
        demand(beyond <= MOST_BEYOND, f"{beyond} commands were started on a full disk")
        print(f"paused: {beyond} commands after the disk was full, {len(self.begun())} in all")

    def demand_complete(self, most_again: int) -> None:
        journal = self.rig.journal(self.id)
        demand(sorted(journal.names(DONE)) == sorted(self.names),
               f"{len(journal.names(DONE))} of {TASKS} done")
        begun = self.begun()
        demand(set(begun) == set(self.names), "done, but not run")
        again = len(begun) - TASKS
        demand(again <= most_again, f"{again} commands were run again, over {most_again}")
        self.rig.check(self.id)
        self.rig.demand_nobody(self.id)
        print(f"complete: {again} commands were run again")

    def close(self) -> None:
        for process in self.rig.processes:
            process.close()
        os.chdir("/")
        subprocess.run(["umount", "-l", self.disk], check=False)


def goes_on_by_itself(run: FullRun) -> None:
    process = run.start()
    run.wait_for_the_pause(process)
    before = memory_of(process.pid)
    pause(3)  # three more tries of the program
    growth = memory_of(process.pid) - before
    demand(growth < MOST_GROWTH, f"{growth} kB more memory in a pause of three seconds")
    said = process.errors().count("Paused")
    demand(said == 1, f"it said Paused {said} times")
    run.make_room()
    code = process.wait(300)
    demand(code == 0, f"exit {code} after there was room: {process.errors()[-500:]}")
    demand("available again" in process.errors(), "it did not say that it resumed")
    run.demand_complete(most_again=0)


def can_be_interrupted(run: FullRun) -> None:
    slowness = run.rig.slowness
    process = run.start()
    run.wait_for_the_pause(process)
    sent = time.monotonic()
    process.signal(signal.SIGINT)
    code = process.wait(30)
    took = slowness.fair(sent)
    print(f"interrupted in the pause: out after {took:.2f} s")
    demand(code == 130, f"exit {code}: {process.errors()[-500:]}")
    demand(took < 5, f"out after {took:.1f} s")
    run.make_room()
    code, process = run.rig.finish("resume", run.id)
    demand(code == 0, f"resume: exit {code}: {process.errors()[-500:]}")
    run.demand_complete(most_again=WORKERS)


def test(rig: Rig, _chosen: argparse.Namespace) -> None:
    if os.geteuid() != 0:
        raise Skip("only root may mount a tmpfs")
    for name, part, has_ballast in (("waits", goes_on_by_itself, True),
                                    ("interrupted", can_be_interrupted, True),
                                    ("by-itself", can_be_interrupted, False)):
        run = FullRun(rig, name, has_ballast)
        try:
            part(run)
        finally:
            run.close()


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 1, test))
