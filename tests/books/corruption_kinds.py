"""The kinds of damage that corruptions.py does to books, each in one place: archive, META-INF, package document,
references, style sheets, navigation, encodings. A kind is a function of a book and of chance; it changes the book, or
says False when the book has nothing of the sort."""
import os
import posixpath
import re
import urllib.parse
import zipfile

CONTAINER = "META-INF/container.xml"
ENCRYPTION = "META-INF/encryption.xml"
PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c636060"
                    "60f80f0001040100ff5f2e2a0000000049454e44ae426082")


class Book:
    """The entries of an archive, and how they are to be packed."""

    def __init__(self, path):
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/")]
            if len(set(names)) != len(names):
                raise ValueError("an entry comes twice")
            self.entries = {name: archive.read(name) for name in names}
        self.package = re.search(rb"full-path\s*=\s*[\"']([^\"']+)", self.entries[CONTAINER]).group(1).decode()
        text = self.entries[self.package].decode()
        self.is_epub3 = bool(re.search(r"<(\w+:)?package[^>]*version\s*=\s*[\"']3", text))
        self.items = [dict(re.findall(r"([\w:-]+)\s*=\s*[\"']([^\"']*)[\"']", tag))
                      for tag in re.findall(r"<(?:\w+:)?item\b[^>]*>", text)]
        self.mimetype = b"application/epub+zip"
        self.mimetype_method = zipfile.ZIP_STORED
        self.method = zipfile.ZIP_DEFLATED
        self.first = True  # the mimetype is the first entry
        self.more = []  # entries that come once more
        self.finish = bytes  # what is done to the packed bytes

    def beside(self, href):
        """The entry that the package document means."""
        return posixpath.normpath(posixpath.join(posixpath.dirname(self.package), urllib.parse.unquote(href)))

    def of_type(self, media_type, properties=""):
        """The first entry of that type."""
        for item in self.items:
            entry = self.beside(item.get("href", ""))
            if item.get("media-type") == media_type and properties in item.get("properties", "") and entry in self.entries:
                return entry
        return None

    def edit(self, entry, pattern, replacement, count=1):
        """False: there is nothing to be changed."""
        try:
            text = self.entries[entry].decode()
        except (KeyError, UnicodeDecodeError):
            return False
        changed, _ = re.subn(pattern, replacement, text, count=count, flags=re.S)
        self.entries[entry] = changed.encode()
        return changed != text

    def write(self, path):
        entries = [(name, data) for name, data in self.entries.items() if name != "mimetype"]
        if self.mimetype is not None:
            entries.insert(0 if self.first else len(entries), ("mimetype", self.mimetype))
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in entries + self.more:
                archive.writestr(zipfile.ZipInfo(name), data, self.mimetype_method if name == "mimetype" else self.method)
        with open(path, "rb") as file:
            packed = self.finish(file.read())
        with open(path, "wb") as file:
            file.write(packed)


def document(book):
    return book.of_type("application/xhtml+xml")


def nav(book):
    return book.of_type("application/xhtml+xml", "nav") if book.is_epub3 else None


def ncx(book):
    return book.of_type("application/x-dtbncx+xml")


def style(book):
    return book.of_type("text/css")


def in_place(find, pattern, replacements):
    """One of the replacements, in the document that is found."""
    def kind(book, chance):
        entry = find(book)
        return bool(entry) and book.edit(entry, pattern, chance.choice(replacements))
    return kind


def package(pattern, *replacements):
    return in_place(lambda book: book.package, pattern, replacements)


def package3(pattern, *replacements):
    return in_place(lambda book: book.package if book.is_epub3 else None, pattern, replacements)


def metadata(*texts):
    return package("</metadata>", *(text + "</metadata>" for text in texts))


def metadata3(*texts):
    return package3("</metadata>", *(text + "</metadata>" for text in texts))


def manifest(*items):
    return package("</manifest>", *(item + "</manifest>" for item in items))


def container(pattern, *replacements):
    return in_place(lambda _book: CONTAINER, pattern, replacements)


def meta_inf(name, *contents):
    def kind(book, chance):
        book.entries["META-INF/" + name] = chance.choice(contents)
        return True
    return kind


def packing(**options):
    """One of the values for each option."""
    def kind(book, chance):
        for name, values in options.items():
            setattr(book, name, chance.choice(values))
        return True
    return kind


def named(*names):
    """One more file, which nobody lists."""
    def kind(book, chance):
        book.entries[posixpath.join(posixpath.dirname(book.package), chance.choice(names))] = b"x"
        return True
    return kind


def listed(href, media_type, *contents):
    """One more file, which the manifest lists."""
    def kind(book, chance):
        book.entries[book.beside(href)] = chance.choice(contents)
        item = f'<item id="more" href="{href}" media-type="{media_type}"/></manifest>'
        return book.edit(book.package, "</manifest>", item)
    return kind


def without(find):
    def kind(book, _chance):
        return book.entries.pop(find(book), None) is not None
    return kind


def recoded(find, *changes):
    """The bytes of a document are changed."""
    def kind(book, chance):
        entry = find(book)
        if entry not in book.entries:
            return False
        book.entries[entry] = chance.choice(changes)(book.entries[entry], chance)
        return True
    return kind


def doctype(find, root):
    """A document type before the root element, instead of the one that is there."""
    ids = ['SYSTEM "x.dtd"', 'PUBLIC "x" ""', 'SYSTEM "http://www.idpf.org/dtds/2007/opf.dtd"', "",
           'PUBLIC "+//ISBN 0-9673008-1-9//DTD OEB 1.2 Package//EN" "http://openebook.org/dtds/oeb-1.2/oebpkg12.dtd"',
           'PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd"']

    def kind(book, chance):
        entry = find(book)
        if not entry:
            return False
        book.edit(entry, r"<!DOCTYPE[^>\[]*>", "")
        return book.edit(entry, f"<{root}", f"<!DOCTYPE {root} {chance.choice(ids)}><{root}")
    return kind


def url(find, pattern):
    """A URL of all sorts where the pattern has one: \\1 before it, the URL, \\2 behind it."""
    def kind(book, chance):
        entry = find(book)
        new = chance.choice(URLS)
        return bool(entry) and book.edit(entry, pattern, lambda match: match[1] + new + match[2])
    return kind


def encrypted(book, chance):
    algorithm = chance.choice(["http://www.w3.org/2001/04/xmlenc#aes128-cbc", "http://www.idpf.org/2008/embedding", "x"])
    target = chance.choice([document(book), style(book), "gone.otf", "%zz", "../x", book.package])
    book.entries[ENCRYPTION] = (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:e="http://www.w3.org/2001/04/xmlenc#">'
        f'<e:EncryptedData><e:EncryptionMethod Algorithm="{algorithm}"/><e:CipherData><e:CipherReference URI="{target}"/>'
        "</e:CipherData></e:EncryptedData></encryption>").encode()
    return True


def central_byte(offset, value):
    """A byte in the central directory, of the third entry."""
    def finish(packed):
        at = -1
        for _ in range(3):
            at = packed.find(b"PK\1\2", at + 1)
        return packed[:at + offset] + bytes([value]) + packed[at + offset + 1:]
    return finish


def twice(book, _chance):
    book.more = [(book.package, book.entries[book.package])]
    return True


def same_name(book, _chance):
    entry = document(book)
    if not entry or os.path.basename(entry).upper() == os.path.basename(entry):
        return False
    book.entries[posixpath.join(posixpath.dirname(entry), posixpath.basename(entry).upper())] = book.entries[entry]
    return True


URLS = ["%zz", "a%2", "[a]", "a##", "#a#b", "http://[::z]/", "http://[::1]/", "http://[1:2]/", "http://", "http:", "//",
        "a b", "a|b", "a^b", "a\\\\b", "{a}", "", "#", "?", "?a", "/a", "../../../../a", "data:,x", "file:///a", "urn:a",
        "mailto:a b", "javascript:a", "http://a:b/", "http://a:99999/", "http://a b/", "http://a..b/", "1:a", ":a", "a:b",
        "ü", "\x85", "\ufffd", "gone.xhtml", "gone.xhtml#a", "#gone", "https://a.example/b.png", "http://a.example/b.png"]

STYLES = ["p { color: red", "}}", "p{background:url()}", "p{background:url('')}", "p{background:url(gone.png)}",
          "@import 'gone.css';", "@import url(http://a.example/b.css);", "@font-face{}", "@font-face{src:url(gone.otf)}",
          "@font-face{src:url(http://a.example/b.otf)}", "p{direction:rtl}", "p{position:fixed}", "p::{a:b}", "/* a",
          "p{content:'a\n}", "@charset 'iso-8859-1';", "p{filter:url(#a)}", "p{background:url(data:image/png;base64,AA)}",
          "p{color red}", "p{color:}", "p{color:red;;}", "p{*a:b}", ".1a{b:c}", "p{background:url(a b.png)}", "@a; @b{c:d}",
          "p{background:url(%zz)}", "p{background:url(http://[::z]/)}", "p{background:url(file:///a.png)}", "&amp;"]

ITEM = r"<item\b(?=[^>]*application/xhtml\+xml)[^>]*?/>"
META = '<meta property="%s">%s</meta>'

KINDS = {
    "mimetype": packing(mimetype=[b"application/epub+zip\n", b"application/zip", b" application/epub+zip", b"", None]),
    "mimetype last": packing(first=[False]),
    "mimetype packed": packing(mimetype_method=[zipfile.ZIP_DEFLATED]),
    "rare method": packing(method=[zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, zipfile.ZIP_STORED]),
    "cut": packing(finish=[lambda b: b[:len(b) * 2 // 3], lambda b: b[:-10], lambda b: b"", lambda b: b"x" * 99]),
    "more bytes": packing(finish=[lambda b: b + b"junk", lambda b: b"#!/bin/sh\n" + b]),
    "encrypted by zip": packing(finish=[central_byte(8, 1)]),
    "unknown method": packing(finish=[central_byte(10, 99)]),
    "entry twice": twice,
    "name in another case": same_name,
    "name": named("a b", "a*b", "a:b", "a?b", "a.", "a\x01", "a\x7f", "ü", "\ue000", "a#b", "a%20b", ".DS_Store", "x" * 300),
    "folder": lambda book, _chance: book.more.append(("empty/", b"")) is None,
    "no container": without(lambda _book: CONTAINER),
    "no package": without(lambda book: book.package),
    "no document": without(document),
    "no style": without(style),
    "no ncx": without(ncx),
    "no nav": without(nav),
    "container broken": container("</rootfiles>", "</rootfile>", "", "&</rootfiles>"),
    "container namespace": container("urn:oasis:names:tc:opendocument:xmlns:container", "urn:a"),
    "rootfile type": container(r"application/oebps-package\+xml", "text/xml", ""),
    "rootfile path": container(r'full-path="[^"]*"', 'full-path="gone.opf"', 'full-path=""', 'full-path="a%zz"', ""),
    "rootfiles": container(r"(<rootfile [^>]*/>)", "", r"\1\1", r"\1<foo/>"),
    "container link": container("</container>", '<links><link rel="x" href="%zz"/></links></container>',
                                '<links><link rel="mapping" href="x.xhtml" media-type="a/b"/></links></container>'),
    "encryption": encrypted,
    "encryption.xml": meta_inf("encryption.xml", b"<encryption", b"", b"<a/>",
                               b'<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"/>'),
    "metadata.xml": meta_inf("metadata.xml", b"<a", b"<a/>", b"", b"<a>\xff</a>", b"<a/>".decode().encode("utf-16")),
    "signatures.xml": meta_inf("signatures.xml", b"<a", b"<a/>", b"<signatures/>"),
    "other META-INF": meta_inf("rights.xml", b"<a", b"<a/>"),
    "package doctype": doctype(lambda book: book.package, "package"),
    "container doctype": doctype(lambda _book: CONTAINER, "container"),
    "ncx doctype": doctype(ncx, "ncx"),
    "document doctype": doctype(document, "html"),
    "version": package(r'(<package[^>]*?)version="[^"]*"', r'\1version="3.1"', r'\1version="2.5"', r"\1"),
    "unique identifier": package(r'unique-identifier="[^"]*"', 'unique-identifier="gone"', ""),
    "identifier": package(r"(<dc:identifier[^>]*>)[^<]*<", r"\1<", r"\1urn:uuid:1234<", r"\1&<"),
    "title": package(r"(<dc:title[^>]*>)[^<]*</dc:title>", "", r"\1 </dc:title>", r"\1&nbsp;</dc:title>"),
    "language": package(r"(<dc:language[^>]*>)[^<]*<", r"\1en_US<", r"\1<", r"\1a b<"),
    "date": metadata("<dc:date>yesterday</dc:date>", "<dc:date></dc:date>", "<dc:date>2021-02-30</dc:date>"),
    "modified": package3(r'(dcterms:modified"[^>]*>)[^<]*', r"\g<1>2020-01-05", r"\g<1>2020-13-45T00:00:00Z"),
    "dublin core": metadata("<dc:writer>a</dc:writer>", "<dc:Creator>a</dc:Creator>", "<dc:creator></dc:creator>"),
    "old meta": metadata('<meta name="cover" content="gone"/>', '<meta name="a"/>', "<meta>a</meta>"),
    "meta": metadata3(META % ("colour", "a"), META % ("a:b", "c"), META % ("dcterms:", "a"), META % ("dcterms:a", ""),
                      META % ("title-type", "main"), META % ("rendition:layout", "a"), META % ("media:duration", "a"),
                      META % ("rendition:spread", "portrait"), META % ("rendition:viewport", "width=1")),
    "refines": metadata3('<meta refines="#gone" property="title-type">main</meta>',
                         '<meta refines="gone" property="title-type">main</meta>',
                         '<meta id="m1" refines="#m2" property="a11y:x">a</meta><meta id="m2" refines="#m1" property="role">b</meta>'),
    "link": metadata3('<link rel="a" href="http://a.example/"/>', '<link href="http://a.example/"/>',
                      '<link rel="record" href="http://a.example/"/>', '<link rel="record" href="a.xml" media-type="a/b"/>',
                      '<link rel="dcterms:rights" hreflang="a b" href="http://a.example/"/>', '<link rel="acquire" href="#a"/>'),
    "prefix": package3(r"<package\b(?![^>]*prefix)", '<package prefix="dcterms: http://a.example/"',
                       '<package prefix="a http://a.example/"', '<package prefix="_: http://a.example/"'),
    "item twice": package(f"({ITEM})", r"\1\1"),
    "href twice": package(r'(<item\b[^>]*?)\bid="[^"]*"([^>]*?/>)', r'\g<0>\1id="again"\2'),
    "id for another": package(r'(<item\b[^>]*?\bid="([^"]*)"[^>]*?/>)', r'\1<item id="\2" href="a.css" media-type="text/css"/>'),
    "no item": package(ITEM, ""),
    "item attribute": package(r'(<item\b[^>]*?) (?:id|href|media-type)="[^"]*"', r"\1"),
    "media type": package(r'media-type="(?:text/css|image/[a-z]+|application/xhtml\+xml)"', 'media-type=""',
                          'media-type="a"', 'media-type="text/plain"', 'media-type="text/html"', 'media-type="image/png"'),
    "item property": package3(r"<item (?=[^>]*application/xhtml)(?![^>]*properties)",
                              *(f'<item properties="{name}" ' for name in ("scripted", "mathml", "svg", "switch", "nav",
                                "remote-resources", "cover-image", "a", "a:b", "dictionary", "index", "data-nav"))),
    "fallback": package("<item ", '<item fallback="gone" ', '<item fallback-style="gone" '),
    "more items": manifest('<item id="x" href="gone.png" media-type="image/png"/>',
                           '<item id="x" href="http://a.example/b.png" media-type="image/png"/>',
                           '<item id="x" href="http://a.example/b.mp3" media-type="audio/mpeg"/>',
                           '<item id="x" href="../META-INF/container.xml" media-type="application/xml"/>',
                           '<item id="a b" href="gone.png" media-type="image/png"/>', '<file href="a"/>'),
    "image": listed("more.png", "image/png", b"", b"text", PNG[:20], PNG, b"\xff\xd8\xff\xe0\0\x10JFIF\0" + bytes(40)),
    "image type": listed("more.png", "image/jpeg", PNG),
    "linear": package("<itemref (?![^>]*linear)", '<itemref linear="no" ', '<itemref linear="maybe" '),
    "itemrefs": package(r"(<itemref[^>]*/>)", "", r"\1\1", r'\1<itemref idref="gone"/>'),
    "spine": package(r"<spine.*</spine>", "", "<spine/>"),
    "toc": package(r'(<spine[^>]*)toc="[^"]*"', r'\1toc="gone"', r"\1"),
    "direction": package(r"<spine\b(?![^>]*page-prog)", '<spine page-progression-direction="up"'),
    "guide": package("</spine>(?!.*<guide)", *(f"</spine><guide>{text}</guide>" for text in (
        "", '<reference type="cover" title="a" href="gone.xhtml"/>', '<reference type="a" title="b" href="%zz"/>'))),
    "collection": package3("</package>", '<collection role="a"><link href="b.xhtml"/></collection></package>',
                           '<collection role="index"><metadata/></collection></package>',
                           '<collection role="http://a.example/"><link href="%zz"/></collection></package>'),
    "package order": package(r"(<metadata.*?</metadata>)(.*?)(<manifest.*?</manifest>)", r"\3\2\1", r"\2\3", r"\1\2"),
    "package broken": package(r"</manifest>|</metadata>", "</manifset>", "&", "<a"),
    "package namespace": package('http://www.idpf.org/2007/opf"', 'http://www.idpf.org/2007/OPF"', '"'),
    "package attribute": package(r"<(?:manifest|metadata)\b", r'\g<0> a="b"', r'\g<0> id="a b"', r'\g<0> xmlns:x="y" x:a="b"'),
    "XML version": in_place(document, r'version="1.0"', ['version="1.1"']),
    "item url": url(lambda book: book.package, r'(<item\b[^>]*?href=")[^"]*(")'),
    "link url": metadata3(*(f'<link rel="acquire" media-type="a/b" href="{one}"/>' for one in ("%zz", "[a]", "a##", "a b"))),
    "hyperlink": url(document, r'(<a\b[^>]*?href=")[^"]*(")'),
    "nav url": url(nav, r'(<a\b[^>]*?href=")[^"]*(")'),
    "ncx url": url(ncx, r'(<content\b[^>]*?src=")[^"]*(")'),
    "image url": url(document, r'(<img\b[^>]*?src=")[^"]*(")'),
    "style url": url(document, r'(<link\b[^>]*?href=")[^"]*(")'),
    "style rule": in_place(style, r"\Z", ["\n" + text.replace("\\", r"\\") for text in STYLES]),
    "style first": in_place(style, r"\A", [text.replace("\\", r"\\") + "\n" for text in STYLES]),
    "play order": in_place(ncx, r'playOrder="[^"]*"', ['playOrder="0"', 'playOrder="a"', ""]),
    "ncx uid": in_place(ncx, r'(dtb:uid"\s+content=)"[^"]*"', [r'\1"other"', r'\1" "']),
    "ncx part": in_place(ncx, r"<docTitle>.*?</docTitle>|<navLabel>.*?</navLabel>|<content [^>]*/>", [""]),
    "ncx broken": in_place(ncx, "</navMap>", ["</navmap>", "<a/></navMap>", "</navMap><pageList/>", "&"]),
    "nav type": in_place(nav, r'epub:type="toc"', ['epub:type="contents"', "", 'epub:type="landmarks"']),
    "nav entry": in_place(nav, r"<a [^>]*>[^<]*</a>", ["", "<span>a</span>", "<span></span>", "a"]),
    "nav list": in_place(nav, r"<ol>", ["<ul>", "<ol><li/>", "<p>a</p><ol>"]),
}

BYTES = {
    "mark": lambda data, _chance: b"\xef\xbb\xbf" + data,
    "UTF-16": lambda data, _chance: re.sub('encoding="[^"]*"', 'encoding="UTF-16"', data.decode(errors="replace"),
                                           count=1).encode("utf-16"),
    "stray bytes": lambda data, chance: (lambda at: data[:at] + b"\xff\xc3" + data[at:])(chance.randrange(len(data) + 1)),
    "zero": lambda data, chance: (lambda at: data[:at] + b"\0" + data[at:])(chance.randrange(len(data) + 1)),
    "cut": lambda data, chance: data[:chance.randrange(len(data) + 1)],
    "nothing": lambda _data, _chance: b"",
    "encoding": lambda data, chance: re.sub(rb'encoding="[^"]*"', chance.choice([
        b'encoding="klingon"', b'encoding="iso-8859-1"', b'encoding="utf8"']), data, count=1),
}

for found, name in ((lambda book: book.package, "package"), (lambda _book: CONTAINER, "container"), (document, "document"),
                    (style, "style"), (nav, "nav"), (ncx, "ncx")):
    for change_name, change in BYTES.items():
        KINDS[f"{name}: {change_name}"] = recoded(found, change)
