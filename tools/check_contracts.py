#!/usr/bin/env python3
"""Fails when docs/contracts.md promises something that no test shows.

A promise is a row of a table:

    | P3 | submit waits while the queue is full | `tidemill/engine/pool_test.cc:Pool.SubmitWaits` |

Its last cell names tests in backticks, any number of them (`file:Suite.Name`, or an end-to-end script
`tests/e2e/x.sh`), or a decision record that replaced the promise (`docs/decisions/x.md`), or says
`later`. A promise in REQUIRED needs a test.
Decision records are short: at most 60 lines.

usage: check_contracts.py [root]
"""
import pathlib
import re
import sys

from source_text import code_of

REQUIRED = [f"P{n}" for n in range(1, 18)] + [f"R{n}" for n in range(1, 10) if n != 7]
DECISION_LINES = 60

ROW = re.compile(r"^\|\s*`?([A-Z]\d+)`?\s*\|")
TEST = re.compile(r"([\w./-]+\.cc):(\w+\.\w+)")
SCRIPT = re.compile(r"tests/e2e/\w+\.sh")
DECISION = re.compile(r"docs/decisions/[\w.-]+\.md")
MACRO = re.compile(
    r"\b(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP"
    r"|RC_GTEST_TYPED_FIXTURE_PROP)\s*\(\s*(\w+)\s*,\s*(\w+)"
)


def tests_in(file, cache={}):
    if file not in cache:
        cache[file] = ({".".join(m) for m in MACRO.findall(code_of(file.read_text()))}
                       if file.is_file() else None)
    return cache[file]


def wrong_with_test(root, path, test):
    tests = tests_in(root / path)
    if tests is None:
        return f"there is no file {path}"
    if "DISABLED_" in test:
        return f"{test} is disabled"
    return None if test in tests else f"{path} has no test {test}"


def wrong_with_row(root, name, cell):
    names = [word for span in re.findall(r"`([^`]*)`", cell)
             for word in re.split(r"[,\s]|<br>", span) if word]
    wrong, has_test, has_decision = [], False, False
    for word in names:
        if test := TEST.fullmatch(word):
            has_test = True
            wrong.append(wrong_with_test(root, *test.groups()))
        elif SCRIPT.fullmatch(word):
            has_test = True
            wrong.append(None if (root / word).is_file() else f"there is no file {word}")
        elif DECISION.fullmatch(word):
            has_decision = True
            wrong.append(None if (root / word).is_file() else f"there is no file {word}")
        elif word != "later":
            wrong.append(f"`{word}` is neither a test nor a decision")
    if not has_test and name in REQUIRED:
        wrong.append("no test is named")
    elif not has_test and not has_decision and not re.search(r"\blater\b", cell):
        wrong.append("neither a test nor a decision is named, and it does not say later")
    return [w for w in wrong if w]


def check_promises(root, bad):
    page = root / "docs/contracts.md"
    if not page.is_file():
        bad.append("there is no file docs/contracts.md")
        return 0
    seen = set()
    for number, line in enumerate(page.read_text().splitlines(), 1):
        row = ROW.match(line)
        if not row:
            continue
        name = row.group(1)
        where = f"docs/contracts.md:{number}: {name}"
        if name in seen:
            bad.append(f"{where}: a second row")
        seen.add(name)
        cells = re.split(r"(?<!\\)\|", line.strip().strip("|"))
        if len(cells) < 3:
            bad.append(f"{where}: wants three cells: id, promise, tests")
            continue
        bad += [f"{where}: {wrong}" for wrong in wrong_with_row(root, name, cells[-1])]
    bad += [f"docs/contracts.md: {name} has no row" for name in REQUIRED if name not in seen]
    return len(seen)


def check_decisions(root, bad):
    for file in sorted((root / "docs/decisions").glob("*.md")):
        lines = len(file.read_text().splitlines())
        if lines > DECISION_LINES:
            bad.append(f"{file.relative_to(root)}: {lines} lines, at most {DECISION_LINES}")


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__ + "/../..").resolve()
    bad = []
    promises = check_promises(root, bad)
    check_decisions(root, bad)
    print("\n".join(bad) or f"contracts: {promises} promises, ok")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
