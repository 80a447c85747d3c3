#!/usr/bin/env python3
"""Damages PDFs, each time the same way for the same seed.

usage: mutate_pdf.py SEED COUNT OUTPUT-FOLDER PDF...

Writes COUNT damaged files, NNNN-<damage>-<name>.pdf: turn by turn one of the damages below, done to
one of the given files.
"""

import random
import re
import sys
from pathlib import Path


def cut_end(data, dice):
    return data[: max(1, int(len(data) * dice.uniform(0.2, 0.98)))]


def cut_tail(data, dice):
    return data[: -dice.randint(1, min(600, len(data) - 1))]


def drop_middle(data, dice):
    at, length = dice.randrange(len(data)), dice.randint(1, 300)
    return data[:at] + data[at + length:]


def insert(data, dice):
    at = dice.randrange(len(data))
    return data[:at] + dice.randbytes(dice.randint(1, 100)) + data[at:]


def flip(data, dice):
    out = bytearray(data)
    for _ in range(dice.randint(1, 20)):
        out[dice.randrange(len(out))] ^= 1 << dice.randrange(8)
    return bytes(out)


def new_lines(data, _dice):
    return data.replace(b"\r\n", b"\n") if b"\r\n" in data else data.replace(b"\n", b"\r\n")


def replace_one(pattern, make):
    def damage(data, dice):
        found = list(re.finditer(pattern, data))
        if not found:
            return flip(data, dice)
        one = dice.choice(found)
        return data[: one.start()] + make(one, dice) + data[one.end():]
    return damage


def number(one, dice):
    return one.group(1) + b"%d" % dice.randint(0, 10 ** dice.randint(1, 9))


DAMAGES = {
    "cut-end": cut_end,
    "cut-tail": cut_tail,
    "drop-middle": drop_middle,
    "insert": insert,
    "flip": flip,
    "new-lines": new_lines,
    "startxref": replace_one(rb"(startxref\s+)\d+", number),
    "length": replace_one(rb"(/Length )\d+", number),
    "xref-entry": replace_one(rb"(\n)\d{10}(?= \d{5} n)",
                              lambda one, dice: b"\n%010d" % dice.randint(0, 10 ** 6)),
    "size": replace_one(rb"(/Size )\d+", number),
    "endobj": replace_one(rb"endobj", lambda *_: b"endobk"),
    "endstream": replace_one(rb"endstream", lambda *_: b"endstreem"),
    "reference": replace_one(rb"(\s)\d+(?= 0 R)", number),
    "no-eof": replace_one(rb"%%EOF\s*$", lambda *_: b""),
    "header": replace_one(rb"%PDF-\d\.\d", lambda *_: b"%PDX-9.9"),
    "no-trailer": replace_one(rb"trailer", lambda *_: b"tr@iler"),
    "count": replace_one(rb"(/Count )\d+", number),
    "type": replace_one(rb"/Type ?/(Pages?|Catalog|ObjStm|XRef)", lambda *_: b"/Type /Nothing"),
    "filter": replace_one(rb"/FlateDecode", lambda *_: b"/LZWDecode"),
    "prefix": lambda data, dice: dice.randbytes(dice.randint(1, 900)) + data,
    "suffix": lambda data, dice: data + dice.randbytes(dice.randint(1, 5000)),
}


def main(arguments):
    if len(arguments) < 4:
        sys.exit(__doc__)
    dice, count, folder = random.Random(int(arguments[0])), int(arguments[1]), Path(arguments[2])
    folder.mkdir(parents=True, exist_ok=True)
    names = list(DAMAGES)
    for n in range(count):
        source = Path(dice.choice(arguments[3:]))
        damage = names[n % len(names)]
        data = DAMAGES[damage](source.read_bytes(), dice)
        (folder / f"{n:04}-{damage}-{source.stem}.pdf").write_bytes(data)


if __name__ == "__main__":
    main(sys.argv[1:])
