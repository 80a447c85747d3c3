#!/usr/bin/env python3
"""Exact groups over the generated corpora: 0 false, 0 missed; plain, verified, remembered, in parts.

The generators come from TIDEMILL_CORPUS (its folder tree/); without it the test is skipped, loudly.
usage: TIDEMILL=program exact.py [--scale 0.05]
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = os.environ["TIDEMILL"]
WAYS = [["--no-catalogue"], ["--no-catalogue", "--verify"], ["--no-catalogue", "--hash", "sha256"],
        [], [], ["--memory", "32M"]]


def report(root, folder, *flags):
    if "--no-catalogue" not in flags:
        flags = [*flags, "--catalogue", f"{folder}/catalogue.db"]
    done = subprocess.run([PROGRAM, "dupes", root, "--json", "-q", *flags], stdout=subprocess.PIPE,
                          env={**os.environ, "TIDEMILL_STATE": f"{folder}/state"}, check=True)
    return done.stdout


def check(kind, scale, folder, generator):
    root = f"{folder}/{kind}"
    subprocess.run([sys.executable, generator, kind, root, scale], check=True)
    for flags in WAYS:
        path = pathlib.Path(folder, "report.json")
        path.write_bytes(report(root, folder, *flags))
        subprocess.run([sys.executable, HERE / "check_truth.py", f"{root}.truth.tsv", path],
                       check=True)


def main():
    scale = sys.argv[2] if len(sys.argv) > 2 else "0.05"
    corpus = os.environ.get("TIDEMILL_CORPUS")
    if not corpus:
        print("SKIPPED: TIDEMILL_CORPUS is not set, so there are no generators", file=sys.stderr)
        return 77
    tree = pathlib.Path(corpus, "tree")
    with tempfile.TemporaryDirectory() as folder:
        check("small", scale, folder, tree / "gen_corpus.py")
        check("large", "0.3", folder, tree / "gen_corpus.py")  # smaller is no corpus
        subprocess.run([sys.executable, tree / "gen_odd.py", f"{folder}/odd"], check=True)
        for flags in [["--no-catalogue"], [], []]:
            groups = len(json.loads(report(f"{folder}/odd", folder, *flags))["groups"])
            print("odd:", groups, "groups")
            if groups != 22:
                return 1
        # The path of the deepest folder is too long for Python's own removal.
        subprocess.run(["rm", "-rf", f"{folder}/odd"], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
