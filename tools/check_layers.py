#!/usr/bin/env python3
"""Fails when a file includes a folder that tools/layers.txt does not allow it to, or does not include
its own header before everything else: that is how we know that the header stands alone.

usage: check_layers.py [root]
"""
import fnmatch
import pathlib
import re
import sys

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<(tidemill/[^>]+)>)', re.M)
FREE = ("examples", "bench", "tests")  # these may include any folder that exists


def read_rules(path, bad):
    rules = {}
    for line in path.read_text().splitlines():
        line = line.split("#")[0].strip()
        if not line:
            continue
        name, _, uses = line.partition(":")
        for used in uses.split():
            if used not in rules:
                bad.append(f"tools/layers.txt: {name} names {used}, which does not stand above it")
        rules[name] = uses.split()
    return rules


def rule_of(folder, rules):
    return next((uses for name, uses in rules.items() if fnmatch.fnmatch(folder, name)), None)


def folder_of(path):
    """The folder of a path below tidemill/; each job is a folder of its own."""
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "jobs" and len(parts) > 2 else parts[0]


def is_of_tests(file):
    return file.name.endswith(("_test.cc", "_rig.h"))


def may_include(file, where, used, rules):
    if used == where or (used == "testing" and is_of_tests(file)):
        return True
    return any(fnmatch.fnmatch(used, allowed) for allowed in rule_of(where, rules))


def wrong_with(file, where, path, rules):
    """What is wrong with this file's include of this path; where is None outside tidemill/."""
    if not path.startswith("tidemill/"):
        return None if where is None else f'"{path}" is not a path from the root of the project'
    used = folder_of(path.removeprefix("tidemill/"))
    if rule_of(used, rules) is None:
        return f"{used} is not in tools/layers.txt"
    if where is not None and not may_include(file, where, used, rules):
        return f"{where} may not include {used}"
    if where not in (None, "testing") and path.endswith("_rig.h") and not is_of_tests(file):
        return f"{path} is for tests"
    if path == "tidemill/base/try.h" and file.suffix == ".h":
        return "try.h is for .cc files: its macros would leak out of a header"
    return None


ANY_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.M)


def own_header_is_late(file, root, text):
    own = file.with_suffix(".h")
    if file.suffix != ".cc" or not own.exists():
        return False
    first = ANY_INCLUDE.search(text)
    return first is None or first.group(1) != own.relative_to(root).as_posix()


def source_files(root, folder):
    return sorted(f for f in (root / folder).rglob("*") if f.suffix in (".h", ".cc"))


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__ + "/../..").resolve()
    bad = []
    rules = read_rules(root / "tools/layers.txt", bad)
    files = [(f, folder_of(f.relative_to(root / "tidemill").as_posix()))
             for f in source_files(root, "tidemill")]
    files += [(f, None) for folder in FREE for f in source_files(root, folder)]
    for file, where in files:
        if where is not None and rule_of(where, rules) is None:
            bad.append(f"{file.relative_to(root)}: {where} is not in tools/layers.txt")
            continue
        text = file.read_text()
        if where is not None and own_header_is_late(file, root, text):
            bad.append(f"{file.relative_to(root)}: its own header must come first")
        for found in INCLUDE.finditer(text):
            wrong = wrong_with(file, where, found.group(1) or found.group(2), rules)
            if wrong:
                line = text.count("\n", 0, found.start()) + 1
                bad.append(f"{file.relative_to(root)}:{line}: {wrong}")
    print("\n".join(bad) or f"layers: {len(files)} files, ok")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main())
