#!/usr/bin/env python3
"""Writes files of odd records and damaged lines: whatever JSON allows, and much that it does not.

The same seed gives the same files. What must become of them is for rules.py to say.
usage: odd.py FOLDER [--seed N] [--files N]
"""

import argparse
import json
import pathlib
import random

NAMES = ["_key", "a", "A", "a_2", "b", "", "position", "position.x", "position_x", "x", "y", "x.y", "rowid",
         "oid", "_rowid_", "é", "É", "a\0b", "select", 'a"b', "a'b", "a\\b", "parent", "value", "position_2",
         "_more", "name", "名", "\U0001f680", " ", "a b", "a\nb", "_empty", "en", "long" * 50]
INTEGERS = ["0", "-0", "1", "-1", "42", "9007199254740992", "9007199254740993", "-9007199254740993",
            "9007199254740994", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
            "-9223372036854775809", "18446744073709551616", "1" * 40, "127", "128", "-129", "32768", "8388608",
            "2147483648", "140737488355328", "9223372036854774784", "1" * 5000]
REALS = ["0.1", "1.0", "-0.0", "0.0", "1E5", "1e5", "1e+300", "1e400", "-1e400", "1e-400", "5e-324", "2e-324",
         "1.7976931348623157e308", "1.7976931348623159e308", "0.1234567890123456789", "1e22", "1e23", "1e15",
         "1e16", "1e17", "123456789012345680.0", "0.0001", "0.00001", "1.50", "100000.0", "9007199254740993.0",
         "3.141592653589793", "2.5e-8", "1e0", "9223372036854775808.0", "1e18", "0e999", "1.5e3", "4.35", "0.3",
         "0.30000000000000004", "1e-7", "123456.789e3"]
WRONG = ["01", "1.", ".5", "+1", "-", "1e", "0x10", "NaN", "Infinity", "-Infinity", "nul", "True", "tru",
         "falsee", "'a'", "a", "[1,]", "[1 2]", "[,1]", "{a:1}", "{\"a\"}", "{\"a\":1,}", "[1", "]", "}", "\"a",
         "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\", "\"\\ud83d\"", "\"\\ude80\\ud83d\"",
         "\"\\ud83d\\u0041\"", "{\"\\ud800\":1}", "[\"\\udfff\"]", "[1]]", "1 2", "/**/1", "\u00a01", ""]
STRINGS = ["", "text", "5", "-0", "1.0", "01", "1e400", " 5", "NULL", "null", "true", "a\0b", "\0", "\U0001f680",
           "日本語", "a\"b", "back\\slash", "tab\tnew\nline\r", "/", "\u007f\u0080\u2028", "9223372036854775808",
           "x" * 300, "\x1f", "é" * 40, "\ufeff", "[1]", "{}", "0.1", "inf"]
LANGUAGES = ["de", "en", "es", "fr", "ja", "zh", "en-us", "zh-CN", "pt", "it"]


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = NAMES
        self.damage = 0.1
        self.kinds = None
        self.inner, self.deepest = NAMES, 5  # of nested objects

    def chance(self, share):
        return self.random.random() < share

    def blank(self):
        return self.random.choice(["", "", "", " ", "  ", "\t", "\r"])

    def string(self, text):
        written = json.dumps(text, ensure_ascii=self.chance(0.3))
        if self.chance(0.2):  # another spelling of the same
            written = written.replace("a", "\\u0061").replace("/", "\\/").replace("e", "\\u0065")
        return written

    def value(self, depth=0):
        pick, kinds = self.random.choice, self.kinds or "iiirrssbnol"
        kind = pick(kinds)
        if kind == "i":
            return pick(INTEGERS) if self.chance(0.5) else str(self.random.randrange(-1000, 1000))
        if kind == "r":
            return pick(REALS) if self.chance(0.5) else repr(self.random.uniform(-1e6, 1e6))
        if kind == "s":
            return self.string(self.long_text() if self.chance(0.002) else pick(STRINGS))
        if kind == "b":
            return pick(["true", "false"])
        if kind == "n" or depth > self.deepest:
            return "null"
        if kind == "l":
            inner = [self.value(depth + 1) for _ in range(self.random.choice([0, 1, 1, 2, 3]))]
            return self.joined("[", inner, "]")
        if self.chance(0.2):
            names = self.random.sample(LANGUAGES, self.random.randint(1, 4))
            if self.chance(0.2):
                names.append("other")
            return self.object(names, depth)
        return self.object(self.some_names(4, self.inner), depth)

    def long_text(self):
        return self.random.choice(["y", "é", "\"", "\\", "\n"]) * self.random.choice([65535, 65536, 70001])

    def some_names(self, most, known):
        names = self.random.sample(known, self.random.randint(0, min(most, len(known))))
        if names and self.chance(0.02):
            names.append(names[0])
        return names

    def joined(self, begin, parts, end):
        return begin + self.blank() + ",".join(self.blank() + part + self.blank() for part in parts) + end

    def object(self, names, depth, **given):
        parts = [self.string(name) + self.blank() + ":" + self.blank()
                 + (given[name] if name in given else self.value(depth + 1)) for name in names]
        return self.joined("{", parts, "}")

    def record(self, key):
        names = [name for name in self.some_names(8, self.names) if name != "_key"]
        if key is None:
            return self.object(names, 0)
        names.insert(self.random.randint(0, len(names)) if self.chance(0.2) else 0, "_key")
        return self.object(names, 0, _key=key)

    def line(self, key):
        text = self.record(key)
        if not self.chance(self.damage):
            return text.encode()
        pick = self.random.choice
        how = pick("wwwwdittbcou")
        if how == "w":
            return f'{{"_key":{key or 0},"a":{pick(WRONG)}}}'.encode()
        if how == "o":
            return (pick([*INTEGERS, "[]", "null", '"a"', *WRONG]) or " ").encode()
        if how == "t":
            return (text + self.blank() + pick([text, "{}", "1", ",", "}", "x"])).encode()
        line = bytearray(text.encode())
        at = self.random.randrange(len(line))
        if how == "d":
            del line[at]
        elif how == "i":
            line.insert(at, self.random.randrange(256))
        elif how == "c":
            line.insert(at, pick([0, 1, 8, 11, 12, 27, 31]))
        elif how == "b":
            line[at] ^= 1 << self.random.randrange(8)
        else:
            line[at:at] = pick([b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\x80"])
        return bytes(line).replace(b"\n", b" ")

    def file(self, lines):
        """Keys that ascend, repeat, fall, are missing, are no integers; line ends; a mark in front."""
        pick, keys, out = self.random.choice, self.random.choice("aaarfmst"), []
        self.damage = pick([0, 0.02, 0.3])
        self.names = self.random.sample(NAMES, self.random.randint(3, len(NAMES)))
        # A few names for what is inside: else there would be more lists than there may be tables.
        self.inner, self.deepest = self.random.sample(NAMES, self.random.randint(1, 3)), 2
        self.kinds = pick([None, None, "i", "ir", "iiiiiiiiiiiir", "s", "ol", "ib", "n"])
        for i in range(1, lines + 1):
            key = {"a": str(i * 3), "r": str(i % 40), "f": str(lines - i), "m": pick([str(i), None]),
                   "s": self.string(f"k{i}"), "t": pick([str(i), self.string(str(i + lines))])}[keys]
            out.append(pick([b"", b" ", b"\t\r"]) if self.chance(0.02) else self.line(key))
        end = pick([b"\n", b"\n", b"\r\n"])
        text = pick([b"", b"", b"\xef\xbb\xbf"]) + end.join(out)
        return text + pick([end, end, b"", end + b"  ", end + b'{"_key": 1, "cu'])


def write(folder, seed=1, files=40):
    folder.mkdir(parents=True)
    for number in range(files):
        writer = Writer(f"{seed}/{number}")
        text = writer.file(writer.random.choice([1, 3, 50, 200]))
        (folder / f"odd{number:03}.jsonl").write_bytes(text)
    for number, shape in enumerate(("iiiiir", "iiiiiii", "iirrssbno")):  # of several blocks each
        writer = Writer(f"{seed}/large/{number}")
        large = [writer.file(600) for _ in range(3)]
        writer.kinds = shape
        large += [writer.line(str(1000000 + i)) + b"\n" for i in range(4000)]
        (folder / f"large{number}.jsonl").write_bytes(b"\n".join(large))
    wide = Writer(f"{seed}/wide")  # more fields than there are columns
    wide.inner, wide.kinds = [f"w{number}" for number in range(60)], "iisnoo"
    lines = [wide.line(str(number)) for number in range(1, 1500)]
    (folder / "wide.jsonl").write_bytes(b"\n".join(lines) + b"\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--files", type=int, default=40)
    given = parser.parse_args()
    write(given.folder, given.seed, given.files)


if __name__ == "__main__":
    main()
