#!/usr/bin/env python3
"""Fails when two types share a name, or when the glossary is too long or defines a word twice.

A type that a header declares in a namespace is the only one of that name: no other header declares it, in whichever
namespace, also not by `using X = …`, and no source file has a private type of that name. Nested types are read together
with their class (Reply::Kind), and two source files may both have a private Row: neither counts. Aliases in headers for
tests do not count either. docs/glossary.md has at most 40 rows.

usage: check_names.py [ROOT]
"""
import pathlib
import re
import sys

ROWS = 40
TYPE = re.compile(r"\b(?:class|struct|union|enum(?:\s+class|\s+struct)?)\s+(?:\[\[\w+\]\]\s*)?(?:alignas\([^)]*\)\s*)?"
                  r"(\w+)(?:<[^;{}]*>)?(?:\s+final)?\s*(?::(?!:)[^;{}()]*)?$|\bconcept\s+(\w+)\s*=")
IGNORED = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])+\''
                     r"|^[ \t]*#(?:\\\n|[^\n])*", re.S | re.M)
ALIAS = re.compile(r"\busing\s+(\w+)\s*=")
FOR_TESTS = re.compile(r"_(?:rig|testing)\.h$")


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def types_of(text):
    """The types that a file defines in a namespace: (line, name)."""
    text = IGNORED.sub(blank, text)
    scopes, begin = [], 0
    for match in re.finditer(r"[{};]", text):
        head = text[begin:match.start()]
        begin = match.end()
        in_namespace = all(scope == "namespace" for scope in scopes)
        if match.group() == "}":
            if scopes:
                scopes.pop()
            continue
        found = TYPE.search(head.rstrip()) if match.group() == "{" else re.search(r"\bconcept\s+(\w+)\s*=", head)
        if match.group() == "{":
            is_namespace = re.search(r"\bnamespace\b[\w:\s]*$", head) or re.search(r'\bextern\s+$', head)
            scopes.append("namespace" if is_namespace else "other")
        is_partial = found and re.search(rf"\b{found.group(1)}\s*<", head)  # a specialisation
        if found and in_namespace and not is_partial:
            name = next(group for group in found.groups() if group)
            yield text.count("\n", 0, match.start()) + 1, name


def aliases_of(text):
    """The names that a header gives to types in a namespace: (line, name)."""
    text = IGNORED.sub(blank, text)
    depth, begin = [], 0
    for match in re.finditer(r"[{};]", text):
        head = text[begin:match.start()]
        begin = match.end()
        if match.group() == "{":
            depth.append(bool(re.search(r"\bnamespace\b[\w:\s]*$", head)))
        elif match.group() == "}":
            if depth:
                depth.pop()
        elif all(depth) and (found := ALIAS.search(head)):
            yield text.count("\n", 0, match.start()) + 1, found.group(1)


def faults_in(files):
    """`files`: (name, text). Returns the faults, and where each name of a header is declared."""
    declared, aliases, private, faults = {}, {}, [], []
    for name, text in files:
        if not name.endswith(".h"):
            private += [(name, line, kind) for line, kind in types_of(text)]
            continue
        found = [(line, kind, declared) for line, kind in types_of(text)]
        if not FOR_TESTS.search(name):
            found += [(line, kind, aliases) for line, kind in aliases_of(text)]
        for line, kind, names in found:
            if other := declared.get(kind) or aliases.get(kind):
                faults.append(f"{name}:{line}: {kind} is also the name of a type in {other}")
            else:
                names[kind] = name
    for name, line, kind in private:
        if kind in declared:
            faults.append(f"{name}:{line}: {kind} is also the name of a type in {declared[kind]}")
    return faults, declared | aliases


def glossary_faults(text):
    rows = [(number, line.split("|")[1]) for number, line in enumerate(text.splitlines(), 1) if line.startswith("| **")]
    if len(rows) > ROWS:
        yield f"docs/glossary.md:{rows[ROWS][0]}: {len(rows)} rows, at most {ROWS}"
    seen = {}
    for number, cell in rows:
        for word in re.split(r",\s*", cell.replace("*", "").strip()):
            if word in seen:
                yield f"docs/glossary.md:{number}: {word} is also defined in line {seen[word]}"
            seen.setdefault(word, number)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__ + "/../..").resolve()
    names = sorted(path for path in (root / "tidemill").rglob("*") if path.suffix in (".h", ".cc"))
    faults, declared = faults_in((path.relative_to(root).as_posix(), path.read_text()) for path in names)
    glossary = root / "docs" / "glossary.md"
    if glossary.exists():
        faults += glossary_faults(glossary.read_text())
    if not names:
        faults.append("no file to check")
    print("\n".join(faults) or f"names: {len(declared)} types in {len(names)} files, ok")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
