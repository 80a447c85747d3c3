// The fixers of the archive and of the documents in it. For each: a book with one fault, the result
// of the repair, and faults that stay because they have more than one possible fix.
#include "tidemill/formats/epub/repair/fixers.h"

#include "tidemill/formats/epub/repair/repair_testing.h"

namespace tidemill::epub {
namespace {

TEST(Fixers, TestBooksAreValid) {
  EXPECT_EQ(errors_of(repaired(epub3()).repaired.before), Ids{});
  EXPECT_EQ(errors_of(repaired(epub2()).repaired.before), Ids{});
}

TEST(Fixers, MakeMimetypeFirstAndExact) {
  Entries last = epub3();
  std::ranges::rotate(last, last.begin() + 1);
  expect_repaired_by(repaired(last), {"mimetype"});
  expect_repaired_by(repaired(with(epub3(), "mimetype", "zip", "zip\n")), {"mimetype"});
  Entries none = epub3();
  none.erase(none.begin());
  expect_repaired_by(repaired(none), {"mimetype"});
}

TEST(Fixers, RemoveASingleTopLevelFolder) {
  Entries nested = epub3();
  for (auto& [name, content] : nested) name.insert(0, "book/");
  nested.emplace_back("book/", "");
  const Repair repair = repaired(nested);
  expect_repaired_by(repair, {"hoist", "mimetype"});
  EXPECT_EQ(repair.content("OPS/a.xhtml"), xhtml("<p>one</p>"));
  nested.emplace_back("other/file", "");
  expect_left(repaired(nested), {"PKG-006", "RSC-002"}, "container.xml is missing");
}

TEST(Fixers, DropOneOfTwoIdenticalEntries) {
  Entries twice = epub3();
  twice.push_back(twice.back());
  expect_repaired_by(repaired(twice), {"duplicate-entries"});
  twice.back().second += " ";
  expect_left(repaired(twice), {"OPF-060"}, "their contents differ");
}

TEST(Fixers, CopyThePackageIdentifierIntoTheNcx) {
  const Repair repair = repaired(with(epub2(), "OPS/toc.ncx", "urn:x:1", "urn:x:&quot;2"));
  expect_repaired_by(repair, {"ncx-uid"});
  EXPECT_TRUE(repair.content("OPS/toc.ncx").contains(R"(content="urn:x:1")"));
  const std::string_view meta = R"(<meta name="dtb:uid" content="urn:x:1"/>)";
  const Repair added = repaired(with(epub2(), "OPS/toc.ncx", meta, ""));
  expect_repaired_by(added, {"ncx-uid"});
  EXPECT_EQ(added.content("OPS/toc.ncx"), epub2()[3].second);
}

TEST(Fixers, RenumberPlayOrderWithOneNumberPerTarget) {
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

TEST(Fixers, RenameInvalidIdsAndUpdateReferences) {
  Entries book = with(epub2(), "OPS/a.xhtml", "<p>one</p>",
                      R"(<p id="1.2">one <a href="#1.2">x</a> <a href="a.xhtml#1.2">y</a></p>)");
  book = with(book, "OPS/toc.ncx", "a.xhtml", "a.xhtml#1.2");
  const Repair repair = repaired(book);
  expect_repaired_by(repair, {"ids"});
  EXPECT_TRUE(repair.content("OPS/toc.ncx").contains("a.xhtml#id-1.2"));
  EXPECT_TRUE(
      repair.content("OPS/a.xhtml")
          .contains(R"(<p id="id-1.2">one <a href="#id-1.2">x</a> <a href="a.xhtml#id-1.2">)"));
}

TEST(Fixers, RenameTheSecondOfTwoDuplicateIds) {
  const Repair repair = repaired(with(epub3(), "OPS/a.xhtml", "<p>one</p>",
                                      R"(<p id="x-2">1</p><p id="x">2</p><p id='x'>3</p>)"));
  expect_repaired_by(repair, {"ids"});
  EXPECT_TRUE(repair.content("OPS/a.xhtml").contains(R"(<p id="x">2</p><p id='x-3'>3</p>)"));
}

// A rule of a style sheet applies to both elements with the id.
TEST(Fixers, KeepDuplicateIdsThatAStyleRefersTo) {
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
    EXPECT_FALSE(repaired(with(book, "OPS/a.xhtml", head, any)).repaired.is_accepted);
  }
  Entries linked = with_item(book, R"(<item id="s" href="s.css" media-type="text/css"/>)");
  linked.emplace_back("OPS/s.css", "p#x { color: red }");
  EXPECT_TRUE(repaired(linked).content("OPS/a.xhtml").contains("<p id='x'>2</p>"));
}

TEST(Fixers, KeepAnInvalidIdThatAStyleRefersTo) {
  const Entries book =
      with(epub2(), "OPS/a.xhtml", "<p>one</p>", "<p id='1a' style='background: url(#1a)'>one</p>");
  expect_left(repaired(book), {"RSC-005"}, "a style refers to an id");
}

TEST(Fixers, AllowIdsThatAreNotNamesInEpub3Xhtml) {
  const Repair repair = repaired(with(epub3(), "OPS/a.xhtml", "<p>one</p>",
                                      R"(<p id="1.2">1</p><p id="1 x">2</p><p id="x">3</p>)"));
  EXPECT_TRUE(repair.content("OPS/a.xhtml")
                  .contains(R"(<p id="1.2">1</p><p id="id-1_x">2</p><p id="x">3</p>)"));
}

TEST(Fixers, RenameManyDuplicateIdsInLinearTime) {
  std::string body;
  for (int i = 0; i < 20'000; ++i) body += "<p id='x'/>";
  const Repair repair = repaired(with(epub3(), "OPS/a.xhtml", "<p>one</p>", body));
  expect_repaired_by(repair, {"ids"});
  EXPECT_TRUE(repair.content("OPS/a.xhtml").contains("'x-20000'"));
}

TEST(Fixers, ReplaceHtmlEntitiesWithNumericReferences) {
  const Repair repair =
      repaired(with(epub3(), "OPS/a.xhtml", "<p>one</p>",
                    "<p title='&eacute;'>a&nbsp;b &amp; R&D &#8212; &lt; c&d e</p>"
                    "<!-- &nbsp; -->"));
  expect_repaired_by(repair, {"entities"});
  EXPECT_TRUE(repair.content("OPS/a.xhtml")
                  .contains("<p title='&#233;'>a&#160;b &amp; R&amp;D &#8212; &lt; c&amp;d e</p>"
                            "<!-- &nbsp; -->"));
}

TEST(Fixers, KeepUnknownEntities) {
  expect_left(repaired(with(epub3(), "OPS/a.xhtml", "one", "&nothing;")), {"RSC-016"},
              "an unknown named entity");
}

TEST(Fixers, CorrectTheEncodingDeclarationAndConvertLatin1) {
  const std::string_view html = "<html";
  const std::string declared = "<?xml version='1.0' encoding='iso-8859-1'?>\n<html";
  const Entries book =
      with(with(epub3(), "OPS/a.xhtml", html, declared), "OPS/a.xhtml", "one", "\xc3\xa9");
  const Repair repair = repaired(book);
  expect_repaired_by(repair, {"encoding"});
  EXPECT_TRUE(repair.content("OPS/a.xhtml").starts_with("<?xml version='1.0' encoding='UTF-8'?>"));
  const Repair latin = repaired(with(book, "OPS/a.xhtml", "\xc3\xa9", "\xe9"));
  expect_repaired_by(latin, {"encoding"});
  EXPECT_EQ(latin.content("OPS/a.xhtml"), repair.content("OPS/a.xhtml"));
  expect_left(repaired(with(book, "OPS/a.xhtml", "\xc3\xa9", "\x93one\x94")), {"RSC-028"},
              "the encoding of its bytes");
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
  expect_repaired_by(repair, {"encoding"});
  EXPECT_EQ(repair.content("OPS/a.xhtml"),
            "<?xml version='1.0' encoding='UTF-8'?>" + xhtml("<p>one</p>"));
}

TEST(Fixers, CorrectTheEncodingInMetaElements) {
  const Repair repair =
      repaired(with(epub3(), "OPS/a.xhtml", "<title>",
                    "<meta charset='iso-8859-1'/><meta charset='utf-8'/><title>"));
  expect_repaired_by(repair, {"encoding"});
  EXPECT_TRUE(repair.content("OPS/a.xhtml").contains("<head><meta charset='utf-8'/><title>"));
  const Repair both =
      repaired(with(epub3(), "OPS/a.xhtml", "<title>",
                    "<meta http-equiv='Content-Type' content='text/html; charset=utf-8'/>"
                    "<meta charset='utf-8'/><title>"));
  expect_repaired_by(both, {"encoding"});
  EXPECT_EQ(both.content("OPS/a.xhtml"), repair.content("OPS/a.xhtml"));
}

TEST(Fixers, RepairTheProlog) {
  const auto before = [](const Entries& book, std::string_view prolog) {
    return repaired(with(book, "OPS/a.xhtml", "<html", std::string(prolog) + "<html"));
  };
  const auto expect_prolog = [](const Repair& repair, std::string_view prolog) {
    expect_repaired_by(repair, {"prolog"});
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
      before(epub3(), "<!DOCTYPE html PUBLIC 'x' 'y' [<!ENTITY z 'z'>]>").repaired.is_accepted);
}

TEST(Fixers, PointTheContainerToTheOnlyPackageDocument) {
  const std::string_view entry = "META-INF/container.xml";
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"OPS/p.opf", "OPS/gone.opf"},
           {"OPS/p.opf", ""},
           {" full-path=\"OPS/p.opf\"", ""},
           {"application/oebps-package+xml", "text/xml"},
           {"xmlns:container", "xmlns:other"}}) {
    const Repair repair = repaired(with(epub3(), entry, from, to));
    expect_repaired_by(repair, {"rootfile"});
  }
  Entries without = epub3();
  without.erase(without.begin() + 1);
  expect_repaired_by(repaired(without), {"rootfile"});
  expect_repaired_by(repaired(with(epub3(), entry, "</rootfiles>", "")), {"rootfile"});
  without.emplace_back("q.opf", "");
  expect_left(repaired(without), {"RSC-002"}, "more than one");
}

TEST(Fixers, RepairNamespacesVersionsAndTagCase) {
  expect_repaired_by(
      repaired(with(epub3(), "OPS/a.xhtml", " xmlns=\"http://www.w3.org/1999/xhtml\"", "")),
      {"roots"});
  expect_repaired_by(repaired(with(epub2(), "OPS/toc.ncx", "2005-1", "1.1.0")), {"roots"});
  const Repair small = repaired(with(epub3(), "OPS/a.xhtml", "<p>one</p>", "<P>one</P>"));
  expect_repaired_by(small, {"roots"});
  EXPECT_EQ(small.content("OPS/a.xhtml"), xhtml("<p>one</p>"));
  const Repair island =
      repaired(with(epub3(), "OPS/a.xhtml", "one", "<svg><svg><linearGradient/></svg></svg>"));
  expect_repaired_by(island, {"properties", "roots"});
  EXPECT_TRUE(island.content("OPS/a.xhtml")
                  .contains("<svg xmlns=\"http://www.w3.org/2000/svg\"><svg><linearGradient/>"));
}

TEST(Fixers, CorrectReferencesToTheActualFileName) {
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
    EXPECT_EQ(errors_of(repair.repaired.after), Ids{}) << href;
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

TEST(Fixers, DeriveTheViewBoxFromWidthAndHeight) {
  Entries book = with(epub3(), "OPS/p.opf", "</metadata>",
                      "<meta property=\"rendition:layout\">pre-paginated</meta></metadata>");
  book = with(book, "OPS/a.xhtml", "<title>",
              "<meta name='viewport' content='width=6px, height=8'/><title>");
  book = with_item(book, R"(<item id="s" href="s.svg" media-type="image/svg+xml"/>)");
  book = with(book, "OPS/p.opf", "</spine>", "<itemref idref=\"s\"/></spine>");
  book.emplace_back("OPS/s.svg",
                    "<svg xmlns='http://www.w3.org/2000/svg' width='6px' height='8'/>");
  const Repair repair = repaired(book);
  expect_repaired_by(repair, {"lengths", "view-box"});
  EXPECT_TRUE(repair.content("OPS/s.svg").contains("<svg viewBox=\"0 0 6 8\""));
  EXPECT_TRUE(repair.content("OPS/a.xhtml").contains("content='width=6, height=8'"));
}

TEST(Fixers, CloseOpenBlocksAndCommentsAtTheEndOfAStyleSheet) {
  const auto book = [](std::string_view css) {
    Entries entries = with_item(epub3(), R"(<item id="s" href="s.css" media-type="text/css"/>)");
    entries.emplace_back("OPS/s.css", css);
    return entries;
  };
  const Repair open = repaired(book("@media print { p { color: red; } "));
  expect_repaired_by(open, {"style-sheets"});
  EXPECT_EQ(open.content("OPS/s.css"), "@media print { p { color: red; } }");
  EXPECT_EQ(repaired(book("p { color: red; } /* x ")).content("OPS/s.css"),
            "p { color: red; } /* x */");
  EXPECT_FALSE(repaired(book("p { content: 'x")).repaired.is_accepted);
  const Repair latin = repaired(book("@charset \"iso-8859-1\";\np { content: '\xe9'; }"));
  expect_repaired_by(latin, {"style-sheets"});
  EXPECT_EQ(latin.content("OPS/s.css"), "@charset \"utf-8\";\np { content: '\xc3\xa9'; }");
}

TEST(Fixers, RenameFilesWithForbiddenNamesAndUpdateReferences) {
  Entries book = with_item(epub3(), R"(<item id="i" href="a%7Cb.gif" media-type="image/gif"/>)");
  book = with(book, "OPS/a.xhtml", "one", "<img alt='' src='a%7Cb.gif'/>");
  book.emplace_back("OPS/a|b.gif", gif());
  const Repair repair = repaired(book);
  expect_repaired_by(repair, {"file-names"});
  EXPECT_EQ(repair.content("OPS/a_b.gif"), gif());
  EXPECT_TRUE(repair.content("OPS/a.xhtml").contains("src='a_b.gif'"));
}

TEST(Fixers, LanguagesAreWrittenWithHyphens) {
  Entries book = with(epub3(), "OPS/p.opf", ">en<", ">pt_BR<");
  book = with(book, "OPS/a.xhtml", "<p>", "<p lang='en_US' xml:lang='en_US'>");
  const Repair repair = repaired(book);
  expect_repaired_by(repair, {"languages"});
  EXPECT_TRUE(repair.content("OPS/p.opf").contains(">pt-BR<"));
  EXPECT_TRUE(repair.content("OPS/a.xhtml").contains("<p lang='en-US' xml:lang='en-US'>one"));
  expect_left(repaired(with(epub3(), "OPS/p.opf", ">en<", ">english_US<")), {"OPF-092"}, "");
}

TEST(Fixers, PercentEncodeInvalidCharactersInUrls) {
  Entries book =
      with(epub3(), "OPS/a.xhtml", "one", "<a href='https://example.org/a b&amp;{c}'>one</a>");
  const Repair repair = repaired(book);
  expect_repaired_by(repair, {"urls"});
  EXPECT_TRUE(repair.content("OPS/a.xhtml")
                  .contains("<a href='https://example.org/a%20b&amp;%7Bc%7D'>one</a>"));
}

TEST(Fixers, BackslashesInUrlsBecomeSlashes) {
  Entries book = with_item(epub3(), R"(<item id="i" href="x\i.gif" media-type="image/gif"/>)");
  book.emplace_back("OPS/x/i.gif", gif());
  const Repair repair = repaired(book);
  expect_repaired_by(repair, {"urls"});
  EXPECT_TRUE(repair.content("OPS/p.opf").contains(R"(href="x/i.gif")"));
}

TEST(Fixers, RemoveTheUnitFromPixelWidths) {
  Entries book = with_item(epub3(), R"(<item id="i" href="i.gif" media-type="image/gif"/>)");
  book = with(book, "OPS/a.xhtml", "one", "<img src='i.gif' alt='' width='30px' height='4'/>");
  book.emplace_back("OPS/i.gif", gif());
  const Repair repair = repaired(book);
  expect_repaired_by(repair, {"lengths"});
  EXPECT_TRUE(repair.content("OPS/a.xhtml").contains("width='30' height='4'"));
  EXPECT_FALSE(repaired(with(book, "OPS/a.xhtml", "30px", "30%")).repaired.is_accepted);
}

TEST(Fixers, RemoveEnableBackgroundFromShapesOnly) {
  Entries book = with_item(epub2(), R"(<item id="s" href="s.svg" media-type="image/svg+xml"/>)");
  book.emplace_back(
      "OPS/s.svg",
      R"(<svg xmlns="http://www.w3.org/2000/svg" version="1.1" enable-background="new">)"
      R"(<path enable-background="new    " d="M0 0"/></svg>)");
  const Repair repair = repaired(book);
  expect_repaired_by(repair, {"svg-background"});
  EXPECT_EQ(repair.content("OPS/s.svg"),
            R"(<svg xmlns="http://www.w3.org/2000/svg" version="1.1" enable-background="new">)"
            R"(<path d="M0 0"/></svg>)");
}

}  // namespace
}  // namespace tidemill::epub
