#!/usr/bin/env python3
"""Makes a root folder with nothing in it but the packages that a .deb depends on, and a shell.

It is what a fresh installation of the .deb would find: the packages are those that `Depends` and
`Pre-Depends` lead to, copied file by file from this machine, which has them, and noted in a database of dpkg
of its own, so that `dpkg --root` refuses a dependency that is not met. A library that the program needs and
the .deb does not name is missing. debootstrap and mmdebstrap would fetch the same from a network.
Nothing of a package's scripts is run. Documents and translations stay behind.

usage: clean_root.py DEB ROOT [PACKAGE...]
"""
import os
import pathlib
import re
import subprocess
import sys

DATABASE = pathlib.Path("/var/lib/dpkg")
LEFT_BEHIND = re.compile(r"^/usr/share/(doc|locale|man|info|lintian|bug)/.|^/usr/lib/\S+/gconv/.")
FOLDERS = ("dev", "proc", "sys", "tmp", "root", "run", "etc", "var/tmp")


def installed():
    """Two maps: a package's name to its paragraph, and what it provides to its name."""
    paragraphs, provided = {}, {}
    architecture = subprocess.check_output(["dpkg", "--print-architecture"], text=True).strip()
    for paragraph in (DATABASE / "status").read_text().split("\n\n"):
        fields = dict(re.findall(r"^([\w-]+): (.*)$", paragraph, re.M))
        if fields.get("Status") != "install ok installed" or fields["Architecture"] not in (architecture, "all"):
            continue
        paragraphs[fields["Package"]] = paragraph
        for name in names_of(fields.get("Provides", "")):
            provided.setdefault(name[0], fields["Package"])
    return paragraphs, provided


def names_of(relation):
    """'a (>= 1), b | c' as [[a], [b, c]]."""
    return [[re.match(r"[\w.+-]+", name.strip())[0] for name in either.split("|")]
            for either in relation.split(",") if either.strip()]


def closure(wanted, paragraphs, provided):
    """All packages that a list of alternatives leads to; what this machine has not is left out."""
    found, waiting = {}, list(wanted)
    while waiting:
        either = waiting.pop()
        here = [name if name in paragraphs else provided.get(name) for name in either]
        name = next((name for name in here if name), None)
        if name is None or name in found:
            continue
        found[name] = paragraphs[name]
        for relation in re.findall(r"^(?:Pre-)?Depends: (.*)$", paragraphs[name], re.M):
            waiting += names_of(relation)
    return found


def list_of(name):
    """The file with the names of a package's files: of some the name has the architecture."""
    return next(path for path in (DATABASE / f"info/{name}.list", *DATABASE.glob(f"info/{name}:*.list"))
                if path.exists())


def is_copied(name):
    """Not what is gone, nor a folder that only root may look into and that is empty."""
    return os.path.islink(name) or os.access(name, os.R_OK)


def copy_files(names, root):
    listed = {line for name in names for line in list_of(name).read_text().splitlines()}
    files = sorted(name[1:] for name in listed if not LEFT_BEHIND.match(name) and is_copied(name))
    text = b"\0".join(os.fsencode(name) for name in files if name and name != ".")
    pack = ["tar", "-C", "/", "-c", "--no-recursion", "--null", "--verbatim-files-from", "-T", "-"]
    unpack = ["tar", "-C", str(root), "-x", "--no-same-owner", "--keep-directory-symlink"]
    with subprocess.Popen(pack, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as packer:
        with subprocess.Popen(unpack, stdin=packer.stdout) as unpacker:
            packer.stdin.write(text)
            packer.stdin.close()
        packer.wait()
    if packer.returncode or unpacker.returncode:
        sys.exit("clean_root.py: tar failed")


def main():
    deb, root, more = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    paragraphs, provided = installed()
    depends = subprocess.check_output(["dpkg-deb", "-f", deb, "Depends"], text=True)
    found = closure(names_of(depends) + [[name] for name in more], paragraphs, provided)
    missing = [name for name in more if name not in found]
    if missing:
        sys.exit(f"clean_root.py: not installed here: {' '.join(missing)}")
    for name in FOLDERS:
        (root / name).mkdir(parents=True)
    for name in ("bin", "sbin", "lib", "lib64"):  # /bin is usr/bin, as on this machine
        if os.path.islink(f"/{name}"):
            (root / "usr" / name).mkdir(parents=True, exist_ok=True)
            (root / name).symlink_to(f"usr/{name}")
    copy_files(found, root)
    info = root / "var/lib/dpkg/info"
    info.mkdir(parents=True, exist_ok=True)
    (info.parent / "updates").mkdir(exist_ok=True)
    for name in found:
        listed = list_of(name)
        (info / listed.name).write_bytes(listed.read_bytes())
    (info.parent / "status").write_text("\n\n".join(found.values()) + "\n\n")
    print(f"a root of {len(found)} packages")


if __name__ == "__main__":
    main()
