#!/usr/bin/env python3
"""Fails when a page (*.md) has a link that leads nowhere.

- A relative link names a file or a folder of the repository; behind a # stands a heading of that page,
  as GitHub names it, or a line (#L12) of a source file. Links to other hosts are not looked at. If its
  text is the name of a source file, it is the name of the file that it leads to.
- Every page below docs can be reached by links from docs/README.md.
- The code block behind a line <!-- text of PATH --> is text of that file, line for line.

usage: check_links.py [root]
"""
import os
import pathlib
import re
import sys
import urllib.parse

LEFT_OUT = {"build", "node_modules"}
FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
LINK = re.compile(r"\]\(\s*(<[^>]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+[\"'(][^)]*)?\)"
                  r"|^ {0,3}\[[^\]]+\]:\s+(<[^>]*>|\S+)")
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$")
NAMED = re.compile(r"<a\s+(?:id|name)=\"([^\"]+)\"")
SOURCE_LINK = re.compile(r"\[`?([\w./-]+\.(?:cc|h|py|sh|mjs|cmake))`?\]\(([^()\s#]+)(?:#\w+)?\)")
TEXT_OF = re.compile(r"^<!-- text of (\S+) -->$")


def pages_of(root):
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT and name[0] != ".")
        yield from (pathlib.Path(folder, name) for name in sorted(files) if name.endswith(".md"))


def prose_of(text):
    """Its lines with their numbers, without code blocks."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = FENCE.match(line)
        if fence is None and mark:
            fence = mark[1]
        elif fence is None:
            yield number, line
        elif mark and mark[1].startswith(fence) and line.strip() == mark[1]:
            fence = None


def anchor_of(heading):
    """What GitHub makes of a heading: its words in small letters with hyphens between."""
    heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    heading = re.sub(r"[^\w\- ]", "", heading.lower())
    return heading.replace(" ", "-")


def anchors_of(page, cache={}):
    if page not in cache:
        anchors, seen = set(), {}
        for _, line in prose_of(page.read_text()):
            anchors.update(NAMED.findall(line))
            if heading := HEADING.match(line):
                name = anchor_of(heading[1])
                again = seen[name] = seen.get(name, -1) + 1
                anchors.add(f"{name}-{again}" if again else name)
        cache[page] = anchors
    return cache[page]


def links_of(page):
    """Relative links of a page: line, as written, path, what is behind the #."""
    for number, line in prose_of(page.read_text()):
        for found in LINK.finditer(CODE_SPAN.sub(lambda span: "x" * len(span[0]), line)):
            written = (found[1] if found[1] is not None else found[2]).strip("<>")
            url = urllib.parse.urlsplit(written)
            if not url.scheme and not url.netloc:
                yield number, written, urllib.parse.unquote(url.path), urllib.parse.unquote(url.fragment)


def target_of(page, path):
    return pathlib.Path(os.path.normpath(page.parent / path)) if path else page


def wrong_with_link(root, page, path, fragment):
    if path.startswith("/"):
        return "is not relative"
    target = target_of(page, path)
    if not target.is_relative_to(root):
        return "leads out of the repository"
    if not target.exists():
        return "leads to nothing"
    if not fragment:
        return None
    if target.suffix == ".md":
        return None if fragment in anchors_of(target) else f"{target.name} has no such heading"
    line = re.fullmatch(r"L([0-9]+)", fragment)
    if not line or not target.is_file() or int(line[1]) > len(target.read_text().splitlines()):
        return "leads to no line"
    return None


def misnamed(page):
    """Links whose text is the name of another source file than the one they lead to."""
    for number, line in prose_of(page.read_text()):
        for text, path in SOURCE_LINK.findall(line):
            if not f"/{path}".endswith(f"/{text}"):
                yield f"{number}: {text}: leads to {path}"


def wrong_with_texts(root, page):
    """Code blocks that say where they are from, and are not."""
    lines = page.read_text().splitlines()
    for number, line in enumerate(lines):
        if not (source := TEXT_OF.match(line)):
            continue
        block = re.match(r"```\w*\n(.*?\n)```(?:\n|$)", "\n".join(lines[number + 1:]), re.S)
        file = root / source[1]
        if not block:
            yield f"{number + 1}: no code block follows"
        elif not file.is_file():
            yield f"{number + 1}: there is no file {source[1]}"
        elif "\n" + block[1] not in "\n" + file.read_text():
            yield f"{number + 1}: the block is not text of {source[1]}"


def unreached(root, pages):
    """Pages below docs that no way of links leads to."""
    start = root / "docs/README.md"
    if not start.is_file():
        return
    reached, left = {start}, [start]
    while left:
        page = left.pop()
        targets = {target_of(page, path) for _, _, path, _ in links_of(page) if not path.startswith("/")}
        new = {target / "README.md" if target.is_dir() else target for target in targets} - reached
        reached |= new
        left += [target for target in new if target.suffix == ".md" and target.is_file()]
    for page in pages:
        if page.is_relative_to(root / "docs") and page not in reached:
            yield f"{page.relative_to(root)}: no way leads to it from docs/README.md"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__ + "/../..").resolve()
    pages, count, bad = list(pages_of(root)), 0, []
    for page in pages:
        name = page.relative_to(root)
        for number, written, path, fragment in links_of(page):
            count += 1
            if wrong := wrong_with_link(root, page, path, fragment):
                bad.append(f"{name}:{number}: {written}: {wrong}")
        bad += [f"{name}:{wrong}" for wrong in (*misnamed(page), *wrong_with_texts(root, page))]
    bad += unreached(root, pages)
    if not pages:
        bad.append("no pages")
    print("\n".join(bad) or f"links: {count} in {len(pages)} pages")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
