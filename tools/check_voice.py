#!/usr/bin/env python3
"""Fails when a text for users contains a phrase that reads as if translated. Prints FILE:LINE, the phrase, and what to
say instead. Checks:
- tidemill/: string literals (help, man pages, messages), without those of tests. Adjacent literals are one text.
- examples/: comments and string literals; scripts as a whole
- README.md, CHANGELOG.md, docs/README.md, docs/guide, docs/formats, and the pages for developers (CONTRIBUTING.md,
  docs/architecture.md, docs/glossary.md, docs/hacking.md): everything except code spans
- docs/decisions: the titles

usage: check_voice.py [PATH...]    only these files, or the files below these folders, of any clone
"""
import bisect
import fnmatch
import pathlib
import re
import sys

# A phrase, and what to say instead. A space stands for any white space; case does not matter. Before you add one, run it
# over the tree: a phrase that is good English in many places does not belong here.
PHRASES = [
    # what something is and is not
    (r"(?<!there )(?:is|are|was|were) no (?!longer\b|more\b|less\b|later\b|earlier\b|larger\b|smaller\b|greater\b|fewer\b"
     r"|need\b|such\b|other\b|way\b|doubt\b)[a-z-]+", "is not a …, does not have …"),
    (r"(?<!there )(?:is|are|was|were) none\b(?! of\b)", "is not one, is invalid"),
    (r"something else than|another (?:\w+ )?than|other ones than", "is not a …, different from"),
    (r"makes? no sense", "is invalid"),
    (r"excludes? each other", "cannot be used with"),
    (r"(?:is|are|was|were) not there\b", "is missing, does not exist"),
    (r"what is there\b|(?:is|are) there(?= ?[,.;:)])", "exists, existing"),
    (r"(?:it|file|files|book|row|rows) (?:is|are) in(?= ?(?:[.,;:)]|$))", "is already imported"),
    (r"(?:is|are|be) whole(?= ?(?:[.,;:)?]|$))|whole(?=\?)", "is complete, is intact"),
    # who does what
    (r"whom", "who; or say who does it"),
    (r"tells\b(?! (?:\w+ ){0,5}(?:apart|from)\b)|(?<!if )told(?! (?:to|apart)\b)"
     r"|(?<!cannot )(?<!can )(?<!you )tell (?:what|which|how|of|whether)", "reports, shows, lists, prints"),
    (r"heard of", "responds"),
    (r"strangers?", "untrusted, unknown"),
    (r"remember(?:s|ed|ing)?", "caches, stores"),
    (r"knows? nothing", "does not read the cache, does not have"),
    # how far it came
    (r"(?:goes|go|went|gone|going) on\b", "continues, resumes"),
    (r"(?:come|comes|came) to (?:its|their|an) end|(?:is|are|was|were|not) at (?:its|their) end", "is complete, finished"),
    (r"(?:read|looked at) to (?:its|their) end", "read to the end"),
    (r"cut short", "interrupted"),
    (r"before (?:its|their) time", "early"),
    (r"(?:end|ends|ended|closed) in order", "exits cleanly; did not: crashed"),
    (r"(?:process|run|import|scan|program|owner) before(?= ?(?:[.,;:)]|$| (?:was|is|has|had|did)\b))", "the previous …"),
    (r"how (?:\w+ ){1,4}stands?\b", "the status of …"),
    (r"given up\b|gave up\b(?! after\b)|giv(?:e|es|ing) (?:up (?:the|an?|what|these|those)|(?:it|them|these|an? \w+) up)\b",
     "fails, discards, time limit"),
    (r"for ever", "forever, permanently"),
    (r"anew", "again, from scratch, rebuilds"),
    (r"in hand", "in progress"),
    # how many
    (r"so (?:many(?! words)|much|long|often)(?! as\b)", "N, up to N: name the number"),
    (r"(?:(?:an?|one) (?!(?:while|when|where|of|below|for|in|as|is|to|than|from|with|if|that|at|on|by|into|and|or|after)\b)"
     r"[a-z]+|one|objects?|rows?|tasks?) an? "
     r"(?:line|file|row|core|book|task|root|table|run|page|letter|batch|document|host|thread|folder|stream|worker|verb|key)\b",
     "one … per line, one … for each file"),
    (r"to win\b|won(?!['’])", "reclaimable, reclaimed"),
    (r"bears? being", "is safe to run twice"),
    # words of the trade
    (r"(?:be|is|are) rid of", "remove, delete"),
    (r"(?:leave|leaves|left|leaving) (?:(?:it|them|that|this) )?out\b", "skip, omit, exclude"),
    (r"pass(?:es|ed)? over\b", "skip, ignore"),
    (r"declin(?:e|es|ed|ing)", "skip, refuse"),
    (r"mend(?:s|ed|ing)?", "fix, repair"),
    (r"grav(?:e|er|est)", "severe, more severe"),
    (r"looks? (?:\w+ ){1,3}over\b", "check, verify"),
    (r"look(?:s|ed)? (?:what|whether|if)\b", "check"),
    (r"pass(?:es)? by (?:itself|themselves)", "transient failure"),
    (r"(?:keeps?|kept) account", "records"),
    (r"in silence", "silently"),
    (r"line end\b|with(?:out)? line ends", "newline"),
    (r"of the dead\b", "dead-letter"),
    (r"reads? otherwise", "differs"),
    (r"takes? (?:its|their) turn", "acquires"),
    (r"walls? (?:is|are) lower", "the sandbox is weaker"),
    (r"errors alone", "only errors"),
    (r"sizes? of (?:its|their) own\b|of our own\b", "a unique size; our own …, custom"),
    (r"(?<!dead )(?<!dead-)(?<!tidemill )(?<!capital )(?<!small )(?<!drive )letters?\b"
     r"(?! (?:last|RUN|retry|drop|beyond|and digits)\b|, digits\b)",
     "failures, failed tasks"),
    (r"(?<!books\.)shelf", "cache"),
    (r"cells?", "sandbox"),
]

# Where a phrase is right: files, the phrase as it is found, why.
ALLOWED = [
    ("docs/formats/journal.md", r"letters?", "the page explains what a dead letter is"),
    ("tidemill/ui/command/*", r"letters?", "the letter of a flag: -j"),
    ("tidemill/formats/sqlite_pages/*", r"cells?", "SQLite's own word for an entry of a page"),
    ("docs/architecture.md", r"cells?", "likewise"),
]

LITERAL = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)"
    r'|R"(?P<mark>[^()\\\s]{0,16})\((?P<raw>.*?)\)(?P=mark)"'
    r'|"(?P<plain>(?:\\.|[^"\\\n])*)"'
    r"|(?P<char>(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])*')"
    r"|(?P<include>^[ \t]*#[ \t]*include[^\n]*)"
    r"|(?P<code>[^\s\"'/#]+|.)",
    re.S | re.M,
)
CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.S)
FENCE = re.compile(r"^ {0,3}(```+|~~~+)[^\n]*\n.*?^ {0,3}\1[ \t]*$", re.S | re.M)
CPP = (".h", ".cc")
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/README.md", "docs/architecture.md", "docs/glossary.md",
         "docs/hacking.md")
FOR_TESTS = re.compile(r"_(?:test|rig|bench|fuzz)\.(?:h|cc)$")


class Text:
    """A piece of text with single spaces, and the line in the file of each of its words."""

    def __init__(self):
        self.words, self.starts, self.lines = "", [], []

    def add(self, piece, line):
        for part in re.finditer(r"\s+|\S+", piece):
            self.starts.append(len(self.words))
            self.lines.append(line)
            line += part[0].count("\n")
            self.words += " " if part[0].isspace() and not self.words.endswith(" ") else part[0].strip()

    def line_of(self, offset):
        return self.lines[bisect.bisect_right(self.starts, offset) - 1]


def literals_of(source):
    """The texts of string literals. Those with nothing but white space and comments between them are one. A single
    word is a name (of a flag, a key, a step), unless it is counted: counted(number, "book")."""
    yield from (text for text in all_literals_of(source) if " " in text.words)
    for found in re.finditer(r'counted\([^;"]*"(\w+)"', source):
        text = Text()
        text.add(found[1], source.count("\n", 0, found.start(1)) + 1)
        yield text


def comments_of(source):
    """Comments that stand below each other are one text."""
    for found in re.finditer(r"(?:^|(?<=[\s;{}]))//[^\n]*(?:\n[ \t]*//[^\n]*)*", source):
        text = Text()
        text.add(re.sub(r"^[ \t]*//", blank, found[0], flags=re.M), source.count("\n", 0, found.start()) + 1)
        yield text


def example_of(source):
    yield from comments_of(source)
    yield from literals_of(source)


def all_literals_of(source):
    text, line = Text(), 1
    for found in LITERAL.finditer(source):
        kind = found.lastgroup if found["raw"] is None else "raw"
        if kind == "plain":
            text.add(re.sub(r"\\(.)", lambda escape: " " if escape[1] in "nt" else escape[1], found["plain"]), line)
        elif kind == "raw":
            text.add(found["raw"], line)
        elif kind != "comment" and not found[0].isspace() and text.words:
            yield text
            text = Text()
        line += found[0].count("\n")
    if text.words:
        yield text


def blank(found):
    return re.sub(r"[^\n]", " ", found[0])


def whole(source):
    text = Text()
    text.add(source, 1)
    yield text


def page_of(source):
    """A page without what it quotes: code, the targets of links, anchors, and comments for our tools."""
    source = re.sub(r"<!--.*?-->|\]\([^)\n]*\)|<a id=[^>]*>|^```(?:cpp|sql)\n.*?^```$", blank, source, flags=re.S | re.M)
    fences = [found.span() for found in FENCE.finditer(source)]
    kept, at = [], 0
    for start, end in [*fences, (len(source), len(source))]:
        kept += [CODE_SPAN.sub(blank, source[at:start]), source[start:end]]
        at = end
    return whole("".join(kept))


def title_of(source):
    """Without its number."""
    title = next((line for line in source.splitlines() if line.startswith("# ")), "")
    return whole(re.sub(r"^# [0-9]+:? ", "", title))


def reader_of(name):
    """How to read the texts of a file. None: the file is not checked."""
    path = pathlib.PurePosixPath(name)
    if path.parts[0] == "tidemill":
        is_ours = path.suffix in CPP and not FOR_TESTS.search(path.name) and path.parts[1] != "testing"
        return literals_of if is_ours else None
    if path.parts[0] == "examples":
        readers = {".md": page_of, ".h": example_of, ".cc": example_of, ".py": whole, ".sh": whole, ".mjs": whole}
        return readers.get(path.suffix)
    if path.suffix != ".md":
        return None
    if str(path.parent) == "docs/decisions" and path.name != "README.md":
        return title_of
    is_page = name in PAGES or str(path.parent) in ("docs/guide", "docs/formats")
    return page_of if is_page else None


def root_of(path):
    """The clone that a path is in."""
    return next((folder for folder in (path, *path.parents) if (folder / "tidemill").is_dir()), None)


def files_of(paths):
    """Files with their names in the repository."""
    for path in paths:
        root = root_of(path)
        if not root:
            raise SystemExit(f"{path}: is not in a clone of the repository")
        whole_tree = [root / part for part in ("tidemill", "examples", "docs", "README.md", "CHANGELOG.md", "CONTRIBUTING.md")]
        for part in whole_tree if path == root else [path]:
            for file in sorted(part.rglob("*")) if part.is_dir() else [part]:
                if file.is_file() and "node_modules" not in file.parts:
                    yield file, file.relative_to(root).as_posix()


def compiled(phrase):
    return re.compile(rf"(?<![\w-])(?:{phrase})(?![\w-])", re.I)


def hits_in(name, texts, phrases):
    allowed = [re.compile(phrase, re.I) for where, phrase, _ in ALLOWED if fnmatch.fnmatch(name, where)]
    for text in texts:
        for phrase, instead in phrases:
            for found in phrase.finditer(text.words):
                said = found[0]
                if not any(one.fullmatch(said) for one in allowed):
                    yield text.line_of(found.start()), said, instead


def main():
    paths = [pathlib.Path(path).resolve() for path in sys.argv[1:] or [__file__ + "/../.."]]
    phrases = [(compiled(phrase), instead) for phrase, instead in PHRASES]
    count, bad = 0, []
    for file, name in files_of(paths):
        if reader := reader_of(name):
            count += 1
            hits = sorted(set(hits_in(name, reader(file.read_text(errors="replace")), phrases)))
            bad += [f'{name}:{line}: "{said}": say {instead}' for line, said, instead in hits]
    if not count:
        bad.append("no file to check")
    print("\n".join(bad) or f"voice: {count} files, ok")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
