#!/usr/bin/env python3
"""Groups source files that may be compiled as one (TIDEMILL_UNITY in cmake/tidemill_module.cmake).

Files of a module are all in one namespace, so two files cannot be in one group if one has a name for
something in its unnamed namespace which means something else in the other, or in a header of the module that
the other includes. The names are read off the way the code is written: what stands in the first column
declares something. A name too many costs a little time, one too few is an error of the compiler.

usage: group_sources.py LINES FILE...    prints a group number for each file; a group has at most so many
                                         lines, unless it is one file. Each module is counted by itself, and its
                                         tests apart from the rest
"""
import collections
import pathlib
import re
import sys

PASSED_OVER = re.compile(r'//[^\n]*|R"(\w*)\(.*?\)\1"|\[\[\w+\]\] ?|\bfinal\b', re.S)
UNNAMED = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.M | re.S)
INCLUDE = re.compile(r'^#include "(tidemill/[\w/]+\.h)"', re.M)
MACRO = re.compile(r"^(?:[A-Z][A-Z_]+|static_assert)\(")
END = re.compile(r"[(={;\[]|(?<!:):(?!:)")
NAME = re.compile(r"[A-Za-z_]\w*")
WITH_MODULES = ("io", "formats", "state", "ui", "jobs")  # layers whose folders are modules
MACROS_OF_OTHERS = "#include <curses.h>"  # it defines words as macros: nothing may come behind it
PLANTED = "TIDEMILL_PLANT"  # compiled again, with a fault in it, for a program that brings it instead of the archive's


def module_of(path):
    """The folder of a module: tidemill/engine, tidemill/io/walk; rooms belong to it."""
    parts = path.parts
    if "tidemill" not in parts:
        return path.parent
    top = len(parts) - 1 - parts[::-1].index("tidemill")
    depth = 2 if parts[top + 1] in WITH_MODULES else 1
    return pathlib.Path(*parts[: min(top + 1 + depth, len(parts) - 1)])


def own_headers(path, text):
    """Those of its module that a file includes."""
    module = module_of(path)
    root = next((above.parent for above in path.parents if above.name == "tidemill"), None)
    for name in INCLUDE.findall(text):
        header = root / name if root else path.parent / pathlib.Path(name).name
        if header.is_file() and module_of(header) == module:
            yield header


def declarations(text):
    """Name and meaning of what is declared. A `using a::b;` means the same wherever it stands, and a function
    of a header (an overload) never stands in another's way."""
    head = ""
    for line in PASSED_OVER.sub("", text).split("\n"):
        if not line or line[0] in " }#" and not head:
            continue
        head = (head + " " + line).strip()
        end = END.search(head)
        if not end:
            continue
        words = NAME.findall(head[: end.start()])
        if words and words[0] != "namespace" and not MACRO.match(head):
            sign = head[end.start()]
            shared = words[0] == "using" and sign == ";"
            yield words[-1], " ".join(words) if shared else "function" if sign == "(" else ""
        head = ""


def names_of_header(path, cache={}):
    """Of a header and of those of its module that it includes: pairs of a name and what it means."""
    if path not in cache:
        cache[path] = set()
        text = path.read_text()
        found = {(name, meaning or str(path)) for name, meaning in declarations(text)}
        for header in own_headers(path, text):
            found |= names_of_header(header)
        cache[path] = found
    return cache[path]


def names_of(path, text):
    own = "\n".join(UNNAMED.findall(text))
    names = {(name, meaning if meaning.startswith("using") else str(path)) for name, meaning in declarations(own)}
    for header in own_headers(path, text):
        names |= names_of_header(header)
    return names


def clash(some, others):
    common = {name for name, _ in some} & {name for name, _ in others}
    return any(name in common for name, _ in some ^ others)


def is_alone(path, text):
    planted = PLANTED in text or any(PLANTED in header.read_text() for header in own_headers(path, text))
    return planted or MACROS_OF_OTHERS in text


def main():
    most = int(sys.argv[1])
    all_groups = collections.defaultdict(list)
    for path in map(pathlib.Path, sys.argv[2:]):
        groups = all_groups[module_of(path), path.stem.endswith("_test")]
        text = path.read_text()
        names = names_of(path, text)
        lines = most if is_alone(path, text) else text.count("\n")
        for number, (taken, size) in enumerate(groups):
            if size + lines <= most and not clash(taken, names):
                groups[number] = taken | names, size + lines
                break
        else:
            number = len(groups)
            groups.append((names, lines))
        print(number)


main()
