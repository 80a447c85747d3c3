#!/usr/bin/env python3
"""Fails when a file includes a module that cmake/modules.cmake does not allow it to, when a module's line names
what it does not use or what stands above it, when a module reaches what it must stay apart from, when a folder has
grown too large, when code outside of jobs/ asks for a job by its name, or when a .cc file does not include its own
header before everything else: that is how we know that the header stands alone.

usage: check_layers.py [root]
"""
import collections
import pathlib
import re
import sys

LIST = "cmake/modules.cmake"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<(tidemill/[^>]+)>)', re.M)
ANY_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.M)
JOB_NAME = re.compile(r'\bjob\b(?:\(\))?\s*[=!]=\s*"')
FREE = ("examples", "bench", "tests")  # these may include any module that exists
MOST_FILES = 40                        # in one folder
KEYWORDS = {"ROOMS", "USES", "MAY_USE", "LINKS", "TEST_LINKS"}
SHORT = re.compile(r"^(?:io|formats|state|ui)/")  # layers that names of modules leave out


class Modules:
    """The modules by their folders, and what each may include, by their names."""

    def __init__(self, text, bad):
        text = re.sub(r"#.*", "", text)
        self.layers = re.search(r"set\(tidemill_layers ([\w\s]+)\)", text).group(1).split()
        self.uses = {}
        self.may_use = {}
        names = []
        for call in re.finditer(r"tidemill_module\(([^)]*)\)", text):
            folder, *words = call.group(1).split()
            lists, current = collections.defaultdict(list), None
            for word in words:
                if word in KEYWORDS:
                    current = word
                else:
                    lists[current].append(word)
            if "jobs/*" in lists["USES"]:
                at = lists["USES"].index("jobs/*")
                lists["USES"][at:at + 1] = [name for name in names if name.startswith("jobs/")]
            for used in lists["USES"]:
                if used not in names:
                    bad.append(f"{LIST}: {folder} uses {used}, which does not stand above it")
            names.append(name_of(folder))
            self.uses[folder] = lists["USES"]
            self.may_use[folder] = lists["MAY_USE"]
        self.check_layers(bad)
        self.check_apart(text, bad)

    def check_layers(self, bad):
        by_name = {name_of(folder): folder for folder in self.uses}
        for folder, uses in self.uses.items():
            for used in uses:
                if used in by_name and not self.is_below(by_name[used], folder):
                    bad.append(f"{LIST}: {folder} may not use {used}: it is not in a layer below")

    def check_apart(self, text, bad):
        """set(tidemill_apart jobs/each:redis …): the one must not use the other, by whatever way."""
        by_name = {name_of(folder): folder for folder in self.uses}
        said = re.search(r"set\(tidemill_apart([^)]*)\)", text)
        for pair in said.group(1).split() if said else []:
            user, far = pair.split(":")
            reached, left = set(), [user]
            while left:
                name = left.pop()
                if name in by_name and name not in reached:
                    reached.add(name)
                    left += self.uses[by_name[name]]
            if far in reached:
                bad.append(f"{LIST}: {user} reaches {far}, and must not")

    def is_below(self, used, user):
        used_layer, layer = used.split("/")[0], user.split("/")[0]
        if layer == "testing":
            return True
        if used_layer not in self.layers or layer not in self.layers:
            return False
        if used_layer == layer == "jobs":
            return used == "jobs"  # a job does not know another job
        return self.layers.index(used_layer) <= self.layers.index(layer)

    def module_of(self, path):
        """The module of a path below tidemill/; None: it is in none."""
        parts = path.split("/")
        return next((folder for n in range(len(parts) - 1, 0, -1)
                     if (folder := "/".join(parts[:n])) in self.uses), None)


def name_of(folder):
    return SHORT.sub("", folder)


def is_of_tests(file):
    return file.name.endswith(("_test.cc", "_rig.h"))


def wrong_with(file, where, path, modules):
    """What is wrong with this file's include of this path; where is None outside tidemill/."""
    if not path.startswith("tidemill/"):
        return None if where is None else f'"{path}" is not a path from the root of the project'
    used = modules.module_of(path.removeprefix("tidemill/"))
    if used is None:
        return f"{path} is in no module of {LIST}"
    if where not in (None, used):
        allowed = modules.uses[where] + modules.may_use[where] + (["testing"] if is_of_tests(file) else [])
        if name_of(used) not in allowed:
            return f"{where} may not include {used}"
    if where not in (None, "testing") and path.endswith("_rig.h") and not is_of_tests(file):
        return f"{path} is for tests"
    if path == "tidemill/base/try.h" and file.suffix == ".h":
        return "try.h is for .cc files: its macros would leak out of a header"
    return None


def own_header_is_late(file, root, text):
    own = file.with_suffix(".h")
    if file.suffix != ".cc" or not own.exists():
        return False
    first = ANY_INCLUDE.search(text)
    return first is None or first.group(1) != own.relative_to(root).as_posix()


def source_files(root, folder):
    return sorted(f for f in (root / folder).rglob("*") if f.suffix in (".h", ".cc"))


def crowded(root):
    sizes = collections.Counter(f.parent for f in (root / "tidemill").rglob("*") if f.is_file())
    return [f"{folder.relative_to(root)}: {size} files in one folder, at most {MOST_FILES}"
            for folder, size in sorted(sizes.items()) if size > MOST_FILES]


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__ + "/../..").resolve()
    bad = crowded(root)
    modules = Modules((root / LIST).read_text(), bad)
    below = [(f, modules.module_of(f.relative_to(root / "tidemill").as_posix()))
             for f in source_files(root, "tidemill")]
    bad += [f"{f.relative_to(root)}: is in no module of {LIST}" for f, where in below if where is None]
    files = [pair for pair in below if pair[1] is not None]
    files += [(f, None) for folder in FREE for f in source_files(root, folder)]
    seen = collections.defaultdict(set)
    for file, where in files:
        text = file.read_text()
        if where is not None and not where.startswith("jobs"):
            bad += [f"{file.relative_to(root)}:{text.count(chr(10), 0, found.start()) + 1}: asks for a job by its name: "
                    "ask jobs::Job" for found in JOB_NAME.finditer(text)]
        if where is not None and own_header_is_late(file, root, text):
            bad.append(f"{file.relative_to(root)}: its own header must come first")
        for found in INCLUDE.finditer(text):
            path = found.group(1) or found.group(2)
            seen[where].add(modules.module_of(path.removeprefix("tidemill/")))
            wrong = wrong_with(file, where, path, modules)
            if wrong:
                line = text.count("\n", 0, found.start()) + 1
                bad.append(f"{file.relative_to(root)}:{line}: {wrong}")
    for folder, uses in modules.uses.items():
        names = {name_of(used) for used in seen[folder] if used is not None}
        bad += [f"{LIST}: {folder} does not use {used}" for used in uses if used not in names]
    print("\n".join(bad) or f"layers: {len(files)} files, ok")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main())
