"""A ZIP writer that can lie: every field of an entry can be set to what it is not."""

import struct
import zlib
from dataclasses import dataclass, field


END = b"\3\0"  # a last block with nothing in it


def block(piece):
    """Raw deflate that can stand anywhere: it looks back at nothing, and ends with a whole byte."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)


def deflate(pieces):
    """Raw deflate of an iterable of bytes: (packed, size, crc). What comes again and again, as the
    same object, is packed once: a bomb need not cost its maker much."""
    packed, size, crc = [], 0, 0
    last = None
    for piece in pieces:
        packed.append(packed[-1] if piece is last else block(piece))
        last = piece
        size += len(piece)
        crc = zlib.crc32(piece, crc)
    return b"".join(packed) + END, size, crc


@dataclass
class Entry:
    name: bytes
    packed: bytes
    size: int
    crc: int
    method: int = 8
    flags: int = 0x800
    made_by: int = 20
    external: int = 0
    extra: bytes = b""
    central_name: bytes = None  # None: the same
    central_size: int = None
    local_size: int = None
    offset: int = None  # where the central directory says it is
    central_only: bool = False
    local_only: bool = False


def entry(name, data, method=8, **more):
    name = name if isinstance(name, bytes) else name.encode()
    if isinstance(data, str):
        data = data.encode()
    pieces = [data] if isinstance(data, bytes) else data
    if method == 0:
        whole = b"".join(pieces)
        return Entry(name, whole, len(whole), zlib.crc32(whole), 0, **more)
    packed, size, crc = deflate(pieces)
    return Entry(name, packed, size, crc, method, **more)


@dataclass
class Archive:
    entries: list = field(default_factory=list)
    prefix: bytes = b""
    has_central: bool = True

    def local(self, one):
        size = one.size if one.local_size is None else one.local_size
        return (
            struct.pack(
                "<4sHHHHHIIIHH", b"PK\3\4", 20, one.flags, one.method, 0, 0x2821, one.crc,
                len(one.packed), size, len(one.name), len(one.extra),
            )
            + one.name + one.extra + one.packed
        )

    def central(self, one, offset):
        name = one.name if one.central_name is None else one.central_name
        size = one.size if one.central_size is None else one.central_size
        return (
            struct.pack(
                "<4sHHHHHHIIIHHHHHII", b"PK\1\2", one.made_by, 20, one.flags, one.method, 0, 0x2821,
                one.crc, len(one.packed), size, len(name), len(one.extra), 0, 0, 0, one.external,
                offset,
            )
            + name + one.extra
        )

    def bytes(self):
        out, directory, at = [self.prefix], [], len(self.prefix)
        count = 0
        for one in self.entries:
            offset = at if one.offset is None else one.offset
            if not one.central_only:
                out.append(self.local(one))
                at += len(out[-1])
            if not one.local_only:
                directory.append(self.central(one, offset))
                count += 1
        if not self.has_central:
            return b"".join(out)
        return b"".join(out) + self.end(b"".join(directory), count, at)

    @staticmethod
    def end(directory, count, at):
        tail = b""
        if count > 0xFFFF:
            tail = struct.pack(
                "<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, count, count, len(directory), at
            ) + struct.pack("<4sIQI", b"PK\6\7", 0, at + len(directory), 1)
        short = min(count, 0xFFFF)
        return directory + tail + struct.pack(
            "<4sHHHHIIH", b"PK\5\6", 0, 0, short, short, len(directory), at, 0
        )


def fifield(names, kernel_pieces):
    """Entries that share one kernel of compressed bytes: each local header is quoted, as a stored
    block, by the entry before it. Every entry inflates to the kernel and the headers after it."""
    body, entries = deflate(kernel_pieces)[0], []
    plain = b"".join(kernel_pieces)
    for name in reversed(names):
        name = name.encode()
        one = Entry(name, body, len(plain), zlib.crc32(plain))
        header = Archive().local(one)[: 30 + len(name)]
        entries.append((one, header))
        quote = b"\0" + struct.pack("<HH", len(header), len(header) ^ 0xFFFF)
        body = quote + header + body
        plain = header + plain
    entries.reverse()
    return entries
