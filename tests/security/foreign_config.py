#!/usr/bin/env python3
"""A config file that somebody else has written is not believed.

It changes what a command does: here it sends root's log to a file of the neighbour's choice.
"""
import os
import sys

from neighbour import Neighbour, Rig, demand, run_test


def attack(rig: Rig, _chosen) -> None:
    neighbour = Neighbour(rig)
    precious = rig.folder / "precious"
    text = f'log = "{precious}"\n'
    home = neighbour.folder("home")
    write = ("import os, sys; os.makedirs(sys.argv[1]);"
             "open(sys.argv[1] + '/tidemill.toml', 'w').write(sys.argv[2])")
    neighbour.python(write, str(home / ".config" / "tidemill"), text)
    ours = rig.folder / "ours" / "tidemill"
    ours.mkdir(parents=True)
    (ours / "tidemill.toml").write_text(text)
    (ours / "tidemill.toml").chmod(0o666)
    words = ("each", "--files-from", "/dev/null", "--allow-empty", "--", "true")

    def refused(how: str) -> None:
        code, process = rig.finish(*words)
        demand(not precious.exists(), f"{how}: root has written where the neighbour wanted")
        demand(code == 2 and "config file" in process.errors(), f"{how}: exit {code}, {process.errors()}")
        demand("XDG_CONFIG_HOME" in process.errors(), f"{how}: no word of what to do: {process.errors()}")

    rig.env |= {"HOME": str(home)}
    rig.env.pop("XDG_CONFIG_HOME", None)
    refused("by HOME")
    rig.env["XDG_CONFIG_HOME"] = str(home / ".config")
    refused("by XDG_CONFIG_HOME")
    rig.env["XDG_CONFIG_HOME"] = str(ours.parent)
    refused("our own, for all to write")
    (ours / "tidemill.toml").chmod(0o644)
    ours.chmod(0o777)
    refused("in a folder for all to write")
    ours.chmod(0o755)
    fifo = neighbour.folder("fifo") / "tidemill"
    neighbour.python("import os, sys; os.mkdir(sys.argv[1]); os.mkfifo(sys.argv[1] + '/tidemill.toml')", str(fifo))
    rig.env["XDG_CONFIG_HOME"] = str(fifo.parent)
    refused("a pipe that nobody writes to")  # without waiting for it

    rig.env["XDG_CONFIG_HOME"] = str(ours.parent)
    code, process = rig.finish(*words)
    demand(code == 0 and precious.exists(), f"our own is not read: exit {code}, {process.errors()}")
    # What root has written counts for everybody.
    os.chmod(rig.folder / "ours", 0o755)
    precious.unlink()
    done = neighbour.run(rig.program, *words, cwd=home,
                         env=rig.env | {"TIDEMILL_STATE": str(home / "state")})
    demand(done.returncode in (0, 1) and b"config file" not in done.stderr,
           f"the file of root: exit {done.returncode}, {done.stderr}")


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 1, attack))
