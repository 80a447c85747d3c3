"""Files for the tests of `import`: a dozen kinds, each with something that a loader can trip over,
in two versions (before and after somebody has changed them).

Every record says in the field "origin" which file it comes from, so that a row in a database can be
told to belong to a file without asking the import log.
"""
import functools
import gzip
import json
import pathlib
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator

FRESH = 2.1  # seconds: the stamp of a younger file is not trusted
LARGE = 7_000  # rows: several blocks
# Keys are there, integers, and unique: what --upsert can be given.
KEYED = ("added", "agents", "bodies", "cargo", "groups", "large", "lists", "newcomers", "stable")
CLEAN = ("added", "agents", "bodies", "cargo", "drift", "groups", "large", "lists", "loose",
         "names", "newcomers", "stable")

Make = Callable[[int], bytes]  # the contents of a version


def line(**fields: object) -> bytes:
    return json.dumps(fields, ensure_ascii=False).encode() + b"\n"


def kept(version: int, count: int) -> Iterator[tuple[int, bool]]:
    """Keys that ascend. In the second version a seventh is gone, a fifth has changed, and some are
    new."""
    for key in range(1, count + 1 + (version - 1) * count // 10):
        if version == 1 or key % 7:
            yield key, version == 2 and key % 5 == 0


def agents(version: int) -> bytes:
    text = b""
    for key, changed in kept(version, 400):
        fields = {"level": key % 5, "division": None if key % 9 == 0 else key // 3}
        if changed:
            fields = {"level": key * 10}  # the division is absent: an upsert keeps it
        text += line(_key=key, origin="agents", **fields)
    return text


def bodies(version: int) -> bytes:
    return b"".join(
        line(_key=key, origin="bodies", mass=key * 1.5 + changed,
             position={"x": key, "y": -key / 4, "z": [key]},
             name={"en": f"Body {key}", "de": f"Körper {key}", "ja": "天体"})
        for key, changed in kept(version, 300))


def cargo(version: int) -> bytes:
    return b"".join(line(_key=key, origin="cargo", note="x" * (key % 90), heavy=key % 2 == 0,
                         **({"checked": version} if changed else {}))
                    for key, changed in kept(version, 500))


def drift(version: int) -> bytes:
    """Columns that come late, and one that widens twice."""
    text = b""
    for number in range(900):
        value = number if number < 300 else number + 0.5 if number < 700 else f"about {number}"
        fields = {f"late{number // 150}": number}
        if version == 2 and number > 800:
            fields["new_in_two"] = "yes" if number % 2 else 2
        text += line(_key=number + version * 1000, origin="drift", value=value, **fields)
    return text


def faulty(version: int) -> bytes:
    bad = (b"{no json\n", b"[1,2]\n", b'{"a":1}{"a":2}\n', b'{"a":1,"a":2}\n', b'{"a":"\xff"}\n',
           b'{"a":"\\ud800"}\n', b"42\n", b'{"a":\x00}\n')
    text = b"\xef\xbb\xbf"
    for number in range(200):
        text += line(_key=number + 1 + version * 500, origin="faulty", a=number)
        if number % 9 == version:
            text += bad[number % len(bad)]
        if number % 31 == 0:
            text += b"  \r\n"
    return text + b'{"_key":1000000,"origin":"fau'


def groups(version: int) -> bytes:
    """The keys do not ascend: seen late, so that it has to be read again."""
    keys = [key for key, _ in kept(version, 6000)]
    keys[-1], keys[-2] = keys[-2], keys[-1]
    keys[700], keys[701] = keys[701], keys[700]
    return b"".join(line(_key=key, origin="groups", title=f"group {key} of version {version}",
                         filler="." * 120) for key in keys)


def newcomers(version: int) -> bytes:
    """Like groups, but there was no table of that name before: its key is made at the end."""
    return groups(version)[:200_000].rpartition(b"\n")[0].replace(b'"groups"', b'"newcomers"')


def large(version: int) -> bytes:
    parts = []
    for key, changed in kept(version, LARGE):
        fields: dict[str, object] = {"price": key if key < LARGE - 500 else key / 8}
        if key % 1000 == 999:
            fields["price"] = "unknown" if version == 2 else 2**53 + key
        if key > LARGE - 300:
            fields["very_late"] = {"deep": [key]}
        parts.append(line(_key=key, origin="large", changed=changed, text="lorem ipsum " * 30,
                          **fields))
    return b"".join(parts)


def lists(version: int) -> bytes:
    return b"".join(
        line(_key=key, origin="lists", materials=[
            {"origin": "lists", "type": key * 10 + n, "quantity": n + changed,
             "also": [n, "two"] if n == 1 else []} for n in range(key % 4)],
            tags=["a", key] if key % 3 else [], map=[{"_key": 1, "_value": key}])
        for key, changed in kept(version, 250))


def loose(version: int) -> bytes:
    """No key at all."""
    return b"".join(line(origin="loose", number=number * version, odd=bool(number % 2))
                    for number in range(350))


def names(version: int) -> bytes:
    text = b""
    for number in range(150):
        text += line(_key=f"k{number + version * 100}", origin="names", Name=number, NAME="other",
                     **{"": 1, 'a"b': 2, "select": 3, "new\nline": 4, "Ünï": 5})
    return text


def stable(_version: int) -> bytes:
    return b"".join(line(_key=key, origin="stable", value=key * key) for key in range(1, 200))


def small(name: str, version: int) -> bytes:
    return b"".join(line(_key=key + version * 1000, origin=name, value=f"{name} {key}")
                    for key in range(1, 60))


def bulk(stem: str) -> Make:
    """So large that there is time to aim."""
    rows = b"".join(line(origin=stem, number=number, text="dolor sit amet " * 250)
                    for number in range(3_000))
    return lambda version: rows + line(origin=stem, version=version)


FILES: dict[str, Make] = {
    "agents.jsonl": agents, "bodies.jsonl.gz": bodies, "cargo.ndjson.zst": cargo,
    "drift.jsonl": drift, "faulty.jsonl": faulty, "groups.jsonl": groups, "large.jsonl.gz": large,
    "deep/lists.jsonl": lists, "deep/loose.jsonl": loose, "names.jsonl": names,
    "stable.jsonl": stable,
    "empty.jsonl": lambda version: b"" if version == 1 else small("empty", version),
    "torn.jsonl.gz": lambda version: small("torn", version) * 20,
    "vanished.jsonl": lambda version: small("vanished", version),
    "added.jsonl": lambda version: small("added", version), "newcomers.jsonl": newcomers,
    "large2.jsonl": lambda version: large(version).replace(b'"origin": "large"',
                                                           b'"origin": "large2"')[:1_500_000],
}
ONLY_IN = {"vanished.jsonl": 1, "added.jsonl": 2, "newcomers.jsonl": 2}


@functools.cache
def stem_of(path: str) -> str:
    return pathlib.PurePath(path).name.split(".")[0]


class Sources:
    """A folder of them; `only`: the stems that it shall have; `more`: large files beside them."""

    def __init__(self, folder: pathlib.Path, only: tuple[str, ...] = (), more: int = 0):
        self.folder = folder
        self.files: dict[str, Make] = {name: make for name, make in FILES.items()
                                       if not only or stem_of(name) in only}
        self.files |= {f"bulk{number}.jsonl": bulk(f"bulk{number}") for number in range(more)}
        (folder / "deep").mkdir(parents=True)
        self.newest = 0.0

    def stems(self) -> list[str]:
        return [stem_of(name) for name in self.files]

    def paths(self) -> list[str]:
        return [str(path) for path in self.folder.rglob("*") if path.is_file()]

    def write(self, version: int) -> None:
        """What stays the same is not touched. Afterwards no stamp changes any more."""
        for name, make in self.files.items():
            path = self.folder / name
            if ONLY_IN.get(name, version) != version:
                path.unlink(missing_ok=True)
                continue
            contents = packed(name, make(version))
            if name == "torn.jsonl.gz" and version == 2:
                contents = contents[:-30]
            if path.exists() and path.read_bytes() == contents:
                continue
            path.write_bytes(contents)
            self.newest = max(self.newest, path.stat().st_ctime)

    def is_old(self) -> bool:
        return time.time() > self.newest + FRESH


def packed(name: str, text: bytes) -> bytes:
    if name.endswith(".gz"):
        return gzip.compress(text, 6, mtime=0)
    if name.endswith(".zst"):
        if not shutil.which("zstd"):
            return text  # the program looks at the contents, not at the name
        return subprocess.run(["zstd", "-q", "-c"], input=text, capture_output=True,
                              check=True).stdout
    return text
