// The grammars of content documents and their additional rules: XHTML 1.1, SVG, MathML, DTBook.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tidemill/formats/epub/content/svg_rules.h"
#include "tidemill/formats/epub/content/xhtml/xhtml11_rules.h"
#include "tidemill/formats/epub/grammar/grammars.h"
#include "tidemill/formats/epub/grammar/value_syntax.h"

namespace tidemill::epub {
namespace {

using Lines = std::vector<std::uint32_t>;

class Noted final : public GrammarListener {
 public:
  void mistake(std::string /*sentence*/, xml::Position where) override {
    lines.push_back(where.line);
  }
  Lines lines;
};

// The lines of a document for which the grammar reports a mistake.
Lines mistakes(const Grammar& grammar, const std::string& document) {
  Noted noted;
  GrammarCheck check(grammar, noted);
  EXPECT_FALSE(xml::read(document, check).mistake) << document;
  return noted.lines;
}

// The lines for which the rules report `id`.
template <class Rules>
Lines reports(RuleId id, std::string_view markup, Edition edition, bool is_fixed = false) {
  Inspection book;
  book.package.edition = edition;
  Document document{.book = &book, .path = "a", .is_fixed = is_fixed};
  Rules rules(document);
  EXPECT_FALSE(xml::read(markup, rules).mistake) << markup;
  rules.finish();
  book.tell_held();
  Lines lines;
  for (const Finding& finding : book.findings.kept()) {
    if (finding.rule == id) lines.push_back(finding.place.at.line);
  }
  return lines;
}

std::string xhtml(std::string_view body) {
  return R"(<html xmlns="http://www.w3.org/1999/xhtml" xmlns:ops="http://www.idpf.org/2007/ops">)"
         "<head><title>t</title></head><body>" +
         std::string(body) + "</body></html>";
}

std::string svg(std::string_view inner) {
  return R"(<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" )"
         R"(xmlns:epub="http://www.idpf.org/2007/ops" xmlns:h="http://www.w3.org/1999/xhtml">)" +
         std::string(inner) + "</svg>";
}

std::string math(std::string_view inner) {
  return xhtml(R"(<math xmlns="http://www.w3.org/1998/Math/MathML">)" + std::string(inner) +
               "</math>");
}

const Lines kFirst = {1};

TEST(Xhtml11Grammar, AcceptsCommonBookMarkup) {
  EXPECT_EQ(mistakes(xhtml11_grammar(), xhtml(R"(
    <h1 id="a" class="x y" lang="en" xml:lang="en">T</h1><p style="x">a <em>b</em><br/>
    <a href="x.html#y" rel="a b" target="_top">l</a><img src="a b.png" alt="" width="50%"/></p>
    <ul><li>text<p>and block</p></li></ul><dl><dd>x</dd><dt>y</dt></dl><hr/>
    <table border="1" cellpadding="0"><caption>c</caption><col/><col width="3*"/>
    <thead><tr><th scope="col">x</th></tr></thead><tbody><tr><td align="left">y</td></tr></tbody>
    </table><blockquote cite="u"><p>q</p></blockquote><pre xml:space="preserve">x</pre>
    <div><object data="x" type="t"><param name="n"/>text</object><iframe src="x"/></div>)")),
            Lines{});
}

// Each of these has one fault.
TEST(Xhtml11Grammar, RejectsMarkupThatXhtml11DoesNotAllow) {
  for (const std::string_view body :
       {"text",
        "<p><div/></p>",
        "<ul></ul>",
        "<ol start='2'><li/></ol>",
        "<a href='x'/>",
        "<p><a name='x'/></p>",
        "<p align='left'/>",
        "<p id='1'/>",
        "<p id=''/>",
        "<p lang=''/>",
        "<p xml:lang='pt_BR'/>",
        "<p dir='auto'/>",
        "<blockquote><p/>x</blockquote>",
        "<blockquote><p/><em/></blockquote>",
        "<blockquote/>",
        "<p><img src='x'/></p>",
        "<p><img alt=''/></p>",
        "<p><u>x</u></p>",
        "<form action='x'><p/></form>",
        "<section/>",
        "<p ops:type='x'/>",
        "<table><tbody/></table>",
        "<table><tr/></table>",
        "<table/>",
        "<table><tr><td/></tr><tbody><tr><td/></tr></tbody></table>",
        "<table><tbody><tr><td/></tr></tbody><thead><tr><td/></tr></thead></table>",
        "<table align='left'><tr><td/></tr></table>",
        "<p data-x='1'/>",
        "<p onclick='x'/>",
        "<p xml:base='x'/>",
        "<p><ruby/></p>",
        "<p><map id='m'/></p>",
        "<p><bdo>x</bdo></p>",
        "<x xmlns='urn:other'/>",
        "<p><m xmlns='http://www.w3.org/1998/Math/MathML'/></p>"}) {
    EXPECT_EQ(mistakes(xhtml11_grammar(), xhtml("<p/>" + std::string(body))), kFirst) << body;
  }
  EXPECT_EQ(mistakes(xhtml11_grammar(), xhtml("")), kFirst) << "an empty body";
}

TEST(Xhtml11Grammar, RequiresOneTitleAnywhereInTheHead) {
  const auto document = [](std::string_view head) {
    return "<html xmlns='http://www.w3.org/1999/xhtml'><head>" + std::string(head) +
           "</head><body><p/></body></html>";
  };
  EXPECT_EQ(mistakes(xhtml11_grammar(),
                     document("<meta name='a' content='b'/><title/><link rel='x' href='y'/>")),
            Lines{});
  EXPECT_EQ(mistakes(xhtml11_grammar(), document("")), kFirst);
  EXPECT_EQ(mistakes(xhtml11_grammar(), document("<title/><title/>")), kFirst);
  EXPECT_EQ(mistakes(xhtml11_grammar(), document("<title/><meta charset='utf-8'/>")), kFirst);
  EXPECT_EQ(mistakes(xhtml11_grammar(), document("<title/><style>x</style>")), kFirst);
  EXPECT_EQ(mistakes(xhtml11_grammar(), "<html><head/></html>"), kFirst) << "no namespace";
}

TEST(Xhtml11Grammar, ChecksEmbeddedSvgAndSwitches) {
  EXPECT_EQ(mistakes(xhtml11_grammar(), xhtml("<p>" + svg(R"(<g sodi:x="1" xmlns:sodi="urn:s">
      <sodi:view/><path d="M0 0"/></g><foreignObject width="1" height="1"><h:body><h:p/></h:body>
      </foreignObject>)") + R"(</p><ops:switch><ops:case required-namespace="u"><x/></ops:case>
      <ops:default><p/></ops:default></ops:switch>)")),
            Lines{});
  EXPECT_EQ(mistakes(xhtml11_grammar(), xhtml(svg("<path/>"))), kFirst);
  EXPECT_EQ(mistakes(xhtml11_grammar(),
                     xhtml("<ops:switch><ops:case required-namespace='u'/></ops:switch>")),
            kFirst);
}

TEST(Xhtml11Rules, ReportNestedLinksAtTheOuterLink) {
  constexpr std::string_view kNested = R"(<p xmlns="http://www.w3.org/1999/xhtml">
    <a>
      <em><a>
        <a/></a></em> <a/></a>
    <a/></p>)";
  EXPECT_EQ(reports<Xhtml11Rules>("RSC-005", kNested, Edition::epub2), (Lines{2, 3}));
}

TEST(Xhtml11Rules, ReportEveryElementWithADuplicateId) {
  constexpr std::string_view kShared = "<p id='x'>\n<a id=' x '/>\n<b id='y'/>\n<c id='x'/></p>";
  EXPECT_EQ(reports<Xhtml11Rules>("RSC-005", kShared, Edition::epub2), (Lines{1, 2, 4}));
}

TEST(Xhtml11Rules, ReportTheBrAttributeThatTheTransitionalDoctypeAdds) {
  const std::string rest =
      "\"><html xmlns=\"http://www.w3.org/1999/xhtml\"><br/><br clear=\"all\"/></html>";
  const std::string known = "<!DOCTYPE html PUBLIC \"x\" \"http://www.w3.org/TR/";
  EXPECT_EQ(reports<Xhtml11Rules>("RSC-005", known + "xhtml1/DTD/xhtml1-transitional.dtd" + rest,
                                  Edition::epub2),
            kFirst);
  EXPECT_EQ(reports<Xhtml11Rules>("RSC-005", known + "xhtml1/DTD/xhtml1-strict.dtd" + rest,
                                  Edition::epub2),
            Lines{});
}

TEST(AnyUri, AcceptsNearlyEverything) {
  for (const std::string_view value :
       {"", "a b", "#", "%20", "{x}", "a:b", "http:///", "///", "http://[::1]/", "a/b:c", "C:\\x",
        " x ", "http://x y/", "a?[x]", "mailto:x"}) {
    EXPECT_TRUE(is_any_uri(value)) << value;
  }
  for (const std::string_view value :
       {"%", "%2", "a%zz", "a#b#c", ":x", "1:x", "x:", "a_b:x", "//", "http://", "[x]",
        "http://[x]/", "mailto:", "x:#a", "//[]", "//[1:2:3:4:5:6:7:8:9]"}) {
    EXPECT_FALSE(is_any_uri(value)) << value;
  }
}

TEST(Svg11Grammar, EnforcesSvg11Strictly) {
  EXPECT_EQ(mistakes(svg11_grammar(), svg(R"(<title>t</title><defs><linearGradient id="g">
      <stop offset="0" stop-color="red"/></linearGradient><filter><feBlend in2="x"/></filter></defs>
      <g enable-background="new"><rect width="1" height="1" fill="#fff"/></g>
      <text x="1">a<tspan dy="1">b</tspan></text><image xlink:href="a.png" width="1" height="1"
      preserveAspectRatio="xMidYMid meet"/><metadata><r:RDF xmlns:r="urn:rdf"/></metadata>)")),
            Lines{});
  for (const std::string_view inner :
       {"<path/>", "<path d='' enable-background='new'/>", "<rect width='1'/>", "text", "<foo/>",
        "<g><stop offset='0'/></g>", "<image width='1' height='1'/>", "<g epub:type='x'/>",
        "<g fill-rule='odd'/>", "<h:p/>", "<g aria-label='x'/>", "<svg version='1.0'/>",
        "<text><animate attributeName='x'/><rect width='1' height='1'/></text>",
        "<use xlink:href='#a'><animate attributeName='x'/><desc/></use>",
        "<foreignObject width='1' height='1'><h:p/></foreignObject>"}) {
    EXPECT_EQ(mistakes(svg11_grammar(), svg(inner)), kFirst) << inner;
  }
}

TEST(SvgGrammar, ChecksOnlyIdsAndEmbeddedHtml) {
  for (const std::string_view inner :
       {"<path foo='x'/>", "<foo/>", "text", "<x xmlns='urn:x'/>", "<h:p/>", "<g aria-label='x'/>",
        "<foreignObject><h:p>x</h:p></foreignObject>", "<title>a<h:em>b</h:em></title>",
        "<foreignObject><h:body><h:p/></h:body></foreignObject>"}) {
    EXPECT_EQ(mistakes(svg_grammar(), svg(inner)), Lines{}) << inner;
  }
  for (const std::string_view inner :
       {"<g id='1'/>", "<foreignObject><h:title/></foreignObject>",
        "<foreignObject><x xmlns='urn:x'/></foreignObject>",
        "<g><foreignObject><h:body/><h:body/></foreignObject></g>", "<title><h:li/></title>"}) {
    EXPECT_EQ(mistakes(svg_grammar(), svg(inner)), kFirst) << inner;
  }
}

TEST(SvgRules, CheckEpubAttributesAndDuplicateIds) {
  const auto lines = [](std::string_view inner) {
    return reports<SvgRules>("RSC-005", svg(inner), Edition::epub3);
  };
  EXPECT_EQ(lines("<g epub:type='x'><tspan epub:type='y'/></g>"), Lines{});
  EXPECT_EQ(lines("<defs epub:type='x'/>"), kFirst);
  EXPECT_EQ(lines("<g epub:prefix='x'/>"), kFirst);
  EXPECT_EQ(lines("<g epub:foo='x'/>"), kFirst);
  EXPECT_EQ(lines("<g id='a'/><g id='a'/>"), (Lines{1, 1}));
}

TEST(SvgRules, RequireHtmlInTitlesAndAViewBoxOnFixedPages) {
  EXPECT_EQ(reports<SvgRules>("RSC-005", svg("<title>\n<svg><g/></svg>\n<h:p/></title><svg/>"),
                              Edition::epub3),
            Lines{2});
  EXPECT_EQ(reports<SvgRules>("HTM-048", svg("<svg/>"), Edition::epub3, true), kFirst);
  EXPECT_EQ(reports<SvgRules>("HTM-048", svg("<svg/>"), Edition::epub3, false), Lines{});
  EXPECT_EQ(reports<SvgRules>("HTM-048", svg("<svg/>"), Edition::epub2, true), Lines{});
}

// Each of these has one fault; the line next to it has none.
TEST(Xhtml5Grammar, ChecksAriaStatesByRoleAndMetadataByPlace) {
  const std::vector<std::pair<std::string_view, std::string_view>> pairs = {
      {"<p role='checkbox'/>", "<p role='checkbox' aria-checked='true'/>"},
      {"<p aria-checked='true'/>", "<p aria-busy='true'/>"},
      {"<h1 role='tab' aria-level='2'/>", "<h1 aria-level='2'/>"},
      {"<p role='slider' aria-valuenow='1'/>",
       "<p role='slider' aria-valuenow='1' aria-valuemin='0' aria-valuemax='2'/>"},
      {"<input type='checkbox' role='switch' aria-checked='true'/>",
       "<input type='checkbox' role='switch'/>"},
      {"<p aria-placeholder='x'/>", "<input aria-placeholder='x'/>"},
      {"<button type='reset' role='tab'/>", "<button type='button' role='tab'/>"},
      {"<meta name='a' content='b'/>", "<meta itemprop='a' content='b'/>"},
      {"<template><title>x</title></template>", "<template><td>x</td></template>"},
      {"<embed aria-required='true'/>", "<embed aria-level='x'/>"}};
  for (const auto& [bad, good] : pairs) {
    EXPECT_NE(mistakes(xhtml5_grammar(), xhtml(bad)), Lines{}) << bad;
    EXPECT_EQ(mistakes(xhtml5_grammar(), xhtml(good)), Lines{}) << good;
  }
}

TEST(MathmlGrammar, AcceptsPresentationMarkupAndAnnotations) {
  EXPECT_EQ(mistakes(xhtml5_grammar(), math(R"(<mrow><mi>x</mi><mo stretchy="false">=</mo><mfrac
      linethickness="2px"><mn>1</mn><mn>2</mn></mfrac></mrow><mtable columnalign="left right"><mtr>
      <mtd><mtext>a <b xmlns="http://www.w3.org/1999/xhtml">b</b></mtext></mtd></mtr></mtable>
      <mmultiscripts><mi>a</mi><mi>b</mi><none/><mprescripts/><mi>c</mi><mi>d</mi></mmultiscripts>
      <semantics><mi>x</mi><annotation encoding="TeX">x</annotation><annotation-xml
      encoding="MathML-Content" name="contentequiv"><ci>x</ci></annotation-xml></semantics>)")),
            Lines{});
  for (const std::string_view inner :
       {"text", "<mfrac><mi/></mfrac>", "<msup><mi/><mi/><mi/></msup>", "<ci>x</ci>", "<mtr/>",
        "<mi foo='x'/>", "<mo form='x'/>", "<semantics/>", "<mspace width='wide'/>",
        "<mi mathcolor='orange'/>",
        "<semantics><mi/><annotation-xml encoding='MathML-Content'/></semantics>",
        "<semantics><mi/><annotation-xml encoding='foo'/></semantics>",
        "<mmultiscripts><mi/><mi/></mmultiscripts>", "<maction><mi/></maction>"}) {
    EXPECT_EQ(mistakes(xhtml5_grammar(), math(inner)), kFirst) << inner;
  }
}

TEST(MathmlValues, ValidateLengthsPaddingAndColours) {
  for (const std::string_view value :
       {"1", "-.5em", "2.", "50%", " 3px ", "negativethinmathspace"}) {
    EXPECT_TRUE(is_math_length(value)) << value;
  }
  for (const std::string_view value : {"", ".", "1..2", "1 em", "+1", "em", "mathspace", "1em2"}) {
    EXPECT_FALSE(is_math_length(value)) << value;
  }
  for (const std::string_view value : {"+1", "20% height", "2 width", "-1em", "1mediummathspace"}) {
    EXPECT_TRUE(is_math_padding(value)) << value;
  }
  EXPECT_FALSE(is_math_padding("height"));
  EXPECT_TRUE(is_math_color("#a0C"));
  EXPECT_TRUE(is_math_color("Red"));
  EXPECT_FALSE(is_math_color("#a0C1"));
  EXPECT_FALSE(is_math_color("orange"));
}

TEST(DtbookGrammar, ChecksOnlyTheDocumentSkeleton) {
  const auto document = [](std::string_view book) {
    return "<dtbook xmlns='http://www.daisy.org/z3986/2005/dtbook/' version='2005-2'>" +
           std::string(book) + "</dtbook>";
  };
  EXPECT_EQ(mistakes(dtbook_grammar(),
                     document("<head><x/></head><book><bodymatter>x</bodymatter></book>")),
            Lines{});
  EXPECT_EQ(mistakes(dtbook_grammar(), document("<head/>")), kFirst);
  EXPECT_EQ(mistakes(dtbook_grammar(), document("<head/><book><p/></book>")), kFirst);
}

}  // namespace
}  // namespace tidemill::epub
