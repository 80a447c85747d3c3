"""What the checkers share: C++ text without what only looks like code."""
import re

_NOT_CODE = re.compile(
    r"//[^\n]*"
    r"|/\*.*?\*/"
    r'|R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])*'",  # not the ' of 1'000
    re.S,
)


def code_of(text):
    """The text with comments and literals blanked; every line keeps its number."""
    return _NOT_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1
