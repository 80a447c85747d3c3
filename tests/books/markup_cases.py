"""Small books, each with one attribute, element or value in it that may be wrong. See grids.py.

A kind is a function of the dice that gives what was chosen, and the entries of a book. The lists hold good and bad
things on purpose: which is which is for EPUBCheck to say.
"""
import re


def attributes_in(text):
    return re.findall(r'[\w:-]+="[^"]*"', text)


CONTAINER = (
    '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
OPF = (
    '<package xmlns="http://www.idpf.org/2007/opf" version="{version}" unique-identifier="u">'
    '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="u">urn:x</dc:identifier>'
    "<dc:title>t</dc:title><dc:language>en</dc:language>{more}</metadata>"
    "<manifest>{items}</manifest><spine{toc}><itemref idref=\"c\"/></spine></package>"
)
MODIFIED = '<meta property="dcterms:modified">2026-01-01T00:00:00Z</meta>'
NAV = (
    '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>n</title></head>'
    '<body><nav epub:type="toc"><ol><li><a href="{document}">c</a></li></ol></nav></body></html>'
)
NCX = (
    '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1"><head><meta name="dtb:uid" content="urn:x"/>'
    '</head><docTitle><text>t</text></docTitle><navMap><navPoint id="a" playOrder="1"><navLabel><text>x</text>'
    '</navLabel><content src="{document}"/></navPoint></navMap></ncx>'
)
PAGE = (
    '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>c</title>{head}'
    '</head><body{attributes}>{body}</body></html>'
)
PAGE2 = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>c</title>{head}</head><body>{body}</body></html>'
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
    "0000000d49444154789c63606060f80f0001040100ff5f2e2a0000000049454e44ae426082"
)
SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"{attributes}>{content}</svg>'
MATH = '<p><math xmlns="http://www.w3.org/1998/Math/MathML"{attributes}>{content}</math></p>'

# tag: where it may stand, what it needs, what it may hold; written | where | attributes | content.
ELEMENTS = {
    words[0].strip(): tuple(word.strip() for word in words[1:])
    for words in (
        line.split("|")
        for line in """
a | <p>{}</p> | href="#x" | x
abbr | <p>{}</p> | | x
address | {} | | x
area | <p><map name="m">{}</map></p> | |
article | {} | | x
aside | {} | | x
audio | <div>{}</div> | | x
b | <p>{}</p> | | x
bdi | <p>{}</p> | | x
bdo | <p>{}</p> | dir="ltr" | x
blockquote | {} | | <p>x</p>
br | <p>{}</p> | |
button | <p>{}</p> | | x
canvas | <p>{}</p> | | x
caption | <table>{}<tr><td>x</td></tr></table> | | x
cite | <p>{}</p> | | x
code | <p>{}</p> | | x
col | <table><colgroup>{}</colgroup><tr><td>x</td></tr></table> | |
colgroup | <table>{}<tr><td>x</td></tr></table> | | <col/>
data | <p>{}</p> | value="1" | x
datalist | <p>{}</p> | | <option value="1"/>
dd | <dl><dt>x</dt>{}</dl> | | x
del | <p>{}</p> | | x
details | {} | | <summary>x</summary>
dfn | <p>{}</p> | | x
dialog | {} | | x
div | {} | | x
dl | {} | | <dt>x</dt><dd>y</dd>
dt | <dl>{}<dd>x</dd></dl> | | x
em | <p>{}</p> | | x
embed | <p>{}</p> | |
fieldset | <form>{}</form> | | x
figcaption | <figure>{}<p>x</p></figure> | | x
figure | {} | | <p>x</p>
footer | {} | | x
form | {} | | <p>x</p>
h1 | {} | | x
h3 | {} | | x
header | {} | | x
hgroup | {} | | <h2>x</h2>
hr | {} | |
i | <p>{}</p> | | x
iframe | <p>{}</p> | |
img | <p>{}</p> | src="i.png" alt="x" |
input | <p>{}</p> | |
ins | <p>{}</p> | | x
kbd | <p>{}</p> | | x
label | <p>{}</p> | | x
legend | <fieldset>{}</fieldset> | | x
li | <ul>{}</ul> | | x
main | {} | | x
map | <p>{}</p> | name="m" |
mark | <p>{}</p> | | x
menu | {} | | <li>x</li>
meter | <p>{}</p> | value="1" | x
nav | {} | | x
object | <p>{}</p> | data="i.png" | x
ol | {} | | <li>x</li>
optgroup | <p><select>{}</select></p> | label="x" | <option>x</option>
option | <p><select>{}</select></p> | | x
output | <p>{}</p> | | x
p | {} | | x
param | <p><object data="i.png">{}</object></p> | name="x" value="y" |
picture | <p>{}</p> | | <img src="i.png" alt="x"/>
pre | {} | | x
progress | <p>{}</p> | | x
q | <p>{}</p> | | x
rp | <p><ruby>x{}<rt>y</rt><rp>)</rp></ruby></p> | | (
rt | <p><ruby>x{}</ruby></p> | | y
ruby | <p>{}</p> | | x<rt>y</rt>
s | <p>{}</p> | | x
samp | <p>{}</p> | | x
search | {} | | x
section | {} | | x
select | <p>{}</p> | | <option>x</option>
slot | <p>{}</p> | | x
small | <p>{}</p> | | x
source | <p><picture>{}<img src="i.png" alt="x"/></picture></p> | srcset="i.png" |
span | <p>{}</p> | | x
strong | <p>{}</p> | | x
sub | <p>{}</p> | | x
summary | <details>{}</details> | | x
sup | <p>{}</p> | | x
table | {} | | <tr><td>x</td></tr>
tbody | <table>{}</table> | | <tr><td>x</td></tr>
td | <table><tr>{}</tr></table> | | x
template | <div>{}</div> | |
textarea | <p>{}</p> | | x
tfoot | <table><tr><td>x</td></tr>{}</table> | | <tr><td>x</td></tr>
th | <table><tr>{}</tr></table> | | x
thead | <table>{}<tr><td>x</td></tr></table> | | <tr><td>x</td></tr>
time | <p>{}</p> | | 2020
tr | <table>{}</table> | | <td>x</td>
u | <p>{}</p> | | x
ul | {} | | <li>x</li>
var | <p>{}</p> | | x
video | <div>{}</div> | | x
wbr | <p>{}</p> | |
""".strip().splitlines()
    )
}
HEAD = {"link": 'rel="x" href="http://x.example/"', "meta": 'name="a" content="b"', "style": "", "script": "",
        "base": 'href="#x"'}  # fmt: skip
# Those of XHTML 1.1.
OLD = """a abbr address area b bdo blockquote br button caption cite code col colgroup dd del dfn div dl dt em fieldset
form h1 h3 hr i iframe img input ins kbd label legend li map object ol optgroup option p param pre q samp select small
span strong sub sup table tbody td textarea tfoot th thead tr ul var""".split()
# Only as what stands in another one.
ODD = "base body center font frame head html link meta noscript param script style svg title track tt x-custom".split()
FILLED = {"meta": 'name="a" content="b"', "track": 'src="i.png"', "link": 'rel="x" href="#x"', "base": 'href="#x"'}

VALUES = {
    "abbr": ["x"], "accept": ["image/*"], "accesskey": ["a", "ab a"], "action": ["#x", ""], "align": ["left"],
    "alt": ["", "x"], "as": ["image"], "async": [""], "autocapitalize": ["none", "x"], "autocomplete": ["on", "x"],
    "autofocus": ["", "x"], "autoplay": [""], "bgcolor": ["red"], "border": ["0", "1", ""], "cellpadding": ["1"],
    "charset": ["utf-8", "x"], "checked": ["", "x"], "cite": ["#x", "::"], "class": ["a b", ""], "color": ["red"],
    "cols": ["2", "0"], "colspan": ["2", "0", "-1"], "content": ["x"], "contenteditable": ["true", "x"],
    "controls": ["", "x"], "coords": ["1,2", "x"], "crossorigin": ["anonymous", "x"], "data": ["i.png", ""],
    "data-x": ["1"], "data-X": ["1"], "datetime": ["2020-01-01", "x", "10:00", "P1D", "2020-W05", "--02-30"],
    "decoding": ["async", "x"], "default": [""], "defer": [""], "dir": ["ltr", "RTL", "x"], "dirname": ["x", ""],
    "disabled": ["", "x"], "download": ["", "x"], "draggable": ["true", "x"], "enctype": ["text/plain", "x"],
    "enterkeyhint": ["go", "x"], "epub:type": ["chapter", "x"], "for": ["x", "y"], "form": ["x"], "headers": ["x"],
    "height": ["a", "1"], "hidden": ["", "hidden", "x"], "high": ["1"], "href": ["#x", "http://x.example/", ""],
    "hreflang": ["en", "x y", ""], "http-equiv": ["refresh", "x"], "id": ["q", "1", "a b", "", "x"], "inert": [""],
    "inputmode": ["text", "x"], "is": ["x-y"], "ismap": [""], "itemid": ["#x"], "itemprop": ["x", ""],
    "itemref": ["x"], "itemscope": ["", "x"], "itemtype": ["http://x.example/"], "kind": ["subtitles", "x"],
    "label": ["x", ""], "lang": ["en", "xx-", "en_US", ""], "list": ["x"], "loading": ["lazy", "x"], "loop": [""],
    "low": ["1", "x"], "max": ["1", "0", "x"], "maxlength": ["1", "-1"], "media": ["screen", "("],
    "method": ["get", "x"], "min": ["1", "x"], "minlength": ["1", "x"], "multiple": ["", "x"], "muted": [""],
    "name": ["x", "", "_x"], "nonce": ["x"], "novalidate": [""], "onclick": ["x()"], "onload": ["x()"],
    "onunload": ["x()"], "open": ["", "open", "x"], "optimum": ["1"], "pattern": ["a", "("], "ping": ["#x"],
    "placeholder": ["x"], "popover": ["auto", "x"], "poster": ["i.png", ""], "preload": ["none", "x"],
    "property": ["x"], "readonly": ["", "x"], "referrerpolicy": ["origin", "x"], "rel": ["noopener", "x", ""],
    "required": ["", "x"], "resource": ["x"], "rev": ["x"], "reversed": ["", "x"], "rows": ["1", "0"],
    "rowspan": ["0", "2", "x"], "sandbox": ["", "x"], "scope": ["row", "x"], "selected": [""], "shape": ["rect", "x"],
    "size": ["1", "0"], "sizes": ["100vw"], "slot": ["x"], "span": ["2", "0"], "spellcheck": ["true", "x"],
    "src": ["i.png", "", "x y"], "srcdoc": ["x"], "srclang": ["en", "x y"], "srcset": ["i.png 1x", "x x x"],
    "start": ["3", "x", "-1"], "step": ["any", "0", "1"], "style": ["color:red", "x"], "summary": ["x"],
    "tabindex": ["0", "-1", "x"], "target": ["_blank", "_x", ""], "title": ["t"], "translate": ["no", "x"],
    "type": ["text", "submit", "a", "1", "text/css", "button"], "typeof": ["x"], "usemap": ["#m", "m"],
    "valign": ["top"], "value": ["1", "x", ""], "vocab": ["x"], "width": ["10", "10px", "50%"], "wrap": ["soft", "x"],
    "xml:base": ["x"], "xml:id": ["x"], "xml:lang": ["en", "fr", "x_y"], "xml:space": ["preserve", "x"],
    "xmlns:foo": ["http://x.example/"], "frob": ["x"],
}  # fmt: skip
INPUT_TYPES = """text search tel url email password date month week time datetime-local number range color checkbox
radio file submit image reset button hidden frob TEXT""".split()
INPUT_ATTRIBUTES = """accept alt autocomplete checked dirname disabled formaction height list max maxlength min
minlength multiple name pattern placeholder readonly required size src step value width""".split()
INPUT_VALUES = ["", "1", "x", "#x", "2020-01-01", "10:00", "2020-W05", "2020-02", "#ff0000", "a@b.example"]

STATES = {
    "activedescendant": ["x", ""], "atomic": ["true", "x"], "autocomplete": ["list"], "braillelabel": ["x"],
    "busy": ["true"], "checked": ["true", "mixed"], "colcount": ["2", "-1"], "colindex": ["1", "0"], "colspan": ["1"],
    "controls": ["x", "y"], "current": ["page", "x"], "describedby": ["x", "x y", "y"], "description": ["x"],
    "details": ["x"], "disabled": ["true"], "dropeffect": ["copy"], "errormessage": ["x"], "expanded": ["true", "x"],
    "flowto": ["x"], "grabbed": ["true"], "haspopup": ["true", "menu"], "hidden": ["true", ""], "invalid": ["true"],
    "keyshortcuts": ["a"], "label": ["x"], "labelledby": ["x", "y"], "level": ["2", "0"], "live": ["polite"],
    "modal": ["true"], "multiline": ["true"], "multiselectable": ["true"], "orientation": ["vertical"], "owns": ["x"],
    "placeholder": ["x"], "posinset": ["1"], "pressed": ["true"], "readonly": ["true"], "relevant": ["all", "text x"],
    "required": ["true"], "roledescription": ["x"], "rowcount": ["2"], "rowindex": ["1"], "rowspan": ["1"],
    "selected": ["true"], "setsize": ["2"], "sort": ["ascending"], "valuemax": ["3", "x"], "valuemin": ["1"],
    "valuenow": ["2"], "valuetext": ["x"],
}  # fmt: skip
ROLES = """alert alertdialog application article banner blockquote button caption cell checkbox code columnheader
combobox complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid
gridcell group heading img image insertion link list listbox listitem log main marquee math menu menubar menuitem
menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio radiogroup
region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong subscript
superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem
doc-abstract doc-acknowledgments doc-afterword doc-appendix doc-backlink doc-biblioentry doc-bibliography doc-biblioref
doc-chapter doc-colophon doc-conclusion doc-cover doc-credit doc-credits doc-dedication doc-endnote doc-endnotes
doc-epigraph doc-epilogue doc-errata doc-example doc-footnote doc-foreword doc-glossary doc-glossref doc-index
doc-introduction doc-noteref doc-notice doc-pagebreak doc-pagefooter doc-pageheader doc-pagelist doc-part doc-preface
doc-prologue doc-pullquote doc-qna doc-subtitle doc-tip doc-toc graphics-document graphics-object graphics-symbol
BUTTON frob""".split() + ["", "none presentation", "doc-chapter region", " button"]
TYPES = """chapter part volume preface toc landmarks page-list pagebreak noteref footnote footnotes rearnote glossary
glossterm glossdef index index-entry bodymatter cover titlepage biblioentry figure table table-row table-cell list
list-item qna antonym-group dictionary z3998:author x a:b title halftitle page subchapter help marginalia sidebar
warning annotation keyword topic-sentence learning-objective""".split() + ["", "chapter part", "chapter x"]

SVG_ELEMENTS = """a altGlyph animate animateTransform circle clipPath color-profile cursor defs desc ellipse feBlend
feGaussianBlur filter font foreignObject frob g glyph image line linearGradient marker mask metadata path pattern
polygon polyline radialGradient rect script set stop style svg switch symbol text textPath title tref tspan use
view""".split()
SVG_ATTRIBUTES = attributes_in("""fill="red" fill="frob" width="x" width="10" viewBox="0 0 1" preserveAspectRatio="x"
transform="rot(1)" d="M" points="1,2" xlink:href="#x" href="#x" xml:space="preserve" class="a" style="fill:"
role="img" aria-label="x" tabindex="0" onclick="x" requiredFeatures="x" systemLanguage="en" opacity="2" data-x="1"
lang="en" x="1" rx="1" offset="2" version="1.2" baseProfile="x" zoomAndPan="x" epub:type="chapter" epub:type="x"
id="q" id="1" id="x" xml:lang="x_y" frob="1" xlink:title="x" requiredExtensions="x" font-size="12" """)
MATH_ELEMENTS = """mi mn mo mtext mspace ms mglyph mrow mfrac msqrt mroot mstyle merror mpadded mphantom mfenced
menclose msub msup msubsup munder mover munderover mmultiscripts mtable mtr mtd maction semantics mstack mlongdiv
mprescripts none malignmark maligngroup cn ci apply bind share csymbol lambda interval annotation frob""".split()
MATH_CONTENTS = ["", "x", "<mi>a</mi>", "<mi>a</mi><mi>b</mi>", "<mi>a</mi><mi>b</mi><mi>c</mi>",
                 "<mtr><mtd><mi>x</mi></mtd></mtr>"]  # fmt: skip
MATH_ATTRIBUTES = attributes_in("""mathvariant="bold" mathsize="big" mathcolor="red" linethickness="0" stretchy="maybe"
form="infix" lspace="1em" href="http://x.example/" class="a" id="a b" style="x" xml:lang="en" dir="x"
displaystyle="true" notation="longdiv" columnalign="left" rowspan="2" actiontype="toggle" selection="1" alttext="x"
altimg="i.png" overflow="x" open="(" separators="," display="block" display="x" frob="1" xref="x" role="math"
aria-label="x" epub:type="chapter" """)


def book3(body, head="", attributes="", files=None):
    items = '<item id="n" href="n.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
    if "i.png" in body + head:
        items += '<item id="i" href="i.png" media-type="image/png"/>'
        files = {"i.png": PNG}
    properties = " ".join(word for word, mark in (("svg", "<svg"), ("mathml", "<math")) if mark in body)
    properties = f' properties="{properties}"' if properties else ""
    items += f'<item id="c" href="c.xhtml" media-type="application/xhtml+xml"{properties}/>'
    return {
        "META-INF/container.xml": CONTAINER,
        "book.opf": OPF.format(version="3.0", more=MODIFIED, items=items, toc=""),
        "n.xhtml": NAV.format(document="c.xhtml"),
        "c.xhtml": PAGE.format(head=head, body=body, attributes=attributes),
    } | (files or {})


def book2(body, head=""):
    items = '<item id="n" href="n.ncx" media-type="application/x-dtbncx+xml"/>'
    items += '<item id="c" href="c.xhtml" media-type="application/xhtml+xml"/>'
    if "i.png" in body + head:
        items += '<item id="i" href="i.png" media-type="image/png"/>'
    return {
        "META-INF/container.xml": CONTAINER,
        "book.opf": OPF.format(version="2.0", more="", items=items, toc=' toc="n"'),
        "n.ncx": NCX.format(document="c.xhtml"),
        "c.xhtml": PAGE2.format(head=head, body=body),
        "i.png": PNG,
    }


def svg_book(content, attributes):
    entries = book3("<p>x</p>", files={"c.svg": SVG.format(content=content, attributes=attributes)})
    old = 'href="c.xhtml" media-type="application/xhtml+xml"'
    entries["book.opf"] = entries["book.opf"].replace(old, 'href="c.svg" media-type="image/svg+xml"')
    entries["n.xhtml"] = NAV.format(document="c.svg")
    del entries["c.xhtml"]
    return entries


def written(tag, attributes="", content=""):
    return f"<{tag} {attributes}>{content}</{tag}>" if content else f"<{tag} {attributes}/>"


def own(needed, more):
    """The attributes an element needs, without those that are given anew."""
    names = {word.split("=")[0] for word in more.split('" ')}
    return " ".join([word for word in needed.split() if word.split("=")[0] not in names] + [more])


def in_head(tag, attribute):
    return book3("<p>x</p>", head=written(tag, own(HEAD[tag], attribute)))


def with_attribute(tag, attribute):
    where, needed, content = ELEMENTS[tag]
    return '<div id="x">y</div>' + where.format(written(tag, own(needed, attribute), content))


def states(dice):
    tag, state = dice.choice(list(ELEMENTS)), dice.choice(list(STATES))
    attribute = f'aria-{state}="{dice.choice(STATES[state])}"'
    return f"{tag} {attribute}", book3(with_attribute(tag, attribute))


def roles(dice):
    """A role, and often a state that may go with it or must."""
    tag, role = dice.choice(list(ELEMENTS)), dice.choice(ROLES)
    chosen = dice.sample(list(STATES), dice.choice([0, 0, 1, 1, 2]))
    attribute = " ".join([f'role="{role}"'] + [f'aria-{state}="{STATES[state][0]}"' for state in chosen])
    return f"{tag} {attribute}", book3(with_attribute(tag, attribute))


def attributes(dice):
    tag, name = dice.choice([*ELEMENTS, *HEAD]), dice.choice(list(VALUES))
    attribute = f'{name}="{dice.choice(VALUES[name])}"'
    if tag in HEAD:
        return f"{tag} {attribute}", in_head(tag, attribute)
    return f"{tag} {attribute}", book3(with_attribute(tag, attribute))


def inputs(dice):
    attribute = f'type="{dice.choice(INPUT_TYPES)}" {dice.choice(INPUT_ATTRIBUTES)}="{dice.choice(INPUT_VALUES)}"'
    return attribute, book3(with_attribute("input", attribute))


def child(dice, tags=(*ELEMENTS, *ELEMENTS, *ODD)):
    tag = dice.choice(tags)
    if tag == "svg":
        return tag, SVG.format(attributes="", content="")
    where, needed, content = ELEMENTS.get(tag, ("", FILLED.get(tag, ""), ""))
    return tag, written(tag, needed, dice.choice([content, content, "", "x"]))


def nested(dice):
    """An element in another one, beside what may stand there or instead."""
    inner, text = child(dice)
    outer = dice.choice([*ELEMENTS, "head", "body"])
    if outer == "head":
        return f"{inner} in head", book3("<p>x</p>", head=text)
    if outer == "body":
        return f"{inner} in body", book3(text)
    where, needed, content = ELEMENTS[outer]
    both = dice.choice([text, content + text, text + content])
    return f"{inner} in {outer}", book3('<div id="x">y</div>' + where.format(written(outer, needed, both)))


def types(dice):
    tag, value = dice.choice([*ELEMENTS, "body"]), dice.choice(TYPES)
    attribute = f'epub:type="{value}"'
    if tag == "body":
        return f"{tag} {attribute}", book3("<p>x</p>", attributes=" " + attribute)
    return f"{tag} {attribute}", book3(with_attribute(tag, attribute))


def svg(dice):
    """In a page or as a document: an element in another one, or an attribute."""
    outer, inner = dice.choice(SVG_ELEMENTS), dice.choice(SVG_ELEMENTS)
    attribute = dice.choice(SVG_ATTRIBUTES) if dice.random() < 0.5 else ""
    on_root = f" {attribute}" if attribute and dice.random() < 0.3 else ""
    if "epub:" in attribute:
        on_root += ' xmlns:epub="http://www.idpf.org/2007/ops"'
    content = f"<{outer} {attribute if attribute not in on_root else ''}><{inner}/></{outer}>"
    if attribute:
        content = f"<{outer} {'' if attribute in on_root else attribute}/>"
    is_document = dice.random() < 0.4
    what = f"{'document ' if is_document else ''}{attribute or inner} in {outer}"
    if is_document:
        return what, svg_book(content, on_root)
    return what, book3("<div>" + SVG.format(attributes=on_root, content=content) + "</div>")


def math(dice):
    tag, content = dice.choice(MATH_ELEMENTS), dice.choice(MATH_CONTENTS)
    attribute = dice.choice(MATH_ATTRIBUTES) if dice.random() < 0.5 else ""
    if attribute and dice.random() < 0.3:
        return f"math {attribute}", book3(MATH.format(attributes=f" {attribute}", content="<mi>x</mi>"))
    content = f"<{tag} {attribute}>{content}</{tag}>"
    return f"{tag} {attribute}", book3(MATH.format(attributes="", content=content))


def old(dice):
    """The same in EPUB 2."""
    if dice.random() < 0.5:
        tag, name = dice.choice(OLD), dice.choice([name for name in VALUES if not name.startswith("epub:")])
        attribute = f'{name}="{dice.choice(VALUES[name])}"'
        return f"{tag} {attribute}", book2(with_attribute(tag, attribute))
    inner, text = child(dice, OLD)
    outer = dice.choice(OLD)
    where, needed, content = ELEMENTS[outer]
    both = dice.choice([text, content + text])
    return f"{inner} in {outer}", book2('<div id="x">y</div>' + where.format(written(outer, needed, both)))


KINDS = {
    "states": states,
    "roles": roles,
    "attributes": attributes,
    "inputs": inputs,
    "nested": nested,
    "types": types,
    "svg": svg,
    "math": math,
    "old": old,
}
