// Search keys, collections, and the prolog of any document.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/formats/epub/content/nav_testing.h"
#include "tidemill/formats/epub/content/prolog_check.h"
#include "tidemill/formats/epub/content/search_key_reader.h"
#include "tidemill/formats/epub/grammar/grammars.h"
#include "tidemill/formats/epub/package/package_check.h"

namespace tidemill::epub {
namespace {

TEST(SearchKeys, BecomeReferencesAndRequireTheXmlExtension) {
  Inspection book;
  Document document{.book = &book, .path = "keys.skm"};
  read<SearchKeyReader>(document,
                        "<search-key-map xmlns='http://www.idpf.org/2007/ops' xml:lang='en'>"
                        "<search-key-group href='a.xhtml#a'><match value='x'><value value='y'/>"
                        "</match><bad/></search-key-group></search-key-map>",
                        &search_key_grammar());
  EXPECT_EQ(ids_of(book.findings), (Ids{"OPF-080", "RSC-005"}));
  ASSERT_EQ(book.references.all().size(), 1);
  EXPECT_EQ(book.references.all()[0].use, Use::search_key);
}

Collection collection(std::string role, const std::vector<std::string>& hrefs) {
  Collection made{.role = std::move(role)};
  for (const std::string& href : hrefs) {
    made.links.push_back({.href = href, .target = resolve(href, "p.opf")});
  }
  return made;
}

Ids collected(Collection one, bool is_whole = false) {
  Inspection book{.archive = is_whole ? some_archive() : nullptr};
  add_item(book.package,
           {.id = "k", .path = "k.xml", .media_type = "application/vnd.epub.search-key-map+xml"});
  add_item(book.package, {.id = "a", .path = "a.xhtml", .media_type = "application/xhtml+xml"});
  add_item(book.package, {.id = "c", .path = "c.css", .media_type = "text/css"});
  book.package.types = {"dictionary"};
  book.package.collections.push_back(std::move(one));
  check_dictionaries(book);
  return ids_of(book.findings);
}

TEST(Collections, MustContainWhatTheirRoleAllows) {
  EXPECT_EQ(collected(collection("dictionary", {"k.xml", "a.xhtml"})), Ids{});
  EXPECT_EQ(collected(collection("dictionary", {"a.xhtml"})), Ids{"OPF-083"});
  EXPECT_EQ(collected(collection("dictionary", {"k.xml", "k.xml"})), Ids{"OPF-082"});
  EXPECT_EQ(collected(collection("dictionary", {"k.xml", "z"})), Ids{"OPF-081"});
  EXPECT_EQ(collected(collection("dictionary", {"k.xml", "c.css"})), Ids{"OPF-084"});
  EXPECT_EQ(collected(collection("dictionary", {"k.xml", "a.xhtml"}), true),
            (Ids{"OPF-078", "OPF-078"}));
  EXPECT_EQ(collected(collection("preview", {"c.css"})), Ids{"OPF-075"});
  EXPECT_EQ(collected(collection("preview", {"a.xhtml#epubcfi(/2)"})), Ids{"OPF-076"});
  Collection index = collection("index", {"a.xhtml"});
  index.parts.push_back(collection("index-group", {"c.css"}));
  EXPECT_EQ(collected(std::move(index)), Ids{"OPF-071"});
}

TEST(Dictionaries, MustDeclareTheirType) {
  Inspection book{.archive = some_archive()};
  book.traits["a.xhtml"].has_dictionary = true;
  check_dictionaries(book);
  EXPECT_EQ(ids_of(book.findings), Ids{"OPF-079"});
}

Ids prolog(const xml::ParseOutcome& outcome, std::string_view media_type = "application/smil+xml") {
  Inspection book;
  const Document document{.book = &book, .path = "a"};
  check_prolog(document, outcome, media_type);
  return ids_of(book.findings);
}

TEST(Prolog, ReportsEncodingsOtherThanUtf8) {
  using Mark = xml::Prolog::Mark;
  const auto with = [](std::string declared, Mark mark = Mark::none) {
    return xml::ParseOutcome{.prolog = {.declared_encoding = std::move(declared), .mark = mark}};
  };
  EXPECT_EQ(prolog(with("")), Ids{});
  EXPECT_EQ(prolog(with("Utf-8")), Ids{});
  EXPECT_EQ(prolog(with("ISO-8859-1")), Ids{"RSC-028"});
  EXPECT_EQ(prolog(with("", Mark::utf16le)), Ids{"RSC-027"});
  EXPECT_EQ(prolog(with("", Mark::utf16be), "application/xhtml+xml"), Ids{"HTM-058"});
  EXPECT_EQ(prolog(with("UTF-8", Mark::utf16le)), (Ids{"RSC-016", "RSC-027"}));
  EXPECT_EQ(prolog(with("", Mark::utf32)), Ids{"RSC-028"});
  EXPECT_EQ(prolog({.prolog = {.version = "1.1"}}), Ids{"HTM-001"});
}

TEST(Prolog, ReportsMalformedXmlAsFatalAndExceededLimitsWithTideIds) {
  using Kind = xml::Mistake::Kind;
  const auto with = [](Kind kind) {
    return xml::ParseOutcome{.mistake = xml::Mistake{.kind = kind}};
  };
  EXPECT_EQ(prolog(with(Kind::malformed)), Ids{"RSC-016"});
  EXPECT_EQ(prolog(with(Kind::undeclared_entity)), Ids{"RSC-016"});
  EXPECT_EQ(prolog(with(Kind::too_large)), Ids{"TIDE-001"});
  EXPECT_EQ(prolog(with(Kind::too_deep)), Ids{"TIDE-009"});
  EXPECT_EQ(prolog(with(Kind::entity_bomb)), Ids{"TIDE-010"});
}

TEST(Prolog, DoctypesMustMatchTheEdition) {
  const auto judged = [](Edition edition, const xml::Doctype& doctype, std::string_view type) {
    Inspection book;
    book.package.edition = edition;
    check_doctype({.book = &book, .path = "a"}, doctype, type, {});
    return ids_of(book.findings);
  };
  const xml::Doctype ncx{.root = "ncx",
                         .public_id = "-//NISO//DTD ncx 2005-1//EN",
                         .system_id = "http://www.daisy.org/z3986/2005/ncx-2005-1.dtd"};
  const xml::Doctype plain{.root = "html"};
  const std::string_view ncx_type = "application/x-dtbncx+xml";
  EXPECT_EQ(judged(Edition::epub2, ncx, ncx_type), Ids{});
  EXPECT_EQ(judged(Edition::epub3, ncx, ncx_type), Ids{});
  EXPECT_EQ(judged(Edition::epub2, plain, "application/xhtml+xml"), Ids{"HTM-004"});
  EXPECT_EQ(judged(Edition::epub3, plain, "application/xhtml+xml"), Ids{});
  EXPECT_EQ(judged(Edition::epub3, ncx, "application/smil+xml"), Ids{"OPF-073"});
  EXPECT_EQ(judged(Edition::epub2, ncx, "application/oebps-package+xml"), Ids{"HTM-009"});
  EXPECT_EQ(judged(Edition::epub3, ncx, "application/oebps-package+xml"), Ids{"OPF-073"});
}

TEST(Findings, KeepTheFirstPlacesAndCountAll) {
  Findings findings;
  EXPECT_TRUE(findings.is_valid());
  for (std::size_t i = 0; i < Findings::kKept + 10; ++i) findings.add("RSC-017", "a", {});
  EXPECT_TRUE(findings.is_valid());
  EXPECT_EQ(findings.kept().size(), Findings::kKept);
  EXPECT_EQ(findings.count("RSC-017"), Findings::kKept + 10);
  EXPECT_EQ(findings.count(Severity::warning), Findings::kKept + 10);
  findings.add("RSC-005", "a", {});
  EXPECT_FALSE(findings.is_valid());
  EXPECT_FALSE(findings.has("NCX-001"));
}

TEST(Findings, TruncateVeryLongDetails) {
  Findings findings;
  findings.add("RSC-005", "a", {}, std::string(499, 'x') + "äöü" + std::string(1'000'000, 'y'));
  EXPECT_EQ(findings.kept()[0].detail, std::string(499, 'x') + "…");
}

}  // namespace
}  // namespace tidemill::epub
