#!/usr/bin/env python3
"""What is not signed, leads out of a folder, or is about another tree is refused, counted and shown,
and no command runs for it.

Whoever can write to Redis can stop a fleet; these tests are about what he cannot do: make it run
something.
"""
import json
import pathlib
import sys

from fleet_rig import (DEAD, FLEET, NAME, SECOND, Fleet, Rig, demand, demand_calm, held,
                       run_scenario, wait_for)

GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs/guide/fleet.md"
GREETING = {"+ping", "+client|setname", "+role"}  # which nobody has to be allowed
MORE = 'echo "ran $1" >>"$FOLDER/ran"; '


def ran(fleet: Fleet) -> str:
    path = fleet.folder / "ran"
    return path.read_text() if path.exists() else ""


def entries(fleet: Fleet, stream: str) -> list[tuple[bytes, dict[bytes, bytes]]]:
    return [(entry[0], dict(zip(entry[1][::2], entry[1][1::2])))
            for entry in fleet.ask("XRANGE", stream, "-", "+")]


def forged(rig: Rig) -> None:
    """Parcels, reports and runs that nobody has signed, or that are signed for another place: none is
    obeyed, all are counted, and the run completes. Caught: a signature that is not looked at, that
    does not cover the id, the run or the name, or that is only looked at by workers."""
    fleet = Fleet(rig)
    names = fleet.tree(12)
    fleet.worker("first")
    other = fleet.each("tree", state="other", script=held("stay"))
    stay = fleet.gate("stay")
    wait_for(lambda: fleet.ask("EXISTS", fleet.key("runs")) == 1, "the first run")
    of_other = fleet.run_name()
    wait_for(lambda: entries(fleet, fleet.key(of_other + ":q")), "parcels of the first run")
    replayed = entries(fleet, fleet.key(of_other + ":q"))[0][1]
    stay.open()
    fleet.finish(other)
    fleet.log.unlink()
    (fleet.folder / "ran").unlink(missing_ok=True)

    gate = fleet.gate()
    run = fleet.each("tree", script=MORE + held("gate"))
    fleet.wait_started(2)
    name = fleet.run_name()
    stream, reports = fleet.key(name + ":q"), fleet.key(name + ":out")
    last, genuine = entries(fleet, stream)[-1]
    epoch, number = (int(part) for part in last.split(b"-"))
    evil = genuine[b"t"].replace(b"f00", b"evil")[:len(genuine[b"t"])]
    evil = evil if evil != genuine[b"t"] else b"\1" + genuine[b"t"][1:]
    for at, fields in enumerate((["t", evil], ["t", evil, "m", bytes(32)],
                                 ["t", evil, "m", genuine[b"m"]],
                                 ["t", genuine[b"t"], "m", genuine[b"m"]],
                                 ["t", replayed[b"t"], "m", replayed[b"m"]], ["x", "y"])):
        fleet.ask("XADD", stream, f"{epoch}-{number + 1 + at}", *fields)
    fleet.ask("XADD", reports, "*", "p", last, "w", "me:1:x", "r", b"\1\0", "m", bytes(32))
    card = fleet.ask("HGET", fleet.key("runs"), name)
    fleet.ask("HSET", fleet.key("runs"), "evil-run", card)
    fleet.ask("HSET", fleet.key("runs"), "evil-2", b"\0" + card[33:])
    wait_for(lambda: "evil-run" in refusals(fleet) and "evil-2" in refusals(fleet),
             "the worker names the runs that it refuses")
    shown = {row["name"]: row["state"] for row in fleet.status()["runs"]}
    demand(shown == {name: "running", "evil-run": "unsigned", "evil-2": "unsigned"},
           f"shown: {shown}")
    fleet.ask("HDEL", fleet.key("runs"), "evil-run", "evil-2")
    wait_for(lambda: fleet.ask("GET", fleet.key(name + ":forged")) == b"7", "all seven are counted")
    text = fleet.do("fleet", "status", FLEET).decode()
    demand(text.splitlines()[0].endswith("FORGED") and text.splitlines()[1].endswith(" 7"),
           f"not shown: {text}")
    gate.open()
    fleet.finish(run)
    demand("evil" not in ran(fleet) and not run_lines_strange(fleet, names),
           f"a forged command ran: {ran(fleet)}")
    demand_calm(fleet.judge(names, most_starts=1))


def refusals(fleet: Fleet) -> dict[str, str]:
    return {each["name"]: each["reason"] for host in fleet.status()["hosts"]
            for each in host["refusals"]}


def run_lines_strange(fleet: Fleet, names: list[str]) -> list[str]:
    return [line for line in ran(fleet).splitlines() if line.removeprefix("ran ") not in names]


def wrong_key(rig: Rig) -> None:
    """A worker with another key gets nothing, and says why; one with the right key does the work.
    Caught: a key that is not used by one of the two sides, an XREADGROUP before the run was
    verified, which takes parcels away from others."""
    fleet = Fleet(rig)
    names = fleet.tree(20)
    fleet.do("fleet", "key", str(fleet.folder / "other.key"))
    stranger = fleet.worker("stranger", "--fleet-key", str(fleet.folder / "other.key"))
    run = fleet.each("tree")
    wait_for(lambda: refusals(fleet), "a refusal")
    demand(all("not signed" in why for why in refusals(fleet).values()), f"{refusals(fleet)}")
    demand(not fleet.held_by() and not fleet.starts(), "the stranger has taken a parcel")
    fleet.worker("w1")
    fleet.finish(run)
    demand_calm(fleet.judge(names, most_starts=1))
    marks = {line[2].split(":")[1] for line in fleet.starts()}
    demand(str(stranger.pid) not in marks, "the stranger has run a command")
    demand("not signed" in stranger.errors(), f"it does not say so: {stranger.errors()}")


def outside(rig: Rig) -> None:
    """Between the walk and the task a file becomes a symbolic link that leads out of the tree, and a
    folder becomes one, too: these tasks fail by name, and no command runs for them. Caught: paths
    that are joined without RESOLVE_BENEATH, a check of the text alone."""
    fleet = Fleet(rig)
    secret = fleet.folder / "secret"
    secret.mkdir()
    (secret / "f0000").write_text("secret")
    names = fleet.tree(20)  # most of them stay as they are: it is still the same tree
    below = fleet.tree(1, name="tree/below")
    run = fleet.each(str(fleet.folder / "tree"), script=MORE)
    wait_for(lambda: fleet.ask("EXISTS", fleet.key("runs")) == 1, "the run is published")
    wait_for(lambda: len(fleet.rows()) == 21, "all names are found")
    (fleet.folder / "tree/f0000").unlink()
    (fleet.folder / "tree/f0000").symlink_to(secret / "f0000")
    (fleet.folder / "tree/below/f0000").unlink()
    (fleet.folder / "tree/below").rmdir()
    (fleet.folder / "tree/below").symlink_to(secret)
    (fleet.folder / "tree/f0001").unlink()
    (fleet.folder / "tree/f0001").symlink_to("f0002")  # stays inside
    fleet.worker("w1")
    fleet.finish(run, code=3)
    rows = fleet.rows()
    wrong = {f"{fleet.folder}/{name}" for name in (names[0], below[0])}
    dead = {name for name, row in rows.items() if row[0] == DEAD}
    demand(dead == wrong, f"failed: {dead}")
    demand(len(ran(fleet).splitlines()) == 19 and fleet.started() == 19, f"ran: {ran(fleet)}")
    letters = fleet.do("failures", fleet.run_folder().name).decode()
    demand("leads out of" in letters, f"the reason is not shown: {letters}")


def outside_work(rig: Rig) -> None:
    """The same below the folder in which the run was started, where names stay as they were typed."""
    fleet = Fleet(rig)
    (fleet.folder / "secret").mkdir()
    (fleet.folder / "secret/f0000").write_text("secret")
    fleet.tree(20)
    run = fleet.each("tree", script=MORE)
    wait_for(lambda: fleet.ask("EXISTS", fleet.key("runs")) == 1, "the run is published")
    wait_for(lambda: len(fleet.rows()) == 20, "all names are found")
    (fleet.folder / "tree/f0000").unlink()
    (fleet.folder / "tree/f0000").symlink_to("/etc/passwd")
    fleet.worker("w1")
    fleet.finish(run, code=3)
    dead = {name for name, row in fleet.rows().items() if row[0] == DEAD}
    demand(dead == {"tree/f0000"}, f"failed: {dead}")
    demand("tree/f0000" not in ran(fleet), "the command ran")


def other_tree(rig: Rig) -> None:
    """A worker that sees a copy of the tree gets nothing, and everybody can read why; one that sees the
    tree under another name works. Caught: a probe that compares names, or that nobody makes."""
    fleet = Fleet(rig)
    names = [f"{fleet.folder}/{name}" for name in fleet.tree(20, name="data")]
    copy = fleet.folder / "copy"
    copy.mkdir()
    for each in (fleet.folder / "data").iterdir():
        (copy / each.name).write_bytes(b"")
    (fleet.folder / "same").symlink_to(fleet.folder / "data")
    wrong = fleet.worker("wrong", "--map", f"data={copy}")
    run = fleet.each(str(fleet.folder / "data"), script=MORE)
    wait_for(lambda: refusals(fleet), "a refusal")
    why = next(iter(refusals(fleet).values()))
    demand("data" in why and str(copy) in why, f"the reason: {why}")
    demand(not fleet.held_by() and not fleet.starts(), "it has taken a parcel")
    fleet.worker("right", "--map", f"data={fleet.folder}/same")
    fleet.finish(run)
    demand_calm(fleet.judge(names, most_starts=1))
    demand(all(f"ran {fleet.folder}/same/" in line for line in ran(fleet).splitlines()),
           f"not where it is mounted: {ran(fleet)[:200]}")
    demand(not any(f":{wrong.pid}:" in line[2] for line in fleet.starts()), "the wrong one worked")


def users(rig: Rig) -> None:
    """The users of the guide may do all that coordinators and workers do, also when a worker was killed
    or stopped, when Redis forgets, and for `tidemill fleet`; and doctor misses each command that is
    taken from them. Caught: a script that needs a right which the guide does not give, or which
    doctor does not ask for."""
    fleet = Fleet(rig)
    names = fleet.tree(40)
    (fleet.folder / "password").write_text("secret")
    (fleet.folder / "password").chmod(0o600)
    rules = rules_of_guide()
    demand(set(rules) == {"worker", "coordinator"}, f"users of the guide: {set(rules)}")
    for user, its in rules.items():
        fleet.ask("ACL", "SETUSER", user, "reset", "on", ">secret", *its)
    gate = fleet.gate()
    workers = [fleet.worker(f"w{i}", *as_user(fleet, "worker"), places=1) for i in range(3)]
    run = fleet.each("tree", *as_user(fleet, "coordinator"), script=held("gate"), term=SECOND)
    fleet.wait_started(3)
    name = fleet.run_name()
    fleet.ask("XADD", fleet.key(name + ":out"), "*", "p", "1-1", "w", "x", "r", "x", "m", "x")
    wait_for(lambda: fleet.ask("GET", fleet.key(name + ":forged")) == b"1", "it is counted")
    workers[0].stop()
    workers[1].kill()
    workers[1] = fleet.worker("w1", *as_user(fleet, "worker"), places=1)
    fleet.wait_started(4)
    wait_for(lambda: not any(f":{workers[0].pid}:" in worker for worker in fleet.held_by()),
             "what the stopped worker had is taken back")
    workers[0].go_on()
    for words in (("pause", name), ("unpause", name), ("drain", "nobody"), ("undrain", "nobody"),
                  ("status",), ("runs",), ("hosts",)):
        fleet.do("fleet", words[0], FLEET, *words[1:], *as_user(fleet, "coordinator"))
    fleet.ask("FLUSHALL")
    gate.open()
    fleet.finish(run)
    workers[2].terminate()
    fleet.finish(workers[2], code=143)
    fleet.judge(names, most_starts=4)
    fleet.demand_empty()
    for member in (run, *workers):
        demand("NOPERM" not in member.errors(), f"{member.name}: {member.errors()}")
    refused = {line for line in fleet.ask("INFO", "errorstats").decode().splitlines()
               if line.startswith("errorstat_NOPERM")}
    demand(not refused, f"a refusal that nobody has told of: {refused}")
    demand_missed(fleet, rules)


def rules_of_guide() -> dict[str, list[str]]:
    """By the name of the user, for the fleet of the test."""
    lines = [line.split() for line in GUIDE.read_text().splitlines() if line.startswith("user ")]
    return {line[1]: [rule.replace("{films}", "{%s}" % NAME) for rule in line[4:]]
            for line in lines if line[1] != "default"}


def as_user(fleet: Fleet, user: str) -> tuple[str, ...]:
    return ("--redis", f"redis://{user}@127.0.0.1:{fleet.redis.port}",
            "--password-file", str(fleet.folder / "password"))


def demand_missed(fleet: Fleet, rules: dict[str, list[str]]) -> None:
    """doctor, of every command of both users."""
    for user, its in rules.items():
        key = {"worker": "missingToWork", "coordinator": "missingToCoordinate"}[user]
        demand(key not in rights_of(fleet, user), f"{user}: {rights_of(fleet, user)}")
        for rule in {rule for rule in its if rule.startswith("+")} - GREETING:
            fleet.ask("ACL", "SETUSER", user, rule.replace("+", "-"))
            missing = rights_of(fleet, user).get(key, "")
            demand(rule[1:] in missing, f"{user} without {rule[1:]}: {missing}")
            fleet.ask("ACL", "SETUSER", user, rule)


def rights_of(fleet: Fleet, user: str) -> dict:
    done = fleet.call("doctor", "--json", "--fleet", FLEET, *as_user(fleet, user))
    return next(finding["facts"] for finding in json.loads(done.stdout)["findings"]
                if finding["check"] == "fleet-acl")


if __name__ == "__main__":
    sys.exit(run_scenario(__doc__, [forged, wrong_key, outside, outside_work, other_tree, users]))
