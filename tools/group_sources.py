#!/usr/bin/env python3
"""Groups source files that may be compiled as one (TIDEMILL_UNITY in cmake/tidemill_module.cmake).

Files of a folder are all in one namespace, so two files cannot be in one group if one has a name for
something in its unnamed namespace which means something else in the other, or in a header of the folder that
the other includes. The names are read off the way the code is written: what stands in the first column
declares something. A name too many costs a little time, one too few is an error of the compiler.

usage: group_sources.py LINES FILE...    prints a group number for each file; a group has at most so many
                                         lines, unless it is one file. Each folder is counted by itself, and its
                                         tests apart from the rest
"""
import collections
import pathlib
import re
import sys

PASSED_OVER = re.compile(r'//[^\n]*|R"(\w*)\(.*?\)\1"|\[\[\w+\]\] ?|\bfinal\b', re.S)
UNNAMED = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.M | re.S)
INCLUDE = re.compile(r'^#include "tidemill/(?:\w+/)+(\w+\.h)"', re.M)
MACRO = re.compile(r"^(?:[A-Z][A-Z_]+|static_assert)\(")
END = re.compile(r"[(={;\[]|(?<!:):(?!:)")
NAME = re.compile(r"[A-Za-z_]\w*")
MACROS_OF_OTHERS = "#include <curses.h>"  # it defines words as macros: nothing may come behind it
PLANTED = "TIDEMILL_PLANT"  # compiled again, with a fault in it, for a program that brings it instead of the archive's


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
    """Of a header and of those of its folder that it includes: pairs of a name and what it means."""
    if path not in cache:
        cache[path] = set()
        text = path.read_text()
        found = {(name, meaning or str(path)) for name, meaning in declarations(text)}
        for name in INCLUDE.findall(text):
            found |= names_of_header(path.parent / name) if (path.parent / name).is_file() else set()
        cache[path] = found
    return cache[path]


def names_of(path, text):
    own = "\n".join(UNNAMED.findall(text))
    names = {(name, meaning if meaning.startswith("using") else str(path)) for name, meaning in declarations(own)}
    for name in INCLUDE.findall(text):
        if (path.parent / name).is_file():
            names |= names_of_header(path.parent / name)
    return names


def clash(some, others):
    common = {name for name, _ in some} & {name for name, _ in others}
    return any(name in common for name, _ in some ^ others)


def is_alone(path, text):
    headers = (path.parent / name for name in INCLUDE.findall(text))
    planted = PLANTED in text or any(PLANTED in header.read_text() for header in headers if header.is_file())
    return planted or MACROS_OF_OTHERS in text


def main():
    most = int(sys.argv[1])
    all_groups = collections.defaultdict(list)
    for path in map(pathlib.Path, sys.argv[2:]):
        groups = all_groups[path.parent, path.stem.endswith("_test")]
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
