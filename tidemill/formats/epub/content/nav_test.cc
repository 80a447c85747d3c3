// Navigation document, NCX, media overlays.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tidemill/formats/epub/content/nav_data.h"
#include "tidemill/formats/epub/content/nav_rules.h"
#include "tidemill/formats/epub/content/nav_testing.h"
#include "tidemill/formats/epub/content/ncx_reader.h"
#include "tidemill/formats/epub/content/overlay_reader.h"
#include "tidemill/formats/epub/grammar/grammars.h"

namespace tidemill::epub {
namespace {

const std::string kToc =
    "<nav epub:type='toc'><h1>Contents</h1><ol><li><a href='a.xhtml'>A</a></li></ol></nav>";

Ids nav(std::string_view body) {
  Inspection book;
  Document document{.book = &book, .path = "nav.xhtml", .is_nav = true};
  read<NavRules>(document, page(body));
  return ids_of(book.findings);
}

TEST(NavRules, AcceptNestedListsAndHeadings) {
  EXPECT_EQ(nav(kToc), Ids{});
  EXPECT_EQ(nav("<nav epub:type='toc'><ol><li><span>Part</span><ol><li><a href='a'>A</a></li></ol>"
                "</li><li><a href='b'>B</a><ol><li><a href='c'><img alt='C'/></a></li></ol></li>"
                "</ol></nav>"),
            Ids{});
  EXPECT_EQ(nav(kToc + "<nav epub:type='lot'><h2>Tables</h2><ol><li><a href='b'>B</a></li></ol>"
                       "</nav><nav><p>free</p></nav>"),
            Ids{});
}

TEST(NavRules, RequireExactlyOneTableOfContents) {
  EXPECT_EQ(nav("<p>nothing</p>"), Ids{"RSC-005"});
  EXPECT_EQ(nav(kToc + kToc), Ids{"RSC-005"});
  EXPECT_EQ(nav("<nav><ol><li><a href='a'>A</a></li></ol></nav>"), Ids{"RSC-005"});
}

TEST(NavRules, RejectContentThatIsNotAListOfLinks) {
  const auto toc = [](std::string_view content) {
    return nav("<nav epub:type='toc'>" + std::string(content) + "</nav>");
  };
  EXPECT_EQ(toc("<p>Contents</p><ol><li><a href='a'>A</a></li></ol>"), Ids{"RSC-005"});
  EXPECT_EQ(toc("<h1>Contents</h1>"), Ids{"RSC-005"});
  EXPECT_EQ(toc("<ol></ol>"), Ids{"RSC-005"});
  EXPECT_EQ(toc("<ol><li><ol><li><a href='a'>A</a></li></ol></li></ol>"), Ids{"RSC-005"});
  EXPECT_EQ(toc("<ol><li><span>A</span></li></ol>"), Ids{"RSC-005"});
  EXPECT_EQ(toc("<ol><li>A</li></ol>"), Ids{"RSC-005"});
  EXPECT_EQ(toc("<ol><li><a href='a'>A</a><p>B</p></li></ol>"), Ids{"RSC-005"});
}

TEST(NavRules, LabelsMustNotBeEmpty) {
  const auto item = [](std::string_view content) {
    return nav("<nav epub:type='toc'><ol><li>" + std::string(content) + "</li></ol></nav>");
  };
  EXPECT_EQ(item("<a href='a'> </a>"), Ids{"RSC-005"});
  EXPECT_EQ(item("<a href='a'><span></span></a>"), (Ids{"RSC-005", "RSC-005"}));
  EXPECT_EQ(item("<a href='a' aria-label='A'></a>"), Ids{});
  EXPECT_EQ(item("<a href='a'><b>A</b></a>"), Ids{});
  EXPECT_EQ(nav(kToc + "<h2> </h2>"), Ids{"RSC-005"});
}

TEST(NavRules, LandmarksMustHaveTypesAndBeUnique) {
  const auto landmarks = [](std::string_view items) {
    return nav(kToc + "<nav epub:type='landmarks'><ol>" + std::string(items) + "</ol></nav>");
  };
  EXPECT_EQ(landmarks("<li><a epub:type='toc' href='#a'>A</a></li>"
                      "<li><a epub:type='toc' href='#b'>B</a></li>"),
            Ids{});
  EXPECT_EQ(landmarks("<li><a href='#a'>A</a></li>"), Ids{"RSC-005"});
  EXPECT_EQ(landmarks("<li><a epub:type='toc' href='#a'>A</a></li>"
                      "<li><a epub:type='TOC x' href='#A'>B</a></li>"),
            (Ids{"RSC-005", "RSC-005"}));
}

TEST(NavRules, AllowOnlyOneFlatPageList) {
  const std::string pages = "<nav epub:type='page-list'><ol><li><a href='a'>1</a></li></ol></nav>";
  EXPECT_EQ(nav(kToc + pages), Ids{});
  EXPECT_EQ(nav(kToc + pages + pages), Ids{"RSC-005"});
  EXPECT_EQ(nav(kToc + "<nav epub:type='page-list'><ol><li><a href='a'>1</a><ol><li>"
                       "<a href='b'>2</a></li></ol></li></ol></nav>"),
            Ids{"RSC-017"});
  EXPECT_EQ(nav(kToc + "<nav epub:type='lot'><ol><li><a href='b'>B</a></li></ol></nav>"),
            Ids{"RSC-005"});
}

TEST(NavRules, RecordLinksAsReferencesOfTheirList) {
  Inspection book;
  Document document{.book = &book, .path = "x/nav.xhtml", .is_nav = true};
  read<NavRules>(document, page(kToc + "<p><a href='z'>z</a></p>"));
  ASSERT_EQ(book.references.all().size(), 1);
  EXPECT_EQ(book.references.all()[0].use, Use::nav_toc);
  EXPECT_EQ(book.references.all()[0].target.path, "x/a.xhtml");
}

TEST(NavRules, RequireAPageListForPageBreaksInTheEducationProfile) {
  Inspection book{.archive = some_archive(), .profile = Profile::education};
  book.traits["a.xhtml"].has_page_breaks = true;
  judge_navigation(book);
  EXPECT_EQ(ids_of(book.findings), Ids{"NAV-003"});
  book.references.add({.use = Use::nav_pages});
  judge_navigation(book);
  EXPECT_EQ(book.findings.count("NAV-003"), 1);
}

Ids regions(std::string_view body, bool is_fixed = true) {
  Inspection book{.archive = some_archive()};
  book.package.is_fixed_layout = is_fixed;
  const Item item{.id = "n", .path = "n.xhtml", .properties = {"data-nav"}};
  add_item(book.package, {.id = "p", .path = "p.xhtml"});
  Document document{.book = &book, .path = "n.xhtml", .item = &item};
  read<DataNavRules>(document, page(body));
  return ids_of(book.findings);
}

TEST(DataNavRules, RegionsMustLinkToFixedLayoutPages) {
  const std::string one =
      "<nav epub:type='region-based'><ol><li><a href='p.xhtml#xywh=1,1,2,2'></a></li></ol></nav>";
  EXPECT_EQ(regions(one), Ids{});
  EXPECT_EQ(regions(one, false), Ids{"NAV-009"});
  EXPECT_EQ(regions("<nav><ol/></nav>"), Ids{"RSC-005"});
  EXPECT_EQ(regions("<p epub:type='region-based'/>"), Ids{"HTM-052"});
  EXPECT_EQ(regions("<nav epub:type='region-based'><ol><li><a/><ol/><ol/></li></ol></nav>"),
            Ids{"RSC-005"});
  EXPECT_EQ(regions("<nav epub:type='region-based'><h1>t</h1><ol><li>x</li><li><span><a/></span>"
                    "</li><li><a/><a/></li><li><a>t</a></li></ol></nav>"),
            (Ids{"RSC-005", "RSC-005", "RSC-005", "RSC-005", "RSC-017"}));
}

Ids ncx(std::string_view map, std::string_view uid = "book", std::string_view rest = "") {
  Inspection book{.archive = some_archive()};
  book.package.edition = Edition::epub2;
  book.package.identifier = " book ";
  Document document{.book = &book, .path = "toc.ncx"};
  read<NcxReader>(document,
                  "<ncx xmlns='http://www.daisy.org/z3986/2005/ncx/' version='2005-1'>"
                  "<head><meta name='dtb:uid' content='" +
                      std::string(uid) + "'/></head><docTitle><text>t</text></docTitle><navMap>" +
                      std::string(map) + "</navMap>" + std::string(rest) + "</ncx>",
                  &ncx_grammar());
  return ids_of(book.findings);
}

std::string point(std::string_view id, std::string_view order, std::string_view src) {
  return "<navPoint id='" + std::string(id) + "' playOrder='" + std::string(order) +
         "'><navLabel><text>x</text></navLabel><content src='" + std::string(src) +
         "'/></navPoint>";
}

TEST(NcxReader, IdentifierMustMatchThePackage) {
  EXPECT_EQ(ncx(point("a", "1", "a")), Ids{});
  EXPECT_EQ(ncx(point("a", "1", "a"), "other"), Ids{"NCX-001"});
  EXPECT_EQ(ncx(point("a", "1", "a"), "book "), Ids{"NCX-004"});
}

TEST(NcxReader, PlayOrderMustStartAtOneWithoutGaps) {
  EXPECT_EQ(ncx(point("a", "1", "a") + point("b", "2", "b")), Ids{});
  EXPECT_EQ(ncx(point("a", "2", "a") + point("b", "3", "b")), (Ids{"RSC-005", "RSC-005"}));
  EXPECT_EQ(ncx(point("a", "1", "a") + point("b", "3", "b")), Ids{"RSC-005"});
  EXPECT_EQ(ncx(point("a", "1", "a") + point("b", "x", "b")), Ids{"RSC-005"});
}

TEST(NcxReader, SamePlayOrderMustMeanSameTarget) {
  EXPECT_EQ(ncx(point("a", "1", "a") + point("b", "1", "a")), Ids{});
  EXPECT_EQ(ncx(point("a", "1", "a") + point("b", "1", "b")), Ids{"RSC-005"});
  EXPECT_EQ(ncx(point("a", "1", "a") + point("b", "2", "a")), Ids{"RSC-005"});
}

TEST(NcxReader, IdsAndPagesAreUnique) {
  EXPECT_EQ(ncx(point("a", "1", "a") + point("a", "2", "b")), Ids{"RSC-005"});
  EXPECT_EQ(ncx(point("1a", "1", "a")), Ids{"RSC-005"});
  const std::string page =
      "<pageTarget type='normal' value='1'><navLabel><text/></navLabel><content src='a'/>"
      "</pageTarget>";
  EXPECT_EQ(ncx(point("a", "1", "a"), "book", "<pageList>" + page + page + "</pageList>"),
            (Ids{"NCX-006", "NCX-006", "RSC-005"}));
}

TEST(NcxReader, ChecksTheContentModel) {
  EXPECT_EQ(ncx("<navLabel><text>t</text></navLabel>"), Ids{"RSC-005"});
  EXPECT_EQ(ncx(point("a", "1", "a") + "<p/>"), Ids{"RSC-005"});
  EXPECT_EQ(ncx("<navLabel><text id='x'>t</text></navLabel>" + point("a", "1", "a")),
            Ids{"RSC-005"});
  EXPECT_EQ(ncx(point("a", "1", "a"), "book",
                "<pageList><pageTarget type='body'><navLabel><text>1</text></navLabel>"
                "<content src='a'/></pageTarget></pageList>"),
            Ids{"RSC-005"});
}

Ids overlay(std::string_view body, std::string_view attributes = "") {
  Inspection book;
  Document document{.book = &book, .path = "a.smil"};
  read<OverlayReader>(document,
                      "<smil xmlns='http://www.w3.org/ns/SMIL' "
                      "xmlns:epub='http://www.idpf.org/2007/ops' version='3.0' " +
                          std::string(attributes) + "><body>" + std::string(body) +
                          "</body></smil>",
                      &overlay_grammar());
  return ids_of(book.findings);
}

Ids clip(std::string_view times) {
  return overlay("<par><text src='a.xhtml#a'/><audio src='a.mp3' " + std::string(times) +
                 "/></par>");
}

TEST(OverlayReader, ClipsEndAfterTheyBegin) {
  EXPECT_EQ(clip(""), Ids{});
  EXPECT_EQ(clip("clipBegin='0:00:01.5' clipEnd='2s'"), Ids{});
  EXPECT_EQ(clip("clipBegin='10s' clipEnd='00:09.9'"), Ids{"MED-008"});
  EXPECT_EQ(clip("clipBegin='00:01' clipEnd='1000ms'"), Ids{"MED-009"});
  EXPECT_EQ(clip("clipEnd='0'"), Ids{"MED-009"});
  EXPECT_EQ(clip("clipBegin='10m' clipEnd='0:00:60'"), (Ids{"RSC-005", "RSC-005"}));
}

TEST(OverlayReader, ChecksTheContentModel) {
  const std::string par = "<par><text src='a#a'/></par>";
  EXPECT_EQ(overlay("<seq epub:textref='a#a'>" + par + "</seq>"), Ids{});
  EXPECT_EQ(overlay("<seq>" + par + "</seq>"), Ids{"RSC-005"});
  EXPECT_EQ(overlay("<par><text src='a'/><text src='a'/></par>"), Ids{"RSC-005"});
  EXPECT_EQ(overlay("<par id='p'><text src='a' id='p'/></par>"), Ids{"RSC-005"});
  EXPECT_EQ(overlay("<par><text src='a'/><audio src='a.mp3#t=1'/></par>"), Ids{"MED-014"});
}

TEST(OverlayReader, TypePrefixesMustBeDeclared) {
  const std::string par = "<par epub:type='my:x'><text src='a'/></par>";
  EXPECT_EQ(overlay(par), Ids{"OPF-028"});
  EXPECT_EQ(overlay("<par epub:type='chapter unknown'><text src='a'/></par>"), Ids{"OPF-088"});
  EXPECT_EQ(overlay(par, "epub:prefix='my: http://example.org/'"), Ids{});
}

TEST(Overlays, AndDocumentsMustReferToEachOther) {
  const auto judged = [](std::string_view claimed, std::string_view also_from) {
    Inspection book{.archive = some_archive()};
    add_item(book.package, {.id = "o", .path = "o.smil", .media_type = "application/smil+xml"});
    add_item(book.package, {.id = "q", .path = "q.smil", .media_type = "application/smil+xml"});
    add_item(book.package, {.id = "m", .path = "m.wav", .media_type = "audio/wav"});
    add_item(book.package, {.id = "a",
                            .path = "a.xhtml",
                            .media_type = "application/xhtml+xml",
                            .media_overlay = std::string(claimed)});
    if (!also_from.empty()) {
      for (const std::string_view from : {std::string_view("o.smil"), also_from}) {
        book.references.add({.use = Use::overlay_text,
                             .from = std::string(from),
                             .target = resolve("a.xhtml#x", from)});
      }
    }
    judge_overlays(book);
    return ids_of(book.findings);
  };
  EXPECT_EQ(judged("o", "o.smil"), Ids{});
  EXPECT_EQ(judged("", "o.smil"), Ids{"MED-010"});
  EXPECT_EQ(judged("o", "q.smil"), Ids{"MED-011"});
  EXPECT_EQ(judged("q", "o.smil"), Ids{"MED-012"});
  EXPECT_EQ(judged("o", ""), Ids{"MED-013"});
}

}  // namespace
}  // namespace tidemill::epub
