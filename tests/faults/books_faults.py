#!/usr/bin/env python3
"""What can go wrong around `books repair --apply`, one part each:

children     the process that reads a book, or the one that makes these, is killed. Of a reader: the run
             goes on, that book alone is errored (TIDE-003), nobody is left over. Of the maker: the run
             ends at once and says so. The same command again finishes.
full         the disk is full while a mended book is written: that book stays as it was, no part file
             is left, the run goes on; with room the same command finishes. A full folder for what has
             no name, and a full state folder, likewise.
permission   a folder that may not be written to: its books stay, the others are mended.
changes      a book that is changed or replaced while it is mended is not touched (TIDE-019).
two          two runs at once on one library: each book is mended once.

Needs strace; full needs root, for the mount; permission needs root, to become somebody else.
"""
import argparse
import collections
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys

from books_rig import IN_PLACE, LEAST, LIMIT, OUTPUT, Stage, Stages, inodes_below
from books_strace import Point, hitting, strace
from rig import Process, Rig, Skip, demand, eventually, pause, run_test

NOBODY = 65534


def children_of(pid: int) -> list[int]:
    found = []
    with contextlib.suppress(OSError):  # it has ended meanwhile
        for task in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError):
                children = pathlib.Path(f"/proc/{pid}/task/{task}/children")
                found += [int(word) for word in children.read_text().split()]
    return found


class Children:
    """Each book takes longer to be locked, so that there is time to look around."""

    def __init__(self, rig: Rig, stages: Stages):
        self.rig, self.truth, self.stages = rig, stages.truth, stages
        self.seen: collections.Counter[str] = collections.Counter()

    def one(self, stage: Stage, who: str) -> None:
        slow = strace(stage, "-e", "trace=flock", "-e", "inject=flock:delay_enter=40000")
        process = stage.start(*slow)
        has_killed = False
        wait = self.rig.dice.uniform(0.02, 0.15)
        demand(eventually(lambda: process.has_ended() or self.victims(process, who), LIMIT), f"no {who} comes")
        pause(wait)
        for victim in self.victims(process, who)[:1]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
                has_killed = True
        code = process.wait(LIMIT)
        stage.demand_nobody()
        stage.demand_old_or_new(self.truth)
        said = stage.lines_of(process)
        self.judge(who, code, has_killed, said, process)
        code, said = stage.finish()
        demand(code == self.truth.code and not said.names("failed"), f"again: exit {code}: {said.fates}")
        stage.demand_done(self.truth)

    @staticmethod
    def victims(process: Process, who: str) -> list[int]:
        """Below strace the program, below it the fork server, below that the sandboxes."""
        makers = [maker for program in children_of(process.pid) for maker in children_of(program)]
        return makers if who == "maker" else [cell for maker in makers for cell in children_of(maker)]

    def judge(self, who: str, code: int, has_killed: bool, said, process: Process) -> None:
        errored = said.names("failed")
        if who == "reader":
            demand(code in (self.truth.code, 3), f"exit {code}: {process.errors()}")
            demand(bool(said.totals), "it did not come to its end")
            demand(len(errored) <= 1, f"one reader was killed, errored are {errored} {said.reasons}")
            for name in errored:
                demand("TIDE-003" in said.rules[name], f"{name}: {said.rules[name]} {said.reasons[name]}")
        elif has_killed and code != self.truth.code:
            demand(code == 1, f"exit {code}: {process.errors()}")
            demand(bool(process.errors().strip()), "not a word about it")
        self.seen[f"{who}: killed {has_killed}, exit {code}, errored {len(errored)}"] += 1

    def aimed(self, stage: Stage, name: str) -> None:
        """In the middle of reading."""
        point = Point("pread64", f"lib/{name}", self.rig.dice.randint(1, 3))
        process = stage.start(*hitting(stage, point, "signal=KILL"))
        code = process.wait(LIMIT)
        stage.demand_nobody()
        stage.demand_old_or_new(self.truth)
        said = stage.lines_of(process)
        demand(code == 3, f"exit {code}: {process.errors()}")
        demand(said.names("failed") == [name], f"{name} was killed, errored are {said.names('failed')}")
        demand("TIDE-003" in said.rules[name], f"{name}: {said.rules[name]}")
        demand(stage.mended(self.truth) == sorted(set(self.truth.new) - {name}), "the others are not mended")
        self.seen["reader: aimed"] += 1
        code, said = stage.finish()
        stage.demand_done(self.truth)


def children(rig: Rig, stages: Stages, count: int) -> None:
    part = Children(rig, stages)
    for mode in (IN_PLACE, OUTPUT):
        made = stages.make(3 * count, mode)
        for number in range(count):
            part.one(made.pop(), "reader")
            part.one(made.pop(), "maker")
            part.aimed(made.pop(), stages.truth.mendable()[number % LEAST])
    print(f"children: {dict(part.seen)}")


@contextlib.contextmanager
def small_disk(folder: pathlib.Path, size: str):
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", folder],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Skip(f"no tmpfs can be mounted here: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=False)


def fill(folder: pathlib.Path) -> pathlib.Path:
    ballast = folder / "ballast"
    with open(ballast, "wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))
    return ballast


def full(_rig: Rig, stages: Stages, _count: int) -> None:
    if os.geteuid() != 0:
        raise Skip("only root may mount a tmpfs")
    full_state(stages)
    for what in ("out", "spare"):
        stage = stages.make(1, OUTPUT)[0]
        if what == "spare":
            stage.spare.rmdir()
        with small_disk(stage.folder / what, "1m"):
            ballast = fill(stage.folder / what)
            code, said = stage.finish()
            demand(code == 3, f"full {what}: exit {code}: {said.fates} {said.reasons}")
            demand(bool(said.names("failed")), f"full {what}: {said.fates} {said.reasons}")
            print(f"full {what}: {dict(collections.Counter(said.fates.values()))}, "
                  f"{sorted(set(said.reasons.values()))}", flush=True)
            ballast.unlink()
            stage.demand_old_or_new(stages.truth)
            demand(not stage.parts(), f"left over: {stage.parts()}")
            code, said = stage.finish()
            demand(code == stages.truth.code, f"with room: exit {code}: {said.fates} {said.reasons}")
            stage.demand_done(stages.truth)


def full_state(stages: Stages) -> None:
    """Where it is remembered what was done: the books are whole, whatever becomes of the run."""
    stage = stages.make(1, IN_PLACE)[0]
    with small_disk(stage.folder / "state", "1m"):
        ballast = fill(stage.folder / "state")
        process = stage.start()
        eventually(process.has_ended, 5)
        was_waiting = not process.has_ended()
        process.signal(signal.SIGTERM)
        code = process.wait(LIMIT)
        stage.demand_nobody()
        stage.demand_old_or_new(stages.truth)
        print(f"full state: {'waits' if was_waiting else f'exit {code}'}: {process.errors().strip()[:200]}")
        demand(was_waiting or code == 1, f"full state: exit {code}")
        ballast.unlink()
        stage.finish()
        stage.demand_done(stages.truth)


def permission(rig: Rig, stages: Stages, _count: int) -> None:
    if os.geteuid() != 0:
        raise Skip("only root can become nobody")
    stage = stages.make(1, IN_PLACE)[0]
    rig.folder.chmod(0o755)
    subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", stage.folder], check=True)
    os.chmod(stage.library / "b", 0o555)
    # The program may lie where nobody can look.
    program, rig.program = rig.program, str(rig.folder / "program")
    shutil.copy2(program, rig.program)
    try:
        process = stage.start("env", f"HOME={stage.spare}", "setpriv", f"--reuid={NOBODY}",
                              f"--regid={NOBODY}", "--clear-groups")
        code = process.wait(LIMIT)
    finally:
        rig.program = program
    said = stage.lines_of(process)
    demand(code == 3, f"exit {code}: {process.errors()}")
    wanted = [name for name in stages.truth.mendable() if name.startswith("b/")]
    demand(said.names("failed") == wanted, f"errored {said.names('failed')}, not {wanted}")
    for name in wanted:
        demand("TIDE-019" in said.rules[name], f"{name}: {said.rules[name]}")
    print(f"permission: {sorted({said.reasons[name][-60:] for name in wanted})}")
    stage.demand_old_or_new(stages.truth)
    demand(stage.mended(stages.truth) == sorted(set(stages.truth.new) - set(wanted)), "the others are not mended")
    os.chmod(stage.library / "b", 0o755)
    subprocess.run(["chown", "-R", "0:0", stage.folder], check=True)  # root believes no state folder of others
    stage.finish()
    stage.demand_done(stages.truth)


def changes(rig: Rig, stages: Stages, count: int) -> None:
    """While the program waits before it makes the part file."""
    seen: collections.Counter[str] = collections.Counter()
    for number in range(2 * count):
        name = stages.truth.mendable()[number % LEAST]
        stage = stages.make(1, (IN_PLACE, OUTPUT)[number % 2], is_aged=False)[0]
        book = stage.library / name
        how = rig.dice.choice(["written to", "replaced", "removed"])
        # The book is read to its end, the cell's answer is on its way, and the program stands still.
        process = stage.start(*strace(stage, "-P", str(book), "-e", "trace=flock", "-e", "signal=STOP",
                                      "-e", "inject=flock:signal=STOP:when=1"))
        demand(eventually(lambda: has_stopped(stage) or process.has_ended(), LIMIT), "it goes on and on")
        demand(not process.has_ended(), f"{name} is never locked: {process.errors()}")
        data = book.read_bytes() + b"changed"
        change(book, data, how)
        for program in children_of(process.pid):
            os.kill(program, signal.SIGCONT)
        code = process.wait(LIMIT)
        said = stage.lines_of(process)
        demand(code in (0, 3), f"{name} {how}: exit {code}: {process.errors()}")
        demand(said.fates.get(name) == "failed", f"{name} {how}: {said.fates.get(name)} {said.reasons.get(name)}")
        demand("TIDE-019" in said.rules[name], f"{name} {how}: {said.rules[name]}")
        if how == "removed":
            demand(not book.exists(), f"{name} {how}: it is there again")
        else:
            demand(book.read_bytes() == data, f"{name} {how}: it was changed again")
        demand(stage.mode == IN_PLACE or not stage.target(name).exists(), f"{name} {how}: there is an output")
        demand(not stage.parts() and not stage.backups(name), f"{name}: {stage.parts()} {stage.backups(name)}")
        seen[f"{stage.mode}, {how}"] += 1
    print(f"changes: {dict(seen)}")


def change(book: pathlib.Path, data: bytes, how: str) -> None:
    if how == "written to":
        with open(book, "ab") as file:
            file.write(b"changed")
    elif how == "replaced":
        beside = book.with_name("beside")
        beside.write_bytes(data)
        beside.rename(book)
    else:
        book.unlink()


def has_stopped(stage: Stage) -> bool:
    log = stage.folder / "strace.log"
    return log.exists() and b"stopped by SIGSTOP" in log.read_bytes()


def two(rig: Rig, stages: Stages, count: int) -> None:
    seen: collections.Counter[str] = collections.Counter()
    for mode in (IN_PLACE, OUTPUT):
        for stage in stages.make(2 * count, mode):
            both = [stage.start(), stage.start()]
            codes = [process.wait(LIMIT) for process in both]
            demand(all(code in (stages.truth.code, 3) for code in codes), f"exit {codes}: {both[0].errors()}")
            said = [stage.lines_of(process) for process in both]
            for name in stages.truth.new:
                fates = [one.fates.get(name) for one in said]
                seen[f"{mode}: {' and '.join(sorted(map(str, fates)))}"] += 1
                demand(mode == OUTPUT or fates.count("repaired") == 1, f"{name}: {fates}")
                for one in said:
                    if one.fates.get(name) == "failed":
                        seen[f"errored: {one.reasons[name][:80]}"] += 1
            stage.demand_done(stages.truth)
            stage.demand_nobody()
            before = inodes_below(stage.library)
            code, _ = stage.finish()
            demand(code == stages.truth.code and inodes_below(stage.library) == before, f"after them: {code}")
    print(f"two: {dict(seen)}")


PARTS = {"children": children, "full": full, "permission": permission, "changes": changes, "two": two}


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    if not shutil.which("strace"):
        raise Skip("there is no strace here")
    stages = Stages(rig)
    for name in chosen.part or PARTS:
        PARTS[name](rig, stages, chosen.count)


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("part", nargs="*", help=f"of {', '.join(PARTS)}; default: all")


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 3, test, options))
