#!/usr/bin/env python3
"""Fails when code branches on the words of a Failure. `step`, `reason` and `hint` are for people:
whoever rewords a message must not change what a program does. Code asks for `cure` and `kind`, and
takes a name that it needs from `subject` (tidemill/base/result.h). Looks at tidemill/ and examples/
outside of tests, for comparisons of `.step`, `.reason` and `.hint` and for searches in them.

What only decides about another text says so, in the line or in the one above it:

    // failure text: why no program depends on it

usage: check_failures.py [root]
"""
import pathlib
import re
import sys

from source_text import code_of, line_of

WORDS = r"(?:step|reason|hint)"
MEMBER = rf"(?:\.|->)\s*{WORDS}\b"
SEARCH = (r"(?:starts_with|ends_with|contains|find|rfind|find_first_of|find_last_of"
          r"|find_first_not_of|find_last_not_of|compare|substr)")
FAULTS = (
    # failure.step == kName; failure.reason[0] and failure.step.size() are something else
    (re.compile(rf"{MEMBER}\s*(?:==|!=)"), "compared"),
    # kName == failure.step
    (re.compile(rf"(?:==|!=)\s*[\w:.>()*-]*{MEMBER}(?!\s*(?:[.\[(]|->))"), "compared"),
    # failure.reason.contains(…), and of a copy: reason.contains(…)
    (re.compile(rf"(?:{MEMBER}|\breason)\s*\)*\s*\.\s*{SEARCH}\s*\("), "searched"),
    # std::string_view(failure.reason).contains(…), is_one_of(failure.step, …) cannot be told apart
)
ALLOWED = re.compile(r"//.*\bfailure text: \S")


def is_of_tests(file):
    return (file.name.endswith(("_test.cc", "_fuzz.cc", "_rig.h", "_contract.cc"))
            or file.name.startswith("fake_") or "testing" in file.parts)


def files_in(root):
    return sorted(file for folder in ("tidemill", "examples") for file in (root / folder).rglob("*")
                  if file.suffix in (".h", ".cc") and not is_of_tests(file.relative_to(root)))


def faults_in(file):
    text = file.read_text()
    code, lines = code_of(text), text.splitlines()
    found = {line_of(code, fault.start()): how
             for pattern, how in FAULTS for fault in pattern.finditer(code)}
    return [(line, how) for line, how in sorted(found.items())
            if not any(ALLOWED.search(near) for near in lines[max(line - 2, 0):line])]


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__ + "/../..").resolve()
    files = files_in(root)
    bad = [f"{file.relative_to(root)}:{line}: words of a Failure are {how}; use its kind"
           for file in files for line, how in faults_in(file)]
    print("\n".join(bad) or f"failures: {len(files)} files, ok")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main())
