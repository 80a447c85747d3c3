#include "tidemill/formats/epub/grammar/grammar.h"

#include <gtest/gtest.h>

#include <ctime>
#include <string>
#include <vector>

#include "tidemill/formats/epub/grammar/grammars.h"

namespace tidemill::epub {
namespace {

class Ear final : public GrammarListener {
 public:
  void mistake(std::string sentence, xml::Position /*where*/) override {
    heard.push_back(std::move(sentence));
  }
  std::vector<std::string> heard;
};

using Sentences = std::vector<std::string>;

Sentences check(const Grammar& grammar, const std::string& document) {
  Ear ear;
  GrammarCheck checker(grammar, ear);
  const xml::ParseOutcome outcome = xml::read(document, checker);
  EXPECT_FALSE(outcome.mistake.has_value()) << outcome.mistake->text;
  return ear.heard;
}

// Checks the content of <r xmlns="urn:r">; a, b and c are empty elements, t contains text.
Sentences content(std::string_view pattern, std::string_view inside) {
  std::string text = R"(namespace = "urn:r"
namespace known = "urn:known"
element a {} empty
element b {} empty
element c {} empty
element t {} text
element k as known:k {} empty
element r {} )";
  text.append(pattern).append("\nstart r\n");
  const std::vector<std::string_view> texts = {text};
  return check(Grammar(texts),
               R"(<r xmlns="urn:r" xmlns:k="urn:known">)" + std::string(inside) + "</r>");
}

// Checks the attributes of <r xmlns="urn:r">.
Sentences attributes(std::string_view allowed, std::string_view written) {
  std::string text = R"(namespace = "urn:r"
namespace known = "urn:known"
attributes more = m:integer
attributes more += n
any-case folded
element r {)";
  text.append(allowed).append("} empty\nstart r\n");
  const std::vector<std::string_view> texts = {text};
  return check(Grammar(texts), R"(<r xmlns="urn:r" xmlns:k="urn:known" xmlns:f="urn:f" )" +
                                   std::string(written) + "/>");
}

const Sentences kFine;

TEST(Grammar, SequenceRequiresItsPartsInOrder) {
  EXPECT_EQ(content("(a, b)", "<a/><b/>"), kFine);
  EXPECT_EQ(content("(a, b)", "<b/><a/>"),
            (Sentences{"element \"b\" is not allowed here; expected: a",
                       "element \"r\" ends too early; expected: b"}));
  EXPECT_EQ(content("(a, b)", "<a/><b/><c/>"),
            Sentences{"element \"c\" is not allowed here; nothing more is expected"});
}

TEST(Grammar, ChoiceAcceptsExactlyOneOfItsParts) {
  EXPECT_EQ(content("(a | b)", "<b/>"), kFine);
  EXPECT_EQ(content("(a | b)", "<a/><b/>").size(), 1U);
  EXPECT_EQ(content("(a | b)", ""), Sentences{"element \"r\" ends too early; expected: a, b"});
}

TEST(Grammar, InterleaveAcceptsAnyOrderButKeepsTheOrderWithinEachPart) {
  for (const auto* const inside : {"<a/><b/><c/>", "<c/><b/><a/>", "<b/><a/><c/>"}) {
    EXPECT_EQ(content("(a & b & c)", inside), kFine) << inside;
  }
  EXPECT_EQ(content("((a, b) & c)", "<a/><c/><b/>"), kFine);
  EXPECT_EQ(content("((a, b) & c)", "<b/><c/><a/>").size(), 2U);
  EXPECT_EQ(content("(a? & b*)", "<b/><a/><b/><a/>").size(), 1U);
}

TEST(Grammar, EnforcesRepetitionCounts) {
  EXPECT_EQ(content("a*", ""), kFine);
  EXPECT_EQ(content("a*", "<a/><a/><a/>"), kFine);
  EXPECT_EQ(content("a+", "<a/><a/>"), kFine);
  EXPECT_EQ(content("a+", "").size(), 1U);
  EXPECT_EQ(content("a?", "<a/><a/>").size(), 1U);
  EXPECT_EQ(content("((a+, b+)* | c)", "<a/><a/><b/><a/><b/><b/>"), kFine);
}

TEST(Grammar, AllowsTextOnlyWhereNamedAndWhiteSpaceEverywhere) {
  EXPECT_EQ(content("(text | a)*", "x<a/>y<a/>"), kFine);
  EXPECT_EQ(content("a*", " <a/>\n\t<a/> "), kFine);
  EXPECT_EQ(content("empty", "x"), Sentences{"text is not allowed here; nothing more is expected"});
  EXPECT_EQ(content("a*", "x<a/>y<a/>z").size(), 1U);  // reported once
}

TEST(Grammar, SupportsWildcardElements) {
  EXPECT_EQ(content("foreign*", "<f xmlns='urn:f'><g>x</g></f>"), kFine);
  EXPECT_EQ(content("foreign*", "<k:x/>").size(), 1U);
  EXPECT_EQ(content("other*", "<k:x/><zz/>"), kFine);
  EXPECT_EQ(content("custom*", "<my-own><zz/>x</my-own>"), kFine);
  EXPECT_EQ(content("custom*", "<zz/>").size(), 1U);
  EXPECT_EQ(content("(a | unnamed)*", "<a/><zz/><k:k/><f xmlns='urn:f'/>"), kFine);
  EXPECT_EQ(content("(a | unnamed=t)*", "<zz>x</zz>"), kFine);
  EXPECT_EQ(content("(a | unnamed=t)*", "<zz><a/></zz>").size(), 1U);
  EXPECT_EQ(content("(a | unnamed)*", "<a>x</a>").size(), 1U);
  EXPECT_EQ(content("any", "x<a/><zz><a>y</a></zz>"), kFine);
}

TEST(Grammar, ChecksAMisplacedElementByItsOwnTypeAndIgnoresItInTheContent) {
  EXPECT_EQ(content("(a, b)", "<a/><t>x<zz/></t><b/>"),
            (Sentences{"element \"t\" is not allowed here; expected: b",
                       "element \"zz\" is not allowed here; expected: text"}));
  EXPECT_EQ(content("a", "<zz><yy/>x</zz><a/>").size(), 1U);
}

TEST(Grammar, ATypeAndItsTagMayDiffer) {
  const std::vector<std::string_view> texts = {R"(
namespace = "urn:r"
element r {} (outer, end?)
element outer as o {} inner
element inner as o {} end
element end {} empty
start r
)"};
  const Grammar grammar(texts);
  EXPECT_EQ(check(grammar, "<r xmlns='urn:r'><o><o><end/></o></o></r>"), kFine);
  EXPECT_EQ(check(grammar, "<r xmlns='urn:r'><o><end/></o></r>").size(), 2U);
}

TEST(Grammar, AttributesAreAllowedByNameAndValue) {
  EXPECT_EQ(attributes("x", "x='anything'"), kFine);
  EXPECT_EQ(attributes("x", "y=''"), Sentences{"attribute \"y\" is not allowed on element \"r\""});
  EXPECT_EQ(attributes("x!", ""), Sentences{"element \"r\" lacks the attribute \"x\""});
  EXPECT_EQ(attributes("x:(a|b)", "x='b'"), kFine);
  EXPECT_EQ(attributes("x:(a|b)", "x='B'"),
            Sentences{"attribute \"x\" of element \"r\" has a value that is not allowed: \"B\"; "
                      "expected: \"a\", \"b\""});
  EXPECT_EQ(attributes("x:~(a|b)", "x='B'"), kFine);
  EXPECT_EQ(attributes("folded:(a|b)", "folded='B'"), kFine);
  EXPECT_EQ(attributes("x:(|a)", "x=''"), kFine);
  EXPECT_EQ(attributes("x:list(a|b)", "x=' b a '"), kFine);
  EXPECT_EQ(attributes("x:list(a|b)", "x='b c'").size(), 1U);
  EXPECT_EQ(attributes("x:integer|(auto)", "x='auto'"), kFine);
  EXPECT_EQ(attributes("x:integer|(auto)", "x='7'"), kFine);
  EXPECT_EQ(attributes("x:integer|(auto)", "x='seven'").size(), 1U);
}

TEST(Grammar, AttributesAreAllowedByFamily) {
  EXPECT_EQ(attributes("data-*", "data-x='1'"), kFine);
  EXPECT_EQ(attributes("data-*", "date='1'").size(), 1U);
  EXPECT_EQ(attributes("known:*", "k:x='1'"), kFine);
  EXPECT_EQ(attributes("foreign", "f:x='1'"), kFine);
  EXPECT_EQ(attributes("foreign", "k:x='1'").size(), 1U);
  EXPECT_EQ(attributes("* x:integer", "y='1' k:z='2'"), kFine);
  EXPECT_EQ(attributes("* x:integer", "x='one'").size(), 1U);
  EXPECT_EQ(attributes("@more", "m='1' n='x'"), kFine);
  EXPECT_EQ(attributes("@more m:(x)", "m='x'"), kFine);  // the later one counts
  EXPECT_EQ(attributes("xml:lang:language", "xml:lang='de'"), kFine);
}

TEST(Grammar, AnAttributeCanSelectTheContentModel) {
  const std::vector<std::string_view> texts = {R"(
namespace = "urn:r"
element r {x} empty
element r when x=one|two {x y!} text
element r when z {z} r
start r
)"};
  const Grammar grammar(texts);
  EXPECT_EQ(check(grammar, "<r xmlns='urn:r' x='three'/>"), kFine);
  EXPECT_EQ(check(grammar, "<r xmlns='urn:r' x='TWO' y=''>words</r>"), kFine);
  EXPECT_EQ(check(grammar, "<r xmlns='urn:r' x='one'/>").size(), 1U);
  EXPECT_EQ(check(grammar, "<r xmlns='urn:r' z=''><r/></r>"), kFine);
}

TEST(Grammar, TextContentCanHaveADatatype) {
  const std::vector<std::string_view> texts = {
      "namespace = \"urn:r\"\nelement r {} text:date\nstart r"};
  const Grammar grammar(texts);
  EXPECT_EQ(check(grammar, "<r xmlns='urn:r'>2020-<![CDATA[02-]]>03</r>"), kFine);
  EXPECT_EQ(check(grammar, "<r xmlns='urn:r'>today</r>").size(), 1U);
  EXPECT_EQ(check(grammar, "<r xmlns='urn:r'/>").size(), 1U);
}

TEST(Grammar, MessagesShortenLongListsAndNames) {
  const Sentences told = content("(a | b | c | t | k)", "<" + std::string(500, 'z') + "/>");
  ASSERT_EQ(told.size(), 2U);
  EXPECT_LT(told[0].size(), 200U);
  const Grammar& html = xhtml5_grammar();
  const Sentences shown = check(
      html, "<html xmlns='http://www.w3.org/1999/xhtml'><head/><body><p><div/></p></body></html>");
  ASSERT_EQ(shown.size(), 1U);
  EXPECT_TRUE(shown[0].ends_with(", …")) << shown[0];
}

TEST(Grammar, RunsInLinearTime) {
  const std::vector<std::string_view> texts = {R"(
namespace = "urn:r"
element r {} ((a+, b+)* | (a & b)*)
element a {} empty
element b {} empty
start r
)"};
  const Grammar grammar(texts);
  const auto cost = [&](std::size_t pairs) {
    std::string document = "<r xmlns='urn:r'>";
    for (std::size_t i = 0; i < pairs; ++i) document += "<a/><b/>";
    document += "</r>";
    const std::clock_t begin = std::clock();
    EXPECT_EQ(check(grammar, document), kFine);
    return static_cast<double>(std::clock() - begin);
  };
  (void)cost(1000);
  const double small = cost(20'000);
  EXPECT_LT(cost(160'000), 30 * (small + 0.001 * CLOCKS_PER_SEC));
}

TEST(GrammarDeath, AnInvalidGrammarReportsItsLine) {
  const auto make = [](std::string_view text) {
    const std::vector<std::string_view> texts = {text};
    const Grammar grammar(texts);
  };
  EXPECT_DEATH(make("element a {} empty\nelement b {} zz\nstart a"), "line 2: no such element");
  EXPECT_DEATH(make("element a {x:zz} empty\nstart a"), "line 1: no such datatype: zz");
  EXPECT_DEATH(make("element a {} (a, b | c)\nstart a"), "need brackets");
  EXPECT_DEATH(make("content x = x\nelement a {} x\nstart a"), "holds itself");
  EXPECT_DEATH(make("element a {} (b | c)\nelement b {} empty\nelement c as b {} text\nstart a"),
               "two types of one tag in one pattern: b");
}

TEST(Grammar, RolesDetermineTheAllowedStates) {
  static constexpr std::string_view kText = R"(
attributes state = s-level:positive s-checked:(yes|no)
states title|heading = s-level
states box|switch = s-checked!
states still =
element r {role:(title|box|switch|none) %heading %switch=still} empty
start r)";
  const std::vector<std::string_view> texts = {kText};
  const Grammar grammar(texts);
  const auto on = [&](const std::string& written) {
    return check(grammar, "<r " + written + "/>");
  };
  EXPECT_EQ(on("s-level='1'"), kFine);
  EXPECT_EQ(on("role='title' s-level='1'"), kFine);
  EXPECT_EQ(on("role='box' s-checked='no'"), kFine);
  EXPECT_EQ(on("role='switch'"), kFine);
  EXPECT_EQ(
      on("role='none' s-level='1'"),
      Sentences{"attribute \"s-level\" is not allowed on element \"r\" with the role \"none\""});
  EXPECT_EQ(on("s-checked='no'"),
            Sentences{"attribute \"s-checked\" is not allowed on element \"r\" without a role"});
  EXPECT_EQ(on("role='box'"),
            Sentences{"element \"r\" with the role \"box\" lacks the attribute \"s-checked\""});
  EXPECT_EQ(on("role='switch' s-checked='no'").size(), 1U);
  EXPECT_EQ(on("s-level='0'").size(), 1U);
}

TEST(Datatypes, AcceptValidAndRejectInvalidValues) {
  struct Case {
    std::string_view type, good, bad;
  };
  const std::vector<Case> cases = {
      {"id", "a1", "1a"},
      {"idrefs", "a b", ""},
      {"nmtoken", "1:x", "a b"},
      {"word", "1#", "a b"},
      {"language", "de-CH-1996", "d3utsch"},
      {"language-or-empty", "", "x y"},
      {"language", "i-klingon", "deutschland"},
      {"integer", "-7", "1.5"},
      {"nonneg", "0", "-1"},
      {"positive", "01", "00"},
      {"number", "-1.5e3", "1,5"},
      {"positive-number", "0.1", "0.0"},
      {"nonneg-number", "0", "-0.1"},
      {"length", "10.5px", "px"},
      {"multi-length", "3*", "a*"},
      {"date", "2020-02-03Z", "2020-13-01"},
      {"datetime", "2020-02-03T04:05:06Z", "2020-02-03"},
      {"html-moment", "2H 30M", "yesterday"},
      {"html-moment", "P1DT2H3.5S", "P"},
      {"html-moment", "2020-W07", "07-W2020"},
      {"html-datetime", "2020-02-03 04:05+0100", "2020-02-03"},
      {"html-local-datetime", "2020-02-03T04:05", "2020-02-03T04:05Z"},
      {"clock", "1:02:03.5", "1:62:03"},
      {"clock", "12.5min", "12.5x"},
      {"mime", "text/css; charset=x", "css"},
      {"frame-target", "_BLANK", "_other"},
      {"hash-name", "#x", "#"},
      {"character", "ü", "ab"},
      {"sizes", "16x16 32x32", "16"},
      {"color", "#00ffAA", "#0f"},
      {"emails", "a@b,c@d", "a@b,c"},
      {"coords", "1,2,3", "1,,3"},
      {"alphabet", "x-mine", "x-"},
      {"utf-8", "UTF-8", "latin1"},
      {"html-uri", " ", "::"},
  };
  for (const auto& [type, good, bad] : cases) {
    const Datatype datatype = datatype_named(type);
    ASSERT_NE(datatype, nullptr) << type;
    EXPECT_TRUE(datatype(good)) << type << ' ' << good;
    EXPECT_FALSE(datatype(bad)) << type << ' ' << bad;
  }
  EXPECT_EQ(datatype_named("nothing"), nullptr);
}

}  // namespace
}  // namespace tidemill::epub
