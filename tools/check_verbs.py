#!/usr/bin/env python3
"""Fails when a verb of the program has no manual page, no page in docs/guide or no end-to-end script
that calls it, or when the completion does not know it. The program itself says which verbs it has.

The guide of a verb is docs/guide/VERB.md, or a heading in docs/guide/runs.md that has the verb as a
word or as its anchor (<a id="VERB"></a>): the verbs about runs share a page.

usage: check_verbs.py PROGRAM [root]
"""
import pathlib
import re
import subprocess
import sys
import tempfile


def ask(program, *words):
    with tempfile.TemporaryDirectory() as state:
        ran = subprocess.run([program, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, check=False,
                             env={"TIDEMILL_STATE": state, "HOME": state, "PATH": "/usr/bin:/bin"})
    if ran.returncode != 0:
        sys.exit(f"verbs: {program} {' '.join(words)} ended with {ran.returncode}: {ran.stderr}")
    return ran.stdout


def verbs_of(program):
    """The words under VERBS in its help."""
    section = re.search(r"^VERBS\n((?:  .*\n)+)", ask(program, "--help"), re.M)
    # A verb is two columns in; what is further right goes on with the line before.
    verbs = re.findall(r"^  (\w[\w-]*)", section[1], re.M) if section else []
    if not verbs:
        sys.exit("verbs: the help of the program lists none")
    return list(dict.fromkeys(verbs))  # "catalogue ls" and "catalogue show" are of one verb


def pages_of(program):
    with tempfile.TemporaryDirectory() as folder:
        ask(program, "man", "--folder", folder)
        return {page.name: page.read_text() for page in pathlib.Path(folder).iterdir()}


def is_told(root, verb):
    guide = root / "docs/guide"
    if (guide / f"{verb}.md").is_file():
        return True
    runs = guide / "runs.md"
    heading = re.compile(rf"^#+ .*(?<![\w-]){re.escape(verb)}(?![\w-])|<a id=\"{re.escape(verb)}\"></a>", re.M)
    return runs.is_file() and bool(heading.search(runs.read_text()))


def is_called(scripts, verb):
    call = re.compile(rf"^[^#\n]*\btidemill {re.escape(verb)}(?![\w-])", re.M)
    return any(call.search(text) for text in scripts)


def complaints(program, root):
    verbs = verbs_of(program)
    pages = pages_of(program)
    completion = ask(program, "completion", "bash")
    scripts = [file.read_text() for file in sorted((root / "tests/e2e").glob("*.sh"))]
    for verb in verbs:
        if ".TH" not in pages.get(f"tidemill-{verb}.1", ""):
            yield f"{verb}: no manual page tidemill-{verb}.1"
        if not re.search(rf"(?<![\w-]){re.escape(verb)}(?![\w-])", completion):
            yield f"{verb}: the completion for bash does not know it"
        if not is_told(root, verb):
            yield f"{verb}: no docs/guide/{verb}.md and no heading in docs/guide/runs.md"
        if not is_called(scripts, verb):
            yield f"{verb}: no script in tests/e2e calls it"
    known = {"tidemill.1", *(f"tidemill-{verb}.1" for verb in verbs)}
    below = tuple(f"tidemill-{verb}-" for verb in verbs)
    for page in sorted(set(pages) - known):
        if not page.startswith(below):
            yield f"{page}: a manual page of no verb"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else __file__ + "/../..").resolve()
    bad = list(complaints(sys.argv[1], root))
    print("\n".join(bad) or "verbs: ok")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
