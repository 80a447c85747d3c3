"""Truth: documents with commands, what has to happen to each of them, and a judge of what did.

Every effect is looked up in the stub's journal: a change of a text is taken apart into what it
changed (a block, the line of a command, the title), and each of these, each move and each comment
must be there exactly as often as the commands of the document ask for. What people wrote must still
be there, in their order.
"""
import random
import re
from collections import Counter
from dataclasses import dataclass, field

from docs_rig import COLLECTIONS, Stub, a_uuid
from rig import demand

WORDS = ("river mill stone wheel flour sluice tide grain miller sack barley weir oak beam gear "
         "cog hopper bran sieve").split()
FILE, SUMMARIZE, TITLE, RELATED = "/ai-file", "/summarize", "/enhance-title", "/related"
NOTICE = "This could not be done: "
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

    def is_lost(self) -> bool:
        """Nobody can do what it asks for."""
        return self.kind in ("nonsense", "broken")

    def wanted(self) -> Counter[str]:
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
            elif command == TITLE:
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
        return " ".join(dice.choices(WORDS, k=dice.randint(3, 12))).capitalize() + "."

    commands = commands_of(kind, number, dice)
    its_id = a_uuid(f"paper {number}")  # in the text: the stub's assistant knows which one it is
    lines = [f"Paper {number}, {its_id}.", *(sentence() for _ in range(dice.randint(1, 4)))]
    if kind in STEERS:
        lines.insert(1, STEERS[kind])
    if kind == "fenced":
        lines[1:1] = ["```", FILE, "```"]
    for command in commands:
        lines.insert(dice.randint(1 if kind in STEERS else 0, len(lines)), command)
    text = dice.choice(("\n\n", "\n")).join(lines) + dice.choice(("", "\n"))
    if kind == "fenced":
        text = "\n".join(lines) + "\n"
    return Paper(its_id, kind, f"Paper {number} on {dice.choice(WORDS)}", text,
                 a_uuid(dice.choice(COLLECTIONS)), commands)


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
    found = re.search(rf"^<!-- {mark}-START -->$(.*?)^<!-- {mark}-END -->$", text, re.M | re.S)
    return found[1] if found else None


def without_blocks(text: str) -> str:
    for mark in BLOCKS.values():
        text = re.sub(rf"^<!-- {mark}-START -->$.*?^<!-- {mark}-END -->$", "", text,
                      flags=re.M | re.S)
    return text


def parts_of(row: dict, commands: list[str]) -> list[str]:
    """What an effect in the journal consists of."""
    if row["effect"] == "comment":
        return ["notice" if row["text_after"].startswith(NOTICE) else "comment"]
    if row["effect"] != "update":
        return [row["effect"]]
    parts = ["title"] if "title_before" in row else []
    before, after = row.get("text_before", ""), row.get("text_after", "")
    parts += [name for name in BLOCKS if block_of(before, name) != block_of(after, name)]
    lines_before, lines_after = before.splitlines(), after.splitlines()
    for command in commands:
        if command in lines_before and command not in lines_after:
            is_asked_back = "?" + command[1:] in lines_after
            parts.append(f"asked back {command}" if is_asked_back else f"removed {command}")
    return parts or ["nothing"]


class Judge:
    """Of what the stub has seen."""

    def __init__(self, stub: Stub, all_papers: list[Paper]):
        self.papers = {each.id: each for each in all_papers}
        self.state = stub.documents()
        self.rows = stub.journal()
        self.human_lines = 0
        self.effects: Counter[str] = Counter()

    def judge(self) -> None:
        by_document: dict[str, list[dict]] = {each: [] for each in self.papers}
        for row in self.rows:
            by_document[row["document"]].append(row)
        for each in self.papers.values():
            self._judge_effects(each, by_document[each.id])
            self._judge_text(each, by_document[each.id])

    def _judge_effects(self, its: Paper, rows: list[dict]) -> None:
        seen: Counter[str] = Counter()
        for row in rows:
            if row["by"] != "client":
                continue
            demand(not row["overwrote"], f"LOST EDIT: {its.id} ({its.kind}) was overwritten: {row}")
            seen.update(parts_of(row, its.commands))
        doubles, missing = seen - its.wanted(), its.wanted() - seen
        demand(not doubles, f"DOUBLE: {its.id} ({its.kind}) {dict(doubles)} too often: {rows}")
        demand(not missing, f"MISSING: {its.id} ({its.kind}) {dict(missing)}: {rows}")
        self.effects += Counter({name.split(" /")[0]: n for name, n in seen.items()})

    def _judge_text(self, its: Paper, rows: list[dict]) -> None:
        human = []
        for row in rows:
            if row["by"] == "human" and row["effect"] == "update":
                added = row["text_after"].removeprefix(row["text_before"])
                demand(added != row["text_after"], f"the stub's human did not append: {row}")
                human += [line for line in added.splitlines() if line]
        self.human_lines += len(human)
        final = self.state[its.id]["text"]
        left_over = [line for line in its.commands if line in final.splitlines()]
        demand(left_over == (its.commands if its.is_lost() else []),
               f"{its.id} ({its.kind}): commands are left: {left_over}")
        wanted = [line for line in its.text.splitlines() if line and line not in its.commands]
        ours = set(its.commands) | {"?" + line[1:] for line in its.commands}
        kept = [line for line in without_blocks(final).splitlines() if line and line not in ours]
        demand(kept == wanted + human, f"LOST EDIT: {its.id} ({its.kind}): the text has\n{kept}\n"
               f"instead of\n{wanted + human}")
