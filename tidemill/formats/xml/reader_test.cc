#include "tidemill/formats/xml/reader.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tidemill/formats/xml/chorus.h"
#include "tidemill/formats/xml/prolog.h"

namespace tidemill::xml {
namespace {

using Kind = Mistake::Kind;

// Writes down what it hears: "<a x=1>", "</a>", "text".
class Scribe final : public Handler {
 public:
  void doctype(const Doctype& doctype, Position /*where*/) override {
    heard += "!" + std::string(doctype.root) + "|" + std::string(doctype.public_id) + "|" +
             std::string(doctype.system_id) + "!";
  }
  void start(const Element& element) override {
    heard += "<" + std::string(element.name);
    for (const Attribute& one : element.attributes) {
      heard += " " + std::string(one.prefix) + (one.prefix.empty() ? "" : ":") +
               std::string(one.name) + "=" + std::string(one.value);
    }
    heard += ">";
    last = element.where;
    if (!element.ns.empty()) ns = element.ns;
  }
  void end(const Element& element) override { heard += "</" + std::string(element.name) + ">"; }
  void text(std::string_view part, Position /*where*/) override { heard += part; }
  void instruction(std::string_view target, std::string_view data, Position /*where*/) override {
    heard += "?" + std::string(target) + " " + std::string(data) + "?";
  }
  void external_entity(std::string_view name, std::string_view system_id,
                       Position /*where*/) override {
    heard += "&" + std::string(name) + "=" + std::string(system_id) + "&";
  }

  std::string heard;
  std::string ns;
  Position last{};
};

std::string heard(std::string_view document) {
  Scribe scribe;
  const Outcome outcome = read(document, scribe);
  if (outcome.mistake) scribe.heard += "*" + outcome.mistake->text;
  return scribe.heard;
}

std::optional<Kind> mistake(std::string_view document, Limits limits = {}) {
  Scribe scribe;
  const Outcome outcome = read(document, scribe, limits);
  if (!outcome.mistake) return std::nullopt;
  return outcome.mistake->kind;
}

TEST(XmlReader, TellsElementsAttributesTextAndInstructions) {
  EXPECT_EQ(heard("<?xml version='1.0'?><?s a=1?><a x='1' xml:lang='de'>t<![CDATA[<&]]><b/></a>"),
            "?s a=1?<a x=1 xml:lang=de>t<&<b></b></a>");
}

TEST(XmlReader, TellsNamespacesAndWhereAStartTagEnds) {
  Scribe scribe;
  static_cast<void>(read("<a xmlns='urn:x'>\n\n  <b\n/></a>", scribe));
  EXPECT_EQ(scribe.ns, "urn:x");
  EXPECT_EQ(scribe.last, (Position{.line = 4, .column = 3}));
  static_cast<void>(read("<a>\n <b x='1' ></b></a>", scribe));
  EXPECT_EQ(scribe.last, (Position{.line = 2, .column = 12}));
}

TEST(XmlReader, ResolvesEntitiesOfTheDocumentInTextAndAttributes) {
  EXPECT_EQ(heard("<!DOCTYPE a [<!ENTITY e 'one'>]><a x='&e;!'>&e;&amp;&#65;</a>"),
            "!a||!<a x=one!>one&A</a>");
}

TEST(XmlReader, KnowsTheEntitiesOfXhtmlDoctypesOnly) {
  EXPECT_EQ(heard("<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.1//EN' 'x.dtd'><a x='&eacute;'>"
                  "&nbsp;</a>"),
            "!html|-//W3C//DTD XHTML 1.1//EN|x.dtd!<a x=\u00e9>\u00a0</a>");
  EXPECT_EQ(mistake("<!DOCTYPE html><a>&nbsp;</a>"), Kind::undeclared_entity);
  EXPECT_EQ(mistake("<a>&nbsp;</a>"), Kind::undeclared_entity);
  EXPECT_EQ(mistake("<!DOCTYPE a SYSTEM 'a.dtd'><a>&nbsp;</a>"), Kind::undeclared_entity);
  EXPECT_EQ(mistake("<!DOCTYPE a SYSTEM 'a.dtd'><a x='&nbsp;'/>"), Kind::undeclared_entity);
}

TEST(XmlReader, OpensNothingOutside) {
  EXPECT_EQ(heard("<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a/>"),
            "!a||!&x=file:///etc/passwd&<a></a>");
  EXPECT_EQ(mistake("<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>"),
            Kind::undeclared_entity);
  EXPECT_EQ(heard("<!DOCTYPE a [<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;]><a/>"),
            "!a||!&p=file:///etc/passwd&<a></a>");
}

TEST(XmlReader, EntitiesThatMultiplyAreABomb) {
  std::string bomb = "<!DOCTYPE a [<!ENTITY e0 'lollollollollollollollollol'>";
  for (int level = 1; level < 12; ++level) {
    const std::string below = "&e" + std::to_string(level - 1) + ";";
    bomb += "<!ENTITY e" + std::to_string(level) + " '";
    for (int times = 0; times < 10; ++times) bomb += below;
    bomb += "'>";
  }
  EXPECT_EQ(mistake(bomb + "]><a>&e11;</a>"), Kind::entity_bomb);
  EXPECT_EQ(mistake(bomb + "]><a x='&e11;'/>"), Kind::entity_bomb);
}

TEST(XmlReader, OneEntityUsedOftenIsABombToo) {
  std::string document = "<!DOCTYPE a [<!ENTITY e '" + std::string(50'000, 'x') + "'>]><a>";
  for (int times = 0; times < 5'000; ++times) document += "&e;";
  EXPECT_EQ(mistake(document + "</a>"), Kind::entity_bomb);
  // A short one that stands for a letter is none, however often.
  std::string harmless = "<!DOCTYPE a [<!ENTITY e 'xyz'>]><a>";
  for (int times = 0; times < 5'000; ++times) harmless += "&e;";
  EXPECT_EQ(mistake(harmless + "</a>"), std::nullopt);
}

TEST(XmlReader, TheFirstMistakeEndsTheDocument) {
  EXPECT_EQ(mistake("<a><b></a>"), Kind::malformed);
  EXPECT_EQ(mistake("<a x='1' x='2'/>"), Kind::malformed);
  EXPECT_EQ(mistake("<a/><b/>"), Kind::malformed);
  EXPECT_EQ(mistake("<a>"), Kind::malformed);
  EXPECT_EQ(mistake(""), Kind::malformed);
  EXPECT_EQ(mistake("no"), Kind::malformed);
  EXPECT_EQ(mistake("<p:a/>"), Kind::undeclared_prefix);
  EXPECT_EQ(mistake("<a p:x=''/>"), Kind::undeclared_prefix);
  EXPECT_EQ(mistake("<a/>"), std::nullopt);
}

TEST(XmlReader, DepthAttributesAndBytesHaveLimits) {
  std::string deep;
  for (int level = 0; level < 11; ++level) deep += "<a>";
  EXPECT_EQ(mistake(deep, {.depth = 10}), Kind::too_deep);
  EXPECT_EQ(mistake("<a x='' y='' z=''/>", {.attributes = 2}), Kind::too_large);
  EXPECT_EQ(mistake("<a>1234567890</a>", {.bytes = 10}), Kind::too_large);
}

// The parser needs time that grows with their square, so it must not see them.
TEST(XmlReader, TooManyAttributesOrDeclarationsAreRefusedBeforeTheyAreParsed) {
  std::string many = "<a";
  for (int at = 0; at < 400'000; ++at) many += " a" + std::to_string(at) + "=''";
  EXPECT_EQ(mistake(many + "/>"), Kind::too_large);
  many = "<!DOCTYPE a [";
  for (int at = 0; at < 400'000; ++at) many += "<!ENTITY e" + std::to_string(at) + " ''>";
  EXPECT_EQ(mistake(many + "]><a/>"), Kind::too_large);
}

TEST(XmlReader, WhatLooksLikeAttributesElsewhereIsNotCounted) {
  const Limits two{.attributes = 2};
  EXPECT_EQ(mistake("<a><!-- <b x='' y='' z='' --><![CDATA[<b x='' y='' z='']]>"
                    "<?b x='' y='' z=''?></a>",
                    two),
            std::nullopt);
  EXPECT_EQ(mistake("<a x='\"\"\"\"' y=\"''''\">'' '' ''</a>", two), std::nullopt);
}

TEST(XmlReader, HearsTheSameHoweverTheBytesCome) {
  const std::string document =
      "<?xml version='1.0' encoding='utf-8'?><!DOCTYPE a [<!ENTITY e 'x'>]><a "
      "b='&e;'>\u00e4\n<c/>" +
      std::string(2000, 'y') + "</a>";
  Scribe whole;
  static_cast<void>(read(document, whole));
  Scribe pieces;
  Reader reader(pieces);
  for (const char byte : document) reader.feed({&byte, 1});
  EXPECT_FALSE(reader.finish().mistake);
  EXPECT_EQ(pieces.heard, whole.heard);
}

TEST(XmlReader, ReadsUtf16AndSaysSo) {
  const std::string ascii = "<a>x</a>";
  std::string wide = "\xff\xfe";
  for (const char byte : ascii) {
    wide.push_back(byte);
    wide.push_back('\0');
  }
  Scribe scribe;
  const Outcome outcome = read(wide, scribe);
  EXPECT_FALSE(outcome.mistake);
  EXPECT_EQ(scribe.heard, "<a>x</a>");
  EXPECT_EQ(outcome.prolog.mark, Prolog::Mark::utf16le);
}

TEST(XmlReader, BytesOfAnotherEncodingThanClaimedAreAMistake) {
  using namespace std::string_view_literals;
  EXPECT_TRUE(
      mistake("<?xml version='1.0' encoding='utf-16'?><a>" + std::string(600, 'x') + "</a>"));
  // Half of a surrogate pair, far behind the beginning.
  std::string wide = "\xff\xfe";
  for (const char byte : "<a>" + std::string(5000, 'x')) {
    wide.push_back(byte);
    wide.push_back('\0');
  }
  wide += "\x00\xd8\x00\xd8"sv;
  EXPECT_TRUE(mistake(wide));
}

TEST(XmlReader, InvalidUtf8IsReadAsAReplacement) {
  const auto heard = [](std::string_view document) {
    Scribe scribe;
    const Outcome outcome = read(document, scribe);
    EXPECT_FALSE(outcome.mistake);
    EXPECT_TRUE(outcome.has_stray_bytes);
    return scribe.heard;
  };
  EXPECT_EQ(heard("<a>x\xff\xfey</a>"), "<a>x\xef\xbf\xbd\xef\xbf\xbdy</a>");
  EXPECT_EQ(heard("<a>\xc3</a>"), "<a>\xef\xbf\xbd</a>");
  EXPECT_EQ(heard("<a>\xed\xa0\x80</a>").size(), std::string_view("<a></a>").size() + 9);
  EXPECT_TRUE(mistake("<a></a>\xc3"));
}

TEST(XmlReader, ACharacterMayComeInTwoParts) {
  Scribe scribe;
  Reader reader(scribe);
  const std::string document = "<a>" + std::string(600, 'x') + "\xf0\x9f\x98\x80</a>";
  for (const char byte : document) EXPECT_TRUE(reader.feed({&byte, 1}));
  const Outcome outcome = reader.finish();
  EXPECT_FALSE(outcome.mistake);
  EXPECT_FALSE(outcome.has_stray_bytes);
  EXPECT_TRUE(scribe.heard.ends_with("x\xf0\x9f\x98\x80</a>"));
}

TEST(XmlReader, ATagThatDoesNotEndIsNotTold) {
  for (const std::string_view document : {"<a><b", "<a><b c='d'", "<a><b/", "<a><b <c/></a>"}) {
    Scribe scribe;
    EXPECT_TRUE(read(document, scribe).mistake) << document;
    EXPECT_EQ(scribe.heard, "<a>") << document;
  }
}

TEST(Prolog, IsWhatTheFirstBytesSay) {
  EXPECT_EQ(prolog_of("<?xml version=\"1.1\" encoding='ISO-8859-1'?>").version, "1.1");
  EXPECT_EQ(prolog_of("<?xml version=\"1.1\" encoding='ISO-8859-1'?>").declared_encoding,
            "ISO-8859-1");
  EXPECT_EQ(prolog_of("<a encoding='x'/>").declared_encoding, "");
  EXPECT_EQ(prolog_of("\xef\xbb\xbf<?xml version='1.0'?>").mark, Prolog::Mark::utf8);
  EXPECT_EQ(prolog_of("\xef\xbb\xbf<?xml version='1.0'?>").version, "1.0");
  EXPECT_EQ(prolog_of(std::string_view("<\0?\0", 4)).looks_like, Prolog::Mark::utf16le);
}

TEST(Chorus, EveryMemberHearsEverything) {
  Scribe one;
  Scribe two;
  Chorus chorus;
  chorus.join(one);
  chorus.join(two);
  static_cast<void>(read("<!DOCTYPE a [<!ENTITY x SYSTEM 'y'>]><a>t<?p q?></a>", chorus));
  EXPECT_EQ(one.heard, "!a||!&x=y&<a>t?p q?</a>");
  EXPECT_EQ(one.heard, two.heard);
}

}  // namespace
}  // namespace tidemill::xml
