"""Hostile PDFs: one defect or attack each, on a small sound file."""

import struct
import zlib

from rawzip import END, block

MIB = 1 << 20


def stream(data, more=b""):
    return b"<< /Length %d %s >>\nstream\n" % (len(data), more) + data + b"\nendstream"


def zeros(mebibytes):
    """So many of zeros, as zlib packs them; made of one block."""
    checksum = (mebibytes * MIB % 65521) << 16 | 1
    return b"\x78\x9c" + block(bytes(MIB)) * mebibytes + END + struct.pack(">I", checksum)


def bomb(size, depth):
    data = zeros(size // MIB)
    for _ in range(depth - 1):
        data = zlib.compress(data, 9)
    return stream(data, b"/Filter [" + b"/FlateDecode " * depth + b"]")


CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
PAGE = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>"


def objects(pages=b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>", content=None, more=()):
    return [CATALOG, pages, PAGE, content or stream(b"0 0 m 9 9 l S"), *more]


def body(parts, header=b"%PDF-1.7\n"):
    out, offsets, at = [header], [], len(header)
    for number, part in enumerate(parts, 1):
        offsets.append(at)
        out.append(b"%d 0 obj\n" % number + part + b"\nendobj\n")
        at += len(out[-1])
    return b"".join(out), offsets


def table(offsets):
    return b"xref\n0 %d\n0000000000 65535 f \n" % (len(offsets) + 1) + b"".join(
        b"%010d 00000 n \n" % offset for offset in offsets)


def pdf(parts, trailer=b"", size=None, header=b"%PDF-1.7\n"):
    out, offsets = body(parts, header)
    at = len(out)
    return out + table(offsets) + (
        b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n"
        % (size or len(offsets) + 1, trailer, at))


def xref_at(parts):
    return len(body(parts)[0])


def prev_loop():
    return pdf(objects(), b"/Prev %d" % xref_at(objects()))


def prev_pair():
    out, offsets = body(objects())
    first = len(out)
    out += table(offsets)
    mark = len(out)
    second = mark + len(b"trailer\n<< /Size 5 /Root 1 0 R /Prev 0000000000 >>\n")
    out += b"trailer\n<< /Size 5 /Root 1 0 R /Prev %010d >>\n" % second
    return out + table(offsets) + (
        b"trailer\n<< /Size 5 /Root 1 0 R /Prev %d >>\nstartxref\n%d\n%%%%EOF\n" % (first, second))


def xrefstm_loop():
    return pdf(objects(), b"/XRefStm %d" % xref_at(objects()))


def prev_chain(count):
    start, offsets = body(objects())
    out, at, previous = [start], len(start), None
    for _ in range(count):
        more = b"" if previous is None else b"/Prev %d" % previous
        out.append(
            b"xref\n0 1\n0000000000 65535 f \ntrailer\n<< /Size 5 /Root 1 0 R %s >>\n" % more)
        previous = at
        at += len(out[-1])
    return b"".join(out) + table(offsets) + (
        b"trailer\n<< /Size 5 /Root 1 0 R /Prev %d >>\nstartxref\n%d\n%%%%EOF\n" % (previous, at))


def with_xref_stream(parts, rows, widths=(1, 4, 2), more=b"", size=None):
    """rows: (type, field 2, field 3) by number; nothing: where the object is."""
    number = len(parts) + 1
    out, offsets = body(parts)
    at = len(out)
    data = b""
    for n in range(number + 1):
        kind, second, third = rows.get(
            n, (0, 0, 65535) if n == 0 else (1, at if n == number else offsets[n - 1], 0))
        data += bytes([kind]) + struct.pack(">IH", second, third)
    w = b" ".join(b"%d" % width for width in widths)
    out += b"%d 0 obj\n" % number + stream(
        data, b"/Type /XRef /Size %d /W [%s] /Root 1 0 R %s" % (size or number + 1, w, more))
    return out + b"\nendobj\nstartxref\n%d\n%%%%EOF\n" % at


def object_stream(pairs, more=b""):
    heads, bodies = b"", b""
    for number, text in pairs:
        heads += b"%d %d " % (number, len(bodies))
        bodies += text + b" "
    return stream(heads + bodies, b"/Type /ObjStm /N %d /First %d %s"
                  % (len(pairs), len(heads), more))


def stream_in_stream():
    # 5 is an object stream that is said to lie in 6, and 6 in 5; the catalog is in 5.
    parts = objects(more=[object_stream([(1, CATALOG)]), object_stream([(5, b"<< >>")])])
    return with_xref_stream(parts, {1: (2, 5, 0), 5: (2, 6, 0), 6: (2, 5, 0)})


def stream_in_itself():
    parts = objects(more=[object_stream([(1, CATALOG), (5, b"<< >>")])])
    return with_xref_stream(parts, {1: (2, 5, 0), 5: (2, 5, 1)})


def extends_loop():
    parts = objects(more=[object_stream([(1, CATALOG)], b"/Extends 5 0 R")])
    return with_xref_stream(parts, {1: (2, 5, 0)})


def object_stream_bomb():
    packed = zlib.compress(b"1 0 " + CATALOG + b" " * (200 * MIB), 9)
    parts = objects(more=[stream(packed, b"/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode")])
    return with_xref_stream(parts, {1: (2, 5, 0)})


def page_cycle():
    return pdf(objects(b"<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 2 >>"))


def page_cycle_long(count):
    kids = [b"<< /Type /Pages /Kids [%d 0 R] /Count 1 >>"
            % (n + 6 if n + 1 < count else 2) for n in range(count)]
    return pdf(objects(b"<< /Type /Pages /Kids [5 0 R 3 0 R] /Count 1 >>", more=kids))


def page_tree_deep(count):
    kids = [b"<< /Type /Pages /Kids [%d 0 R] /Count 1 >>"
            % (n + 6 if n + 1 < count else 3) for n in range(count)]
    return pdf(objects(b"<< /Type /Pages /Kids [5 0 R] /Count 1 >>", more=kids))


def kids_that_double(levels):
    kids = [b"<< /Type /Pages /Kids [%s] /Count 1 >>"
            % (b"%d 0 R " % (n + 6 if n + 1 < levels else 3) * 10) for n in range(levels)]
    return pdf(objects(b"<< /Type /Pages /Kids [5 0 R] /Count 1 >>", more=kids))


def length_loop():
    return pdf(objects(content=b"<< /Length 4 0 R >>\nstream\nabc\nendstream"))


def unknown_handler():
    handler = b"<< /Filter /Nobody.Knows /V 7 /R 9 /O (o) /U (u) /P -4 >>"
    return pdf(objects(more=[handler]), b"/Encrypt 5 0 R /ID [(a) (a)]")


def short_keys():
    handler = b"<< /Filter /Standard /V 2 /R 3 /Length 99999 /O (o) /U (u) /P -4 >>"
    return pdf(objects(more=[handler]), b"/Encrypt 5 0 R /ID [(a) (a)]")


def predictor():
    return pdf(objects(content=stream(
        zlib.compress(b"\0" * 100_000, 9),
        b"/Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 2000000000 >>")))


def many_warnings(count):
    return pdf(objects(more=[b"<< /A /B /C >> junk )"] * count))


def cut(data, part):
    return data[: int(len(data) * part)]


def pages(count):
    numbers = b" ".join(b"%d 0 R" % (5 + n) for n in range(count))
    return pdf(objects(b"<< /Type /Pages /Kids [%s] /Count %d >>" % (numbers, count),
                       more=[PAGE] * count))


PDFS = [
    ("prev-loop", "a table that follows itself", "PDF-018,PDF-003", prev_loop),
    ("prev-pair", "two tables that follow each other", "PDF-018,PDF-003", prev_pair),
    ("xrefstm-loop", "a hybrid table that names itself", "PDF-003", xrefstm_loop),
    ("prev-chain-20000", "20,000 tables, one after the other", "none",
     lambda: prev_chain(20_000)),
    ("object-stream-in-object-stream", "two object streams, each in the other", "PDF-017",
     stream_in_stream),
    ("object-stream-in-itself", "an object stream in itself", "PDF-017", stream_in_itself),
    ("extends-loop", "an object stream that extends itself", "PDF-018", extends_loop),
    ("object-stream-bomb", "an object stream of 200 MiB", "TIDE-005|TIDE-001", object_stream_bomb),
    ("page-cycle", "a page tree that is its own kid", "PDF-018|PDF-006", page_cycle),
    ("page-cycle-long", "a circle of 5,000 nodes", "PDF-006|PDF-018", lambda: page_cycle_long(5000)),
    ("page-tree-deep", "a page tree 50,000 levels deep", "PDF-006", lambda: page_tree_deep(50_000)),
    ("page-tree-doubles", "ten to the twelfth pages by shared nodes", "PDF-018|PDF-006",
     lambda: kids_that_double(12)),
    ("length-too-long", "a /Length beyond the file", "PDF-005", lambda: pdf(
        objects(content=b"<< /Length 999999 >>\nstream\n0 0 m\nendstream"))),
    ("length-too-short", "a /Length that is too short", "PDF-005", lambda: pdf(
        objects(content=b"<< /Length 2 >>\nstream\n0 0 m 9 9 l S\nendstream"))),
    ("length-negative", "a /Length below zero", "PDF-005", lambda: pdf(
        objects(content=b"<< /Length -5 >>\nstream\n0 0 m\nendstream"))),
    ("length-loop", "a /Length that is the stream itself", "PDF-005,PDF-018", length_loop),
    ("flate-bomb", "a stream of 2 GiB", "TIDE-001", lambda: pdf(
        objects(content=bomb(2048 * MIB, 1)))),
    ("flate-bomb-stacked", "a stream of 4 GiB, packed twice", "TIDE-001", lambda: pdf(
        objects(content=bomb(4096 * MIB, 2)))),
    ("flate-bomb-five", "packed five times", "TIDE-001", lambda: pdf(
        objects(content=bomb(1024 * MIB, 5)))),
    ("flate-bomb-many", "60 streams of 64 MiB", "TIDE-001", lambda: pdf(
        objects(more=[bomb(64 * MIB, 1)] * 60))),
    ("predictor-columns", "a predictor of two billion columns", "TIDE-005", predictor),
    ("huge-size", "a /Size of two billion", "PDF-010", lambda: pdf(objects(), size=2_000_000_000)),
    ("huge-w", "an xref stream with huge widths", "PDF-003,PDF-012", lambda: with_xref_stream(
        objects(), {}, (1_000_000_000, 1_000_000_000, 1_000_000_000))),
    ("huge-index", "an xref stream with a huge /Index", "PDF-003,PDF-012", lambda: with_xref_stream(
        objects(), {}, more=b"/Index [0 2000000000]", size=2_000_000_000)),
    ("unknown-handler", "a security handler nobody knows", "PDF-008", unknown_handler),
    ("short-keys", "an encryption dictionary that lies", "PDF-008", short_keys),
    ("warnings-200000", "200,000 damaged objects", "PDF-009", lambda: many_warnings(200_000)),
    ("nested-arrays", "an array 1,000,000 deep", "PDF-009", lambda: pdf(
        objects(more=[b"[" * 1_000_000 + b"]" * 1_000_000]))),
    ("nested-dictionaries", "dictionaries 300,000 deep in the catalog", "PDF-009", lambda: pdf(
        [b"<< /Type /Catalog /Pages 2 0 R /X " + b"<< /A " * 300_000 + b"1" + b" >>" * 300_000
         + b" >>"] + objects()[1:])),
    ("truncated-70", "the first 70 % of a file", "PDF-011,PDF-012", lambda: cut(pages(50), 0.7)),
    ("truncated-5", "the first bytes of a file", "PDF-011,PDF-012", lambda: cut(pages(50), 0.005)),
    ("no-catalog", "a trailer without /Root", "PDF-017", lambda: pdf(objects()).replace(
        b"/Root", b"/Toor").replace(b"/Catalog", b"/Catalug")),
    ("no-pages", "an empty page tree", "PDF-015", lambda: pdf(
        objects(b"<< /Type /Pages /Kids [] /Count 0 >>"))),
    ("bytes-before", "bytes before the header", "PDF-016", lambda: pdf(
        objects(), header=b"From: x\r\n\r\n%PDF-1.4\n")),
    ("bytes-after", "a mebibyte after the end", "PDF-011|PDF-016",
     lambda: pdf(objects()) + b"x" * MIB),
    ("no-header", "not a PDF file", "PDF-001", lambda: b"MZ" + b"\0" * 5000),
    ("empty", "no bytes at all", "PDF-001,PDF-012", lambda: b""),
]
