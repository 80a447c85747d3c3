// The fixers of the package document. For each: a book with one fault, the result of the repair,
// and faults that stay because they have more than one possible fix.
#include "tidemill/formats/epub/repair/repair_testing.h"

namespace tidemill::epub {
namespace {

TEST(Fixers, SetTheVersionToTheEditionOfTheBook) {
  const std::string_view modified = R"(<meta property="dcterms:modified">)";
  for (const auto* version : {"", "4.0", "2.0"}) {
    const Repair repair = repaired(
        with(epub3(), "OPS/p.opf", "version=\"3.0\"", "version=\"" + std::string(version) + "\""));
    expect_repaired_by(repair, {"edition"});
    EXPECT_EQ(repair.content("OPS/p.opf"), epub3()[2].second);
  }
  expect_repaired_by(repaired(with(epub2(), "OPS/p.opf", " version=\"2.0\"", "")), {"edition"});
  const Entries unclear =
      with(epub3(), "OPS/p.opf", modified, R"(<meta property="dcterms:title">)");
  EXPECT_FALSE(repaired(with(unclear, "OPS/p.opf", "\"3.0\"", "\"9\"")).repaired.is_accepted);
}

TEST(Fixers, ReorderThePartsOfThePackageDocument) {
  Entries book = epub3();
  std::string& package = book[2].second;
  const std::size_t begin = package.find("<metadata");
  const std::size_t end = package.find("<manifest");
  const std::string metadata = package.substr(begin, end - begin - 1);
  package.erase(begin, end - begin);
  package.insert(package.find("\n<spine"), "\n" + metadata);
  const Repair repair = repaired(book);
  expect_repaired_by(repair, {"order"});
  EXPECT_EQ(repair.content("OPS/p.opf"), epub3()[2].second);
}

TEST(Fixers, LowercaseDublinCoreElementNames) {
  const Repair repair = repaired(with(epub3(), "OPS/p.opf", "<dc:title>t</dc:title>",
                                      "<dc:title>t</dc:title><dc:Creator>c</dc:Creator>"));
  expect_repaired_by(repair, {"dublin-core"});
  EXPECT_TRUE(repair.content("OPS/p.opf").contains("<dc:creator>c</dc:creator>"));
}

TEST(Fixers, RemoveMeaninglessFragments) {
  expect_repaired_by(repaired(with(epub3(), "OPS/p.opf", "a.xhtml", "a.xhtml#x")), {"hrefs"});
  Entries book = with_item(epub3(), R"(<item id="s" href="s.css" media-type="text/css"/>)");
  book.emplace_back("OPS/s.css", "p { color: red }");
  expect_repaired_by(
      repaired(with(book, "OPS/a.xhtml", "</title>",
                    "</title><link rel='stylesheet' type='text/css' href='s.css#x'/>")),
      {"hrefs"});
}

TEST(Fixers, RemoveDuplicateItemsAndMetadata) {
  const std::string twin = R"(<item id="b" href="a.xhtml" media-type="application/xhtml+xml"/>)";
  expect_repaired_by(repaired(with_item(epub3(), twin)), {"doubles"});
  const Entries used = with(with_item(epub3(), twin), "OPS/p.opf", "idref=\"a\"", "idref=\"b\"");
  EXPECT_FALSE(repaired(used).fixers().contains("doubles"));
  const std::string_view modified =
      R"(<meta property="dcterms:modified">2024-01-01T00:00:00Z</meta>)";
  expect_repaired_by(
      repaired(with(epub3(), "OPS/p.opf", modified, std::string(modified) + std::string(modified))),
      {"doubles"});
}

TEST(Fixers, MakeItemPropertiesMatchTheDocuments) {
  const Repair missing =
      repaired(with(epub3(), "OPS/a.xhtml", "one", "<svg xmlns='http://www.w3.org/2000/svg'/>"));
  expect_repaired_by(missing, {"properties"});
  EXPECT_TRUE(missing.content("OPS/p.opf").contains(R"(<item properties="svg" id="a")"));
  const Repair untrue =
      repaired(with(epub3(), "OPS/p.opf", "id=\"a\"", "properties=\"scripted mathml\" id=\"a\""));
  expect_repaired_by(untrue, {"properties"});
  EXPECT_EQ(untrue.content("OPS/p.opf"), epub3()[2].second);
}

TEST(Fixers, MarkTheOnlyDocumentWithATocAsTheNavigation) {
  const Repair none = repaired(with(epub3(), "OPS/p.opf", " properties=\"nav\"", ""));
  expect_repaired_by(none, {"nav"});
  const Repair two =
      repaired(with(epub3(), "OPS/p.opf", "<item id=\"a\"", "<item id=\"a\" properties=\"nav\""));
  expect_repaired_by(two, {"nav"});
  EXPECT_EQ(two.content("OPS/p.opf"), epub3()[2].second);
  Entries list = with(epub3(), "OPS/nav.xhtml", "<ol>", "<ul>");
  expect_repaired_by(repaired(with(list, "OPS/nav.xhtml", "</ol>", "</ul>")), {"nav"});
}

TEST(Fixers, MakeTheSpineNameTheOnlyNcxAndExistingItems) {
  expect_repaired_by(repaired(with(epub2(), "OPS/p.opf", " toc=\"ncx\"", "")), {"spine"});
  expect_repaired_by(repaired(with(epub2(), "OPS/p.opf", "toc=\"ncx\"", "toc=\"a\"")), {"spine"});
  const std::string_view ref = "<itemref idref=\"a\"/>";
  const Repair dead =
      repaired(with(epub3(), "OPS/p.opf", ref, std::string(ref) + "<itemref idref=\"gone\"/>"));
  expect_repaired_by(dead, {"spine"});
  EXPECT_EQ(dead.content("OPS/p.opf"), epub3()[2].second);
  for (const Entries& book : {epub2(), epub3()}) {
    expect_repaired_by(repaired(with(book, "OPS/p.opf", ref, std::string(ref) + std::string(ref))),
                       {"spine"});
  }
  expect_repaired_by(repaired(with(epub3(), "OPS/p.opf", "<item id=\"a\"", "<item")), {"spine"});
  expect_repaired_by(repaired(with(epub3(), "OPS/p.opf", "<item id=\"nav\"", "<item")), {"spine"});
  expect_repaired_by(repaired(with(epub2(), "OPS/p.opf", "<item id=\"ncx\"", "<item")), {"spine"});
  const std::string_view item =
      "<item id=\"a\" href=\"a.xhtml\" media-type=\"application/xhtml+xml\"/>\n";
  expect_repaired_by(repaired(with(epub3(), "OPS/p.opf", item, "")), {"spine"});
  // It may refer to the document that is not in the spine.
  Entries other =
      with_item(epub3(), R"(<item id="b" href="b.xhtml" media-type="application/xhtml+xml"/>)");
  other.emplace_back("OPS/b.xhtml", xhtml("<p>two</p>"));
  other = with(other, "OPS/p.opf", ref, std::string(ref) + "<itemref idref=\"gone\"/>");
  EXPECT_FALSE(repaired(other).repaired.is_accepted);
}

TEST(Fixers, RemoveADanglingFallbackThatIsNotNeeded) {
  expect_repaired_by(
      repaired(with(epub3(), "OPS/p.opf", "<item id=\"a\"", "<item fallback=\"gone\" id=\"a\"")),
      {"fallbacks"});
}

TEST(Fixers, LinkItemsToTheirMediaOverlay) {
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
  expect_repaired_by(repair, {"overlays"});
  EXPECT_TRUE(repair.content("OPS/p.opf").contains(R"(<item media-overlay="o" id="a")"));
}

TEST(Fixers, MakeTheOnlyIdentifierTheUniqueIdentifier) {
  const std::string_view id = R"(<dc:identifier id="uid")";
  const Repair renamed = repaired(with(epub3(), "OPS/p.opf", id, R"(<dc:identifier id="other")"));
  EXPECT_TRUE(renamed.content("OPS/p.opf").contains(R"(unique-identifier="other")"));
  expect_repaired_by(renamed, {"identifier"});
  const Repair named = repaired(with(epub3(), "OPS/p.opf", id, "<dc:identifier"));
  EXPECT_TRUE(named.content("OPS/p.opf").contains(R"(<dc:identifier id="uid">)"));
  expect_repaired_by(named, {"identifier"});
  const Repair two = repaired(
      with(epub3(), "OPS/p.opf", id, R"(<dc:identifier>2</dc:identifier><dc:identifier id="x")"));
  EXPECT_FALSE(two.repaired.is_accepted);
  EXPECT_TRUE(two.has_declined("more than one"));
}

TEST(Fixers, RemoveAnUnreferencedItemWithoutAFile) {
  const Entries book =
      with_item(epub3(), "<item id=\"x\" href=\"x.css\" media-type=\"text/css\"/>\n");
  const Repair repair = repaired(book);
  expect_repaired_by(repair, {"manifest"});
  EXPECT_EQ(repair.content("OPS/p.opf"), epub3()[2].second);
  const Repair referred =
      repaired(with(book, "OPS/a.xhtml", "</title>",
                    "</title><link rel='stylesheet' type='text/css' href='x.css'/>"));
  EXPECT_FALSE(referred.repaired.is_accepted);
  EXPECT_TRUE(referred.has_declined("something may refer to it"));
  const Repair cover = repaired(
      with(book, "OPS/p.opf", "</metadata>", R"(<meta name="cover" content="x"/></metadata>)"));
  EXPECT_FALSE(cover.repaired.is_accepted);
}

TEST(Fixers, AddReferencedFilesToTheManifest) {
  Entries book = with(epub3(), "OPS/a.xhtml", "one", R"(<img src="b%20c.gif" alt=""/>)");
  book.emplace_back("OPS/b c.gif", gif());
  const Repair repair = repaired(book);
  EXPECT_EQ(repair.fixers(), Names{"items"});
  EXPECT_TRUE(repair.content("OPS/p.opf")
                  .contains(R"(<item id="added-1" href="b%20c.gif" media-type="image/gif"/>)"));
  book.back().second = "something else";
  EXPECT_TRUE(repaired(book).has_declined("the media type of the file"));
}

TEST(Fixers, RemoveDanglingGuideReferences) {
  const std::string dead = R"(<reference type="toc" title="x" href="gone.xhtml"/>)";
  const std::string alive = R"(<reference type="text" title="x" href="a.xhtml"/>)";
  const auto book = [](const std::string& references) {
    return with(epub2(), "OPS/p.opf", "</package>", "<guide>" + references + "</guide></package>");
  };
  const Repair one = repaired(book(dead + alive));
  expect_repaired_by(one, {"guide"});
  EXPECT_EQ(one.content("OPS/p.opf"), book(alive)[2].second);
  const Repair all = repaired(book(dead));
  expect_repaired_by(all, {"guide"});
  EXPECT_EQ(all.content("OPS/p.opf"), epub2()[2].second);
  expect_repaired_by(repaired(book("")), {"guide"});
}

TEST(Fixers, CorrectTheMediaTypeOfImages) {
  Entries book = with_item(epub3(), R"(<item id="i" href="i.gif" media-type="image/png"/>)");
  book = with(book, "OPS/a.xhtml", "one", R"(<img src="i.gif" alt=""/>)");
  book.emplace_back("OPS/i.gif", gif());
  const Repair repair = repaired(book);
  expect_repaired_by(repair, {"media-types"});
  EXPECT_TRUE(repair.content("OPS/p.opf").contains(R"(href="i.gif" media-type="image/gif")"));
  for (const auto* type : {" media-type=\"image/jpg\"", " media-type=\"\"", ""}) {
    const Repair other = repaired(with(book, "OPS/p.opf", " media-type=\"image/png\"", type));
    expect_repaired_by(other, {"media-types"});
  }
}

TEST(Fixers, XhtmlIsDeclaredAsXhtml) {
  const Repair repair = repaired(
      with(epub3(), "OPS/p.opf", "id=\"a\" href=\"a.xhtml\" media-type=\"application/xhtml+xml\"",
           "id=\"a\" href=\"a.xhtml\" media-type=\"text/html\""));
  expect_repaired_by(repair, {"media-types"});
  EXPECT_EQ(repair.content("OPS/p.opf"), epub3()[2].second);
}

TEST(Fixers, RewriteUnambiguousDates) {
  const auto date = [](std::string_view text) {
    const Repair repair =
        repaired(with(epub2(), "OPS/p.opf", ">2024<", ">" + std::string(text) + "<"));
    if (!repair.repaired.is_accepted) return std::string("left");
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

}  // namespace
}  // namespace tidemill::epub
