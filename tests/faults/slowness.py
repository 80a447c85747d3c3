#!/usr/bin/env python3
"""How much time the machine takes away from everybody, so that a promise in seconds can be tested.

"Out within a second" is promised for a machine that is free. When neighbours have the cores or the
disk, when the host stops the whole machine for a moment, the clock says nothing about the program.
So a process of its own does the same small errand all the time: it waits a little, starts a program
that does nothing, works for some milliseconds, and saves one block. What an errand takes beyond the
shortest one is time that the program under test has lost as well. So is what the host of a virtual
machine has taken of a core meanwhile, which an errand on another core does not notice. On a free
machine next to nothing is lost.

    slowness = Slowness(folder)
    took = slowness.fair(began)          # seconds since then, without what was lost
    slowness.lost(began, ended)          # what was lost in between
    slowness.close()

Times are those of time.monotonic(), which all processes share.
"""
import os
import pathlib
import re
import select
import subprocess
import sys
import time

PAUSE = 0.03  # seconds between two errands
WORK = 60_000  # turns of a loop: some milliseconds
TICKS = os.sysconf("SC_CLK_TCK")  # of /proc/stat, a second


def stolen_from(stat: str) -> list[float]:
    """The seconds that the host has taken of each core: the eighth figure of its line in /proc/stat."""
    lines = [line.split() for line in stat.splitlines()]
    return [int(line[8]) / TICKS for line in lines if re.fullmatch(r"cpu\d+", line[0])]


def stolen() -> list[float]:
    return stolen_from(pathlib.Path("/proc/stat").read_text())


def run_errands(folder: str) -> None:
    """Until standard input ends. Each errand is a line: when it began, when it ended, and what the core that
    lost most has lost meanwhile."""
    block = bytes(4096)
    with open(os.path.join(folder, "errands"), "wb", buffering=0) as book, \
            open(os.path.join(folder, "block"), "wb", buffering=0) as file:
        while True:
            before, began = stolen(), time.monotonic()
            if select.select([sys.stdin], [], [], PAUSE)[0]:
                return
            process = os.posix_spawn("/bin/true", ["true"], {})
            os.waitpid(process, 0)
            sum(range(WORK))
            os.pwrite(file.fileno(), block, 0)
            os.fdatasync(file.fileno())
            ended = time.monotonic()
            most = max((after - earlier for earlier, after in zip(before, stolen())), default=0.0)
            book.write(f"{began} {ended} {most}\n".encode())


def lost_in(errands: list[tuple[float, float, float]], began: float, ended: float) -> float:
    usual = min((end - begin for begin, end, _ in errands), default=PAUSE)
    if errands and ended > errands[-1][1]:
        errands = [*errands, (errands[-1][1], ended, 0.0)]  # it is still under way
    lost = 0.0
    for begin, end, most in errands:
        within = min(end, ended) - max(begin, began)
        lost += max(0.0, min(max(end - begin - usual, most), within))
    return lost


class Slowness:
    """The errands of a test; its folder is made for them. One thread."""

    def __init__(self, folder: pathlib.Path):
        folder.mkdir()
        self._book = folder / "errands"
        self._process = subprocess.Popen([sys.executable, __file__, folder],
                                         stdin=subprocess.PIPE, start_new_session=True)

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()

    def lost(self, began: float, ended: float) -> float:
        return lost_in(self._errands(), began, ended)

    def fair(self, began: float, ended: float | None = None) -> float:
        ended = time.monotonic() if ended is None else ended
        return ended - began - self.lost(began, ended)

    def _errands(self) -> list[tuple[float, float, float]]:
        lines = self._book.read_text().splitlines() if self._book.exists() else []
        return [(float(begin), float(end), float(most)) for begin, end, most in map(str.split, lines)]


if __name__ == "__main__":
    run_errands(sys.argv[1])
