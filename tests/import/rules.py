"""What a line of JSON becomes, by the rules of docs/guide/import.md, written a second time.

Nothing of the program's code is used here: Python's json reads the lines, and these functions say
which rows they are. A record becomes a list of rows (plain values), and Tables gives them columns in
the order in which they come. check_rows.py compares the outcome with a database.
"""

import decimal
import json
import re

DEEPEST = 1000  # levels of objects and lists, the record itself among them
FLATTENED = 32  # levels of objects that become columns
MOST_COLUMNS = 2000
MOST_CHILDREN = 1000  # tables for lists
KEPT_TEXT = 1 << 20  # bytes of a refused line
LANGUAGE = re.compile(r"(de|en|es|fr|it|ja|ko|pt|ru|zh)(-..)?")

# What a value is. The order is that of widening.
NULL, BOOL, INTEGER, WIDE, REAL, EXACT, STRING, JSON = (1 << bit for bit in range(8))

_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII).fullmatch
_BLANK = re.compile(r"[ \t\r\n]*").match
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]").search
_CONTROL = re.compile(rb"[\x00-\x1f]").search
_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"?|[\[{]|[\]}]', re.DOTALL).finditer


def _no_constant(text):
    raise ValueError(text)  # NaN, Infinity: Python reads them, JSON has none


# Numbers stay the text they were: what begins with no quote is one.
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=_no_constant)
_scan = _DECODER.scan_once
_scan_string = json.decoder.scanstring


class Refused(Exception):
    """The line is no row. `reasons`: every reason that may be given for it."""

    def __init__(self, *reasons):
        super().__init__(*reasons)
        self.reasons = set(reasons)


class Options:
    def __init__(self, nested="json", languages=(), table=None, types=None, key=None, has_key=True,
                 max_line=512 << 20, indices=()):
        self.nested, self.languages, self.table = nested, tuple(languages), table
        self.types = {name: type.upper() for name, type in (types or {}).items()}
        self.key, self.has_key, self.max_line = key, has_key, max_line
        self.indices = tuple(indices)

    @property
    def key_name(self):
        return (self.key or "_key") if self.has_key else None


# JSON, with the place of every value in the text.

def members(text, at, found=None):
    """Of the object that begins at `at`: (name, value, begin, end) of each, and its end."""
    found = [] if found is None else found
    at = _BLANK(text, at + 1).end()
    if text[at] == "}":
        return found, at + 1
    while True:
        if text[at] != '"':
            raise ValueError("a name is missing")
        name, at = _scan_string(text, at + 1, True)
        at = _BLANK(text, at).end()
        if text[at] != ":":
            raise ValueError("a colon is missing")
        begin = _BLANK(text, at + 1).end()
        found.append((name, None, begin, begin))
        value, end = _scan(text, begin)
        found[-1] = (name, value, begin, end)
        at = _BLANK(text, end).end()
        if text[at] == "}":
            return found, at + 1
        if text[at] != ",":
            raise ValueError("a comma is missing")
        at = _BLANK(text, at + 1).end()


def elements(text, at):
    """Of the list that begins at `at`: (value, begin, end) of each. It is known to be well formed."""
    found = []
    at = _BLANK(text, at + 1).end()
    while text[at] != "]":
        value, end = _scan(text, at)
        found.append((value, at, end))
        at = _BLANK(text, end).end()
        if text[at] == ",":
            at = _BLANK(text, at + 1).end()
    return found


def depth_of(line):
    """Levels of objects and lists; brackets inside of strings do not count."""
    depth = deepest = 0
    for token in _TOKENS(line):
        first = token[0][:1]
        if first in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif first != b'"':
            depth -= 1
    return deepest


def has_lone_surrogate(value):
    if isinstance(value, str):
        return any("\ud800" <= letter <= "\udfff" for letter in value)
    if isinstance(value, dict):
        return any(has_lone_surrogate(part) for pair in value.items() for part in pair)
    return isinstance(value, list) and any(has_lone_surrogate(part) for part in value)


def record_of(line, is_cut=False, types=None):
    """The text and the members of the record in a line that is not blank, or Refused."""
    reasons = {"cut"} if is_cut else set()
    may_be = {"control"} if _CONTROL(line) else set()  # or white space between the tokens
    may_be |= {"types"} if types else set()
    if line.count(b"[") + line.count(b"{") > DEEPEST and depth_of(line) > DEEPEST:
        raise Refused("deep", *reasons, *may_be)
    try:
        text = line.decode()
    except UnicodeDecodeError:
        reasons.add("utf8")
        text = line.decode(errors="replace")  # it may have other flaws
    begin, record = _BLANK(text).end(), []
    try:
        if text[begin] == "{":
            _, end = members(text, begin, record)
        else:
            value, end = _scan(text, begin)
            record.append(("", value, begin, end))
            reasons.add("not_object")
        is_json = _BLANK(text, end).end() == len(text)  # else: a second value, or rubbish
    except (ValueError, StopIteration, IndexError):
        is_json = False
    if not is_json:
        # Whoever stops at the first flaw may meet another one first.
        reasons |= {"malformed", "trailing"} | ({"surrogate"} if _SURROGATE(text) else set())
        reasons |= {"twice"} if may_be_twice(text) else set()
    # A line may have several flaws, and each of them is a reason; one is enough.
    if _SURROGATE(text) and any(has_lone_surrogate(part) for part in record_parts(record)):
        reasons.add("surrogate")
    if has_twice(record):
        reasons.add("twice")
    if reasons - ({"cut"} if is_cut else set()):
        raise Refused(*reasons, *may_be)
    return text, record


def may_be_twice(text):
    """Whether some name occurs twice, anywhere: good enough for a line that is no JSON."""
    names = re.findall(r'"((?:[^"\\]|\\.)*)"\s*:', text)
    return len(set(names)) != len(names) or "\\" in text


def record_parts(record):
    return [part for name, value, _, _ in record for part in (name, value)]


def has_twice(record):
    return len({member[0] for member in record}) != len(record)


def refuse_twice(record):
    if has_twice(record):
        raise Refused("twice")


# Values.

def number_of(text):
    """What a number is, and the number."""
    if text.isdecimal() or text[0] == "-" and text[1:].isdecimal():
        number = int(text) if len(text) <= 20 else 1 << 64
        if -(1 << 63) <= number < 1 << 63:
            return (INTEGER if abs(number) <= 1 << 53 or is_double(number) else WIDE), number
        return EXACT, text
    number = float(text)
    if repr(number) == text or is_same_decimal(text, number):
        return REAL, number + 0.0  # the sign of zero is lost
    return EXACT, text


def is_double(number):
    return int(float(number)) == number


def is_same_decimal(text, number):
    """Whether the shortest decimal for the double is the number that stands there."""
    if number in (float("inf"), float("-inf")):
        return False
    try:
        return decimal.Decimal(text) == decimal.Decimal(repr(number))
    except decimal.InvalidOperation:  # an exponent beyond all bounds
        return False


def value_of(text, value, begin, end):
    first = text[begin]
    if first == '"':
        return STRING, value
    if first in "{[":
        return JSON, text[begin:end]
    if first in "tf":
        return BOOL, int(value)
    if first == "n":
        return NULL, None
    return number_of(value)


def type_of(seen):
    """The declared type that keeps all that was seen."""
    if seen & (EXACT | STRING | JSON):
        return "TEXT"
    if seen & REAL:
        return "TEXT" if seen & WIDE else "REAL"
    return "INTEGER" if seen & (BOOL | INTEGER | WIDE) else ""


def text_of(number):
    """The one text of a number: the fewest digits, and no exponent from 1e-5 up to 1e16."""
    text = repr(number)
    if "e" in text and 1e-5 <= abs(number) < 1e16:
        return format(decimal.Decimal(text), "f")
    return text


def stored(seen, value, type):
    """How a value lies in a column of that type."""
    if seen == NULL:
        return None
    if type == "TEXT":
        return value if seen & (EXACT | STRING | JSON) else text_of(value)
    if type == "REAL" and seen & (BOOL | INTEGER | WIDE | REAL):
        return float(value)
    return value


def fitted(type, seen, value):
    """The value as a column of a type that --types chose holds it; a string may be a number."""
    if seen == STRING and type != "TEXT" and _NUMBER(value):
        seen, value = number_of(value)
    if seen == REAL and type == "INTEGER" and value.is_integer() and abs(value) < 1 << 63:
        seen, value = INTEGER, int(value)
    kept = {"INTEGER": NULL | BOOL | INTEGER | WIDE, "REAL": NULL | BOOL | INTEGER | REAL}
    if type != "TEXT" and not seen & kept[type]:
        raise Refused("types")
    return seen, value


# A record as rows. A row: the table's path (the lists that lead to it), its positions in these lists,
# and its values, each with the path of its field. Own columns have a number in their path.

VALUE = ("value",)


class Rows:
    """`lists`: those of the whole import that have a table; `root`: the table of the file."""

    def __init__(self, text, options, lists, root):
        self.text, self.options = text, options
        self.lists, self.root = lists, root
        self.rows, self.new_lists = [], set()

    def add(self, table, positions, record):
        values = []
        self.rows.append((table, positions, values))
        self.fill(table, positions, values, (), record)

    def fill(self, table, positions, values, prefix, record):
        for name, value, begin, end in record:
            self.place(table, positions, values, (*prefix, name), value, begin, end)

    def place(self, table, positions, values, path, value, begin, end):
        first, nested = self.text[begin], self.options.nested
        if first == "{" and value:
            if self.is_in_languages(value):
                return self.fill(table, positions, values, path, self.wanted(begin))
            if nested != "json" and len(path) <= FLATTENED:
                return self.fill(table, positions, values, path, self.inner(begin))
        if first == "[" and nested == "tables" and (not value or self.has_table((*table, path))):
            return self.children((*table, path), positions, begin)
        self.keep(values, path, *value_of(self.text, value, begin, end))

    def is_in_languages(self, value):
        return self.options.languages and all(LANGUAGE.fullmatch(name) for name in value)

    def wanted(self, begin):
        """Of an object with texts in several languages those that were asked for."""
        record = [part for part in members(self.text, begin)[0] if part[0] in self.options.languages]
        refuse_twice(record)
        return record

    def refuse_twice_below(self, record, depth=0):
        """Where a record is taken apart into tables, no object in it may have a field twice."""
        for _, value, begin, _ in record:
            if self.text[begin] == "{" and value and self.is_in_languages(value):
                self.refuse_twice_below(self.wanted(begin), depth + 1)
            elif self.text[begin] == "{" and value and depth < FLATTENED:
                self.refuse_twice_below(self.inner(begin), depth + 1)
            elif self.text[begin] == "[":
                for _, start, _ in elements(self.text, begin):
                    if self.text[start] == "{":
                        self.refuse_twice_below(self.inner(start))

    def has_table(self, path):
        """Whether there is one for the list, or still may be."""
        known = (self.root, path)
        if known in self.lists or known in self.new_lists:
            return True
        if len(self.lists) + len(self.new_lists) >= MOST_CHILDREN:
            return False
        self.new_lists.add(known)
        return True

    def inner(self, begin):
        record, _ = members(self.text, begin)
        refuse_twice(record)
        return record

    def keep(self, values, path, seen, value):
        if self.options.types and (type := self.options.types.get(column_name(path))):
            seen, value = fitted(type, seen, value)
        values.append((path, seen, value))

    def children(self, table, positions, begin):
        for position, (value, start, end) in enumerate(elements(self.text, begin)):
            if self.text[start] == "{":
                self.add(table, (*positions, position), self.inner(start))
            else:
                values = []
                self.rows.append((table, (*positions, position), values))
                self.keep(values, VALUE, *value_of(self.text, value, start, end))


def rows_of(line, options, is_cut, lists, root):
    """The rows of a line that is not blank, the record's own first; or Refused."""
    text, record = record_of(line, is_cut, options.types)
    rows = Rows(text, options, lists, root)
    if options.nested == "tables":
        rows.refuse_twice_below(record)
    rows.add((), (), record)
    lists |= rows.new_lists  # a line that is refused leaves nothing behind
    return rows.rows


# Tables and their columns.

def fold(name):
    """Names that SQLite holds for the same: only ASCII letters have a case."""
    if name.isascii():
        return name.lower()
    return "".join(letter.lower() if letter.isascii() else letter for letter in name)


class Names:
    """Every name once, whatever the case."""

    def __init__(self, *taken):
        self.taken = {fold(name) for name in taken}

    def take(self, name):
        unique, number = name, 1
        while fold(unique) in self.taken:
            number += 1
            unique = f"{name}_{number}"
        self.taken.add(fold(unique))
        return unique


def column_name(path):
    if path[0] == 0:
        return path[1]
    return "_".join(path).replace("\0", "\\0") or "_empty"


def path_text(path):
    """How a field without a column is called."""
    return ".".join(path)


class Column:
    def __init__(self, name, forced, is_ours):
        self.name, self.forced, self.is_ours = name, forced, is_ours
        self.seen = 0
        self.first = []  # (place of the line, what was seen in it for the first time)

    @property
    def type(self):
        return self.forced or type_of(self.seen)

    def see(self, seen, place):
        self.first.append((place, seen & ~self.seen))
        self.seen |= seen

    def widened(self):
        """(from, to, line) each time its type changed; of one line the narrow values come first."""
        seen, steps = 0, []
        for place, news in sorted(self.first):
            before = type_of(seen)
            seen |= news
            if not self.forced and not self.is_ours and before not in ("", type_of(seen)):
                steps.append((before, type_of(seen), place[1]))
        return steps


class Table:
    """The columns of a table, and what must hold for its key."""

    def __init__(self, name, options, parent=None):
        self.name, self.options, self.parent = name, options, parent
        self.names = Names()
        self.columns, self.by_path, self.children = [], {}, {}
        self.has_more = False
        self.rows = 0
        self.key_rows = 0  # that have one
        self.has_key_column = False
        self.last_key, self.ascends = None, True
        self.can_ascend = True  # not what can be read only once: there is no way back to the start
        self.level = 0 if parent is None else parent.level + 1
        if parent is not None:
            self.column((0, "parent"))
            for level in range(1, self.level + 1):
                self.column((0, "position" if level == 1 else f"position_{level}"))

    def column(self, path):
        """The index of the column for a field; None: it belongs to _more."""
        index = self.by_path.get(path)
        if index is not None or path in self.by_path:
            return index
        if len(self.columns) >= MOST_COLUMNS - 1:
            self.has_more = True
            self.by_path[path] = None
            return None
        name = self.names.take(column_name(path))
        self.by_path[path] = len(self.columns)
        forced = self.options.types.get(column_name(path))
        self.columns.append(Column(name, forced, path[0] == 0))
        return len(self.columns) - 1

    def see_key(self, values):
        """Looks at the key of a row of the file's own table; returns it, or None."""
        self.rows += 1
        for path, seen, value in values:
            if path == (self.options.key_name,):
                self.has_key_column = True
                if seen & (BOOL | INTEGER | WIDE):
                    self.ascends = self.ascends and (self.last_key is None or value > self.last_key)
                    self.last_key = value
                else:
                    self.ascends = False
                self.key_rows += seen != NULL
                return None if seen == NULL else (seen, value)
        self.ascends = False
        return None


def table_stem(path):
    """What a file's path (bytes) says about its table."""
    if path == b"-":
        return "stdin"
    name = path.rsplit(b"/", 1)[-1]
    for ending in (rb"\.(gz|zst)$", rb"\.(jsonl|ndjson|json)$"):
        name = re.sub(ending, b"", name, flags=re.IGNORECASE)
    text = name.decode("utf-8", "surrogateescape")
    text = re.sub("[\udc80-\udcff]", lambda bad: "_x%02x" % (ord(bad[0]) - 0xDC00), text)
    if fold(text).startswith(("sqlite_", "_tidemill_")):
        text = "_" + text
    return text or "table"
