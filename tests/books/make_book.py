#!/usr/bin/env python3
"""Makes a small e-book, with the faults that are named.

  make_book.py OUT.epub [FAULT...]

Without a fault it is a valid EPUB 3 (with --epub2 a valid EPUB 2). The same arguments give the same bytes.
"""
import sys
import zipfile

CONTAINER = """<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
  <rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>
"""
OPF3 = """<?xml version="1.0"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="uid" xml:lang="en">
  <metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
    <dc:identifier id="uid">urn:example:1</dc:identifier>
    <dc:title>A small book</dc:title>
    <dc:language>en</dc:language>
    <meta property="dcterms:modified">2026-01-01T00:00:00Z</meta>
  </metadata>
  <manifest>
    <item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
    <item id="one" href="one.xhtml" media-type="application/xhtml+xml"/>
    <item id="two" href="two.xhtml" media-type="application/xhtml+xml"/>
    <item id="css" href="style.css" media-type="text/css"/>
  </manifest>
  <spine><itemref idref="one"/><itemref idref="two"/></spine>
</package>
"""
NAV = """<?xml version="1.0"?>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="en" xml:lang="en">
<head><title>Contents</title></head>
<body><nav epub:type="toc"><ol><li><a href="one.xhtml">One</a></li><li><a href="two.xhtml#end">Two</a></li></ol></nav></body>
</html>
"""
PAGE3 = """<?xml version="1.0"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" lang="en" xml:lang="en">
<head><title>{title}</title><link rel="stylesheet" href="style.css"/></head>
<body><h1>{title}</h1>
<p>Some text, and a <a href="{other}">link</a>.</p>
<p id="{mark}">The end.</p>
</body>
</html>
"""
OPF2 = """<?xml version="1.0"?>
<package xmlns="http://www.idpf.org/2007/opf" version="2.0" unique-identifier="uid">
  <metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
    <dc:identifier id="uid">urn:example:2</dc:identifier>
    <dc:title>A small old book</dc:title>
    <dc:language>en</dc:language>
  </metadata>
  <manifest>
    <item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>
    <item id="one" href="one.xhtml" media-type="application/xhtml+xml"/>
    <item id="two" href="two.xhtml" media-type="application/xhtml+xml"/>
    <item id="css" href="style.css" media-type="text/css"/>
  </manifest>
  <spine toc="ncx"><itemref idref="one"/><itemref idref="two"/></spine>
</package>
"""
NCX = """<?xml version="1.0"?>
<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1">
<head><meta name="dtb:uid" content="urn:example:2"/></head>
<docTitle><text>A small old book</text></docTitle>
<navMap>
<navPoint id="p1" playOrder="1"><navLabel><text>One</text></navLabel><content src="one.xhtml"/></navPoint>
<navPoint id="p2" playOrder="2"><navLabel><text>Two</text></navLabel><content src="two.xhtml#end"/></navPoint>
</navMap>
</ncx>
"""
PAGE2 = PAGE3.replace(
    "<!DOCTYPE html>",
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">',
).replace(' lang="en" xml:lang="en"', ' xml:lang="en"').replace(
    '<link rel="stylesheet" href="style.css"/>', '<link rel="stylesheet" type="text/css" href="style.css"/>'
)


def pages(template):
    return {
        "OEBPS/one.xhtml": template.format(title="One", other="two.xhtml#end", mark="start"),
        "OEBPS/two.xhtml": template.format(title="Two", other="one.xhtml", mark="end"),
    }


def book(is_epub2):
    entries = {"mimetype": "application/epub+zip", "META-INF/container.xml": CONTAINER}
    if is_epub2:
        entries |= {"OEBPS/book.opf": OPF2, "OEBPS/toc.ncx": NCX} | pages(PAGE2)
    else:
        entries |= {"OEBPS/book.opf": OPF3, "OEBPS/nav.xhtml": NAV} | pages(PAGE3)
    return entries | {"OEBPS/style.css": "p { margin: 0 }\n"}


def change(name, old, new):
    def fault(entries):
        assert old in entries[name], (name, old)
        entries[name] = entries[name].replace(old, new)

    return fault


def mimetype_last(entries):
    entries["mimetype"] = entries.pop("mimetype")


def nested(entries):
    for name in list(entries):
        entries["epub/" + name] = entries.pop(name)


FAULTS = {
    "mimetype-last": mimetype_last,
    "mimetype-newline": change("mimetype", "zip", "zip\n"),
    "nested": nested,
    "missing-link": change("OEBPS/one.xhtml", "two.xhtml#end", "three.xhtml"),
    "missing-fragment": change("OEBPS/one.xhtml", "two.xhtml#end", "two.xhtml#no"),
    "bad-id": lambda entries: [change(name, '"end"', '"1 end"')(entries) for name in ["OEBPS/two.xhtml"]]
    + [entries.__setitem__(name, text.replace("#end", "#1%20end")) for name, text in list(entries.items())],
    "double-id": change("OEBPS/two.xhtml", "<h1>", '<h1 id="end">'),
    "ncx-uid": change("OEBPS/toc.ncx", "urn:example:2", "urn:other"),
    "no-title": change("OEBPS/book.opf", "<dc:title>A small book</dc:title>", ""),
    "not-well-formed": change("OEBPS/one.xhtml", "</h1>", "</h2>"),
    "entity": change("OEBPS/one.xhtml", "Some text", "Some&nbsp;text"),
    "bad-element": change("OEBPS/one.xhtml", "<p>Some", "<p><div>no</div>Some"),
    "missing-item": change("OEBPS/book.opf", "</manifest>", '<item id="x" href="x.png" media-type="image/png"/></manifest>'),
}


def main():
    out, *faults = sys.argv[1:]
    entries = book("--epub2" in faults)
    for fault in faults:
        if fault != "--epub2":
            FAULTS[fault](entries)
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in entries.items():
            info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_STORED if name.endswith("mimetype") else zipfile.ZIP_DEFLATED
            archive.writestr(info, text)


main()
