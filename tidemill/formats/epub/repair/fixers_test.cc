// Each fixer: a book with one fault, what it becomes, and what is left because it has no one
// answer.
#include "tidemill/formats/epub/repair/fixers.h"

#include "tidemill/formats/epub/repair/mend_testing.h"

namespace tidemill::epub {
namespace {

using Names = std::set<std::string>;

// Mended by this fixer alone, to a book without errors, and a second time there is nothing to do.
void expect_mended_by(const Repair& repair, const Names& fixers) {
  EXPECT_EQ(repair.mended.refusal, "");
  ASSERT_TRUE(repair.mended.is_accepted);
  EXPECT_EQ(repair.fixers(), fixers);
  EXPECT_EQ(errors_of(repair.mended.after), Ids{});
  EXPECT_FALSE(repaired(repair.book).mended.is_accepted);
}

void expect_left(const Repair& repair, const Ids& errors, std::string_view why) {
  EXPECT_FALSE(repair.mended.is_accepted);
  EXPECT_EQ(errors_of(repair.mended.after), errors);
  EXPECT_TRUE(why.empty() || repair.has_declined(why));
}

TEST(Fixers, TheBooksOfTheseTestsAreSound) {
  EXPECT_EQ(errors_of(repaired(epub3()).mended.before), Ids{});
  EXPECT_EQ(errors_of(repaired(epub2()).mended.before), Ids{});
}

TEST(Fixers, MimetypeBecomesTheFirstAndExact) {
  Entries last = epub3();
  std::ranges::rotate(last, last.begin() + 1);
  expect_mended_by(repaired(last), {"mimetype"});
  expect_mended_by(repaired(with(epub3(), "mimetype", "zip", "zip\n")), {"mimetype"});
  Entries none = epub3();
  none.erase(none.begin());
  expect_mended_by(repaired(none), {"mimetype"});
}

TEST(Fixers, TheOneFolderIsTakenAway) {
  Entries nested = epub3();
  for (auto& [name, content] : nested) name.insert(0, "book/");
  nested.emplace_back("book/", "");
  const Repair repair = repaired(nested);
  expect_mended_by(repair, {"hoist", "mimetype"});
  EXPECT_EQ(repair.content("OPS/a.xhtml"), xhtml("<p>one</p>"));
  nested.emplace_back("other/file", "");
  expect_left(repaired(nested), {"PKG-006", "RSC-002"}, "is nowhere");
}

TEST(Fixers, OfTwoEqualEntriesOneIsDropped) {
  Entries twice = epub3();
  twice.push_back(twice.back());
  expect_mended_by(repaired(twice), {"duplicate-entries"});
  twice.back().second += " ";
  expect_left(repaired(twice), {"OPF-060"}, "their contents differ");
}

TEST(Fixers, TheNcxGetsTheIdentifierOfThePackageDocument) {
  const Repair repair = repaired(with(epub2(), "OPS/toc.ncx", "urn:x:1", "urn:x:&quot;2"));
  expect_mended_by(repair, {"ncx-uid"});
  EXPECT_TRUE(repair.content("OPS/toc.ncx").contains(R"(content="urn:x:1")"));
  const std::string_view meta = R"(<meta name="dtb:uid" content="urn:x:1"/>)";
  const Repair added = repaired(with(epub2(), "OPS/toc.ncx", meta, ""));
  expect_mended_by(added, {"ncx-uid"});
  EXPECT_EQ(added.content("OPS/toc.ncx"), epub2()[3].second);
}

TEST(Fixers, PlayOrderIsCountedAnewTheSamePlaceTheSameNumber) {
  const auto point = [](std::string_view id, std::string_view order, std::string_view src) {
    return "<navPoint id='" + std::string(id) + "' playOrder='" + std::string(order) +
           "'><navLabel><text>x</text></navLabel><content src='" + std::string(src) +
           "'/></navPoint>";
  };
  const Repair repair =
      repaired(with(epub2(), "OPS/toc.ncx", "</navMap>",
                    point("n2", "7", "a.xhtml#b") + point("n3", "9", "a.xhtml") + "</navMap>"));
  EXPECT_EQ(repair.fixers(), Names{"play-order"});
  const std::string ncx = repair.content("OPS/toc.ncx");
  EXPECT_TRUE(ncx.contains("id='n2' playOrder='2'") && ncx.contains("id='n3' playOrder='1'"))
      << ncx;
}

TEST(Fixers, IdsThatAreNoNamesGetNamesAndReferencesFollow) {
  Entries book = with(epub2(), "OPS/a.xhtml", "<p>one</p>",
                      R"(<p id="1.2">one <a href="#1.2">x</a> <a href="a.xhtml#1.2">y</a></p>)");
  book = with(book, "OPS/toc.ncx", "a.xhtml", "a.xhtml#1.2");
  const Repair repair = repaired(book);
  expect_mended_by(repair, {"ids"});
  EXPECT_TRUE(repair.content("OPS/toc.ncx").contains("a.xhtml#id-1.2"));
  EXPECT_TRUE(
      repair.content("OPS/a.xhtml")
          .contains(R"(<p id="id-1.2">one <a href="#id-1.2">x</a> <a href="a.xhtml#id-1.2">)"));
}

TEST(Fixers, TheSecondOfTwoIdsGetsAnother) {
  const Repair repair = repaired(with(epub3(), "OPS/a.xhtml", "<p>one</p>",
                                      R"(<p id="x-2">1</p><p id="x">2</p><p id='x'>3</p>)"));
  expect_mended_by(repair, {"ids"});
  EXPECT_TRUE(repair.content("OPS/a.xhtml").contains(R"(<p id="x">2</p><p id='x-3'>3</p>)"));
}

// A rule of a style sheet is for both elements that have the id.
TEST(Fixers, TheSecondOfTwoIdsThatAStyleNamesStays) {
  const std::string_view head = "</title>";
  const Entries book = with(epub3(), "OPS/a.xhtml", "<p>one</p>",
                            "<p id='x'>1</p><p id='x'>2</p><p id='y'>3</p><p id='y'>4</p>");
  const Repair styled =
      repaired(with(book, "OPS/a.xhtml", head, "</title><style>#x { color: red }</style>"));
  EXPECT_TRUE(styled.has_declined("a style refers to an id"));
  EXPECT_TRUE(styled.content("OPS/a.xhtml").contains("<p id='x'>2</p>"));
  EXPECT_TRUE(styled.content("OPS/a.xhtml").contains("<p id='y-2'>4</p>"));
  for (const auto* any : {"</title><style>[id=x] { color: red }</style>",
                          "</title><style>#\\78 { color: red }</style>"}) {
    EXPECT_FALSE(repaired(with(book, "OPS/a.xhtml", head, any)).mended.is_accepted);
  }
  Entries linked = with_item(book, R"(<item id="s" href="s.css" media-type="text/css"/>)");
  linked.emplace_back("OPS/s.css", "p#x { color: red }");
  EXPECT_TRUE(repaired(linked).content("OPS/a.xhtml").contains("<p id='x'>2</p>"));
}

TEST(Fixers, AnIdThatAStyleNamesStays) {
  const Entries book =
      with(epub2(), "OPS/a.xhtml", "<p>one</p>", "<p id='1a' style='background: url(#1a)'>one</p>");
  expect_left(repaired(book), {"RSC-005"}, "a style refers to an id");
}

TEST(Fixers, InTheXhtmlOfEpub3AnIdNeedNotBeAName) {
  const Repair repair = repaired(with(epub3(), "OPS/a.xhtml", "<p>one</p>",
                                      R"(<p id="1.2">1</p><p id="1 x">2</p><p id="x">3</p>)"));
  EXPECT_TRUE(repair.content("OPS/a.xhtml")
                  .contains(R"(<p id="1.2">1</p><p id="id-1_x">2</p><p id="x">3</p>)"));
}

TEST(Fixers, ManyEqualIdsAreRenamedInLinearTime) {
  std::string body;
  for (int i = 0; i < 20'000; ++i) body += "<p id='x'/>";
  const Repair repair = repaired(with(epub3(), "OPS/a.xhtml", "<p>one</p>", body));
  expect_mended_by(repair, {"ids"});
  EXPECT_TRUE(repair.content("OPS/a.xhtml").contains("'x-20000'"));
}

TEST(Fixers, EntitiesThatXmlDoesNotKnowBecomeNumbers) {
  const Repair repair =
      repaired(with(epub3(), "OPS/a.xhtml", "<p>one</p>",
                    "<p title='&eacute;'>a&nbsp;b &amp; R&D &#8212; &lt; c&d e</p>"
                    "<!-- &nbsp; -->"));
  expect_mended_by(repair, {"entities"});
  EXPECT_TRUE(repair.content("OPS/a.xhtml")
                  .contains("<p title='&#233;'>a&#160;b &amp; R&amp;D &#8212; &lt; c&amp;d e</p>"
                            "<!-- &nbsp; -->"));
}

TEST(Fixers, AnEntityThatNobodyKnowsStays) {
  expect_left(repaired(with(epub3(), "OPS/a.xhtml", "one", "&nothing;")), {"RSC-016"},
              "a name that nobody knows");
}

TEST(Fixers, AnEncodingThatIsNotTheDocumentsIsCorrected) {
  const std::string_view html = "<html";
  const std::string declared = "<?xml version='1.0' encoding='iso-8859-1'?>\n<html";
  const Entries book =
      with(with(epub3(), "OPS/a.xhtml", html, declared), "OPS/a.xhtml", "one", "\xc3\xa9");
  const Repair repair = repaired(book);
  expect_mended_by(repair, {"encoding"});
  EXPECT_TRUE(repair.content("OPS/a.xhtml").starts_with("<?xml version='1.0' encoding='UTF-8'?>"));
  const Repair latin = repaired(with(book, "OPS/a.xhtml", "\xc3\xa9", "\xe9"));
  expect_mended_by(latin, {"encoding"});
  EXPECT_EQ(latin.content("OPS/a.xhtml"), repair.content("OPS/a.xhtml"));
  expect_left(repaired(with(book, "OPS/a.xhtml", "\xc3\xa9", "\x93one\x94")), {"RSC-028"},
              "which encoding");
}

TEST(Fixers, Utf16BecomesUtf8) {
  std::string utf16 = "\xff\xfe";
  for (const char byte : "<?xml version='1.0' encoding='UTF-16'?>" + xhtml("<p>one</p>")) {
    utf16.push_back(byte);
    utf16.push_back('\0');
  }
  Entries book = epub3();
  book.back().second = utf16;
  const Repair repair = repaired(book);
  expect_mended_by(repair, {"encoding"});
  EXPECT_EQ(repair.content("OPS/a.xhtml"),
            "<?xml version='1.0' encoding='UTF-8'?>" + xhtml("<p>one</p>"));
}

TEST(Fixers, AMetaElementSaysTheEncodingThatItIs) {
  const Repair repair =
      repaired(with(epub3(), "OPS/a.xhtml", "<title>",
                    "<meta charset='iso-8859-1'/><meta charset='utf-8'/><title>"));
  expect_mended_by(repair, {"encoding"});
  EXPECT_TRUE(repair.content("OPS/a.xhtml").contains("<head><meta charset='utf-8'/><title>"));
  const Repair both =
      repaired(with(epub3(), "OPS/a.xhtml", "<title>",
                    "<meta http-equiv='Content-Type' content='text/html; charset=utf-8'/>"
                    "<meta charset='utf-8'/><title>"));
  expect_mended_by(both, {"encoding"});
  EXPECT_EQ(both.content("OPS/a.xhtml"), repair.content("OPS/a.xhtml"));
}

TEST(Fixers, WhatStandsBeforeTheFirstTagIsCorrected) {
  const auto before = [](const Entries& book, std::string_view prolog) {
    return repaired(with(book, "OPS/a.xhtml", "<html", std::string(prolog) + "<html"));
  };
  const auto expect_prolog = [](const Repair& repair, std::string_view prolog) {
    expect_mended_by(repair, {"prolog"});
    EXPECT_EQ(repair.content("OPS/a.xhtml"), std::string(prolog) + xhtml("<p>one</p>"));
  };
  const std::string xhtml11 =
      "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.1//EN\" "
      "\"http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd\">";
  expect_prolog(before(epub3(), "\n <?xml version='1.0'?>"), "<?xml version='1.0'?>");
  expect_prolog(before(epub3(), "<?xml version='1.1'?>"), "<?xml version='1.0'?>");
  expect_prolog(before(epub3(), "<?xml version='1.0'?><?xml version='1.0'?>"),
                "<?xml version='1.0'?>");
  expect_prolog(before(epub3(), "<?xml version='1.0' standalone='maybe'?>"),
                "<?xml version='1.0'?>");
  expect_prolog(before(epub3(), "<!-- a--b --->"), "<!-- a- -b - -->");
  expect_prolog(before(epub3(), "<!doctype html>"), "<!DOCTYPE html>");
  expect_prolog(before(epub3(), xhtml11), "<!DOCTYPE html>");
  expect_prolog(before(epub2(), "<!DOCTYPE html>"), xhtml11);
  EXPECT_FALSE(
      before(epub3(), "<!DOCTYPE html PUBLIC 'x' 'y' [<!ENTITY z 'z'>]>").mended.is_accepted);
}

TEST(Fixers, ThePackageDocumentIsTheOneThatThereIs) {
  const std::string_view entry = "META-INF/container.xml";
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"OPS/p.opf", "OPS/gone.opf"},
           {"OPS/p.opf", ""},
           {" full-path=\"OPS/p.opf\"", ""},
           {"application/oebps-package+xml", "text/xml"},
           {"xmlns:container", "xmlns:other"}}) {
    const Repair repair = repaired(with(epub3(), entry, from, to));
    expect_mended_by(repair, {"rootfile"});
  }
  Entries without = epub3();
  without.erase(without.begin() + 1);
  expect_mended_by(repaired(without), {"rootfile"});
  expect_mended_by(repaired(with(epub3(), entry, "</rootfiles>", "")), {"rootfile"});
  without.emplace_back("q.opf", "");
  expect_left(repaired(without), {"RSC-002"}, "more than one");
}

TEST(Fixers, RootsHaveTheirNamespaceAndVersion) {
  expect_mended_by(
      repaired(with(epub3(), "OPS/a.xhtml", " xmlns=\"http://www.w3.org/1999/xhtml\"", "")),
      {"roots"});
  expect_mended_by(repaired(with(epub2(), "OPS/toc.ncx", "2005-1", "1.1.0")), {"roots"});
  const Repair small = repaired(with(epub3(), "OPS/a.xhtml", "<p>one</p>", "<P>one</P>"));
  expect_mended_by(small, {"roots"});
  EXPECT_EQ(small.content("OPS/a.xhtml"), xhtml("<p>one</p>"));
  const Repair island =
      repaired(with(epub3(), "OPS/a.xhtml", "one", "<svg><svg><linearGradient/></svg></svg>"));
  expect_mended_by(island, {"properties", "roots"});
  EXPECT_TRUE(island.content("OPS/a.xhtml")
                  .contains("<svg xmlns=\"http://www.w3.org/2000/svg\"><svg><linearGradient/>"));
}

TEST(Fixers, TheVersionIsThatOfTheEditionThatTheBookIsMadeFor) {
  const std::string_view modified = R"(<meta property="dcterms:modified">)";
  for (const auto* version : {"", "4.0", "2.0"}) {
    const Repair repair = repaired(
        with(epub3(), "OPS/p.opf", "version=\"3.0\"", "version=\"" + std::string(version) + "\""));
    expect_mended_by(repair, {"edition"});
    EXPECT_EQ(repair.content("OPS/p.opf"), epub3()[2].second);
  }
  expect_mended_by(repaired(with(epub2(), "OPS/p.opf", " version=\"2.0\"", "")), {"edition"});
  const Entries unclear =
      with(epub3(), "OPS/p.opf", modified, R"(<meta property="dcterms:title">)");
  EXPECT_FALSE(repaired(with(unclear, "OPS/p.opf", "\"3.0\"", "\"9\"")).mended.is_accepted);
}

TEST(Fixers, ThePartsOfThePackageDocumentStandInTheirOrder) {
  Entries book = epub3();
  std::string& package = book[2].second;
  const std::size_t begin = package.find("<metadata");
  const std::size_t end = package.find("<manifest");
  const std::string metadata = package.substr(begin, end - begin - 1);
  package.erase(begin, end - begin);
  package.insert(package.find("\n<spine"), "\n" + metadata);
  const Repair repair = repaired(book);
  expect_mended_by(repair, {"order"});
  EXPECT_EQ(repair.content("OPS/p.opf"), epub3()[2].second);
}

TEST(Fixers, DublinCoreIsWrittenInSmallLetters) {
  const Repair repair = repaired(with(epub3(), "OPS/p.opf", "<dc:title>t</dc:title>",
                                      "<dc:title>t</dc:title><dc:Creator>c</dc:Creator>"));
  expect_mended_by(repair, {"dublin-core"});
  EXPECT_TRUE(repair.content("OPS/p.opf").contains("<dc:creator>c</dc:creator>"));
}

TEST(Fixers, AReferenceGetsTheNameThatTheFileHas) {
  const auto book = [](std::string_view href, std::string_view name) {
    Entries entries = with_item(
        epub3(), "<item id=\"i\" href=\"" + std::string(href) + "\" media-type=\"image/gif\"/>");
    entries = with(entries, "OPS/a.xhtml", "one", "<img alt='' src='" + std::string(href) + "'/>");
    entries.emplace_back("OPS/" + std::string(name), gif());
    return entries;
  };
  const auto expect_name = [&](std::string_view href, std::string_view name,
                               std::string_view written) {
    const Repair repair = repaired(book(href, name));
    EXPECT_TRUE(repair.fixers().contains("names")) << href;
    EXPECT_EQ(errors_of(repair.mended.after), Ids{}) << href;
    EXPECT_EQ(repair.content("OPS/" + std::string(name)), gif());
    const std::string quoted = "=\"" + std::string(written) + "\"";
    EXPECT_TRUE(repair.content("OPS/p.opf").contains("href" + quoted))
        << repair.content("OPS/p.opf");
    EXPECT_TRUE(repair.content("OPS/a.xhtml").contains("src='" + std::string(written) + "'"));
  };
  expect_name("e.gif", "E.GIF", "E.GIF");
  expect_name("a%2520b.gif", "a b.gif", "a%20b.gif");
  expect_name("/OPS/e.gif", "e.gif", "e.gif");
  expect_name("../../OPS/e.gif", "e.gif", "e.gif");
  expect_name("/e.gif", "e.gif", "e.gif");
  expect_name("x//e.gif", "x/e.gif", "x/e.gif");
  Entries two = book("e.gif", "E.gif");
  two.emplace_back("OPS/e.GIF", gif());
  EXPECT_FALSE(repaired(two).fixers().contains("names"));
}

TEST(Fixers, FragmentsWithoutAMeaningAreCutOff) {
  expect_mended_by(repaired(with(epub3(), "OPS/p.opf", "a.xhtml", "a.xhtml#x")), {"hrefs"});
  Entries book = with_item(epub3(), R"(<item id="s" href="s.css" media-type="text/css"/>)");
  book.emplace_back("OPS/s.css", "p { color: red }");
  expect_mended_by(
      repaired(with(book, "OPS/a.xhtml", "</title>",
                    "</title><link rel='stylesheet' type='text/css' href='s.css#x'/>")),
      {"hrefs"});
}

TEST(Fixers, OfTwoItemsThatSayTheSameOneGoes) {
  const std::string twin = R"(<item id="b" href="a.xhtml" media-type="application/xhtml+xml"/>)";
  expect_mended_by(repaired(with_item(epub3(), twin)), {"doubles"});
  const Entries used = with(with_item(epub3(), twin), "OPS/p.opf", "idref=\"a\"", "idref=\"b\"");
  EXPECT_FALSE(repaired(used).fixers().contains("doubles"));
  const std::string_view modified =
      R"(<meta property="dcterms:modified">2024-01-01T00:00:00Z</meta>)";
  expect_mended_by(
      repaired(with(epub3(), "OPS/p.opf", modified, std::string(modified) + std::string(modified))),
      {"doubles"});
}

TEST(Fixers, PropertiesAreWhatTheDocumentsShow) {
  const Repair missing =
      repaired(with(epub3(), "OPS/a.xhtml", "one", "<svg xmlns='http://www.w3.org/2000/svg'/>"));
  expect_mended_by(missing, {"properties"});
  EXPECT_TRUE(missing.content("OPS/p.opf").contains(R"(<item properties="svg" id="a")"));
  const Repair untrue =
      repaired(with(epub3(), "OPS/p.opf", "id=\"a\"", "properties=\"scripted mathml\" id=\"a\""));
  expect_mended_by(untrue, {"properties"});
  EXPECT_EQ(untrue.content("OPS/p.opf"), epub3()[2].second);
}

TEST(Fixers, TheOneDocumentWithContentsIsTheNavigation) {
  const Repair none = repaired(with(epub3(), "OPS/p.opf", " properties=\"nav\"", ""));
  expect_mended_by(none, {"nav"});
  const Repair two =
      repaired(with(epub3(), "OPS/p.opf", "<item id=\"a\"", "<item id=\"a\" properties=\"nav\""));
  expect_mended_by(two, {"nav"});
  EXPECT_EQ(two.content("OPS/p.opf"), epub3()[2].second);
  Entries list = with(epub3(), "OPS/nav.xhtml", "<ol>", "<ul>");
  expect_mended_by(repaired(with(list, "OPS/nav.xhtml", "</ol>", "</ul>")), {"nav"});
}

TEST(Fixers, TheSpineNamesTheOneNcxAndItemsThatThereAre) {
  expect_mended_by(repaired(with(epub2(), "OPS/p.opf", " toc=\"ncx\"", "")), {"spine"});
  expect_mended_by(repaired(with(epub2(), "OPS/p.opf", "toc=\"ncx\"", "toc=\"a\"")), {"spine"});
  const std::string_view ref = "<itemref idref=\"a\"/>";
  const Repair dead =
      repaired(with(epub3(), "OPS/p.opf", ref, std::string(ref) + "<itemref idref=\"gone\"/>"));
  expect_mended_by(dead, {"spine"});
  EXPECT_EQ(dead.content("OPS/p.opf"), epub3()[2].second);
  for (const Entries& book : {epub2(), epub3()}) {
    expect_mended_by(repaired(with(book, "OPS/p.opf", ref, std::string(ref) + std::string(ref))),
                     {"spine"});
  }
  expect_mended_by(repaired(with(epub3(), "OPS/p.opf", "<item id=\"a\"", "<item")), {"spine"});
  expect_mended_by(repaired(with(epub3(), "OPS/p.opf", "<item id=\"nav\"", "<item")), {"spine"});
  expect_mended_by(repaired(with(epub2(), "OPS/p.opf", "<item id=\"ncx\"", "<item")), {"spine"});
  const std::string_view item =
      "<item id=\"a\" href=\"a.xhtml\" media-type=\"application/xhtml+xml\"/>\n";
  expect_mended_by(repaired(with(epub3(), "OPS/p.opf", item, "")), {"spine"});
  // It may be for the document that is not in the spine.
  Entries other =
      with_item(epub3(), R"(<item id="b" href="b.xhtml" media-type="application/xhtml+xml"/>)");
  other.emplace_back("OPS/b.xhtml", xhtml("<p>two</p>"));
  other = with(other, "OPS/p.opf", ref, std::string(ref) + "<itemref idref=\"gone\"/>");
  EXPECT_FALSE(repaired(other).mended.is_accepted);
}

TEST(Fixers, AFallbackThatLeadsNowhereGoesWhereNoneIsNeeded) {
  expect_mended_by(
      repaired(with(epub3(), "OPS/p.opf", "<item id=\"a\"", "<item fallback=\"gone\" id=\"a\"")),
      {"fallbacks"});
}

TEST(Fixers, ItemsNameTheOverlayThatReadsThem) {
  Entries book =
      with_item(epub3(), R"(<item id="o" href="o.smil" media-type="application/smil+xml"/>)"
                         R"(<item id="m" href="m.mp3" media-type="audio/mpeg"/>)");
  book = with(book, "OPS/a.xhtml", "<p>", "<p id=\"x\">");
  book = with(book, "OPS/p.opf", "</metadata>",
              "<meta property=\"media:duration\" refines=\"#o\">1s</meta>"
              "<meta property=\"media:duration\">1s</meta></metadata>");
  book.emplace_back("OPS/m.mp3", "ID3");
  book.emplace_back("OPS/o.smil",
                    "<smil xmlns='http://www.w3.org/ns/SMIL' version='3.0'><body><par>"
                    "<text src='a.xhtml#x'/><audio src='m.mp3' clipEnd='1s'/></par></body></smil>");
  const Repair repair = repaired(book);
  expect_mended_by(repair, {"overlays"});
  EXPECT_TRUE(repair.content("OPS/p.opf").contains(R"(<item media-overlay="o" id="a")"));
}

TEST(Fixers, AViewBoxFollowsFromWidthAndHeight) {
  Entries book = with(epub3(), "OPS/p.opf", "</metadata>",
                      "<meta property=\"rendition:layout\">pre-paginated</meta></metadata>");
  book = with(book, "OPS/a.xhtml", "<title>",
              "<meta name='viewport' content='width=6px, height=8'/><title>");
  book = with_item(book, R"(<item id="s" href="s.svg" media-type="image/svg+xml"/>)");
  book = with(book, "OPS/p.opf", "</spine>", "<itemref idref=\"s\"/></spine>");
  book.emplace_back("OPS/s.svg",
                    "<svg xmlns='http://www.w3.org/2000/svg' width='6px' height='8'/>");
  const Repair repair = repaired(book);
  expect_mended_by(repair, {"lengths", "view-box"});
  EXPECT_TRUE(repair.content("OPS/s.svg").contains("<svg viewBox=\"0 0 6 8\""));
  EXPECT_TRUE(repair.content("OPS/a.xhtml").contains("content='width=6, height=8'"));
}

TEST(Fixers, WhatIsOpenAtTheEndOfAStyleSheetIsClosed) {
  const auto book = [](std::string_view css) {
    Entries entries = with_item(epub3(), R"(<item id="s" href="s.css" media-type="text/css"/>)");
    entries.emplace_back("OPS/s.css", css);
    return entries;
  };
  const Repair open = repaired(book("@media print { p { color: red; } "));
  expect_mended_by(open, {"style-sheets"});
  EXPECT_EQ(open.content("OPS/s.css"), "@media print { p { color: red; } }");
  EXPECT_EQ(repaired(book("p { color: red; } /* x ")).content("OPS/s.css"),
            "p { color: red; } /* x */");
  EXPECT_FALSE(repaired(book("p { content: 'x")).mended.is_accepted);
  const Repair latin = repaired(book("@charset \"iso-8859-1\";\np { content: '\xe9'; }"));
  expect_mended_by(latin, {"style-sheets"});
  EXPECT_EQ(latin.content("OPS/s.css"), "@charset \"utf-8\";\np { content: '\xc3\xa9'; }");
}

TEST(Fixers, AFileWithAForbiddenNameGetsAnotherAndReferencesFollow) {
  Entries book = with_item(epub3(), R"(<item id="i" href="a%7Cb.gif" media-type="image/gif"/>)");
  book = with(book, "OPS/a.xhtml", "one", "<img alt='' src='a%7Cb.gif'/>");
  book.emplace_back("OPS/a|b.gif", gif());
  const Repair repair = repaired(book);
  expect_mended_by(repair, {"file-names"});
  EXPECT_EQ(repair.content("OPS/a_b.gif"), gif());
  EXPECT_TRUE(repair.content("OPS/a.xhtml").contains("src='a_b.gif'"));
}

TEST(Fixers, TheOnlyIdentifierIsTheUniqueOne) {
  const std::string_view id = R"(<dc:identifier id="uid")";
  const Repair renamed = repaired(with(epub3(), "OPS/p.opf", id, R"(<dc:identifier id="other")"));
  EXPECT_TRUE(renamed.content("OPS/p.opf").contains(R"(unique-identifier="other")"));
  expect_mended_by(renamed, {"identifier"});
  const Repair named = repaired(with(epub3(), "OPS/p.opf", id, "<dc:identifier"));
  EXPECT_TRUE(named.content("OPS/p.opf").contains(R"(<dc:identifier id="uid">)"));
  expect_mended_by(named, {"identifier"});
  const Repair two = repaired(
      with(epub3(), "OPS/p.opf", id, R"(<dc:identifier>2</dc:identifier><dc:identifier id="x")"));
  EXPECT_FALSE(two.mended.is_accepted);
  EXPECT_TRUE(two.has_declined("more than one"));
}

TEST(Fixers, AnItemWithoutAFileGoesWhenNothingRefersToIt) {
  const Entries book =
      with_item(epub3(), "<item id=\"x\" href=\"x.css\" media-type=\"text/css\"/>\n");
  const Repair repair = repaired(book);
  expect_mended_by(repair, {"manifest"});
  EXPECT_EQ(repair.content("OPS/p.opf"), epub3()[2].second);
  const Repair referred =
      repaired(with(book, "OPS/a.xhtml", "</title>",
                    "</title><link rel='stylesheet' type='text/css' href='x.css'/>"));
  EXPECT_FALSE(referred.mended.is_accepted);
  EXPECT_TRUE(referred.has_declined("something may refer to it"));
  const Repair cover = repaired(
      with(book, "OPS/p.opf", "</metadata>", R"(<meta name="cover" content="x"/></metadata>)"));
  EXPECT_FALSE(cover.mended.is_accepted);
}

TEST(Fixers, AFileThatIsReferredToBecomesAnItem) {
  Entries book = with(epub3(), "OPS/a.xhtml", "one", R"(<img src="b%20c.gif" alt=""/>)");
  book.emplace_back("OPS/b c.gif", gif());
  const Repair repair = repaired(book);
  EXPECT_EQ(repair.fixers(), Names{"items"});
  EXPECT_TRUE(repair.content("OPS/p.opf")
                  .contains(R"(<item id="added-1" href="b%20c.gif" media-type="image/gif"/>)"));
  book.back().second = "something else";
  EXPECT_TRUE(repaired(book).has_declined("what kind of file"));
}

TEST(Fixers, ADeadReferenceOfTheGuideGoes) {
  const std::string dead = R"(<reference type="toc" title="x" href="gone.xhtml"/>)";
  const std::string alive = R"(<reference type="text" title="x" href="a.xhtml"/>)";
  const auto book = [](const std::string& references) {
    return with(epub2(), "OPS/p.opf", "</package>", "<guide>" + references + "</guide></package>");
  };
  const Repair one = repaired(book(dead + alive));
  expect_mended_by(one, {"guide"});
  EXPECT_EQ(one.content("OPS/p.opf"), book(alive)[2].second);
  const Repair all = repaired(book(dead));
  expect_mended_by(all, {"guide"});
  EXPECT_EQ(all.content("OPS/p.opf"), epub2()[2].second);
  expect_mended_by(repaired(book("")), {"guide"});
}

TEST(Fixers, AnImageIsDeclaredAsWhatItIs) {
  Entries book = with_item(epub3(), R"(<item id="i" href="i.gif" media-type="image/png"/>)");
  book = with(book, "OPS/a.xhtml", "one", R"(<img src="i.gif" alt=""/>)");
  book.emplace_back("OPS/i.gif", gif());
  const Repair repair = repaired(book);
  expect_mended_by(repair, {"media-types"});
  EXPECT_TRUE(repair.content("OPS/p.opf").contains(R"(href="i.gif" media-type="image/gif")"));
  for (const auto* type : {" media-type=\"image/jpg\"", " media-type=\"\"", ""}) {
    const Repair other = repaired(with(book, "OPS/p.opf", " media-type=\"image/png\"", type));
    expect_mended_by(other, {"media-types"});
  }
}

TEST(Fixers, XhtmlIsDeclaredAsXhtml) {
  const Repair repair = repaired(
      with(epub3(), "OPS/p.opf", "id=\"a\" href=\"a.xhtml\" media-type=\"application/xhtml+xml\"",
           "id=\"a\" href=\"a.xhtml\" media-type=\"text/html\""));
  expect_mended_by(repair, {"media-types"});
  EXPECT_EQ(repair.content("OPS/p.opf"), epub3()[2].second);
}

TEST(Fixers, ADateWithOneReadingIsWrittenAsItMustBe) {
  const auto date = [](std::string_view text) {
    const Repair repair =
        repaired(with(epub2(), "OPS/p.opf", ">2024<", ">" + std::string(text) + "<"));
    if (!repair.mended.is_accepted) return std::string("left");
    const std::string package = repair.content("OPS/p.opf");
    const std::size_t begin = package.find("<dc:date>") + 9;
    return package.substr(begin, package.find('<', begin) - begin);
  };
  EXPECT_EQ(date("22.09.2015"), "2015-09-22");
  EXPECT_EQ(date("9/22/2015"), "2015-09-22");
  EXPECT_EQ(date("2015/9/2"), "2015-09-02");
  EXPECT_EQ(date("20150902"), "2015-09-02");
  EXPECT_EQ(date("05.05.2015"), "2015-05-05");
  EXPECT_FALSE(repaired(with(epub2(), "OPS/p.opf", ">2024<", "><"))
                   .content("OPS/p.opf")
                   .contains("dc:date"));
  for (const auto* unclear : {"02.09.2015", "2002-2015", "31.02.2015", "May 2015", "2015/13/40",
                              "99999999", "1/2/3/4", "15-9-2"}) {
    EXPECT_EQ(date(unclear), "left") << unclear;
  }
}

TEST(Fixers, LanguagesAreWrittenWithHyphens) {
  Entries book = with(epub3(), "OPS/p.opf", ">en<", ">pt_BR<");
  book = with(book, "OPS/a.xhtml", "<p>", "<p lang='en_US' xml:lang='en_US'>");
  const Repair repair = repaired(book);
  expect_mended_by(repair, {"languages"});
  EXPECT_TRUE(repair.content("OPS/p.opf").contains(">pt-BR<"));
  EXPECT_TRUE(repair.content("OPS/a.xhtml").contains("<p lang='en-US' xml:lang='en-US'>one"));
  expect_left(repaired(with(epub3(), "OPS/p.opf", ">en<", ">english_US<")), {"OPF-092"}, "");
}

TEST(Fixers, SpacesInUrlsBecomePercentCodes) {
  Entries book =
      with(epub3(), "OPS/a.xhtml", "one", "<a href='https://example.org/a b&amp;{c}'>one</a>");
  const Repair repair = repaired(book);
  expect_mended_by(repair, {"urls"});
  EXPECT_TRUE(repair.content("OPS/a.xhtml")
                  .contains("<a href='https://example.org/a%20b&amp;%7Bc%7D'>one</a>"));
}

TEST(Fixers, BackslashesInUrlsBecomeSlashes) {
  Entries book = with_item(epub3(), R"(<item id="i" href="x\i.gif" media-type="image/gif"/>)");
  book.emplace_back("OPS/x/i.gif", gif());
  const Repair repair = repaired(book);
  expect_mended_by(repair, {"urls"});
  EXPECT_TRUE(repair.content("OPS/p.opf").contains(R"(href="x/i.gif")"));
}

TEST(Fixers, AWidthInPixelsLosesItsUnit) {
  Entries book = with_item(epub3(), R"(<item id="i" href="i.gif" media-type="image/gif"/>)");
  book = with(book, "OPS/a.xhtml", "one", "<img src='i.gif' alt='' width='30px' height='4'/>");
  book.emplace_back("OPS/i.gif", gif());
  const Repair repair = repaired(book);
  expect_mended_by(repair, {"lengths"});
  EXPECT_TRUE(repair.content("OPS/a.xhtml").contains("width='30' height='4'"));
  EXPECT_FALSE(repaired(with(book, "OPS/a.xhtml", "30px", "30%")).mended.is_accepted);
}

TEST(Fixers, EnableBackgroundGoesFromShapesOnly) {
  Entries book = with_item(epub2(), R"(<item id="s" href="s.svg" media-type="image/svg+xml"/>)");
  book.emplace_back(
      "OPS/s.svg",
      R"(<svg xmlns="http://www.w3.org/2000/svg" version="1.1" enable-background="new">)"
      R"(<path enable-background="new    " d="M0 0"/></svg>)");
  const Repair repair = repaired(book);
  expect_mended_by(repair, {"svg-background"});
  EXPECT_EQ(repair.content("OPS/s.svg"),
            R"(<svg xmlns="http://www.w3.org/2000/svg" version="1.1" enable-background="new">)"
            R"(<path d="M0 0"/></svg>)");
}

}  // namespace
}  // namespace tidemill::epub
