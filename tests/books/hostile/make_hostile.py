#!/usr/bin/env python3
"""Makes a folder of hostile books, the same every time, and an index of them.

usage: make_hostile.py FOLDER [name...]

index.tsv has a line for each: file, what it is, and the ids that a checker must report: with commas,
all of them; with bars, one of them. "none": it is strange, but lawful and harmless, and nothing must
be found.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from epubs import EPUBS  # noqa: E402
from pdfs import PDFS  # noqa: E402


def make(folder, wanted=()):
    """Those that are wanted, or all; the index has all."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for suffix, books in (("epub", EPUBS), ("pdf", PDFS)):
        for name, what, ids, maker in books:
            name = f"{suffix}-{name}.{suffix}"
            lines.append(f"{name}\t{what}\t{ids}\n")
            if wanted and name not in wanted:
                continue
            made = maker()
            (folder / name).write_bytes(made if isinstance(made, bytes) else made.bytes())
    (folder / "index.tsv").write_text("".join(lines))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    make(Path(sys.argv[1]), set(sys.argv[2:]))
