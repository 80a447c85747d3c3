#!/usr/bin/env python3
"""Our counts and those of others, text by text. Exit status 1 when one differs.

compare.py --counter COUNT_FILES --tables DIR --modules NODE_MODULES [what to compare]

  --list FILE      paths, NUL separated; without it the files below --below (default /usr/share/doc,
                   /usr/include …) are looked through for --files texts, the same ones each time
  --hf FILE        a tokenizer.json: compare with npm `tokenizers`; without it cl100k_base and
                   o200k_base are compared with npm `tiktoken`
  --fuzz N         N byte strings of fuzz.mjs instead of files
  --seed N         of the strings, and of the parts in which every text is counted a second time
  --oracle FILE    the oracle's lines: read when the file is there, kept there when it is not

tiktoken's time grows with the square of a piece, so files with very long words are left out when
files are looked for, and so are those that are larger than 1 MB or look binary.
"""
import argparse
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PLACES = ["/usr/share/doc", "/usr/include", "/usr/share/man", "/usr/lib/python3", "/usr/share/perl",
          "/usr/share/i18n", "/usr/share/common-licenses"]
LARGEST = 1_000_000
LONG_WORD = re.compile(rb"[^\s0-9]{4000}")


def text_in(path):
    """What is in a file, unpacked; None when it is not for us."""
    try:
        if not os.path.isfile(path) or os.path.islink(path) or os.path.getsize(path) > LARGEST:
            return None
        with (gzip.open(path) if path.endswith(".gz") else open(path, "rb")) as file:
            text = file.read(LARGEST + 1)
    except (OSError, EOFError):
        return None
    if not text or len(text) > LARGEST or b"\0" in text[:8192] or LONG_WORD.search(text):
        return None
    return text


def look_for_files(places, wanted, folder):
    """Copies `wanted` texts into `folder`: those whose names have the smallest digests."""
    names = [os.path.join(parent, name)
             for place in places for parent, _, inside in os.walk(place) for name in inside]
    names.sort(key=lambda name: hashlib.md5(os.fsencode(name)).digest())
    copies = []
    for name in names:
        if len(copies) == wanted:
            break
        text = text_in(name)
        if text is None:
            continue
        copies.append(os.path.join(folder, f"{len(copies):06}"))
        with open(copies[-1], "wb") as file:
            file.write(text)
    return copies


def write_fuzz(seed, count, folder):
    """The strings of fuzz.mjs as files."""
    script = """import {picked, strings} from '%s'; import fs from 'node:fs'; import path from 'node:path';
let i = 0; for (const bytes of [...picked, ...strings(%d, %d)])
fs.writeFileSync(path.join(process.argv[1], String(i++).padStart(6, '0')), bytes);"""
    subprocess.run(["node", "--input-type=module", "-e",
                    script % (os.path.join(HERE, "fuzz.mjs"), seed, count), folder], check=True)
    return sorted(os.path.join(folder, name) for name in os.listdir(folder))


def oracle_lines(options, names):
    """The oracle's answers: dicts in the order of the names."""
    if options.oracle and os.path.exists(options.oracle):
        with open(options.oracle, encoding="utf-8") as file:
            return [json.loads(line) for line in file]
    script = ["oracle_hf.mjs", "--modules", options.modules, options.hf] if options.hf else \
             ["oracle.mjs", "--modules", options.modules]
    run = subprocess.run(["node", os.path.join(HERE, script[0]), *script[1:]], check=True,
                         input=b"\0".join(map(os.fsencode, names)), stdout=subprocess.PIPE)
    if options.oracle:
        with open(options.oracle, "wb") as file:
            file.write(run.stdout)
    return [json.loads(line) for line in run.stdout.splitlines()]


def our_lines(options, names, tokenizers, *flags):
    run = subprocess.run([options.counter, *flags, options.tables, *tokenizers], check=True,
                         input=b"".join(os.fsencode(name) + b"\0" for name in names),
                         stdout=subprocess.PIPE)
    return [list(map(int, line.split())) for line in run.stdout.splitlines()]


def compare(options, names):
    tokenizers = [options.hf] if options.hf else ["cl100k_base", "o200k_base"]
    keys = ["hf"] if options.hf else tokenizers
    theirs = oracle_lines(options, names)
    ours = our_lines(options, names, tokenizers)
    in_parts = our_lines(options, names, tokenizers, "--parts", str(options.seed))
    if in_parts != ours:
        print("texts count differently when they come in parts")
    if not len(names) == len(theirs) == len(ours):
        sys.exit(f"{len(names)} texts, {len(theirs)} answers of the oracle, {len(ours)} of ours")
    differences = 0
    totals = [0] * len(keys)
    for name, their, our in zip(names, theirs, ours):
        for i, key in enumerate(keys):
            totals[i] += their[key]
            if their[key] != our[i]:
                differences += 1
                if differences <= 20:
                    print(f"{name!r} {key}: {their[key]}, ours {our[i]}")
    size = sum(their["bytes"] for their in theirs)
    counts = ", ".join(f"{key} {total:,} tokens" for key, total in zip(keys, totals))
    print(f"{len(names):,} texts, {size:,} bytes, {counts}: {differences} differences")
    return differences or in_parts != ours


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--counter", required=True)
    parser.add_argument("--tables", default="-")
    parser.add_argument("--modules", default="node_modules")
    parser.add_argument("--list")
    parser.add_argument("--below", action="append")
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--hf")
    parser.add_argument("--fuzz", type=int)
    parser.add_argument("--seed", type=int, default=4711)
    parser.add_argument("--oracle")
    options = parser.parse_args()
    if not options.oracle and not os.path.isdir(options.modules):
        print(f"NOT TESTED: {options.modules} is not there", file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory(prefix="tidemill-tokens-") as folder:
        if options.list:
            with open(options.list, "rb") as file:
                names = [os.fsdecode(name) for name in file.read().split(b"\0") if name]
        elif options.fuzz:
            names = write_fuzz(options.seed, options.fuzz, folder)
        else:
            names = look_for_files(options.below or PLACES, options.files, folder)
        return 1 if compare(options, names) else 0


if __name__ == "__main__":
    sys.exit(main())
