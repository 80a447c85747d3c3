#include "tidemill/formats/xml/xml_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tidemill/formats/xml/handler_fanout.h"
#include "tidemill/formats/xml/prolog.h"

namespace tidemill::xml {
namespace {

using Kind = Mistake::Kind;

// Records every event as text: "<a x=1>", "</a>", "text".
class EventRecorder final : public Handler {
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
  EventRecorder recorder;
  const ParseOutcome outcome = read(document, recorder);
  if (outcome.mistake) recorder.heard += "*" + outcome.mistake->text;
  return recorder.heard;
}

std::optional<Kind> mistake(std::string_view document, XmlLimits limits = {}) {
  EventRecorder recorder;
  const ParseOutcome outcome = read(document, recorder, limits);
  if (!outcome.mistake) return std::nullopt;
  return outcome.mistake->kind;
}

TEST(XmlReader, ReportsElementsAttributesTextAndInstructions) {
  EXPECT_EQ(heard("<?xml version='1.0'?><?s a=1?><a x='1' xml:lang='de'>t<![CDATA[<&]]><b/></a>"),
            "?s a=1?<a x=1 xml:lang=de>t<&<b></b></a>");
}

TEST(XmlReader, ReportsNamespacesAndWhereAStartTagEnds) {
  EventRecorder recorder;
  static_cast<void>(read("<a xmlns='urn:x'>\n\n  <b\n/></a>", recorder));
  EXPECT_EQ(recorder.ns, "urn:x");
  EXPECT_EQ(recorder.last, (Position{.line = 4, .column = 3}));
  static_cast<void>(read("<a>\n <b x='1' ></b></a>", recorder));
  EXPECT_EQ(recorder.last, (Position{.line = 2, .column = 12}));
}

TEST(XmlReader, ResolvesEntitiesOfTheDocumentInTextAndAttributes) {
  EXPECT_EQ(heard("<!DOCTYPE a [<!ENTITY e 'one'>]><a x='&e;!'>&e;&amp;&#65;</a>"),
            "!a||!<a x=one!>one&A</a>");
}

TEST(XmlReader, KnowsHtmlEntitiesOnlyWithAnXhtmlDoctype) {
  EXPECT_EQ(heard("<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.1//EN' 'x.dtd'><a x='&eacute;'>"
                  "&nbsp;</a>"),
            "!html|-//W3C//DTD XHTML 1.1//EN|x.dtd!<a x=\u00e9>\u00a0</a>");
  EXPECT_EQ(mistake("<!DOCTYPE html><a>&nbsp;</a>"), Kind::undeclared_entity);
  EXPECT_EQ(mistake("<a>&nbsp;</a>"), Kind::undeclared_entity);
  EXPECT_EQ(mistake("<!DOCTYPE a SYSTEM 'a.dtd'><a>&nbsp;</a>"), Kind::undeclared_entity);
  EXPECT_EQ(mistake("<!DOCTYPE a SYSTEM 'a.dtd'><a x='&nbsp;'/>"), Kind::undeclared_entity);
}

TEST(XmlReader, NeverOpensExternalEntities) {
  EXPECT_EQ(heard("<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a/>"),
            "!a||!&x=file:///etc/passwd&<a></a>");
  EXPECT_EQ(mistake("<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>"),
            Kind::undeclared_entity);
  EXPECT_EQ(heard("<!DOCTYPE a [<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;]><a/>"),
            "!a||!&p=file:///etc/passwd&<a></a>");
}

TEST(XmlReader, RejectsExponentialEntityExpansion) {
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

TEST(XmlReader, RejectsALargeEntityUsedManyTimes) {
  std::string document = "<!DOCTYPE a [<!ENTITY e '" + std::string(50'000, 'x') + "'>]><a>";
  for (int times = 0; times < 5'000; ++times) document += "&e;";
  EXPECT_EQ(mistake(document + "</a>"), Kind::entity_bomb);
  // A short entity is not a bomb, however often it is used.
  std::string harmless = "<!DOCTYPE a [<!ENTITY e 'xyz'>]><a>";
  for (int times = 0; times < 5'000; ++times) harmless += "&e;";
  EXPECT_EQ(mistake(harmless + "</a>"), std::nullopt);
}

TEST(XmlReader, ReportsTheKindOfTheFirstError) {
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

TEST(XmlReader, LimitsDepthAttributesAndBytes) {
  std::string deep;
  for (int level = 0; level < 11; ++level) deep += "<a>";
  EXPECT_EQ(mistake(deep, {.depth = 10}), Kind::too_deep);
  EXPECT_EQ(mistake("<a x='' y='' z=''/>", {.attributes = 2}), Kind::too_large);
  EXPECT_EQ(mistake("<a>1234567890</a>", {.bytes = 10}), Kind::too_large);
}

// The parser's time is quadratic in their number, so they must not reach it.
TEST(XmlReader, RejectsTooManyAttributesOrDeclarationsBeforeParsing) {
  std::string many = "<a";
  for (int at = 0; at < 400'000; ++at) many += " a" + std::to_string(at) + "=''";
  EXPECT_EQ(mistake(many + "/>"), Kind::too_large);
  many = "<!DOCTYPE a [";
  for (int at = 0; at < 400'000; ++at) many += "<!ENTITY e" + std::to_string(at) + " ''>";
  EXPECT_EQ(mistake(many + "]><a/>"), Kind::too_large);
}

TEST(XmlReader, CountsAttributesOnlyInTags) {
  const XmlLimits two{.attributes = 2};
  EXPECT_EQ(mistake("<a><!-- <b x='' y='' z='' --><![CDATA[<b x='' y='' z='']]>"
                    "<?b x='' y='' z=''?></a>",
                    two),
            std::nullopt);
  EXPECT_EQ(mistake("<a x='\"\"\"\"' y=\"''''\">'' '' ''</a>", two), std::nullopt);
}

TEST(XmlReader, ReportsTheSameEventsForAnyChunking) {
  const std::string document =
      "<?xml version='1.0' encoding='utf-8'?><!DOCTYPE a [<!ENTITY e 'x'>]><a "
      "b='&e;'>\u00e4\n<c/>" +
      std::string(2000, 'y') + "</a>";
  EventRecorder whole;
  static_cast<void>(read(document, whole));
  EventRecorder pieces;
  XmlReader reader(pieces);
  for (const char byte : document) reader.feed({&byte, 1});
  EXPECT_FALSE(reader.finish().mistake);
  EXPECT_EQ(pieces.heard, whole.heard);
}

TEST(XmlReader, ReadsAndReportsUtf16) {
  const std::string ascii = "<a>x</a>";
  std::string wide = "\xff\xfe";
  for (const char byte : ascii) {
    wide.push_back(byte);
    wide.push_back('\0');
  }
  EventRecorder recorder;
  const ParseOutcome outcome = read(wide, recorder);
  EXPECT_FALSE(outcome.mistake);
  EXPECT_EQ(recorder.heard, "<a>x</a>");
  EXPECT_EQ(outcome.prolog.mark, Prolog::Mark::utf16le);
}

TEST(XmlReader, RejectsBytesThatDoNotMatchTheEncoding) {
  using namespace std::string_view_literals;
  EXPECT_TRUE(
      mistake("<?xml version='1.0' encoding='utf-16'?><a>" + std::string(600, 'x') + "</a>"));
  // Half a surrogate pair, far from the beginning.
  std::string wide = "\xff\xfe";
  for (const char byte : "<a>" + std::string(5000, 'x')) {
    wide.push_back(byte);
    wide.push_back('\0');
  }
  wide += "\x00\xd8\x00\xd8"sv;
  EXPECT_TRUE(mistake(wide));
}

TEST(XmlReader, ReplacesInvalidUtf8) {
  const auto heard = [](std::string_view document) {
    EventRecorder recorder;
    const ParseOutcome outcome = read(document, recorder);
    EXPECT_FALSE(outcome.mistake);
    EXPECT_TRUE(outcome.has_stray_bytes);
    return recorder.heard;
  };
  EXPECT_EQ(heard("<a>x\xff\xfey</a>"), "<a>x\xef\xbf\xbd\xef\xbf\xbdy</a>");
  EXPECT_EQ(heard("<a>\xc3</a>"), "<a>\xef\xbf\xbd</a>");
  EXPECT_EQ(heard("<a>\xed\xa0\x80</a>").size(), std::string_view("<a></a>").size() + 9);
  EXPECT_TRUE(mistake("<a></a>\xc3"));
}

TEST(XmlReader, AcceptsACharacterSplitAcrossChunks) {
  EventRecorder recorder;
  XmlReader reader(recorder);
  const std::string document = "<a>" + std::string(600, 'x') + "\xf0\x9f\x98\x80</a>";
  for (const char byte : document) EXPECT_TRUE(reader.feed({&byte, 1}));
  const ParseOutcome outcome = reader.finish();
  EXPECT_FALSE(outcome.mistake);
  EXPECT_FALSE(outcome.has_stray_bytes);
  EXPECT_TRUE(recorder.heard.ends_with("x\xf0\x9f\x98\x80</a>"));
}

TEST(XmlReader, DoesNotReportAnUnterminatedTag) {
  for (const std::string_view document : {"<a><b", "<a><b c='d'", "<a><b/", "<a><b <c/></a>"}) {
    EventRecorder recorder;
    EXPECT_TRUE(read(document, recorder).mistake) << document;
    EXPECT_EQ(recorder.heard, "<a>") << document;
  }
}

TEST(Prolog, IsReadFromTheFirstBytes) {
  EXPECT_EQ(prolog_of("<?xml version=\"1.1\" encoding='ISO-8859-1'?>").version, "1.1");
  EXPECT_EQ(prolog_of("<?xml version=\"1.1\" encoding='ISO-8859-1'?>").declared_encoding,
            "ISO-8859-1");
  EXPECT_EQ(prolog_of("<a encoding='x'/>").declared_encoding, "");
  EXPECT_EQ(prolog_of("\xef\xbb\xbf<?xml version='1.0'?>").mark, Prolog::Mark::utf8);
  EXPECT_EQ(prolog_of("\xef\xbb\xbf<?xml version='1.0'?>").version, "1.0");
  EXPECT_EQ(prolog_of(std::string_view("<\0?\0", 4)).looks_like, Prolog::Mark::utf16le);
}

TEST(HandlerFanout, ForwardsEveryEventToAllHandlers) {
  EventRecorder one;
  EventRecorder two;
  HandlerFanout fanout;
  fanout.join(one);
  fanout.join(two);
  static_cast<void>(read("<!DOCTYPE a [<!ENTITY x SYSTEM 'y'>]><a>t<?p q?></a>", fanout));
  EXPECT_EQ(one.heard, "!a||!&x=y&<a>t?p q?</a>");
  EXPECT_EQ(one.heard, two.heard);
}

}  // namespace
}  // namespace tidemill::xml
