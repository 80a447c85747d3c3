#!/usr/bin/env python3
"""How much time the machine takes away from everybody, so that a promise in seconds can be tested.

"Out within a second" is promised for a machine that is free. When neighbours have the cores or the
disk, when the host stops the whole machine for a moment, the clock says nothing about the program.
So a process of its own does the same small errand all the time: it waits a little, starts a program
that does nothing, works for some milliseconds, and saves one block. What an errand takes beyond the
shortest one is time that the program under test has lost as well. On a free machine next to nothing
is lost.

    slowness = Slowness(folder)
    took = slowness.fair(began)          # seconds since then, without what was lost
    slowness.lost(began, ended)          # what was lost in between
    slowness.close()

Times are those of time.monotonic(), which all processes share.
"""
import os
import pathlib
import select
import subprocess
import sys
import time

PAUSE = 0.03  # seconds between two errands
WORK = 60_000  # turns of a loop: some milliseconds


def run_errands(folder: str) -> None:
    """Until standard input ends. Each errand is a line: when it began and when it ended."""
    block = bytes(4096)
    with open(os.path.join(folder, "errands"), "wb", buffering=0) as book, \
            open(os.path.join(folder, "block"), "wb", buffering=0) as file:
        while True:
            began = time.monotonic()
            if select.select([sys.stdin], [], [], PAUSE)[0]:
                return
            process = os.posix_spawn("/bin/true", ["true"], {})
            os.waitpid(process, 0)
            sum(range(WORK))
            os.pwrite(file.fileno(), block, 0)
            os.fdatasync(file.fileno())
            book.write(f"{began} {time.monotonic()}\n".encode())


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
        errands = self._errands()
        usual = min((end - begin for begin, end in errands), default=PAUSE)
        if errands and ended > errands[-1][1]:
            errands.append((errands[-1][1], ended))  # it is still under way
        lost = 0.0
        for begin, end in errands:
            within = min(end, ended) - max(begin, began)
            lost += max(0.0, min(end - begin - usual, within))
        return lost

    def fair(self, began: float, ended: float | None = None) -> float:
        ended = time.monotonic() if ended is None else ended
        return ended - began - self.lost(began, ended)

    def _errands(self) -> list[tuple[float, float]]:
        lines = self._book.read_text().splitlines() if self._book.exists() else []
        return [(float(begin), float(end)) for begin, end in map(str.split, lines)]


if __name__ == "__main__":
    run_errands(sys.argv[1])
