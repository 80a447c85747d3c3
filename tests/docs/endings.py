"""Endings: documents with commands on a wiki (wiki.py), and a judge of how they ended.

Only the end counts, as people see it: the text, the title, the collection and the comments. Every
answer of the assistant has a word of its own, so the judge knows whose answer must stand where and
how often. What people wrote is what the server gave back when they had written it: it must all be
there, in its order, and so must its empty paragraphs.
"""
import re
import secrets
from collections import Counter
from dataclasses import dataclass, field

import assistant
from assistant import Call
from rig import Wrong, demand
from wiki import Place, words_in

ASK, FILE, SUMMARIZE, TITLE, RELATED = "/ai", "/ai-file", "/summarize", "/enhance-title", "/related"
UNSURE = "test:unsure"
BLOCKS = {"summary": "AI-SUMMARY", "terms": "AI-SEARCH-TERMS"}
COMMAND = re.compile(
    r"[ \xa0]{0,3}([/?]ai-file|/ai|/summarize|/enhance-title|/related)(?=\s|$)(.*)")


def word_of(command: str) -> str:
    return command.split(" ")[0]


def is_command(line: str) -> bool:
    found = COMMAND.fullmatch(line.rstrip())
    if not found:
        return False
    word, words = found[1], found[2].strip()
    return word in (FILE, "?ai-file") or bool(words) == (word == ASK)


def pieces_of(text: str) -> list[str]:
    """Paragraphs, and what stands between hard breaks in one; a list or a fence is one piece."""
    pieces = []
    text = re.sub(r"(?m)^\\$", "", text)  # an empty paragraph, where there are several
    for paragraph in re.split(r"\n{2,}", text):
        parts = [paragraph] if paragraph.startswith("```") else re.split(r"(?<!\\)\\n", paragraph)
        pieces += [part.strip(" ") for part in parts if part.strip(" \\")]
    return pieces


def block_pattern(mark: str) -> str:
    return rf"<!-- {mark}-START -->\n\n(.*?)\n\n<!-- {mark}-END -->"


def without_blocks(text: str) -> str:
    for mark in BLOCKS.values():
        text = re.sub(block_pattern(mark), "", text, flags=re.S)
    return text


@dataclass
class Sheet:
    """A document as a person wrote it."""
    title: str
    commands: list[str]
    text: str
    mark: str
    is_unsure: bool = False
    id: str = ""
    collection: str = ""
    parent: str = ""
    people: list[str] = field(default_factory=list)  # pieces, as the server gave them back
    kept: list[str] = field(default_factory=list)  # to be found in the text, letter for letter
    own_comments: set[str] = field(default_factory=set)  # of people, by id
    anchor: str = ""  # the words that they hang on

    def wanted_comments(self) -> int:
        return len(self.commands)


def a_mark() -> str:
    return f"sheet{secrets.token_hex(6)}"


def sheet_of(title: str, commands: list[str], mark: str = "", text: str = "",
             unsure: bool = False) -> Sheet:
    """With people's paragraphs around each command."""
    mark = mark or a_mark()
    first = f"This is {mark}, about the pump." + (f" {UNSURE}" if unsure else "")
    paragraphs = [first]
    for number, command in enumerate(commands):
        paragraphs += [command, f"Between, {number}: a person wrote this."]
    paragraphs.append(f"The end of {mark}.")
    return Sheet(title, commands, text or "\n\n".join(paragraphs), mark, unsure)


def create(place: Place, sheet: Sheet, **more: object) -> Sheet:
    made = place.create(sheet.title, sheet.text, **more)
    sheet.id, sheet.collection = made["id"], made["collectionId"]
    sheet.people = [each for each in pieces_of(made["text"]) if not is_command(each)]
    seen = [each for each in pieces_of(made["text"]) if is_command(each)]
    demand(len(seen) == len(sheet.commands), f"the server made this of it: {made['text']!r}")
    return sheet


def write(place: Place, sheet: Sheet, paragraph: str) -> None:
    """A person adds a paragraph, or a command."""
    place.append(sheet.id, paragraph)
    if is_command(paragraph):
        sheet.commands.append(paragraph)
    else:
        sheet.people.append(paragraph)


class Ending:
    """Of one document. Raises Wrong with all that is wrong with it."""

    def __init__(self, place: Place, sheet: Sheet):
        self.place, self.sheet = place, sheet
        self.document = place.wiki.document(sheet.id)
        self.text: str = self.document["text"]
        self.comments = [words_in(each["data"]) for each in place.wiki.comments(sheet.id)
                         if each["id"] not in sheet.own_comments]
        self.faults: list[str] = []
        self.effects: Counter[str] = Counter()

    def judge(self) -> "Ending":
        self._judge_people()
        self._judge_lines()
        self._judge_blocks()
        self._judge_comments()
        self._judge_place()
        self._judge_title()
        if self.faults:
            raise Wrong(f"WRONG END {self.sheet.title!r} {self.sheet.commands}: "
                        f"{'; '.join(self.faults)}\ntext {self.text!r}\ncomments {self.comments}")
        return self

    def _want(self, holds: bool, otherwise: str) -> None:
        if not holds:
            self.faults.append(otherwise)

    def _calls(self, kind: str) -> list[Call]:
        return self.place.assistant.calls_about(self.sheet.mark, kind)

    def _count(self, *words: str) -> int:
        return sum(word_of(command) in words for command in self.sheet.commands)

    def _judge_people(self) -> None:
        rest = [each for each in pieces_of(without_blocks(self.text)) if not is_command(each)]
        self._want(rest == self.sheet.people,
                   f"people wrote {self.sheet.people}, and there is {rest}")
        for words in self.sheet.kept:
            self._want(words in self.text, f"{words!r} is gone")
        for comment in self.sheet.own_comments:
            self._want(self.place.hangs(self.sheet.id, comment, self.sheet.anchor),
                       f"a person's comment hangs on {self.sheet.anchor!r} no longer")

    def _judge_lines(self) -> None:
        left = [each for each in pieces_of(self.text) if is_command(each)]
        asked = [f"?{command[1:]}" for command in self.sheet.commands if word_of(command) == FILE]
        self._want(left == (asked if self.sheet.is_unsure else []), f"commands are left: {left}")
        self.effects["lines removed"] += len(self.sheet.commands) - len(left)

    def _judge_blocks(self) -> None:
        files = 0 if self.sheet.is_unsure else self._count(FILE, "?ai-file")
        for name, kind, times in (("summary", assistant.SUMMARIZE, self._count(SUMMARIZE)),
                                  ("terms", assistant.FILE, files)):
            mark, wanted = BLOCKS[name], min(times, 1)
            found = re.findall(rf"(?:\A|\n\n){block_pattern(mark)}(?=\n\n|\Z)", self.text, re.S)
            self._want(len(found) == wanted, f"{len(found)} blocks {name}, not {wanted}")
            seen = len(re.findall(mark, self.text))
            self._want(seen == 2 * wanted, f"{seen} markers {mark}")
            if wanted and found:
                words = [call.word for call in self._calls(kind)]
                self._want(bool(words) and re.search(rf"\b{words[-1]}\b", found[0]) is not None,
                           f"{name} is {found[0]!r} and was {words[-1:]}")
            self.effects[name] += len(found)

    def _judge_comments(self) -> None:
        """Each command has one, and no other is there; what the assistant said stands in it."""
        wanted = self.sheet.wanted_comments()
        self._want(len(self.comments) == wanted, f"{len(self.comments)} comments, not {wanted}")
        doubles = [each for each, n in Counter(self.comments).items() if n > 1 and "quorl" in each]
        self._want(not doubles, f"comments twice: {doubles}")
        said = {assistant.ASK: self._count(ASK), assistant.FILE: self._count(FILE, "?ai-file")}
        if not self.place.guards:
            said[assistant.TITLE] = self._count(TITLE)
        for kind, times in said.items():
            words = {call.word for call in self._calls(kind)}
            holding = [each for each in self.comments if words & set(re.findall(r"quorl\d+", each))]
            self._want(len(holding) == times, f"{len(holding)} comments about {kind}, not {times}")
        self.effects["comments"] += len(self.comments)

    def _judge_place(self) -> None:
        is_filed = self._count(FILE, "?ai-file") and not self.sheet.is_unsure
        target = self.place.assistant.files_into
        wanted = target if is_filed else self.sheet.collection
        self._want(self.document["collectionId"] == wanted, "it is in the wrong collection")
        parent = "" if is_filed and target != self.sheet.collection else self.sheet.parent
        self._want((self.document.get("parentDocumentId") or "") == parent, "wrong parent")
        self.effects["moves"] += self.document["collectionId"] != self.sheet.collection

    def _judge_title(self) -> None:
        title = self.document["title"]
        if self.place.guards and self._count(TITLE):
            words = self._calls(assistant.TITLE)[-1:]
            self._want(bool(words) and title.endswith(words[0].word), f"its title is {title!r}")
        else:
            self._want(title == self.sheet.title, f"its title is {title!r}")
        self.effects["titles"] += title != self.sheet.title


def judged(place: Place, sheets: list[Sheet]) -> tuple[Counter[str], list[str]]:
    """The effects there are, and what is wrong."""
    effects: Counter[str] = Counter()
    wrong: list[str] = []
    for sheet in sheets:
        try:
            effects += Ending(place, sheet).judge().effects
        except Wrong as fault:
            wrong.append(str(fault))
    wrong += place.assistant.wrong
    return effects, wrong
