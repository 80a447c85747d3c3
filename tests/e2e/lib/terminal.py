#!/usr/bin/env python3
"""Runs a program on a terminal and uses it as a person would; no step waits for a length of time.

usage: terminal WIDTH HEIGHT PROGRAM [ARGUMENT...] <STEPS

Steps, one a line:
  wait TEXT    until it stands somewhere on the screen
  gone TEXT    until it stands nowhere on the screen
  type KEYS    with \\e for Esc, \\t, \\r, \\x03 …
  size W H     the window changes
  show N [M]   prints the lines from N on (to M), the first being 1
  run COMMAND  a shell command, with $PID the program
  end          until the program ends; prints its exit status, and what is wrong with the terminal

The terminal is an xterm as far as ncurses and we use one. After 60 s of waiting the test has failed.
"""
import codecs
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
import unicodedata

PATIENCE = 60
SEQUENCE = re.compile(r"\x1b(?:\[([?>]?)([0-9;]*)([@-~])|[()]([0-9A-Z])|([=>78M])|\][^\x07]*\x07)")


class Screen:
    """What a person sees."""

    def __init__(self, width, height):
        self.modes = {"25": True, "7": True, "1049": False}
        self.width, self.height, self.rest = width, height, ""
        self.kept = None
        self.clear()

    def clear(self):
        self.rows = [[" "] * self.width for _ in range(self.height)]
        self.row = self.column = 0
        self.region = (0, self.height - 1)

    def resize(self, width, height):
        self.width, self.height = width, height
        self.clear()  # the program draws it again

    def feed(self, text):
        text, self.rest, at = self.rest + text, "", 0
        while at < len(text):
            if text[at] != "\x1b":
                self.put(text[at])
                at += 1
                continue
            found = SEQUENCE.match(text, at)
            if not found:
                if len(text) - at > 64:
                    raise ValueError(f"not known: {text[at:at + 20]!r}")
                self.rest = text[at:]
                return
            self.obey(found)
            at = found.end()

    def put(self, char):
        if char == "\r":
            self.column = 0
        elif char == "\n":
            self.down()
        elif char == "\b":
            self.column = max(0, self.column - 1)
        elif char >= " ":
            wide = 2 if unicodedata.east_asian_width(char) in "WF" else 1
            if self.column + wide > self.width:
                self.column = 0
                self.down()
            self.rows[self.row][self.column] = char
            if wide == 2:
                self.rows[self.row][self.column + 1] = ""
            self.column += wide
            self.last = char

    def down(self):
        if self.row == self.region[1]:
            self.scroll(self.region[0], 1)
        else:
            self.row = min(self.row + 1, self.height - 1)

    def scroll(self, top, lines):
        """Lines from `top` to the end of the region go up, or down."""
        bottom = self.region[1]
        blank = [[" "] * self.width for _ in range(min(abs(lines), bottom - top + 1))]
        part = self.rows[top:bottom + 1]
        part = part[lines:] + blank if lines > 0 else blank + part[:lines]
        self.rows[top:bottom + 1] = part

    def obey(self, found):
        private, text, final, _, single = found.groups()
        if single == "M":
            if self.row == self.region[0]:
                self.scroll(self.region[0], -1)
            else:
                self.row -= 1
        if final is None or private == ">":
            return
        if private == "?":
            for mode in text.split(";"):
                self.modes[mode] = final == "h"
                if mode == "1049":
                    self.switch(final == "h")
            return
        numbers = [int(part) if part else 0 for part in text.split(";")]
        getattr(self, "do_" + {"@": "insert", "`": "G"}.get(final, final), self.unknown)(
            *numbers, name=final)

    def switch(self, is_on):
        if is_on:
            self.kept = (self.rows, self.row, self.column)
            self.clear()
        elif self.kept:
            self.rows, self.row, self.column = self.kept
            self.kept = None

    def unknown(self, *numbers, name):
        raise ValueError(f"not known: {name} {numbers}")

    def do_m(self, *_, name): pass
    def do_t(self, *_, name): pass
    def do_l(self, *_, name): pass
    def do_h(self, *_, name): pass

    def do_H(self, row=1, column=1, name=""):
        self.row = min(max(row, 1), self.height) - 1
        self.column = min(max(column, 1), self.width) - 1

    def do_A(self, by, name): self.row = max(0, self.row - max(by, 1))
    def do_B(self, by, name): self.row = min(self.height - 1, self.row + max(by, 1))
    def do_C(self, by, name): self.column = min(self.width - 1, self.column + max(by, 1))
    def do_D(self, by, name): self.column = max(0, self.column - max(by, 1))
    def do_G(self, column, name): self.column = min(max(column, 1), self.width) - 1
    def do_d(self, row, name): self.row = min(max(row, 1), self.height) - 1
    def do_S(self, by, name): self.scroll(self.region[0], max(by, 1))
    def do_T(self, by, name): self.scroll(self.region[0], -max(by, 1))
    def do_L(self, by, name): self.scroll(self.row, -max(by, 1))
    def do_M(self, by, name): self.scroll(self.row, max(by, 1))

    def do_r(self, top=1, bottom=0, name=""):
        self.region = (max(top, 1) - 1, (bottom or self.height) - 1)
        self.row = self.column = 0

    def blank(self, row, start, end):
        self.rows[row][start:end] = [" "] * (end - start)

    def do_K(self, how, name):
        self.blank(self.row, 0 if how else self.column, self.column + 1 if how == 1 else self.width)

    def do_J(self, how, name):
        if how != 1:
            self.blank(self.row, 0 if how else self.column, self.width)
        for row in range(0 if how else self.row + 1, self.height if how != 1 else self.row):
            self.blank(row, 0, self.width)

    def do_X(self, count, name):
        self.blank(self.row, self.column, min(self.width, self.column + max(count, 1)))

    def do_P(self, count, name):
        row = self.rows[self.row]
        del row[self.column:self.column + max(count, 1)]
        row += [" "] * (self.width - len(row))

    def do_insert(self, count, name):
        row = self.rows[self.row]
        row[self.column:self.column] = [" "] * max(count, 1)
        del row[self.width:]

    def do_b(self, count, name):
        for _ in range(max(count, 1)):
            self.put(self.last)

    def lines(self):
        return ["".join(row).rstrip() for row in self.rows]


class Session:
    def __init__(self, width, height, words):
        self.screen = Screen(width, height)
        self.utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        is_looked_at, looked = os.pipe()
        self.process, self.master = pty.fork()
        if self.process == 0:
            os.read(is_looked_at, 1)
            self.set_size(0, width, height)
            os.environ["TERM"] = "xterm"
            os.execvp(words[0], words)
        self.before = termios.tcgetattr(self.master)
        os.write(looked, b"!")

    @staticmethod
    def set_size(fd, width, height):
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def read(self, until):
        """False: the program has closed the terminal, or time is up."""
        if not select.select([self.master], [], [], max(0, until - time.monotonic()))[0]:
            return False
        try:
            block = os.read(self.master, 65536)
        except OSError:
            return False
        self.screen.feed(self.utf8.decode(block))
        return bool(block)

    def wait(self, text, is_there=True):
        until = time.monotonic() + PATIENCE
        while any(text in line for line in self.screen.lines()) != is_there:
            if not self.read(until):
                sys.exit(f"never {'came' if is_there else 'went'}: {text}\n" +
                         "\n".join(self.screen.lines()))

    def settle(self):
        """Reads the rest of what is being drawn: a picture comes in several pieces."""
        until = time.monotonic() + 3
        while time.monotonic() < until and self.read(min(until, time.monotonic() + 0.3)):
            pass

    def end(self):
        until = time.monotonic() + PATIENCE
        while self.read(until):
            pass
        if time.monotonic() > until:
            sys.exit("it did not end\n" + "\n".join(self.screen.lines()))
        status = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        modes = termios.tcgetattr(self.master)  # the last thing it did was to set them
        wrong = [what for what, is_wrong in (
            ("the cursor is hidden", not self.screen.modes["25"]),
            ("it does not wrap", not self.screen.modes["7"]),
            ("it is on the other page", self.screen.modes["1049"]),
            ("its modes are others", modes[:4] != self.before[:4])) if is_wrong]
        print(f"exit {status}, terminal: " + (", ".join(wrong) or "as it was"))

    def step(self, line):
        verb, _, rest = line.partition(" ")
        if verb == "wait":
            self.wait(rest)
        elif verb == "gone":
            self.wait(rest, False)
        elif verb == "type":
            keys = rest.replace("\\e", "\\x1b").encode("latin-1").decode("unicode_escape")
            os.write(self.master, keys.encode())
        elif verb == "size":
            width, height = map(int, rest.split())
            self.screen.resize(width, height)
            self.set_size(self.master, width, height)
        elif verb == "show":
            self.settle()
            first, last = (rest.split() + ["0"])[:2]
            lines = self.screen.lines()[int(first) - 1:int(last) or None]
            print("\n".join(f"|{line}" for line in lines).rstrip("\n|"))
        elif verb == "run":
            subprocess.run(rest, shell=True, check=True, env=os.environ | {"PID": str(self.process)})
        elif verb == "end":
            self.end()
        elif verb:
            sys.exit(f"what is {verb}?")
        sys.stdout.flush()


def main():
    session = Session(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
    for line in sys.stdin:
        session.step(line.rstrip("\n"))


if __name__ == "__main__":
    main()
