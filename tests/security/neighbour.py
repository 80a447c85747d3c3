"""Neighbour: another user of the machine, for tests that attack.

A neighbour is a uid and a gid that nobody has; the kernel asks for no line in /etc/passwd. Only root can become one, so
without root these tests are skipped, and say so. A test is a function for rig.run_test() (tests/faults/rig.py): it raises
Wrong when the attack succeeds.
"""
import os
import pathlib
import pwd
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "faults"))

from rig import Rig, Skip, Wrong, demand, eventually, run_test  # noqa: E402,F401

# Another user may not reach the Python that runs this.
PYTHON = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else sys.executable
FIRST_UID = 61_000  # above the users of Debian, below nobody


def free_uid() -> int:
    taken = {entry.pw_uid for entry in pwd.getpwall()}
    return next(uid for uid in range(FIRST_UID, 65_000) if uid not in taken)


class Neighbour:
    """Runs programs as somebody else, without any groups or capabilities."""

    def __init__(self, rig: Rig, uid: int | None = None):
        if os.geteuid() != 0:
            raise Skip("NOT TESTED: an attack by another user needs root to become one")
        self.rig = rig
        self.uid = uid or free_uid()
        rig.folder.chmod(0o755)  # mkdtemp makes it 0700
        rig.env |= {"HOME": str(rig.folder)}
        try:
            self.run(rig.program, "--version")
        except PermissionError:  # it was built where only root may go
            rig.program = shutil.copy(rig.program, rig.folder / "tidemill")

    def start(self, *words: str, **options) -> subprocess.Popen:
        return subprocess.Popen(words, user=self.uid, group=self.uid, extra_groups=[],
                                start_new_session=True,
                                **({"cwd": self.rig.folder, "env": self.rig.env} | options))

    def run(self, *words: str, **options) -> subprocess.CompletedProcess:
        process = self.start(*words, **({"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options))
        out, errors = process.communicate(timeout=300)
        return subprocess.CompletedProcess(words, process.returncode, out, errors)

    def python(self, code: str, *arguments: str) -> None:
        """A few lines of Python as the neighbour; they must not fail."""
        done = self.run(PYTHON, "-c", code, *arguments)
        demand(done.returncode == 0, f"the neighbour: {done.stderr.decode(errors='replace')}")

    def folder(self, name: str) -> pathlib.Path:
        """A folder of the neighbour's own, below the test's."""
        path = self.rig.folder / name
        path.mkdir(parents=True)
        os.chown(path, self.uid, self.uid)
        return path
