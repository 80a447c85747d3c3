"""A disk whose power can be cut: what the tests of power cuts share.

The disk is the image of a file system, ext4 or xfs, on an xfs that can share blocks. cut() clones the
image, which is atomic and takes no time: the clone is what the disk would hold if the power failed
at this instant. Everything in the page cache of the mounted image is lost with it. What the clone
does not model is a disk that loses what it was told to flush.

A machine that comes back has another boot id: rebooted() shows one to every process that is started
in it. Nothing has to be cleaned up by hand: enter_namespaces() starts the test again where mounts and
processes belong to it, and both end with it, also when it is killed. Needs root and loop devices.
"""
import contextlib
import fcntl
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import uuid

from rig import Journal, Rig, Skip, demand, eventually, read_journal

FICLONE = 0x40049409
INSIDE = "POWER_CUTS_INSIDE"
BOOT_ID = "/proc/sys/kernel/random/boot_id"
OWN = ("unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child",
       "--mount-proc")
MAKE = {"ext4": ("64M", "mkfs.ext4", "-q"), "xfs": ("300M", "mkfs.xfs", "-q")}  # 300M: its least


def enter_namespaces() -> None:
    """Does not return the first time. Where it is not possible, prepare() says so."""
    if INSIDE in os.environ or not shutil.which("unshare"):
        return
    if subprocess.run([*OWN, "true"], capture_output=True, check=False).returncode == 0:
        os.environ[INSIDE] = "1"
        os.execvp(OWN[0], [*OWN, sys.executable, *sys.argv])


def called(*words: str | pathlib.Path) -> str:
    """What it said."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    demand(done.returncode == 0, f"{' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout.strip()


def clone(source: pathlib.Path, target: pathlib.Path) -> None:
    with open(source, "rb") as from_here, open(target, "wb") as to_there:
        fcntl.ioctl(to_there, FICLONE, from_here.fileno())


class Shelf:
    """Where the images lie: an xfs in memory, so that neither it nor its syncs disturb others."""

    def __init__(self, rig: Rig):
        self.memory = rig.folder / "memory"
        self.folder = self.memory / "images"
        self.point = rig.folder / "disk"
        self.boot_id = self.memory / "boot_id"
        self.point.mkdir()
        self.memory.mkdir()

    def prepare(self) -> None:
        if INSIDE not in os.environ:
            raise Skip("no mounts of our own here: only root may have them (and needs unshare)")
        for tool in ("mkfs.xfs", "mkfs.ext4", "mount", "umount"):
            if not shutil.which(tool):
                raise Skip(f"there is no {tool} here")
        called("mount", "-t", "tmpfs", "-o", "size=3g", "tmpfs", self.memory)
        self.folder.mkdir()
        with open(self.memory / "outer", "wb") as image:
            image.truncate(2 << 30)
        called("mkfs.xfs", "-q", "-m", "reflink=1", self.memory / "outer")
        done = subprocess.run(["mount", "-o", "loop", self.memory / "outer", self.folder],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Skip(f"no image can be mounted here: {done.stderr.strip()}")
        for system, (size, *make) in MAKE.items():
            called("truncate", "-s", size, self.folder / f"empty.{system}")
            called(*make, self.folder / f"empty.{system}")

    def close(self) -> None:
        for place in (BOOT_ID, self.point, self.folder, self.memory):
            subprocess.run(["umount", "-q", place], capture_output=True, check=False)


class Disk:
    """A new file system, mounted; always at the same place, so that paths stay what they are."""

    def __init__(self, shelf: Shelf, system: str):
        self.system = system
        self.shelf = shelf
        self.point = shelf.point
        self.image = shelf.folder / "work"
        self.cuts = 0
        clone(shelf.folder / f"empty.{system}", self.image)
        self.mount(self.image)

    def mount(self, image: pathlib.Path) -> None:
        called("mount", "-o", "loop", image, self.point)

    def unmount(self) -> None:
        """What was killed may hold it for a moment."""
        def is_free() -> bool:
            return subprocess.run(["umount", self.point], capture_output=True,
                                  check=False).returncode == 0
        if os.path.ismount(self.point):
            demand(eventually(is_free, 20), f"{self.point} stays busy")

    def sync(self) -> None:
        called("sync", "-f", self.point)

    def write_back(self, files: list[pathlib.Path]) -> None:
        """The kernel writes pages when it likes, in any order: now those of these files."""
        for file in files:
            with contextlib.suppress(OSError), open(file, "rb") as opened:
                os.fdatasync(opened.fileno())

    def cut(self) -> pathlib.Path:
        self.cuts += 1
        image = self.shelf.folder / f"cut{self.cuts}"
        clone(self.image, image)
        return image

    @contextlib.contextmanager
    def rebooted(self, image: pathlib.Path):
        """The machine after the cut: its disk, which has another number now, and a boot id that it never
        had. The image is gone afterwards."""
        self.shelf.boot_id.write_text(f"{uuid.uuid4()}\n")
        # Takes the number that the disk had.
        taken = called("losetup", "--find", "--show", "--read-only", self.shelf.folder / f"empty.{self.system}")
        self.mount(image)
        called("losetup", "--detach", taken)
        try:
            called("mount", "--bind", self.shelf.boot_id, BOOT_ID)
            try:
                yield
            finally:
                called("umount", BOOT_ID)
        finally:
            self.unmount()
            image.unlink()

    def close(self) -> None:
        self.unmount()
        for image in self.shelf.folder.glob("*"):
            if not image.name.startswith("empty"):
                image.unlink()


def journal_of(state: pathlib.Path, spare: pathlib.Path) -> Journal | None:
    """Of the only run there; None: the power failed before there was one. Reads a copy: opening the
    journal itself would repair it."""
    shutil.rmtree(spare, ignore_errors=True)
    spare.mkdir()
    for journal in (state / "runs").glob("*/journal.db"):
        for end in ("", "-wal"):
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(f"{journal}{end}", spare / f"journal.db{end}")
        with contextlib.closing(sqlite3.connect(spare / "journal.db")) as db:
            try:
                begun = db.execute("select 1 from note where key = 'job'").fetchall()
            except sqlite3.OperationalError:
                return None  # no table yet
        return read_journal(spare / "journal.db") if begun else None
    return None
