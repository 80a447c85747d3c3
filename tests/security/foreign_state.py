#!/usr/bin/env python3
"""A state folder that somebody else has made, or can exchange, is not believed.

A run is a command that `resume` runs: whoever can put one where root looks for runs is root. The neighbour makes a run,
in each way that there is to bring it before root; no verb of root's may take anything from there, and each says what to
do. What is root's own goes on working.
"""
import os
import sys

from neighbour import Neighbour, Rig, demand, run_test

VERBS = (("resume", "last"), ("runs",), ("show", "last"), ("check", "last"), ("letters", "last"), ("forget", "last"),
         ("undo", "last"), ("each", "--files-from", "/dev/null", "--allow-empty", "--", "true"))


def plant(rig: Rig, neighbour: Neighbour, state) -> None:
    """A run that is interrupted; resumed, it notes who runs it."""
    command = f"if test -e {rig.folder}/go; then id -u >>{rig.folder}/witness/ids; else kill -9 $PPID; fi"
    neighbour.run(rig.program, "each", "--files-from", rig.list_of("one", ["name"]), "--shell", "--", command,
                  env=rig.env | {"TIDEMILL_STATE": str(state), "HOME": str(state.parent)})
    demand(bool(rig.runs_in(state)), "the neighbour's run was not made")


def refused(rig: Rig, how: str, verbs=VERBS) -> None:
    for words in verbs:
        code, process = rig.finish(*words)
        said = process.errors()
        ids = rig.folder / "witness" / "ids"
        demand(not ids.exists(), f"{how}: root has run the neighbour's command")
        demand(code == 2, f"{how}: {words}: exit {code}, {said}{process.lines}")
        demand("TIDEMILL_STATE" in said, f"{how}: {words}: no word of what to do: {said}")


def attack(rig: Rig, _chosen) -> None:
    neighbour = Neighbour(rig)
    (rig.folder / "witness").mkdir(mode=0o777)
    os.chmod(rig.folder / "witness", 0o777)
    theirs = neighbour.folder("theirs")
    plant(rig, neighbour, theirs / "state")
    (rig.folder / "go").touch()

    rig.env["TIDEMILL_STATE"] = str(theirs / "state")
    refused(rig, "by TIDEMILL_STATE")
    home = neighbour.folder("home")
    neighbour.python("import os, sys; os.makedirs(sys.argv[2]); os.rename(sys.argv[1], sys.argv[2] + '/tidemill')",
                     str(theirs / "state"), str(home / ".local" / "state"))
    mine = rig.env.pop("TIDEMILL_STATE")
    rig.env["HOME"] = str(home)
    refused(rig, "by HOME")
    rig.env["TIDEMILL_STATE"] = mine

    # Ours, but others may write in it, or exchange it.
    rig.env["TIDEMILL_STATE"] = str(rig.state)
    code, process = rig.finish("each", "--files-from", "one", "--", "true")
    demand(code == 0, f"our own state folder: exit {code}, {process.errors()}")
    code, process = rig.finish("runs")
    demand(code == 0, f"our own state folder: exit {code}, {process.errors()}")
    for name in (rig.state, rig.state / "runs"):
        name.chmod(0o777)
        refused(rig, f"{name.name} is open")
        name.chmod(0o700)
    os.rename(rig.state, theirs / "ours")
    rig.env["TIDEMILL_STATE"] = str(theirs / "ours")
    refused(rig, "in a folder of the neighbour")
    open_to_all = rig.folder / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    os.rename(theirs / "ours", open_to_all / "ours")
    rig.env["TIDEMILL_STATE"] = str(open_to_all / "ours")
    refused(rig, "in a folder that is open")
    open_to_all.chmod(0o1777)
    code, process = rig.finish("runs")
    demand(code == 0, f"in a folder like /tmp: exit {code}, {process.errors()}")
    neighbour.python("import os, sys; os.symlink(*sys.argv[1:])", str(open_to_all / "ours"), str(open_to_all / "link"))
    rig.env["TIDEMILL_STATE"] = str(open_to_all / "link")
    refused(rig, "by a link of the neighbour")

    # A run of the neighbour's in a folder of ours.
    rig.env["TIDEMILL_STATE"] = str(open_to_all / "ours")
    planted = next((home / ".local/state/tidemill/runs").iterdir())
    os.rename(planted, open_to_all / "ours" / "runs" / "29991231-2359-each")
    code, process = rig.finish("resume", "last")
    demand(not (rig.folder / "witness" / "ids").exists(), "root has run the neighbour's run")
    demand(code == 2 and "belongs to uid" in process.errors(), f"a foreign run: exit {code}, {process.errors()}")


if __name__ == "__main__":
    sys.exit(run_test(__doc__, 1, attack))
