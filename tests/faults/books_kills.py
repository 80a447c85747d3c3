#!/usr/bin/env python3
"""Kills `books repair --apply` at its system calls, in place and into another folder.

A point is a system call, a path and a number: strace kills the program when it enters that call for
the nth time. Points are drawn by kind (around a rename, around the link that is the backup, at the
part file, at the cache, at a book, anywhere), so that the few calls that count are hit as often as
the others. One kill in eight comes at a random moment instead; one time in three the next run is
killed as well.

After each kill every book is the old one or the mended one, byte for byte; its backup is the old one;
there is no more than one part file a worker; nobody is left running. The same command again finishes:
it mends what was not mended, leaves alone what was (the same file, not one like it), removes the part
files, and ends where an undisturbed run ends. Once more, and it changes nothing.

--expect-caught is the proof that this test can see anything: a library loaded before libc does badly
what a replacement depends on, and the test fails unless that is found. torn: a rename that writes
into the target; unsaved: a link that makes none; stale: an unlink that removes nothing.
"""
import argparse
import collections
import shutil
import signal
import subprocess
import sys

from books_rig import IN_PLACE, LIMIT, OUTPUT, Lines, Stage, Stages, inodes_below
from books_strace import Point, calls_of, hitting, kinds_of
from rig import Rig, Skip, Wrong, demand, pause, run_test

KILLED = -signal.SIGKILL
RANDOM = "random moment"
LONGEST = 0.08  # seconds that an undisturbed run takes, about
MOST_WRONG = 10  # then it gives up
SYMPTOMS = {"torn": "is not the mended book", "unsaved": "has no backup", "stale": "mended are only"}
PLANTS = {
    "torn": """
int renameat(int olds, const char* from, int news, const char* to) {
  static __thread char bytes[1 << 20];
  int in = openat(olds, from, O_RDONLY), out = openat(news, to, O_WRONLY | O_TRUNC | O_CREAT, 0640);
  ssize_t size = read(in, bytes, sizeof bytes);
  (void)!write(out, bytes, size / 2);
  (void)!write(out, bytes + size / 2, size - size / 2);
  close(in); close(out);
  return unlinkat(olds, from, 0);
}""",
    "unsaved": """
int linkat(int olds, const char* from, int news, const char* to, int flags) {
  (void)olds; (void)from; (void)news; (void)to; (void)flags;
  return 0;
}""",
    "stale": """
int unlinkat(int folder, const char* path, int flags) {
  return strstr(path, ".part") ? 0 : (int)syscall(SYS_unlinkat, folder, path, flags);
}""",
}
HEAD = "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <string.h>\n#include <sys/syscall.h>\n#include <sys/types.h>\n#include <unistd.h>\n"


def plant(rig: Rig, name: str) -> str:
    """The path of a library that does it."""
    source, library = rig.folder / "plant.c", rig.folder / "plant.so"
    source.write_text(HEAD + PLANTS[name])
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        raise Skip("there is no C compiler here")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
    return str(library)


def tears(point: Point) -> bool:
    """Whether a kill there leaves half a book, when renames write into their target."""
    return point.name == "write" and point.path.startswith("out/") and not point.path.endswith(".part")


class Kills:
    """Of one mode."""

    def __init__(self, rig: Rig, stages: Stages, mode: str, count: int, planted: str):
        self.dice = rig.dice
        self.truth = stages.truth
        self.count = count
        # Some kills come too late: so many tries must be enough.
        *self.left, first = stages.make(2 * count + 1, mode)
        calls = calls_of(first, self.truth)
        # By chance the few calls that tear a book can all be missed; a proof does not rest on luck.
        self.kinds = kinds_of([call for call in calls if planted != "torn" or tears(call[1])])
        self.killed: collections.Counter[str] = collections.Counter()
        self.found: collections.Counter[int] = collections.Counter()  # books mended at a kill
        self.tried = 0
        self.last = ""

    def __str__(self) -> str:
        return f"points {({kind: len(points) for kind, points in self.kinds.items()})}"

    def have_come(self) -> bool:
        return self.killed.total() >= self.count

    def one(self) -> None:
        demand(bool(self.left), f"the kills do not come: {self.killed.total()} of {self.tried}")
        stage = self.left.pop()
        self.tried += 1
        self.last = ""
        kills = 0
        for _ in range(2 if self.dice.random() < 0.33 else 1):
            before = inodes_below(stage.folder / "lib") | inodes_below(stage.out)
            done = stage.mended(self.truth) if kills else []
            kills += self.kill(stage)
            stage.demand_old_or_new(self.truth)
            stage.demand_sound_shelf()
            self.demand_untouched(stage, before, done)
        self.found[len(stage.mended(self.truth))] += 1
        self.demand_rest(stage, kills)
        shutil.rmtree(stage.folder)

    @staticmethod
    def demand_untouched(stage: Stage, before: dict[str, int], done: list[str]) -> None:
        folder = stage.library if stage.mode == IN_PLACE else stage.out
        now = inodes_below(folder)
        again = [name for name in done if now.get(name) != before.get(name)]
        demand(not again, f"mended again: {again}")

    def demand_rest(self, stage: Stage, kills: int) -> None:
        """The same command finishes, and a further one finds nothing to do."""
        done = stage.mended(self.truth)
        folder = stage.library if stage.mode == IN_PLACE else stage.out
        before = inodes_below(folder)
        code, said = stage.finish()
        demand(code == self.truth.code, f"again: exit {code}: {said.fates} {said.reasons}")
        stage.demand_done(self.truth, most_backups=1 + kills)
        self.demand_untouched(stage, before, done)
        self.demand_counts(stage, said, done)
        stage.demand_nobody()
        before = inodes_below(folder)
        code, said = stage.finish()
        demand(code == self.truth.code, f"once more: exit {code}: {said.fates}")
        demand(inodes_below(folder) == before, "a run with nothing to do has changed files")

    def demand_counts(self, stage: Stage, said: Lines, done: list[str]) -> None:
        demand(len(said.fates) == said.totals["found"], f"{said.totals} and {said.fates}")
        mended = said.names("repaired")
        if stage.mode == OUTPUT:  # those of before are told of again, as they were noted
            demand(mended == self.truth.mendable(), f"again: {said.fates}")
            return
        # One that was put in its place, but not noted, is found sound.
        wanted = sorted(set(self.truth.new) - set(done))
        demand(mended == wanted, f"again: mended {mended}, not {wanted}")

    def kill(self, stage: Stage) -> bool:
        """False: the program came to its end before."""
        kind = self.dice.choice(list(self.kinds))
        if self.dice.random() < 1 / 8:
            kind = RANDOM
            moment = self.dice.uniform(0, LONGEST)
            self.last += f" [{RANDOM} {moment:.3f} s]"
            process = stage.start()
            pause(moment)
            process.signal(signal.SIGKILL)
        else:
            point: Point = self.dice.choice(self.kinds[kind])
            self.last += f" [{kind}: {point}]"
            process = stage.start(*hitting(stage, point, "signal=KILL"))
        code = process.wait(LIMIT)
        stage.demand_nobody()
        if code == KILLED:
            self.killed[kind] += 1
            return True
        demand(code == self.truth.code, f"not killed, exit {code}: {process.errors()}")
        return False


def is_proof(chosen: argparse.Namespace, wrong: str) -> bool:
    return bool(chosen.expect_caught) and SYMPTOMS[chosen.expect_caught] in wrong


def all_kills(rig: Rig, chosen: argparse.Namespace, wrong: list[str]) -> None:
    stages = Stages(rig)
    if chosen.expect_caught:
        rig.env["LD_PRELOAD"] = plant(rig, chosen.expect_caught)
    # In place a torn book is its backup as well: they are one file.
    modes = {"": (IN_PLACE, OUTPUT), "torn": (OUTPUT,)}.get(chosen.expect_caught or "", (IN_PLACE,))
    for mode in modes:
        kills = Kills(rig, stages, mode, chosen.count // 2, chosen.expect_caught or "")
        print(f"{mode}: {kills}", flush=True)
        while not kills.have_come() or chosen.expect_caught and kills.left:
            try:
                kills.one()
            except Wrong as reason:
                wrong.append(f"{mode},{kills.last}: {reason}")
                print(f"WRONG {wrong[-1]}", flush=True)
                # A plant has more than one consequence; one is the proof.
                if len(wrong) == MOST_WRONG or is_proof(chosen, wrong[-1]) or not kills.left:
                    return
        print(f"{mode}: {kills.tried} tried, {kills.killed.total()} kills {dict(kills.killed)}; mended at the "
              f"kill: {dict(sorted(kills.found.items()))}", flush=True)


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    if not shutil.which("strace"):
        raise Skip("there is no strace here")
    wrong: list[str] = []
    all_kills(rig, chosen, wrong)
    if not chosen.expect_caught:
        demand(not wrong, f"{len(wrong)} times, the first: {wrong[0] if wrong else ''}")
        return
    demand(bool(wrong), f"the planted fault {chosen.expect_caught} was not noticed")
    demand(is_proof(chosen, wrong[-1]), f"not the planted fault: {wrong[-1]}")
    print("caught, as it should be")


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--expect-caught", choices=list(SYMPTOMS))


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 40, test, options))
