#include "tidemill/formats/epub/css/scanner.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tidemill/formats/epub/css/encoding.h"
#include "tidemill/formats/epub/css/parser.h"

namespace tidemill::epub {
namespace {

using namespace std::string_view_literals;

struct Book {
  Inspection book{};
  Document document{.book = &book, .path = "OPS/a.xhtml"};

  std::string sheet(std::string_view css) {
    check_css(document, css, {.line = 1, .column = 1});
    return ids();
  }
  std::string attribute(std::string_view css) {
    check_style_attribute(document, css, {.line = 1, .column = 1});
    return ids();
  }
  [[nodiscard]] std::string ids() const {
    std::string out;
    for (const Finding& finding : book.findings.kept()) {
      if (finding.rule.text() != "CSS-028") out += std::string(finding.rule.text()) + " ";
    }
    return out;
  }
};

std::string sheet(std::string_view css) { return Book().sheet(css); }
std::string attribute(std::string_view css) { return Book().attribute(css); }

std::size_t mistakes(std::string_view css) {
  Book book;
  book.sheet(css);
  return book.book.findings.count("CSS-008");
}

TEST(Css, ValidSheetsHaveNoFindings) {
  for (const auto css :
       {""sv, "a{}"sv, "a{b:c}"sv, "a{b:c;}"sv, "<!-- a{b:c} -->"sv, "/* x */ a /* y */ {b:c}"sv,
        "@charset \"utf-8\";"sv, "@media print{a{b:c}@page{d:e}}"sv,
        "a:not(.b,#c)>d::before{e:f}"sv, "a:has(> b):is(c d){e:f}"sv,
        "a[b],a[b=c],a[b~='c']{d:e}"sv, "*|a,|b,c|*{d:e}"sv, "@keyframes x{from{a:b}50%{a:b}}"sv,
        "a{filter:progid:X.y(a='#1',b=2)}"sv, "a{b:calc((1px + 2px)*3) !important}"sv,
        "a{--x:;b:U+26-27,.5em,-1px,\"x;\",c\\9}"sv, "a{content:\"\\\"\\\\\"}"sv,
        "@import 'x.css' print;"sv, "a[b='c' i]{d:e}"sv}) {
    EXPECT_EQ(sheet(css), "") << css;
  }
}

TEST(Css, ReportsSyntaxErrors) {
  for (const auto css : {"a"sv,
                         "a{"sv,
                         "a{b"sv,
                         "a{b:"sv,
                         "a{b:c"sv,
                         "a{b:c;;}"sv,
                         "a{*b:c}"sv,
                         "a{b}"sv,
                         "a{b:}"sv,
                         "a{b c:d}"sv,
                         "a{b:@c}"sv,
                         "a{b:(c}"sv,
                         "a{b:f(c;d)}"sv,
                         "a{1b:c}"sv,
                         "a{b:c}/*"sv,
                         "a{b:'c}"sv,
                         "a{b:\"c\nd\"}"sv,
                         "a{b:url(c"sv,
                         "a{b:url('c' d)}"sv,
                         "a{b:U+1234567}"sv,
                         "a,{b:c}"sv,
                         ",a{b:c}"sv,
                         "{b:c}"sv,
                         ">a{b:c}"sv,
                         "a>{b:c}"sv,
                         "a + + b{c:d}"sv,
                         ".1{b:c}"sv,
                         "a[1]{b:c}"sv,
                         "a[b=1]{c:d}"sv,
                         "a/**/{b:c}"sv,
                         "}"sv,
                         ";"sv,
                         "a{b:c};d{e:f}"sv,
                         "@x"sv,
                         "@x a}b{c:d}"sv,
                         "@media x{a{b:c}"sv,
                         "@page{a:b;@top{c:d}}"sv,
                         "a:not({b:c}"sv}) {
    EXPECT_GE(mistakes(css), 1U) << css;
  }
}

TEST(Css, ContinuesAfterASyntaxError) {
  EXPECT_EQ(mistakes("a{*b:c;d:e} f{g} h{i:j}"), 2U);
  Book book;
  book.sheet("a{*b:c}\nd{e:url(x.png)}");
  ASSERT_EQ(book.book.references.all().size(), 1U);
  EXPECT_EQ(book.book.references.all().front().at.line, 2U);
}

TEST(Css, ParsesAStyleAttributeAsDeclarations) {
  EXPECT_EQ(attribute("a:b"), "");
  EXPECT_EQ(attribute(";a:b;;c:d;"), "");
  EXPECT_EQ(attribute("a"), "CSS-008 ");
  EXPECT_EQ(attribute("a:b}"), "CSS-008 ");
  EXPECT_EQ(attribute("direction:rtl"), "CSS-001 ");
}

TEST(Css, UrlsBecomeReferences) {
  Book book;
  book.sheet(
      "@import url(a.css);@import \"b.css\";@namespace url(http://x);"
      "@font-face{src:url( 'c.otf' ) format('x'),url(d.otf)}e{f:url(g.png);h:url(#i);j:url('')}");
  std::vector<std::string> seen;
  for (const Reference& one : book.book.references.all()) {
    seen.push_back(std::to_string(static_cast<int>(one.use)) + one.target.path);
  }
  const auto named = [](Use use, const std::string& path) {
    return std::to_string(static_cast<int>(use)) + path;
  };
  EXPECT_EQ(seen, (std::vector<std::string>{
                      named(Use::stylesheet, "OPS/a.css"), named(Use::stylesheet, "OPS/b.css"),
                      named(Use::font, "OPS/c.otf"), named(Use::font, "OPS/d.otf"),
                      named(Use::css_other, "OPS/g.png")}));
  EXPECT_EQ(book.ids(), "CSS-002 ");
}

TEST(Css, AnEmptyUnquotedUrlSwallowsItsClosingParenthesis) {
  EXPECT_EQ(sheet("a{b:url()}"), "CSS-008 CSS-008 ");
  Book book;
  book.sheet("a{b:url()} c{d:url(e.png)}");
  ASSERT_EQ(book.book.references.all().size(), 1U);
  EXPECT_EQ(book.book.references.all().front().url, ")} c{d:url(e.png");
}

TEST(Css, ReportsAFileThatIsOnlyAByteOrderMark) {
  const auto file = [](std::string_view css) {
    Book book;
    const Item item{.path = "OPS/a.css", .media_type = "text/css"};
    book.document.item = &item;
    return book.sheet(css);
  };
  EXPECT_EQ(file(""), "");
  EXPECT_EQ(file("\xEF\xBB\xBF"), "CSS-008 ");
  EXPECT_EQ(file("\xEF\xBB\xBF "), "");
}

TEST(Css, RecordsRemoteResourcesExceptImports) {
  Book book;
  book.sheet("@import 'http://a/b.css';");
  EXPECT_FALSE(book.document.traits().has_remote_resources);
  book.sheet("@font-face{src:url(https://a/b.otf)}");
  EXPECT_TRUE(book.document.traits().has_remote_resources);
}

TEST(Css, ReportsDiscouragedPropertiesAndClasses) {
  EXPECT_EQ(sheet("a{Direction:rtl;unicode-bidi:embed}"), "CSS-001 CSS-001 ");
  EXPECT_EQ(sheet("a{position:Fixed}"), "CSS-006 ");
  EXPECT_EQ(sheet("@font-face{}"), "CSS-019 ");
  EXPECT_EQ(sheet("b .-epub-media-overlay-active{c:d}"), "CSS-029 ");
  Book old;
  old.book.package.edition = Edition::epub2;
  EXPECT_EQ(old.sheet("a{direction:rtl}"), "");
}

TEST(Css, ReportsAFontWithANonStandardMediaType) {
  Book book;
  book.book.package.items.push_back({.path = "OPS/a.xyz", .media_type = "application/xyz"});
  book.book.package.by_path["OPS/a.xyz"] = 0;
  EXPECT_EQ(book.sheet("@font-face{src:url(a.xyz)}"), "CSS-007 ");
}

TEST(Css, DetectsTheEncodingFromByteOrderMarkOrCharsetRule) {
  EXPECT_EQ(encoding_of_css("a{}").name, "utf-8");
  EXPECT_EQ(encoding_of_css("@charset \"ISO-8859-1\";").name, "iso-8859-1");
  EXPECT_EQ(encoding_of_css("@charset;\"x\"").name, "utf-8");
  const auto mark = encoding_of_css("\xFF\xFE"sv);
  EXPECT_EQ(mark.name, "utf-16le");
  EXPECT_EQ(utf8_of_css("\xFF\xFE"
                        "a\0\xE4\0=\xD8\0\xDE"sv,
                        mark),
            "a\xC3\xA4\xF0\x9F\x98\x80");
  EXPECT_EQ(utf8_of_css("\xEF\xBB\xBF"
                        "a"sv,
                        encoding_of_css("\xEF\xBB\xBF")),
            "a");
}

TEST(Css, HandlesVeryDeepNesting) {
  const std::string brackets(200'000, '(');
  EXPECT_GE(mistakes("a{b:" + brackets), 1U);
  std::string nots;
  for (int i = 0; i < 50'000; ++i) nots += ":not(";
  EXPECT_GE(mistakes(nots), 1U);
  std::string rules;
  for (int i = 0; i < 50'000; ++i) rules += "@a{";
  EXPECT_GE(mistakes(rules), 1U);
}

}  // namespace
}  // namespace tidemill::epub
