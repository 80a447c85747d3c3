#!/usr/bin/env python3
"""Runs the commands of a page of the guide and compares what they print with what the page says.

The blocks that begin with ```console are one story: all of them run in one bash, in their order, in a
fresh folder, with a HOME and a state of the program of their own. A line that begins with "$ " is a
command, "> " goes on with it, and what follows is what it prints, without the lines of progress. Behind
the line <!-- output varies --> the commands of a block must run, but may print anything. Other blocks
are not run.

What differs from run to run (ids, times, sizes of journals) is replaced on both sides by a word before
the comparison; the same id is the same word on the whole page. The reader sees real ids and times, and
the folders of somebody called ada. When a tool is missing that <!-- needs TOOL... --> names, it ends
with 77.

usage: run_page.py [--update] PAGE.md
       TIDEMILL  the program under test; without it the one in PATH
"""
import argparse
import dataclasses
import difflib
import os
import pathlib
import re
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import run_e2e  # noqa: E402  (the fresh folder, the environment, what varies)

LIMIT = 240
VARIED = "<!-- output varies -->"
NEEDS = re.compile(r"<!-- needs (.*) -->")
MARK = b"\x1e"  # around the exit status, between the outputs of two commands
AFTER = "status=$?; printf '\\036%s\\036' $status; (exit $status)"
ID = re.compile(r"\b[0-9]{8}-[0-9]{4}-(?:each|dupes|batch|docs)(?:-[0-9]+)?\b"  # a run, or a batch
                r"|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
SIZE = r"[0-9]+(?:\.[0-9]+)? [kMG]?B"
# A shell that is not interactive tells of a killed command with its own name, line and process.
KILLED = re.compile(rb"[^\s\x1e]+: line [0-9]+: +[0-9]+ Killed\b[^\x1e]*")
# On a terminal this is a block that goes away.
PROGRESS = re.compile(rb"(?<![^\n\x1e])[0-9]{2}:[0-9]{2}:[0-9]{2} .*\n")
MORE_VARIES = [(re.compile(pattern, re.M), word) for pattern, word in (
    (r"^(time +|.*\bTime: )[0-9.,]+ (ms|s|us)\b", r"\1 TIME"),
    (rf"\({SIZE}(/s)?\)", "(SIZE)"),
    (rf"(runs?, ){SIZE}", r"\1SIZE"),
    # How much of a killed run was committed is a matter of 50 ms.
    (r"(Recovered )[0-9]+( finished task)s?", r"\1N\2s"),
    (r"(\bcrashed +)[0-9]+( +[0-9]+ +)[0-9]+( +)[0-9]+\+?", r"\1N\2N\3N"),
    (r"( +)[0-9]+[smhd](  \S)", r"\1AGE\2"),  # of a run: how slow this machine is
    (r"  +", "  "),  # columns are as wide as what is in them
    (r"^ +| +$", ""),
)]
# Folders of the test, and what the reader sees in their place.
SHOWN = {"work": "/home/ada", "home": "/home/ada", "state": "/home/ada/.local/state/tidemill",
         "tmp": "/tmp"}


@dataclasses.dataclass
class Step:
    """A command of the page, and where its output stands there: lines [begin, end)."""
    command: str
    begin: int
    end: int
    varies: bool


def steps_of(lines):
    steps, running, varies = [], False, False
    for number, line in enumerate(lines):
        if line.startswith("```"):
            running = not running and line.strip() == "```console"
            varies = running and number > 0 and lines[number - 1].strip() == VARIED
        elif not running:
            continue
        elif line.startswith("$ "):
            steps.append(Step(line[2:], number + 1, number + 1, varies))
        elif line.startswith("> ") and steps and steps[-1].end == number and steps[-1].begin == number:
            steps[-1].command += "\n" + line[2:]
            steps[-1].begin = steps[-1].end = number + 1
        elif not steps or steps[-1].end != number:
            sys.exit(f"line {number + 1}: output of no command")
        else:
            steps[-1].end = number + 1
    return steps


def outputs_of(steps, folder, program):
    """What each command printed, as lines; and what was wrong."""
    script = folder / "page"
    script.write_text("set +eu\n" + "".join(f"{step.command}\n{AFTER}\n" for step in steps))
    text, status, left = run_e2e.run(script, folder, program, LIMIT)
    wrong = [f"left running: {process} {words}" for process, words in left.items()]
    if status is None:
        wrong.append(f"not done after {LIMIT} s")
    text = KILLED.sub(b"Killed\n", PROGRESS.sub(b"", text))
    for path, shown in (SHOWN | {program.parent: "/usr"}).items():
        text = text.replace(os.fsencode(folder / path), shown.encode())
    parts = text.split(MARK)
    if len(parts) != 2 * len(steps) + 1:
        wrong.append(f"the shell ended in the middle: {parts[-1].decode(errors='replace')}")
    for step, code in zip(steps, parts[1::2]):
        if code in (b"2", b"126", b"127"):
            wrong.append(f"ended with {code.decode()}: {step.command}")
    return [[line.rstrip() for line in part.decode(errors="backslashreplace").splitlines()]
            for part in parts[0:-1:2]], wrong


def masked(lines):
    """Without what varies. Ids are numbered in the order in which they first appear."""
    seen = {}
    text = ID.sub(lambda found: f"ID{seen.setdefault(found[0], len(seen) + 1)}", "\n".join(lines))
    for pattern, word in run_e2e.VARIES:
        text = pattern.sub(word, text.encode()).decode()
    for pattern, word in MORE_VARIES:
        text = pattern.sub(word, text)
    return text.splitlines()


def told(lines, steps, outputs):
    """The page with these outputs in the place of its own."""
    page, at = [], 0
    for step, output in zip(steps, outputs):
        page += lines[at:step.begin] + output
        at = step.end
    return page + lines[at:]


def compared(lines, steps, outputs):
    """The page as it is and as it should be; what may print anything is as it is."""
    outputs = [lines[step.begin:step.end] if step.varies else output
               for step, output in zip(steps, outputs)]
    return masked(lines), masked(told(lines, steps, outputs))


def missing_tool(text):
    needs = NEEDS.search(text)
    return next((tool for tool in (needs[1].split() if needs else []) if not shutil.which(tool)), None)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--update", action="store_true", help="write the outputs into the page")
    options = parser.parse_args()
    text = options.page.read_text()
    if tool := missing_tool(text):
        print(f"SKIPPED {options.page.name}: there is no {tool}")
        return run_e2e.SKIPPED
    lines = text.splitlines()
    steps = steps_of(lines)
    program = os.environ.get("TIDEMILL") or shutil.which("tidemill")
    if not program or not steps:
        sys.exit("there is no program to test, or no command on the page")
    folder = run_e2e.make_folder()
    try:
        outputs, wrong = outputs_of(steps, folder, pathlib.Path(program).resolve())
    finally:
        run_e2e.remove(folder)
    before, after = compared(lines, steps, outputs)
    if options.update and not wrong:
        options.page.write_text("\n".join(told(lines, steps, outputs)) + "\n")
    elif before != after:
        wrong += difflib.unified_diff(before, after, options.page.name, "what it printed", lineterm="")
    print("\n".join(wrong) or f"{options.page.name}: ok, {len(steps)} commands")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
