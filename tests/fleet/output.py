#!/usr/bin/env python3
"""What a run on the fleet prints and records, compared with the same run on one machine.

Byte for byte where the order is fixed, as sets otherwise; and the rows of both journals.
"""
import json
import os
import pathlib
import sys
from dataclasses import dataclass

from fleet_rig import (DEAD, FLEET, NEVER, WAIT, Fleet, Member, Rig, demand, has_sanitizer, held,
                       read_journal, run_scenario, wait_for)


@dataclass
class Ran:
    """One of the two runs."""
    code: int
    out: bytes
    errors: str
    rows: dict[str, tuple]  # without the result, which is how long it took
    state: str


class Pair:
    """Runs the same command line on one machine and on the fleet, whose only worker stays."""

    def __init__(self, rig: Rig):
        self.fleet = Fleet(rig)
        self.fleet.worker("w1", places=3)
        self.count = 0

    def run(self, *words: str) -> tuple[Ran, Ran]:
        self.count += 1
        plain = self.one(f"plain{self.count}", ("each", *words))
        return plain, self.one(f"fleet{self.count}", (
            "each", "--fleet", FLEET, "--fleet-term", NEVER, *words))

    def one(self, state: str, words: tuple[str, ...]) -> Ran:
        words = tuple(word.replace("STATE", state) for word in words)
        process = Member(self.fleet, state, words, None)
        code = process.wait(WAIT)
        self.fleet.do("check", self.fleet.run_folder(state).name, state=state)
        read_journal(self.fleet.run_folder(state) / "journal.db")
        return Ran(code, process.output(), process.errors(), 
                   {name: row[:3] for name, row in self.fleet.rows(state).items()}, state)

    def same(self, *words: str, code: int = 0, is_ordered: bool = True) -> tuple[Ran, Ran]:
        plain, fleet = self.run(*words)
        demand(plain.code == fleet.code == code,
               f"{words}: exit {plain.code} and {fleet.code}: {fleet.errors}")
        one, two = plain.out, fleet.out
        if not is_ordered:
            one, two = (b"".join(sorted(text.splitlines(True))) for text in (one, two))
        demand(one == two, f"{words}: {first_difference(one, two)}")
        demand(plain.rows == fleet.rows, f"{words}: rows {differing(plain.rows, fleet.rows)}")
        return plain, fleet


def first_difference(one: bytes, two: bytes) -> str:
    at = next((i for i, (a, b) in enumerate(zip(one, two)) if a != b), min(len(one), len(two)))
    return f"at byte {at} of {len(one)} and {len(two)}: {one[at - 20:at + 60]} and {two[at - 20:at + 60]}"


def differing(one: dict, two: dict) -> list:
    return [(name, one.get(name), two.get(name)) for name in one | two
            if one.get(name) != two.get(name)][:5]


def keep_order(rig: Rig) -> None:
    """--keep-order with outputs on both streams, --tag, output that goes through files, output without
    a line end. Caught: an order of arrival, an output that is cut, doubled or given to another
    task, a standard error that is lost."""
    pair = Pair(rig)
    pair.fleet.tree(80)
    script = 'printf "%s\\n" "$1"; echo "to stderr: $1" >&2; case "$1" in *7) seq 1 3000;; esac; ' \
             'case "$1" in *3) printf "no end";; esac'
    plain, fleet = pair.same("tree", "-k", "--order", "name", "--shell", "--", script)
    for name in plain.rows:
        demand(f"to stderr: {name}\n" in fleet.errors, f"lost: the standard error of {name}")
    pair.same("tree", "-k", "--order", "name", "--tag", "--keep-output", "1K", "--shell", "--",
              script)
    pair.same("tree", "--tag", "--shell", "--", script, is_ordered=False)
    pair.same("tree", "-k", "--order", "name", "--", "printf", "%s|%s|%s|%s|%s\\n", "{}", "{.}",
              "{/}", "{//}", "{/.}")


def files_of(folder: pathlib.Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


def results(rig: Rig) -> None:
    """--results: the same files with the same contents, on the machine of the coordinator. Caught: files
    that are written by the worker, or under the number of another task."""
    pair = Pair(rig)
    pair.fleet.tree(40)
    script = 'printf "%s\\n" "$1"; echo "stderr" >&2; case "$1" in *5) exit 7;; esac'
    plain, fleet = pair.same("tree", "--order", "name", "--results", "results-STATE", "--shell", "--",
                             script, code=3)
    one, two = (files_of(pair.fleet.folder / f"results-{ran.state}") for ran in (plain, fleet))
    demand(len(one) >= 80, f"only {len(one)} files")
    demand(one == two, f"differ: {differing(one, two)}")


VOLATILE = ("run", "seconds")


def stable(value):
    """Without what differs between any two runs."""
    if isinstance(value, dict):
        return {key: stable(its) for key, its in value.items()
                if key not in VOLATILE and not key.endswith("Seconds")}
    return [stable(each) for each in value] if isinstance(value, list) else value


def events(text: bytes) -> list[str]:
    return sorted(json.dumps(stable(json.loads(line)), sort_keys=True)
                  for line in text.splitlines())


def json_forms(rig: Rig) -> None:
    """--json and --jsonl say the same about the same tasks, with failures and attempts among them.
    Caught: events that are missing, sums that are not those of the journal, output that is in no
    event."""
    pair = Pair(rig)
    pair.fleet.tree(30)
    script = 'printf "%s\\n" "$1"; case "$1" in *5) exit 7;; ' \
             '*9) test "$TIDEMILL_ATTEMPT" != 1 || exit 75;; esac'
    for form in ("--json", "--jsonl"):
        plain, fleet = pair.run("tree", form, "--backoff", "1ms", "--shell", "--", script)
        demand(plain.code == fleet.code == 3, f"exit {plain.code} and {fleet.code}")
        one, two = events(plain.out), events(fleet.out)
        demand(one == two, f"{form}: only on one machine {sorted(set(one) - set(two))[:3]}, only on "
                           f"the fleet {sorted(set(two) - set(one))[:3]}")
        demand(plain.rows == fleet.rows, f"rows {differing(plain.rows, fleet.rows)}")


def failing(rig: Rig) -> None:
    """--retry-on, --permanent-on, --timeout, --attempts, --halt: the same states, attempts and reasons.
    Caught: attempts that are counted by the worker, a time limit that is not sent along, a run that
    goes on after it was halted."""
    pair = Pair(rig)
    pair.fleet.tree(30)
    pair.same("tree", "-k", "--order", "name", "-a", "3", "--retry-on", "3", "--backoff", "1ms",
              "--shell", "--", 'echo "$1 $TIDEMILL_ATTEMPT"; '
              'case "$1" in *4) test "$TIDEMILL_ATTEMPT" = 3 || exit 3;; *8) exit 3;; *6) exit 9;; esac',
              code=3)
    pair.same("tree", "-k", "--order", "name", "--retry-on", "any", "--permanent-on", "9", "--backoff",
              "1ms", "--shell", "--", 'case "$1" in *6) exit 9;; *7) exit 8;; *2) kill -9 $$;; esac',
              code=3)
    gate = pair.fleet.gate()  # never opened
    plain, fleet = pair.same("tree", "-k", "--order", "name", "-t", "300ms", "-a", "1", "--shell",
                             "--", held("gate", "*3"), code=3)
    for ran in (plain, fleet):
        said = pair.fleet.do("failures", pair.fleet.run_folder(ran.state).name, state=ran.state)
        demand(said.decode().count("time") >= 3, f"{ran.state}: {said.decode()}")
    gate.open()
    for rule in ("soon,fail=2", "now,fail=10%"):
        plain, fleet = pair.run("tree", "-j", "1", "--order", "name", "--halt", rule, "--shell", "--",
                                'case "$1" in *5) exit 9;; esac')
        demand(plain.code == fleet.code, f"--halt {rule}: exit {plain.code} and {fleet.code}")
        dead = [sum(row[0] == DEAD for row in ran.rows.values()) for ran in (plain, fleet)]
        demand(dead[0] >= 1 and dead[1] >= 1, f"--halt {rule}: {dead} failed")


def names(rig: Rig) -> None:
    """Names with newlines, blanks, quotes, invalid UTF-8 and leading dashes reach the command exactly
    as without a fleet, from a walk and from a list. Caught: names that are printed instead of
    sent, a list that is resolved as paths, a dash that becomes an option."""
    pair = Pair(rig)
    folder = os.fsencode(pair.fleet.folder)
    odd = [b"-rf", b"--help", b"two\nlines", b"\xff\xfe", b"a'b\"c", b" blank ", "ü€".encode(), b"$(x)",
           b"{}", b"{#}", b"back\\slash", b"\t", b"*", b"~", b"a=b", b"\x1b[31m", b"..x", b"x" * 255]
    (pair.fleet.folder / "tree").mkdir()
    for name in odd:
        for path in (folder + b"/tree/" + name, folder + b"/tree/dir" + name[:250] + b"/in"):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb"):
                pass
    for roots in (["tree"], ["./tree/."], [f"{pair.fleet.folder}/tree"], ["tree/-rf", "tree/dir-rf"]):
        plain, _ = pair.same(*roots, "-k", "--order", "name", "--", "printf", "%s\\0")
        demand(len(plain.rows) == (2 * len(odd) if len(roots) == 1 else 2),
               f"{roots}: {len(plain.rows)} names")
        demand(all(os.fsencode(name).split(b"/tree/")[-1] in plain.out for name in plain.rows), "cut")
    (pair.fleet.folder / "list").write_bytes(b"\0".join([*odd, b"../x", b"/etc/passwd"]) + b"\0")
    pair.same("--files-from", "list", "-0", "-k", "--", "printf", "%s\\0")
    pair.same("--files-from", "list", "-0", "-k", "--shell", "--", 'printf "%s\\0" "$1"')


def folders(rig: Rig) -> None:
    """The command starts in the folder in which the run was started, and ROOTs outside of it are
    given as they were typed. Caught: a worker whose own folder shows."""
    pair = Pair(rig)
    fleet = pair.fleet
    (fleet.folder / "out").mkdir()
    fleet.tree(5, name="out/tree")
    fleet.tree(5, name="near")
    pair.same("near", str(fleet.folder / "out/tree"), "-k", "--order", "name", "--shell", "--",
              'pwd; ls -d "$1"; echo "${TIDEMILL_RUN%-each*}" | wc -l')


def peak(process: Member) -> int:
    """Its largest resident memory in MiB."""
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) // 1024
    return 0


def letters(rig: Rig) -> None:
    """Every task fails (FLEET_LETTERS of them), and each is a row with its reason; neither side keeps
    them in memory. Caught: letters that are counted and not written, a list of failures that
    grows, reports that are drained although they say only what failed."""
    fleet = Fleet(rig)
    count = int(os.environ.get("FLEET_LETTERS", "1000"))
    (fleet.folder / "list").write_text("".join(f"n{i}\n" for i in range(count)))
    members = [fleet.worker("w1"), Member(fleet, "c", (
        "each", "--files-from", "list", "--fleet", FLEET, "--", "sh", "-c", "exit 7"), None)]
    most = [0, 0]

    def has_ended() -> bool:
        for i, member in enumerate(members):
            most[i] = max(most[i], 0 if member.has_ended() else peak(member))
        return members[1].has_ended()

    wait_for(has_ended, "the end", WAIT + count / 100)
    fleet.finish(members[1], code=3)
    said = fleet.do("failures", fleet.run_folder().name, "export").splitlines()
    print(f"{count} letters, at most {most} MiB in worker and coordinator")
    rows = fleet.rows()
    demand(len(rows) == count and all(row[0] == DEAD for row in rows.values()), f"{len(rows)} rows")
    demand(sum(b"exit status 7" in line for line in said) == count, f"{len(said)} lines: {said[:3]}")
    demand_little(fleet, most)
    fleet.demand_empty()


def rate(rig: Rig) -> None:
    """--rate is kept, and is reached. Caught: a rate per worker, a rate that nobody looks at, a
    coordinator that waits for longer than until the next task may be sent."""
    fleet = Fleet(rig)
    fleet.worker("w1", places=4)
    count, limit = 600, 200  # much longer than it takes to start
    (fleet.folder / "list").write_text("".join(f"n{i}\n" for i in range(count)))
    run = Member(fleet, "c", ("each", "--files-from", "list", "--fleet", FLEET, "--rate",
                              f"{limit}/s", "--", "true"), None)
    fleet.finish(run)
    took = run.ended - run.began
    demand((count - 1) / limit <= took < 15, f"{count} tasks at {limit}/s in {took:.2f} s")


def demand_little(fleet: Fleet, most: list[int]) -> None:
    if not has_sanitizer(fleet):  # whose memory is not the program's
        demand(0 < max(most) < 60, f"{most} MiB in worker and coordinator")


def big_output(rig: Rig) -> None:
    """A task that writes 64 MiB (or FLEET_OUTPUT bytes) fails by name, and says why; the others are
    done, and neither side has it in memory. Caught: an output that is read whole, a report that
    Redis refuses again and again, an output that is cut without a word."""
    fleet = Fleet(rig)
    all_names = fleet.tree(10)
    size = int(os.environ.get("FLEET_OUTPUT", str(64 << 20)))
    last = fleet.gate("last")
    worker = fleet.worker("w1")
    run = fleet.each("tree", "--order", "name",
                     script=f'case "$1" in *4) head -c {size} /dev/zero;; '
                     '*6) head -c 900000 /dev/zero; echo;; esac; ' + held("last", "*9"))
    wait_for(lambda: fleet.settled() == 9, "all but one are settled")
    both = [peak(worker), peak(run)]
    last.open()
    fleet.finish(run, code=3)
    fleet.judge(all_names, failed={"tree/f0004"}, most_starts=1)
    # Of the failed one what was in memory, as of every failed command.
    printed = run.output().count(b"\0")
    demand(900_000 <= printed <= 900_000 + 65_536, f"{printed} bytes printed")
    said = fleet.do("failures", fleet.run_folder().name).decode()
    demand("output" in said, f"the reason: {said}")
    demand_little(fleet, both)


if __name__ == "__main__":
    sys.exit(run_scenario(__doc__, [keep_order, results, json_forms, failing, names, folders, rate,
                                    letters, big_output]))
