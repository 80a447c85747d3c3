"""Random edits of the markup of real books: something deleted, doubled, moved, renamed, added. See grids.py."""
import csv
import os
import re
import zipfile

import markup_cases

LARGEST_BOOK = 200_000
LARGEST_DOCUMENT = 60_000
MARKUP = (".xhtml", ".html", ".svg", ".ncx", ".smil")
TAG = re.compile(r"<(/?)([A-Za-z][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*)\s*(/?)>")
ATTRIBUTE = re.compile(r"\s+([\w:.-]+)\s*=\s*(?:\"[^\"]*\"|'[^']*')")
VALUES = ["", "x", "a b", "#x", "1", "-1", "é"]
ELEMENTS = [*markup_cases.ELEMENTS, *markup_cases.ODD, "h2", "navPoint", "text", "par", "seq", "g", "circle"]


def valid_of_corpus(corpus):
    labels = os.path.join(corpus, "epub", "labels-pub.tsv")
    if not os.path.exists(labels):
        return []
    with open(labels, newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        names = [row["file"] for row in rows if row["verdict"] == "valid" and row["profile"] in ("", "default")]
    return [os.path.join(corpus, "epub", "pub", name) for name in names]


def entries_of(path):
    """Name -> bytes; of a book that Python can read and that names no entry twice."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if len(set(names)) == len(names):
                return {name: archive.read(name) for name in names if not name.endswith("/")}
    except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError):
        pass
    return {}


def sources(folders, corpus):
    """(path, entries, names of the documents that can be edited) of each book."""
    paths = valid_of_corpus(corpus)
    for folder in folders:
        paths += sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".epub"))
    found = []
    for path in paths:
        if os.path.getsize(path) > LARGEST_BOOK:
            continue
        entries = entries_of(path)
        documents = [name for name, data in entries.items() if name.endswith(MARKUP) and len(data) < LARGEST_DOCUMENT]
        if documents:
            found.append((path, entries, documents))
    return found


def whole(text, tag):
    """Begin and end of the element; none: it has no end, or this is one."""
    if tag[1]:
        return None
    depth = 0
    for one in TAG.finditer(text, tag.start()):
        depth += (-1 if one[1] else 1) if not one[4] else 0
        if depth == 0:
            return tag.start(), one.end()
    return None


def edit_attributes(dice, text, tag):
    if tag[1]:
        return None
    held = list(ATTRIBUTE.finditer(text, tag.start(3), tag.end(3)))
    kind = dice.choice(["add", "add", "drop", "change"])
    if kind == "add":
        name = dice.choice([*markup_cases.VALUES, *("aria-" + state for state in markup_cases.STATES), "role"])
        prefix = name.split(":")[0] if ":" in name else ""
        if name in (one[1] for one in held) or (prefix == "epub" and "xmlns:epub" not in text):
            return None
        values = markup_cases.STATES.get(name.removeprefix("aria-"), markup_cases.ROLES)
        value = dice.choice(markup_cases.VALUES.get(name, values))
        return f"add {name} to {tag[2]}", text[: tag.end(2)] + f' {name}="{value}"' + text[tag.end(2) :]
    held = [one for one in held if not one[1].startswith("xmlns")]
    if not held:
        return None
    one = dice.choice(held)
    new = f' {one[1]}="{dice.choice(VALUES)}"' if kind == "change" else ""
    return f"{kind} {one[1]} of {tag[2]}", text[: one.start()] + new + text[one.end() :]


def edit_element(dice, text, tags, tag):
    place = whole(text, tag)
    if not place:
        return None
    before, element, after = text[: place[0]], text[place[0] : place[1]], text[place[1] :]
    kind = dice.choice(["delete", "double", "rename", "wrap", "move"])
    if kind == "delete":
        return f"delete {tag[2]}", before + after
    if kind == "double":
        return f"double {tag[2]}", before + element + element + after
    if kind == "move":
        to = dice.choice(tags).end()
        if place[0] <= to <= place[1]:
            return None
        moved = text[:to] + element + text[to:]
        begin = place[0] + (len(element) if to <= place[0] else 0)
        return f"move {tag[2]}", moved[:begin] + moved[begin + len(element) :]
    name = dice.choice(ELEMENTS)
    if kind == "wrap":
        return f"wrap {tag[2]} in {name}", f"{before}<{name}>{element}</{name}>{after}"
    renamed = f"<{name}" + element[1 + len(tag[2]) :]
    if not tag[4]:
        renamed = renamed[: renamed.rindex("</")] + f"</{name}>"
    return f"rename {tag[2]} to {name}", before + renamed + after


def edited(dice, text):
    """What was done, and the text; none: it could not be done."""
    tags = list(TAG.finditer(text))
    if not tags:
        return None
    tag = dice.choice(tags)
    kind = dice.choice(["attributes", "attributes", "element", "element", "insert", "text", "tag"])
    if kind == "attributes":
        return edit_attributes(dice, text, tag)
    if kind == "element":
        return edit_element(dice, text, tags, tag)
    if kind == "tag":
        return f"cut {tag[0][:20]}", text[: tag.start()] + text[tag.end() :]
    name = dice.choice(ELEMENTS)
    new = "loose text" if kind == "text" else f"<{name}>x</{name}>"
    return f"insert {new[:12]} after {tag[1]}{tag[2]}", text[: tag.end()] + new + text[tag.end() :]


def case(dice, books, is_clean):
    """Of a book in which nothing is found; otherwise an edit might change nothing."""
    while True:
        path, entries, documents = dice.choice(books)
        if not is_clean(path):
            continue
        name = dice.choice(documents)
        try:
            done = edited(dice, entries[name].decode("utf-8"))
        except UnicodeDecodeError:
            continue
        if done:
            return f"{done[0]} {os.path.basename(name)} {os.path.basename(path)[:30]}", entries | {name: done[1].encode()}
