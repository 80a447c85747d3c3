// Each fixer: a book with one fault, what it becomes, and what is left because it has no one
// answer.
#include "tidemill/book/fixers.h"

#include "tidemill/book/mend_testing.h"

namespace tidemill::book {
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
  expect_left(repaired(with(book, "OPS/a.xhtml", "\xc3\xa9", "\xe9")), {"RSC-028"},
              "its bytes are not UTF-8");
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
}

TEST(Fixers, AnImageIsDeclaredAsWhatItIs) {
  Entries book = with_item(epub3(), R"(<item id="i" href="i.gif" media-type="image/png"/>)");
  book = with(book, "OPS/a.xhtml", "one", R"(<img src="i.gif" alt=""/>)");
  book.emplace_back("OPS/i.gif", gif());
  const Repair repair = repaired(book);
  expect_mended_by(repair, {"media-types"});
  EXPECT_TRUE(repair.content("OPS/p.opf").contains(R"(href="i.gif" media-type="image/gif")"));
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
}  // namespace tidemill::book
