"""Truth: documents with commands, what has to happen to each of them, and a judge of what did.

Every effect is looked up in the stub's journal: a change of a text is taken apart into what it
changed (a block, the line of a command, the title), and each of these, each move and each comment
must be there exactly as often as the commands of the document ask for. What people wrote must still
be there, in their order, with the empty paragraphs between and the comments that hang on it.

What a document says is what the server gives back for it, never what was sent: see stub/README.md.
"""
import random
import re
from collections import Counter
from dataclasses import dataclass, field

from docs_rig import COLLECTIONS, Stub, a_uuid
from rig import demand

WORDS = ("river mill stone wheel flour sluice tide grain miller sack barley weir oak beam gear "
         "cog hopper bran sieve").split()
# What a server writes in another way than it was given, or would if it read it once more.
MARKS = ("2 * 3", "\\_so_", "**bold**", "a*b", "`code`", "[a] link", "1/2", "<b>")
FILE, SUMMARIZE, TITLE, RELATED = "/ai-file", "/summarize", "/enhance-title", "/related"
NOTICE = "This command failed: "
PARAGRAPH, EMPTY, HARD_BREAK = "\n\n", "\n\n\\\n\n", "\\\n"  # between two lines, as they are sent
BLOCKS = {"summary": "AI-SUMMARY", "terms": "AI-SEARCH-TERMS"}
# Of twenty documents and of two hundred.
COMMON = (*["file"] * 4, *["guided"] * 3, *["summarize"] * 3, "title", "title", "related", "ask",
          "ask", "file and summarize", "title and related", "unsure", "malformed", "limited")
RARE = ("plain", "fenced", "nonsense", "broken")
STEERS = {"unsure": "stub:unsure", "malformed": "stub:malformed", "limited": "stub:429",
          "nonsense": "stub:nonsense", "broken": "stub:500"}


@dataclass
class Paper:
    """A document as it was seeded."""
    id: str
    kind: str
    title: str
    text: str
    collection: str
    commands: list[str] = field(default_factory=list)
    anchored: str = ""  # words of a paragraph on which a person's comment hangs

    def is_lost(self) -> bool:
        """Nobody can do what it asks for."""
        return self.kind in ("nonsense", "broken")

    def wanted(self, guarded: bool) -> Counter[str]:
        """guarded: the server keeps to lastRevision; without that a title is only proposed."""
        effects: Counter[str] = Counter()
        if self.is_lost():
            return Counter(notice=1)
        for command in self.commands:
            effects["comment"] += 1
            if self.kind == "unsure":
                effects[f"asked back {command}"] += 1
                continue
            effects[f"removed {command}"] += 1
            if command.startswith(FILE):
                effects.update(("terms", "move"))
            elif command == SUMMARIZE:
                effects["summary"] += 1
            elif command == TITLE and guarded:
                effects["title"] += 1
        return effects

    def seed(self) -> dict:
        return {"id": self.id, "title": self.title, "text": self.text,
                "collectionId": self.collection}


def commands_of(kind: str, number: int, dice: random.Random) -> list[str]:
    match kind:
        case "guided":
            return [f"{FILE} where the {dice.choice(WORDS)} of {number} is"]
        case "summarize" | "broken":
            return [SUMMARIZE]
        case "title":
            return [TITLE]
        case "related":
            return [RELATED]
        case "ask":  # only those have a lantern, and no word that steers the stub
            return [f"/ai Which lantern has quorl{number}?"]
        case "file and summarize":
            return [SUMMARIZE, FILE]
        case "title and related":
            return [TITLE, RELATED]
        case "plain" | "fenced":
            return []
        case _:
            return [FILE]


def paper(number: int, kind: str, dice: random.Random) -> Paper:
    def sentence() -> str:
        words = dice.choices(WORDS, k=dice.randint(3, 12))
        if dice.random() < 0.2:
            words.insert(2, dice.choice(MARKS))
        return " ".join(words).capitalize() + "."

    commands = commands_of(kind, number, dice)
    its_id = a_uuid(f"paper {number}")  # in the text: the stub's assistant knows which one it is
    lines = [f"Paper {number}, {its_id}.", *(sentence() for _ in range(dice.randint(1, 4)))]
    anchored = lines[0]
    if kind in STEERS:
        lines.insert(1, STEERS[kind])
    if kind == "fenced":
        lines[1:1] = [f"```\n{FILE}\n```"]
    for command in commands:
        lines.insert(dice.randint(1 if kind in STEERS else 0, len(lines)), command)
    text = lines[0]
    for before, line in zip(lines, lines[1:]):
        # A fence stands alone; everything else may be a new line of the same paragraph.
        may_join = "```" not in before + line and line not in STEERS.values()
        text += dice.choice((PARAGRAPH, PARAGRAPH, EMPTY, HARD_BREAK if may_join else EMPTY)) + line
    return Paper(its_id, kind, f"Paper {number} on {dice.choice(WORDS)}",
                 text + dice.choice(("", "\n")), a_uuid(dice.choice(COLLECTIONS)), commands,
                 anchored)


def papers(count: int, dice: random.Random) -> list[Paper]:
    """All kinds, and few that are lost."""
    kinds = [COMMON[i % len(COMMON)] for i in range(count)]
    for i in range(0, count, 25):
        for j, kind in enumerate(RARE[: max(1, count - i)]):
            kinds[(i + 7 * j + j) % count] = kind
    dice.shuffle(kinds)
    return [paper(number, kind, dice) for number, kind in enumerate(kinds, 1)]


def block_of(text: str, name: str) -> str | None:
    mark = BLOCKS[name]
    found = re.search(rf"^<!-- {mark}-START -->\n\n(.*?)\n\n<!-- {mark}-END -->$", text, re.M | re.S)
    return found[1] if found else None


def without_blocks(text: str) -> str:
    for mark in BLOCKS.values():
        text = re.sub(rf"^<!-- {mark}-START -->$.*?^<!-- {mark}-END -->$", "", text,
                      flags=re.M | re.S)
    return text


def lines_of(text: str) -> list[str]:
    """Those with words. A hard break is a backslash and an n in what the server gives, and the
    second of two empty paragraphs a line with a backslash."""
    return [line.strip() for line in re.split(r"\n|(?<!\\)\\n", text) if line.strip(" \\")]


def parts_of(row: dict, commands: list[str]) -> list[str]:
    """What an effect in the journal consists of."""
    if row["effect"] == "comment":
        return ["notice" if row["text_after"].startswith(NOTICE) else "comment"]
    if row["effect"] != "update":
        return [row["effect"]]
    parts = ["title"] if "title_before" in row else []
    before, after = row.get("text_before", ""), row.get("text_after", "")
    parts += [name for name in BLOCKS if block_of(before, name) != block_of(after, name)]
    lines_before, lines_after = lines_of(before), lines_of(after)
    for command in commands:
        if command in lines_before and command not in lines_after:
            is_asked_back = "?" + command[1:] in lines_after
            parts.append(f"asked back {command}" if is_asked_back else f"removed {command}")
    return parts or ["nothing"]


class Judge:
    """Gives the papers to the stub, remembers what the server made of them, and judges in the end
    what happened to them."""

    def __init__(self, stub: Stub, all_papers: list[Paper]):
        self.stub = stub
        self.papers = {each.id: each for each in all_papers}
        stub.seed([each.seed() for each in all_papers])
        for each in all_papers:
            stub.tell("anchor", id=each.id, text=each.anchored)
        self.seeded = stub.documents()
        self.state: dict[str, dict] = {}
        self.human_lines = 0
        self.effects: Counter[str] = Counter()

    def judge(self) -> None:
        self.state = self.stub.documents()
        by_document: dict[str, list[dict]] = {each: [] for each in self.papers}
        for row in self.stub.journal():
            by_document[row["document"]].append(row)
        for each in self.papers.values():
            self._judge_effects(each, by_document[each.id])
            self._judge_text(each, by_document[each.id])
            self._judge_anchors(each)

    def _judge_effects(self, its: Paper, rows: list[dict]) -> None:
        seen: Counter[str] = Counter()
        for row in rows:
            if row["by"] != "client":
                continue
            demand(not row["overwrote"], f"LOST EDIT: {its.id} ({its.kind}) was overwritten: {row}")
            demand(not row.get("empties_lost"), f"LOST EDIT: {its.id}: an empty paragraph: {row}")
            seen.update(parts_of(row, its.commands))
        wanted = its.wanted(self.stub.is_guarded)
        doubles, missing = seen - wanted, wanted - seen
        demand(not doubles, f"DOUBLE: {its.id} ({its.kind}) {dict(doubles)} too often: {rows}")
        demand(not missing, f"MISSING: {its.id} ({its.kind}) {dict(missing)}: {rows}")
        self.effects += Counter({name.split(" /")[0]: n for name, n in seen.items()})

    def _judge_text(self, its: Paper, rows: list[dict]) -> None:
        human = []
        for row in rows:
            if row["by"] == "human" and row["effect"] == "update":
                added = row["text_after"].removeprefix(row["text_before"])
                demand(added != row["text_after"], f"the stub's human did not append: {row}")
                human += lines_of(added)
        self.human_lines += len(human)
        final = self.state[its.id]["text"]
        for name, mark in BLOCKS.items():
            markers = len(re.findall(rf"<!-- {mark}-(?:START|END) -->", final))
            demand(markers == (2 if block_of(final, name) is not None else 0),
                   f"DOUBLE: {its.id} ({its.kind}): {markers} markers of the {name}: {final}")
        left_over = [line for line in its.commands if line in lines_of(final)]
        demand(left_over == (its.commands if its.is_lost() else []),
               f"{its.id} ({its.kind}): commands are left: {left_over}")
        ours = set(its.commands) | {"?" + line[1:] for line in its.commands}
        wanted = [line for line in lines_of(self.seeded[its.id]["text"]) if line not in ours]
        kept = [line for line in lines_of(without_blocks(final)) if line not in ours]
        demand(kept == wanted + human, f"LOST EDIT: {its.id} ({its.kind}): the text has\n{kept}\n"
               f"instead of\n{wanted + human}")

    def _judge_anchors(self, its: Paper) -> None:
        before, now = self.seeded[its.id]["anchors"], self.state[its.id]["anchors"]
        demand(now == before, f"LOST EDIT: {its.id} ({its.kind}): the comments of people hang on "
               f"{now} instead of {before}")
