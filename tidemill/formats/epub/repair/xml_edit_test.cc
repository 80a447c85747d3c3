// The scanner finds the same pieces as a parser, also in documents that a parser rejects, and
// unchanged bytes stay the same.
#include "tidemill/formats/epub/repair/xml_edit.h"

#include <gtest/gtest.h>

namespace tidemill::epub {
namespace {

// Each piece as its kind and its bytes.
std::string scanned(std::string_view document) {
  constexpr std::string_view kSigns = "sextc!?d";  // start, end, empty (x), text, cdata, …
  std::string text;
  for (const Scanned& piece : scan(document)) {
    text += kSigns[static_cast<std::size_t>(piece.kind)];
    text += "(" + std::string(piece.whole.in(document)) + ")";
  }
  return text;
}

TEST(XmlScan, FindsTagsTextAndOtherMarkup) {
  EXPECT_EQ(scanned("<?xml v?><!DOCTYPE a [<!ENTITY x '>'>]><a b='>'>t<c/><!-- <d> --></a >"),
            "?(<?xml v?>)d(<!DOCTYPE a [<!ENTITY x '>'>]>)s(<a b='>'>)t(t)x(<c/>)!(<!-- <d> -->)"
            "e(</a >)");
  EXPECT_EQ(scanned("<a><![CDATA[<b>]]></a>"), "s(<a>)c(<![CDATA[<b>]]>)e(</a>)");
}

TEST(XmlScan, TreatsInvalidMarkupAsText) {
  EXPECT_EQ(scanned("1 < 2 <3"), "t(1 < 2 <3)");
  EXPECT_EQ(scanned("<a b=c>"), "t(<a b=c>)");
  EXPECT_EQ(scanned("<!-- x"), "t(<!-- x)");
  EXPECT_EQ(scanned("a<b"), "t(a<b)");
  EXPECT_EQ(scanned(""), "");
}

TEST(XmlScan, LocatesAttributes) {
  const std::string_view document = "<a  x:b = \"1\" c='2\"'/>";
  const auto pieces = scan(document);
  ASSERT_EQ(pieces.size(), 1);
  ASSERT_EQ(pieces[0].attributes.size(), 2);
  EXPECT_EQ(pieces[0].name.in(document), "a");
  EXPECT_EQ(pieces[0].attributes[0].whole.in(document), "  x:b = \"1\"");
  EXPECT_EQ(pieces[0].attributes[0].name.in(document), "x:b");
  EXPECT_EQ(pieces[0].attribute(document, "c")->value.in(document), "2\"");
  EXPECT_EQ(pieces[0].attribute(document, "d"), nullptr);
}

// The end of unterminated markup must not be searched for again and again: a quadratic scan would
// take hours here.
TEST(XmlScan, ScansUnterminatedMarkupInLinearTime) {
  for (const std::string_view opening :
       {"<!--", "<![CDATA[", "<?", "<!DOCTYPE ", "<a b='", "<a "}) {
    std::string document;
    while (document.size() < 4'000'000) document += opening;
    EXPECT_FALSE(scan(document).empty()) << opening;
  }
}

TEST(XmlEdit, AppliesOnlyTheRequestedChanges) {
  const std::string_view document = "one two three";
  XmlEdit edit(document);
  EXPECT_TRUE(edit.is_empty());
  edit.replace({4, 7}, "2");
  edit.remove({0, 4});
  edit.insert(13, "!");
  EXPECT_EQ(edit.applied(), "2 three!");
}

TEST(XmlEdit, KeepsTheFirstOfOverlappingChanges) {
  XmlEdit edit("abcdef");
  edit.replace({1, 4}, "X");
  edit.replace({2, 5}, "Y");
  EXPECT_EQ(edit.applied(), "aXef");
}

TEST(XmlEdit, ShowsTheLinesThatChange) {
  const std::string_view document = "a\nb\nc\nd\n";
  XmlEdit same(document);
  same.replace({2, 3}, "B");
  EXPECT_EQ(same.diff(), "-b\n+B\n");
  XmlEdit shorter(document);
  shorter.remove({2, 4});
  EXPECT_EQ(shorter.diff(), " a\n-b\n");
  EXPECT_EQ(shorter.diff(1), " a\n... 1 more lines\n");
}

TEST(TextOfDocument, IsTheVisibleText) {
  EXPECT_EQ(text_of_document("<a b='x'>1<!-- 2 -->&lt;&#x41;&#66;&nbsp;<![CDATA[<&>]]></a>"),
            "1<AB\xc2\xa0<&>");
  EXPECT_EQ(text_of_document("R&D &nothing; &#0; &"), "R&D &nothing; &#0; &");
  EXPECT_EQ(text_of_document("&#x1F600;"), "\xf0\x9f\x98\x80");
}

}  // namespace
}  // namespace tidemill::epub
