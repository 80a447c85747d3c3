#!/usr/bin/env python3
"""Names that a shell must not run: what `each --dry-run` prints, piped into shells.

  planted   files whose names end a quotation and go on with a command, as `each DIR --dry-run | SHELL`
            meets them
  random    --count names of a list, most of them made of what shells read as signs; one in 25 holds
            controls or bytes that are not UTF-8

Each shell must give every name back byte for byte, say nothing, and run nothing. The script itself must be safe to look
at and to filter: printable lines, one command each. A shell that is not installed is not tested, and the test says so.
"""
import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from neighbour import Rig, Skip, demand, run_test

SHELLS = {"dash": ["dash"], "bash": ["bash"], "zsh": ["zsh", "-f"], "busybox sh": ["busybox", "sh"]}
PLANTED = [b"a\x01'; touch PWNED; #", b"'; touch PWNED; '", b"\x01\\'; touch PWNED; \\'", b"$(touch PWNED)\x01",
           b"`touch PWNED`\n", b"%\n'\ntouch PWNED\n'", b"x\ntouch PWNED\n", b"touch PWNED\n", b"\x01\";touch PWNED;\"",
           b"\x01');touch PWNED;('", b"\\\n'\\'';touch PWNED\n", b"-n\x01", b"=touch", b"~", b"{touch,PWNED}", b"!!",
           b"\r'; touch PWNED\r", b"\xff'; touch PWNED; '\xfe", b"\xc3\\\x9b31m", b"\x7f\x01\x1b[2J"]
SIGNS = [b"'", b"''", b"\\", b"\\'", b'"', b"$", b"$'", b"`", b"(", b")", b"{", b"}", b"[", b"]", b"<", b">", b"|",
         b"&", b";", b"#", b"!", b"!!", b"*", b"?", b"~", b"=", b"^", b"%", b"%s", b"-", b" ", b"  ", b"a", b"b/",
         b".", b"0", b"touch PWNED", b"$(touch PWNED)", b"\\n", b"\\047", b"\\c", "é".encode(), "中".encode()]
UNSEEN = [b"\n", b"\n\n", b"\r", b"\t", b"\x01", b"\x7f", b"\x1b[31m", b"\xff", b"\xc3", b"\x9b", b"\x01'",
          "\u202e".encode()]


def random_name(dice: random.Random) -> bytes:
    signs = SIGNS + UNSEEN if dice.randrange(25) == 0 else SIGNS
    return b"".join(dice.choice(signs) for _ in range(dice.randrange(1, 12)))


def demand_harmless(script: bytes, count: int) -> None:
    """To a terminal, and to whoever takes some of its lines."""
    lines = script.decode().split("\n")  # it is UTF-8, or this fails
    demand(lines.pop() == "" and len(lines) == count, f"{len(lines)} lines for {count} commands")
    for line in lines:
        demand(line.isprintable(), f"it drives a terminal: {line!r}")


def demand_read_back(shell: str, script: bytes, names: list[bytes], folder: pathlib.Path) -> None:
    """In a folder of its own, without any program: who runs one is heard."""
    folder.mkdir()
    done = subprocess.run([shutil.which(SHELLS[shell][0]), *SHELLS[shell][1:]], input=script, cwd=folder,
                          capture_output=True, check=False, env={"PATH": str(folder), "LC_ALL": "C.UTF-8"})
    said = done.stdout.split(b"\0")[:-1]
    for wanted, heard in zip(names, said):
        demand(heard == wanted, f"{shell}: {wanted!r} became {heard!r}")
    demand(len(said) == len(names), f"{shell}: {len(said)} of {len(names)} names: {done.stderr[:300]!r}")
    demand(done.stderr == b"" and done.returncode == 0, f"{shell}: exit {done.returncode}: {done.stderr[:300]!r}")
    demand(os.listdir(folder) == [], f"{shell}: it ran {os.listdir(folder)}")


def dry_run(rig: Rig, *words: str) -> bytes:
    done = subprocess.run([rig.program, "each", *words], env=rig.env, cwd=rig.folder, capture_output=True, check=False)
    demand(done.returncode == 0, f"dry-run: exit {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def planted(rig: Rig, name: bytes, shells: list[str], tree: pathlib.Path) -> None:
    tree.mkdir()
    pathlib.Path(os.fsdecode(os.fsencode(tree) + b"/" + name)).touch()
    script = dry_run(rig, tree.name, "--dry-run", "--", "printf", r"%s\0", "{}")
    for shell in shells:
        done = subprocess.run(SHELLS[shell], input=script, cwd=rig.folder, env=rig.env, capture_output=True,
                              check=False)
        demand(not (rig.folder / "PWNED").exists(), f"{shell} ran what a file's name says: {name!r}")
        demand(done.stdout == os.fsencode(tree.name) + b"/" + name + b"\0", f"{shell}: {done.stdout!r} {done.stderr!r}")
    demand_harmless(script, 1)


def random_names(rig: Rig, shells: list[str], count: int) -> None:
    names = PLANTED + [random_name(rig.dice) for _ in range(count)]
    listed = rig.folder / "listed"
    listed.write_bytes(b"".join(name + b"\0" for name in names))
    script = dry_run(rig, "--files-from", str(listed), "-0", "--dry-run", "--", "printf", r"%s\0", "x{}")
    demand_harmless(script, len(names))
    wanted = [b"x" + name for name in names]
    with ThreadPoolExecutor(2) as two:
        for _ in two.map(lambda each: demand_read_back(each, script, wanted, rig.folder / f"in {each}"), shells):
            pass


def test(rig: Rig, chosen: argparse.Namespace) -> None:
    shells = [each for each, words in SHELLS.items() if shutil.which(words[0])]
    missing = sorted(set(SHELLS) - set(shells))
    if missing:
        print(f"NOT TESTED: not installed: {', '.join(missing)}", flush=True)
    for number, name in enumerate(PLANTED):
        planted(rig, name, shells, rig.folder / f"tree{number}")
    random_names(rig, shells, chosen.count)
    print(f"{chosen.count} names, {', '.join(shells)}")
    if missing:
        raise Skip(f"NOT TESTED: {', '.join(missing)}; the others gave every name back")


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 100_000, test))
