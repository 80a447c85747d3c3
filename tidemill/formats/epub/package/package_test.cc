// The package document: each family of rules, tested on small documents.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/package/package_reader.h"
#include "tidemill/formats/epub/package/values.h"
#include "tidemill/formats/epub/package/vocabulary.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

namespace {

using Ids = std::multiset<std::string>;

// A valid EPUB 3 document, with additions to any of its parts.
struct Parts {
  std::string package = R"(version="3.0" unique-identifier="uid")";
  std::string metadata{};
  std::string manifest{};
  std::string spine{};
  std::string after{};
};

std::string document3(const Parts& parts) {
  return R"(<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/" )" +
         parts.package + R"(><metadata><dc:identifier id="uid">a</dc:identifier>
<dc:title id="t">b</dc:title><dc:language>en</dc:language><dc:creator id="c">d</dc:creator>
<meta property="dcterms:modified">2024-01-01T00:00:00Z</meta>)" +
         parts.metadata + R"(</metadata><manifest>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="one" href="one.xhtml" media-type="application/xhtml+xml"/>)" +
         parts.manifest + R"(</manifest><spine><itemref idref="one"/>)" + parts.spine + "</spine>" +
         parts.after + "</package>";
}

std::string document2(const std::string& metadata, const std::string& manifest = {},
                      const std::string& spine = {}, const std::string& after = {}) {
  return R"(<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"
xmlns:opf="http://www.idpf.org/2007/opf" version="2.0" unique-identifier="uid"><metadata>
<dc:identifier id="uid">a</dc:identifier><dc:title>b</dc:title><dc:language>en</dc:language>)" +
         metadata + R"(</metadata><manifest>
<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>
<item id="one" href="one.xhtml" media-type="application/xhtml+xml"/>)" +
         manifest + R"(</manifest><spine toc="ncx"><itemref idref="one"/>)" + spine + "</spine>" +
         after + "</package>";
}

Inspection read(const std::string& text, Edition edition = Edition::epub3,
                Profile profile = Profile::none) {
  Inspection book{.profile = profile};
  book.package.edition = edition;
  Document document{.book = &book, .path = "OPS/package.opf"};
  PackageReader reader(document);
  const xml::ParseOutcome outcome = xml::read(text, reader);
  EXPECT_FALSE(outcome.mistake.has_value()) << text;
  reader.finish();
  return book;
}

// All findings except usage hints.
Ids ids_of(const Inspection& book, Severity least = Severity::warning) {
  Ids ids;
  for (const Finding& finding : book.findings.kept()) {
    if (finding.rule.severity() >= least) ids.emplace(finding.rule.text());
  }
  return ids;
}

Ids with(const Parts& parts) { return ids_of(read(document3(parts))); }
Ids metadata(std::string text) { return with({.metadata = std::move(text)}); }
Ids manifest(std::string text) { return with({.manifest = std::move(text)}); }
Ids old(const std::string& document) { return ids_of(read(document, Edition::epub2)); }

}  // namespace

TEST(PackageReader, ReadsMetadataManifestSpineGuideAndCollections) {
  const Inspection book = read(document3(
      {.metadata = R"(<meta property="rendition:layout">pre-paginated</meta><dc:type>index</dc:type>
<link rel="record" href="../r.xml" media-type="application/xml"/>)",
       .manifest = R"(<item id=" two " href="a%20b/../c.svg" media-type="image/svg+xml"/>
<item id="far" href="https://example.org/a.mp3" media-type="audio/mpeg" fallback="two"/>)",
       .spine = R"(<itemref idref="two" linear="no" properties="rendition:layout-reflowable"/>)",
       .after = R"(<guide><reference type="cover" href="one.xhtml#x"/></guide>
<collection role="r"><collection role="s"><link href="one.xhtml"/></collection></collection>)"}));
  EXPECT_EQ(ids_of(book), Ids{});
  const Package& package = book.package;
  EXPECT_TRUE(package.is_read);
  EXPECT_EQ(package.title, "b");
  EXPECT_EQ(package.identifier, "a");
  EXPECT_TRUE(package.has_identifier);
  EXPECT_EQ(package.languages, std::vector<std::string>{"en"});
  EXPECT_TRUE(package.is_of_type("index"));
  ASSERT_EQ(package.items.size(), 4U);
  EXPECT_EQ(package.item_at("OPS/c.svg"), package.item_with_id("two"));
  EXPECT_TRUE(package.item_with_id("far")->is_remote);
  EXPECT_TRUE(package.item_with_id("far")->leads_to_document);
  EXPECT_TRUE(package.is_fixed(*package.item_with_id("one")));
  EXPECT_FALSE(package.is_fixed(*package.item_with_id("two")));
  EXPECT_EQ(package.spine_position(*package.item_with_id("two")), 1U);
  EXPECT_FALSE(package.spine[1].is_linear);
  EXPECT_EQ(package.links.at(0).target.path, "r.xml");
  EXPECT_EQ(package.guide.at(0).target.path, "OPS/one.xhtml");
  EXPECT_EQ(package.collections.at(0).parts.at(0).links.at(0).target.path, "OPS/one.xhtml");
  EXPECT_EQ(book.references.all().size(), 3U);  // the record, the guide, the collection
}

TEST(PackageReader, ValidDocumentsOfBothEditionsHaveNoFindings) {
  EXPECT_EQ(with({}), Ids{});
  EXPECT_EQ(old(document2("")), Ids{});
}

TEST(PackageReader, RejectsMarkupThatTheGrammarsDoNotAllow) {
  EXPECT_EQ(metadata("<foo/>"), Ids{"RSC-005"});
  EXPECT_EQ(metadata("<dc:title> </dc:title>"), Ids{"RSC-005"});
  EXPECT_EQ(metadata(R"(<meta property="dcterms:x"/>)"), Ids{"RSC-005"});
  EXPECT_EQ(metadata(R"(<meta name="cover" content="x"/>)"), Ids{});
  EXPECT_EQ(metadata(R"(<meta name="cover"/>)"), Ids{"RSC-005"});
  EXPECT_EQ(manifest(R"(<item id="x" href="x.css"/>)"), Ids{"RSC-005"});
  EXPECT_EQ(with({.package = R"(version="3.0")"}), (Ids{"OPF-048", "RSC-005"}));
  EXPECT_EQ(old(document2("<dc:foo/>")), Ids{"RSC-005"});
  EXPECT_EQ(old(document2(R"(<x:foo xmlns:x="urn:x"/>)")), Ids{});
  EXPECT_EQ(old(document2("", "", "", "<guide/>")), Ids{"RSC-005"});
}

TEST(PackageReader, RequiresUniqueIdsAndAValidUniqueIdentifier) {
  EXPECT_EQ(metadata(R"(<dc:subject id=" t ">x</dc:subject>)"), (Ids{"RSC-005", "RSC-005"}));
  EXPECT_EQ(with({.package = R"(version="3.0" unique-identifier="t")"}), Ids{"RSC-005"});
}

TEST(PackageReader, ValidatesDatesIdentifiersAndRoles) {
  EXPECT_EQ(metadata("<dc:date>May 2024</dc:date>"), Ids{"OPF-053"});
  EXPECT_EQ(metadata("<dc:date>2024-05</dc:date>"), Ids{});
  EXPECT_EQ(old(document2("<dc:date></dc:date>")), Ids{"OPF-054"});
  EXPECT_EQ(old(document2("<dc:title></dc:title>")), Ids{"OPF-055"});
  EXPECT_EQ(ids_of(read(document2("<dc:source/>"), Edition::epub2), Severity::usage),
            Ids{"OPF-072"});
  EXPECT_EQ(old(document2(R"(<dc:creator opf:role="xyz">a</dc:creator>)")), Ids{"OPF-052"});
  EXPECT_EQ(old(document2(R"(<dc:identifier id="uid">urn:uuid:1-2</dc:identifier>)")),
            (Ids{"OPF-085", "RSC-005", "RSC-005"}));
  EXPECT_EQ(metadata(R"(<meta property="dcterms:modified">2024-01-01T00:00:00Z</meta>)"),
            Ids{"RSC-005"});
}

TEST(PackageReader, LanguageTagsMustBeWellFormed) {
  EXPECT_EQ(metadata("<dc:language>a-value</dc:language>"), Ids{"OPF-092"});
  EXPECT_EQ(metadata(R"(<dc:title xml:lang="en_US">x</dc:title>)"), (Ids{"OPF-092", "RSC-005"}));
  EXPECT_EQ(metadata(R"(<dc:title xml:lang="">x</dc:title>)"), Ids{});
  EXPECT_EQ(metadata(R"(<link rel="alternate" hreflang=" en" href="https://a.org/" />)"),
            Ids{"OPF-092"});
}

TEST(PackageReader, PropertiesMustBelongToAKnownVocabulary) {
  EXPECT_EQ(metadata(R"(<meta property="a b">x</meta>)"), (Ids{"OPF-025", "RSC-005"}));
  EXPECT_EQ(metadata(R"(<meta property="schema:">x</meta>)"), Ids{"OPF-026"});
  EXPECT_EQ(metadata(R"(<meta property="foo">x</meta>)"), Ids{"OPF-027"});
  EXPECT_EQ(metadata(R"(<meta property="foo:bar">x</meta>)"), Ids{"OPF-028"});
  EXPECT_EQ(metadata(R"(<meta property="rendition:viewport">width=1,height=2</meta>)"),
            Ids{"OPF-086"});
  EXPECT_EQ(with({.package = R"(version="3.0" unique-identifier="uid" prefix="foo: urn:x")",
                  .metadata = R"(<meta property="foo:bar">x</meta>)"}),
            Ids{});
  EXPECT_EQ(manifest(R"(<item id="x" href="x.css" media-type="text/css" properties="svg"/>)"),
            Ids{"OPF-012"});
}

TEST(PackageReader, PropertiesMustRefineTheRightElementOnce) {
  EXPECT_EQ(metadata(R"(<meta property="role" refines="#c">aut</meta>)"), Ids{});
  EXPECT_EQ(metadata(R"(<meta property="role" refines="#t">aut</meta>)"), Ids{"RSC-005"});
  EXPECT_EQ(metadata(R"(<meta property="file-as" refines="#c">x</meta>
<meta property="file-as" refines="#c">y</meta>)"),
            Ids{"RSC-005"});
  EXPECT_EQ(metadata(R"(<dc:subject id="s">x</dc:subject>
<meta property="term" refines="#s">y</meta>)"),
            Ids{"RSC-005"});
  EXPECT_EQ(metadata(R"(<dc:source id="s">x</dc:source>
<meta property="source-of" refines="#s">chapters</meta>)"),
            Ids{"RSC-005"});
  EXPECT_EQ(metadata(R"(<meta property="collection-type" refines="#c">set</meta>)"),
            Ids{"RSC-005"});
  EXPECT_EQ(metadata(R"(<meta property="meta-auth">x</meta>)"), Ids{"RSC-017"});
}

TEST(PackageReader, RefinesMustPointToAnIdInTheDocument) {
  EXPECT_EQ(metadata(R"(<meta property="schema:x" refines="#gone">x</meta>)"), Ids{"RSC-005"});
  EXPECT_EQ(metadata(R"(<meta property="schema:x" refines="https://a.org/">x</meta>)"),
            Ids{"RSC-005"});
  EXPECT_EQ(metadata(R"(<meta property="schema:x" refines="one.xhtml">x</meta>)"), Ids{"RSC-017"});
  EXPECT_EQ(metadata(R"(<meta property="schema:x" id="x" refines="#y">x</meta>
<meta property="schema:x" id="y" refines="#x">x</meta>)"),
            Ids{"OPF-065"});
  EXPECT_EQ(with({.after = R"(<collection role="r"><metadata>
<meta property="schema:x" refines="#t">x</meta></metadata><link href="one.xhtml"/></collection>)"}),
            Ids{"RSC-005"});
}

TEST(PackageReader, ValidatesRenditionAndOverlayMetadata) {
  EXPECT_EQ(metadata(R"(<meta property="rendition:layout">fixed</meta>)"), Ids{"RSC-005"});
  EXPECT_EQ(metadata(R"(<meta property="rendition:flow">auto</meta>
<meta property="rendition:flow">paginated</meta>)"),
            Ids{"RSC-005"});
  EXPECT_EQ(metadata(R"(<meta property="media:active-class">a b</meta>)"), Ids{"RSC-005"});
  const std::string overlay =
      R"(<item id="mo" href="mo.smil" media-type="application/smil+xml"/>
<item id="two" href="two.xhtml" media-type="application/xhtml+xml" media-overlay="mo"/>)";
  EXPECT_EQ(manifest(overlay), (Ids{"RSC-005", "RSC-005"}));
  EXPECT_EQ(with({.metadata = R"(<meta property="media:duration">1min</meta>
<meta property="media:duration" refines="#mo">0:01:00.5</meta>)",
                  .manifest = overlay}),
            Ids{});
  EXPECT_EQ(with({.metadata = R"(<meta property="media:duration">2min</meta>
<meta property="media:duration" refines="#mo">0:01:00.5</meta>)",
                  .manifest = overlay}),
            Ids{"MED-016"});
}

TEST(PackageReader, ValidatesMetadataLinks) {
  EXPECT_EQ(metadata(R"(<link rel="alternate record" href="https://a.org/x"
media-type="text/xml"/>)"),
            Ids{"OPF-089"});
  EXPECT_EQ(metadata(R"(<link rel="record" href="x.xml"/>)"), Ids{"OPF-093"});
  EXPECT_EQ(metadata(R"(<link rel="record" href="https://a.org/x"/>)"), Ids{"OPF-094"});
  EXPECT_EQ(metadata(R"(<link rel="voicing" refines="#t" href="x" media-type="text/xml"/>)"),
            Ids{"OPF-095"});
  EXPECT_EQ(metadata(R"(<link rel="acquire" href="#nav" media-type="text/xml"/>)"), Ids{"OPF-098"});
  EXPECT_EQ(metadata(R"(<link rel="acquire" href="data:,x" media-type="text/xml"/>)"),
            Ids{"RSC-029"});
  EXPECT_EQ(metadata(R"(<link rel="record" refines="#t" href="x" media-type="text/xml"/>)"),
            Ids{"RSC-005"});
  EXPECT_EQ(metadata(R"(<link rel="acquire" href="nav.xhtml" media-type="text/xml"/>)"),
            Ids{"OPF-067"});
  EXPECT_EQ(metadata(R"(<link rel="mods-record" href="https://a.org/"/>)"), Ids{"OPF-086"});
}

TEST(PackageReader, ValidatesManifestItems) {
  const auto item = [](const std::string& attributes) {
    return manifest(R"(<item id="x" media-type="text/plain" )" + attributes + "/>");
  };
  EXPECT_EQ(item(R"(href="one.xhtml")"), Ids{"OPF-074"});
  EXPECT_EQ(item(R"(href="package.opf")"), Ids{"OPF-099"});
  EXPECT_EQ(item(R"(href="x#y")"), Ids{"OPF-091"});
  EXPECT_EQ(item(R"(href="x?y")"), Ids{"RSC-033"});
  EXPECT_EQ(item(R"(href="file:///x")"), Ids{"RSC-030"});
  EXPECT_EQ(item(R"(href="data:,x")"), Ids{"RSC-029"});
  EXPECT_EQ(item(R"(href="../META-INF/x")"), Ids{"PKG-025"});
  EXPECT_EQ(item(R"(href="x" fallback="gone")"), Ids{"OPF-040"});
  EXPECT_EQ(item(R"(href="x" fallback="x")"), Ids{"OPF-045"});
  EXPECT_EQ(item(R"(href="x%20y")"), Ids{"PKG-010"});
  EXPECT_EQ(item(R"(href="x%3Ay")"), Ids{"PKG-009"});
  EXPECT_EQ(manifest(R"(<item id="x" href="x.png" media-type="image/png" properties="nav"/>)"),
            (Ids{"OPF-012", "RSC-005", "RSC-005"}));
  EXPECT_EQ(old(document2("", R"(<item id="x" href="x" media-type="text/html"/>)")),
            Ids{"OPF-035"});
  EXPECT_EQ(old(document2("", R"(<item id="x" href="x" media-type="text/x-oeb1-css"/>)")),
            Ids{"OPF-037"});
  EXPECT_EQ(old(document2("", R"(<item id="x" href="x" media-type="a/b" fallback-style="y"/>)")),
            Ids{"OPF-041"});
}

TEST(PackageReader, ValidatesTheSpine) {
  EXPECT_EQ(with({.spine = R"(<itemref idref="gone"/>)"}), (Ids{"OPF-049", "RSC-005"}));
  EXPECT_EQ(with({.spine = R"(<itemref idref="one"/>)"}), Ids{"RSC-005"});
  EXPECT_EQ(with({.manifest = R"(<item id="x" href="x" media-type="image/png"/>)",
                  .spine = R"(<itemref idref="x"/>)"}),
            Ids{"OPF-043"});
  EXPECT_EQ(with({.manifest = R"(<item id="x" href="x" media-type="image/png" fallback="y"/>
<item id="y" href="y" media-type="image/png"/>)",
                  .spine = R"(<itemref idref="x"/>)"}),
            Ids{"OPF-044"});
  EXPECT_EQ(with({.spine = R"(<itemref idref="nav" properties="page-spread-left
rendition:page-spread-center"/>)"}),
            Ids{"RSC-005"});
  EXPECT_EQ(manifest(R"(<item id="n" href="n.ncx" media-type="application/x-dtbncx+xml"/>)"),
            Ids{"RSC-005"});
  EXPECT_EQ(old(document2("", "", R"(<itemref idref="one" linear="no"/>)")),
            (Ids{"OPF-033", "OPF-034"}));
  EXPECT_EQ(old(document2("", R"(<item id="x" href="x" media-type="image/png"/>)",
                          R"(<itemref idref="x"/>)")),
            Ids{"OPF-042"});
}

TEST(PackageReader, ValidatesGuideBindingsAndCollections) {
  const std::string twins =
      R"(<guide><reference type="text" href="one.xhtml"/><reference type="TEXT" href="One.xhtml"/></guide>)";
  EXPECT_EQ(with({.after = twins}), (Ids{"RSC-017", "RSC-017"}));
  EXPECT_EQ(old(document2("", "", "", twins)), (Ids{"RSC-017", "RSC-017"}));
  EXPECT_EQ(with({.after = R"(<bindings><mediaType media-type="a/b" handler="one"/></bindings>)"}),
            Ids{"RSC-017"});
  const auto collection = [](const std::string& role, const std::string& inside) {
    return with({.after = "<collection role=\"" + role + "\">" + inside + "</collection>"});
  };
  const std::string link = R"(<link href="one.xhtml"/>)";
  EXPECT_EQ(collection("manifest", link), Ids{"RSC-005"});
  EXPECT_EQ(collection("preview", link), Ids{"RSC-005"});
  EXPECT_EQ(collection("index-group", link), Ids{"RSC-005"});
  EXPECT_EQ(collection("distributable-object", link), Ids{"RSC-005"});
  EXPECT_EQ(collection("http://a%", link), Ids{"OPF-070"});
}

TEST(PackageReader, ProfilesAddRequirements) {
  const auto asked = [](Profile profile) {
    return ids_of(read(document3({}), Edition::epub3, profile));
  };
  EXPECT_EQ(asked(Profile::dictionary), (Ids{"RSC-005", "RSC-005", "RSC-005", "RSC-005"}));
  EXPECT_EQ(asked(Profile::education), (Ids{"RSC-005", "RSC-005"}));
  EXPECT_EQ(asked(Profile::preview), (Ids{"RSC-005", "RSC-017"}));
}

TEST(PackageReader, HandlesLongFallbackChainsAndManyDuplicatesQuickly) {
  constexpr int kMany = 5'000;
  Parts parts;
  for (int at = 0; at < kMany; ++at) {
    const std::string id = "i" + std::to_string(at);
    parts.manifest += "<item id=\"" + id + "\" href=\"" + id +
                      "\" media-type=\"a/b\" fallback=\"i" + std::to_string(at + 1) + "\"/>";
    parts.spine += "<itemref idref=\"" + id + "\"/>";
    parts.metadata += R"(<meta property="role" id="same" refines="#same">x</meta>)";
  }
  const Inspection book = read(document3(parts));
  EXPECT_EQ(book.findings.count("OPF-044"), kMany);
  EXPECT_EQ(book.findings.count("OPF-040"), 1U);
}

TEST(Prefixes, MustBeWellFormed) {
  const auto faults = [](std::string_view value) {
    Ids ids;
    (void)read_package_prefixes(
        value, [&](RuleId rule, const std::string& /*detail*/) { ids.emplace(rule.text()); });
    return ids;
  };
  EXPECT_EQ(faults("a: urn:a\n b: urn:b"), Ids{});
  EXPECT_EQ(faults(" a: urn:a"), Ids{"OPF-004"});
  EXPECT_EQ(faults("a: urn:a "), Ids{"OPF-004"});
  EXPECT_EQ(faults(": urn:a"), Ids{"OPF-004a"});
  EXPECT_EQ(faults("1: urn:a"), Ids{"OPF-004b"});
  EXPECT_EQ(faults("a urn:a"), Ids{"OPF-004c"});
  EXPECT_EQ(faults("a:urn:a"), Ids{"OPF-004d"});
  EXPECT_EQ(faults("a:\nurn:a"), Ids{"OPF-004e"});
  EXPECT_EQ(faults("a:"), Ids{"OPF-005"});
  EXPECT_EQ(faults("a: urn:<"), Ids{"OPF-006"});
  EXPECT_EQ(faults("xsd: urn:a"), Ids{"OPF-007"});
  EXPECT_EQ(faults("_: urn:a"), Ids{"OPF-007a"});
  EXPECT_EQ(faults("a: http://idpf.org/epub/vocab/package/item/#"), Ids{"OPF-007b"});
  EXPECT_EQ(faults("a: http://purl.org/dc/elements/1.1/"), Ids{"OPF-007c"});
}

TEST(OpfValues, ValidateLanguagesDatesAndClockValues) {
  for (const auto* const good : {"en", "sr-Latn-RS", "x-klingon", "i-klingon", "de-1996",
                                 "zh-cmn-Hans-CN", "en-a-bbb-x-a", "de-CH-1901"}) {
    EXPECT_TRUE(is_language_tag(good)) << good;
  }
  for (const auto* const bad : {"", " en", "en_US", "a", "en-a", "en--US", "x", "de-1996-1996"}) {
    EXPECT_FALSE(is_language_tag(bad)) << bad;
  }
  for (const auto* const good : {"2024", "2024-05", "2024-05-31", "2024-05-31T12:00Z",
                                 "2024-05-31T12:00:01.5+01:00", " 2024 "}) {
    EXPECT_TRUE(is_publication_date(good)) << good;
  }
  for (const auto* const bad : {"", "May", "2024-", "20245", "2002-2015", "2023-02-29",
                                "2024-05-31T24:00Z", "2024-05-31T12:00X", "2024/05"}) {
    EXPECT_FALSE(is_publication_date(bad)) << bad;
  }
  EXPECT_EQ(clock_milliseconds("1:02:03.5"), 3'723'500.0);
  EXPECT_EQ(clock_milliseconds("02:03"), 123'000.0);
  EXPECT_EQ(clock_milliseconds("1.5h"), 5'400'000.0);
  EXPECT_EQ(clock_milliseconds("5ms"), 5.0);
  for (const auto* const bad : {"", "1:2:3", "0:60:00", "45mon", "1,5", "1:02:03,5", ".5s"}) {
    EXPECT_EQ(clock_milliseconds(bad), std::nullopt) << bad;
  }
}

TEST(MediaTypes, AreClassifiedAndMappedToPreferredTypes) {
  EXPECT_TRUE(is_core_media_type("audio/ogg ; codecs=opus", Edition::epub3));
  EXPECT_FALSE(is_core_media_type("audio/ogg", Edition::epub3));
  EXPECT_FALSE(is_core_image_type("image/webp", Edition::epub2));
  EXPECT_TRUE(is_content_document("application/x-dtbook+xml", Edition::epub2));
  EXPECT_FALSE(is_content_document("image/svg+xml", Edition::epub2));
  EXPECT_EQ(preferred_media_type("application/font-sfnt", "a.otf"), "font/otf");
  EXPECT_EQ(preferred_media_type("font/otf", "a.otf"), "");
}

}  // namespace tidemill::epub
