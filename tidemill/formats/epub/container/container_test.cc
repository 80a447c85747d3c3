// Small books made with the ZIP writer, each with one fault at the container level.
#include "tidemill/formats/epub/container/container.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/formats/epub/checker.h"
#include "tidemill/formats/epub/container/archive.h"
#include "tidemill/formats/epub/container/meta_inf.h"
#include "tidemill/formats/epub/unicode.h"
#include "tidemill/formats/zip/memory_file.h"
#include "tidemill/formats/zip/writer.h"

namespace tidemill::epub {
namespace {

using namespace std::string_literals;
using Entries = std::vector<std::pair<std::string, std::string>>;
using Ids = std::multiset<std::string>;

constexpr std::string_view kRootfile =
    R"(<rootfile full-path="OPS/p.opf" media-type="application/oebps-package+xml"/>)";

std::string container_xml(std::string_view rootfiles = kRootfile, std::string_view more = "") {
  return R"(<?xml version="1.0"?><container version="1.0")"
         R"( xmlns="urn:oasis:names:tc:opendocument:xmlns:container")"
         R"( xmlns:rendition="http://www.idpf.org/2013/rendition"><rootfiles>)" +
         std::string(rootfiles) + "</rootfiles>" + std::string(more) + "</container>";
}

std::string package_xml(std::string_view version = "3.0") {
  return R"(<package xmlns="http://www.idpf.org/2007/opf" version=")" + std::string(version) +
         R"("/>)";
}

Entries sound_book() {
  return {{"mimetype", "application/epub+zip"},
          {"META-INF/container.xml", container_xml()},
          {"OPS/p.opf", package_xml()},
          {"OPS/font.otf", "a font"}};
}

Entries with(std::string name, std::string content) {
  Entries entries = sound_book();
  for (auto& [old_name, old_content] : entries) {
    if (old_name != name) continue;
    old_content = std::move(content);
    return entries;
  }
  entries.emplace_back(std::move(name), std::move(content));
  return entries;
}

std::string packed(const Entries& entries) {
  const zip::MemoryFile file;
  zip::ZipWriter writer(file.fd());
  for (const auto& [name, content] : entries) {
    EXPECT_TRUE(name == "mimetype" ? writer.add_stored(name, content)
                                   : writer.add_deflated(name, content));
  }
  EXPECT_TRUE(writer.finish());
  return file.bytes();
}

struct Checked {
  Ids ids{};
  Container container{};
};

Checked check(std::string_view bytes, std::string_view file_name = "a.epub",
              zip::ArchiveLimits limits = {}, Profile profile = Profile::none) {
  const zip::MemoryFile file(bytes);
  Inspection book{.profile = profile};
  const auto archive = zip::Archive::open(file.fd(), limits);
  if (archive) {
    book.open(*archive);
    check_container(book, file_name);
  } else {
    report_unreadable(archive.error(), book.findings);
  }
  Checked checked{.container = book.container};
  for (const Finding& finding : book.findings.kept()) checked.ids.emplace(finding.rule.text());
  return checked;
}

Ids ids_of(const Entries& entries, std::string_view file_name = "a.epub") {
  return check(packed(entries), file_name).ids;
}

TEST(Container, AValidBookHasNoFindings) {
  const Checked checked = check(packed(sound_book()));
  EXPECT_EQ(checked.ids, Ids());
  EXPECT_TRUE(checked.container.is_readable);
  ASSERT_EQ(checked.container.rootfiles.size(), 1U);
  EXPECT_EQ(checked.container.rootfiles[0].path, "OPS/p.opf");
}

TEST(Container, ReportsAnUnreadableZipFileAsFatal) {
  EXPECT_EQ(check("").ids, (Ids{"PKG-003", "PKG-008"}));
  EXPECT_EQ(check(std::string(500, 'x')).ids, (Ids{"PKG-004", "PKG-008"}));
  const std::string whole = packed(sound_book());
  const Checked cut = check(whole.substr(0, whole.size() - 30));
  EXPECT_EQ(cut.ids, Ids{"PKG-008"});
  EXPECT_FALSE(cut.container.is_readable);
}

TEST(Container, MimetypeMustBeFirstAndExact) {
  Entries entries = sound_book();
  std::swap(entries[0], entries[1]);
  EXPECT_EQ(ids_of(entries), Ids{"PKG-006"});
  entries.erase(entries.begin() + 1);
  EXPECT_EQ(ids_of(entries), Ids{"PKG-006"});
  EXPECT_EQ(ids_of(with("mimetype", "application/epub+zip\n")), Ids{"PKG-007"});
  EXPECT_EQ(ids_of(with("mimetype", "")), Ids{"PKG-007"});
  const zip::MemoryFile file;
  zip::ZipWriter writer(file.fd());
  ASSERT_TRUE(writer.add_deflated("mimetype", "application/epub+zip"));
  for (const auto& [name, content] : sound_book()) {
    if (name == "mimetype") continue;
    ASSERT_TRUE(writer.add_stored(name, content));
  }
  ASSERT_TRUE(writer.finish());
  EXPECT_EQ(check(file.bytes()).ids, Ids());
}

TEST(Container, ReportsNamesThatSomeSystemsReject) {
  EXPECT_EQ(ids_of(with("OPS/a*b", "")), Ids{"PKG-009"});
  EXPECT_EQ(ids_of(with("OPS/a\x01", "")), Ids{"PKG-009"});
  EXPECT_EQ(ids_of(with("OPS/a b", "")), Ids{"PKG-010"});
  EXPECT_EQ(ids_of(with("OPS/a.", "")), Ids{"PKG-011"});
  EXPECT_EQ(ids_of(with("OPS/\xc3\xbc", "")), Ids{"PKG-012"});
  EXPECT_EQ(ids_of(with("OPS/\xee\x80\x80", "")), (Ids{"PKG-009", "PKG-012"}));
  EXPECT_EQ(ids_of(with("OPS/a+b", "")), Ids());
  EXPECT_EQ(ids_of(with("OPS/empty/", "")), Ids{"PKG-014"});
  EXPECT_EQ(ids_of(with("OPS/", "")), Ids());
  const Checked bytes = check(packed(with("OPS/\xff", "")));
  EXPECT_EQ(bytes.ids, Ids{"PKG-027"});
  EXPECT_FALSE(bytes.container.is_readable);
}

TEST(Container, ReportsNamesThatCollideOnSomeSystems) {
  EXPECT_EQ(ids_of(with("ops/FONT.otf", "")), Ids{"OPF-060"});
  EXPECT_EQ(folded_name("stra\xc3\x9f\x65"), folded_name("STRASSE"));
  EXPECT_EQ(folded_name("\xc3\x9c"), folded_name("u\xcc\x88"));
  EXPECT_NE(folded_name("\xef\xac\x81x"), folded_name("fi"));
  EXPECT_NE(folded_name("\xe2\x85\xa0"), folded_name("I"));  // compatible, not canonical
}

TEST(Container, ReportsNamesThatEscapeTheArchive) {
  for (const char* name : {"../a", "OPS/../../a", "/etc/a", "OPS/.."}) {
    EXPECT_EQ(ids_of(with(name, "")).count("TIDE-006"), 1U) << name;
  }
  EXPECT_EQ(ids_of(with("C:\\a", "")).count("TIDE-006"), 1U);
  EXPECT_EQ(ids_of(with("a\\..\\b", "")).count("TIDE-006"), 1U);
  EXPECT_EQ(ids_of(with("OPS/...a", "")), Ids());
  EXPECT_EQ(ids_of(with("OPS/a..", "")), Ids{"PKG-011"});
}

TEST(Container, ReportsANameThatIsBothAFileAndAFolder) {
  EXPECT_EQ(ids_of(with("OPS/font.otf/x", "")), Ids{"TIDE-018"});
  EXPECT_EQ(ids_of(with("OPS/font.otf-x", "")), Ids());
}

TEST(Container, ContainerXmlMustNameThePackage) {
  Entries entries = sound_book();
  entries.erase(entries.begin() + 1);
  EXPECT_EQ(ids_of(entries), Ids{"RSC-002"});
  const auto ids_with = [](std::string_view rootfiles) {
    return ids_of(with("META-INF/container.xml", container_xml(rootfiles)));
  };
  EXPECT_EQ(ids_with(R"(<rootfile full-path="OPS/p.opf" media-type="text/xml"/>)"), Ids{"RSC-003"});
  EXPECT_EQ(ids_with(R"(<rootfile media-type="application/oebps-package+xml"/>)"),
            (Ids{"OPF-016", "RSC-003"}));
  EXPECT_EQ(ids_with(R"(<rootfile full-path=" " media-type="application/oebps-package+xml"/>)"),
            (Ids{"OPF-017", "RSC-003"}));
  EXPECT_EQ(ids_with(std::string(kRootfile) + "<x/>"), Ids{"RSC-005"});
  EXPECT_EQ(ids_with(std::string(kRootfile) + "<!-- "), Ids{"RSC-016"});
  EXPECT_EQ(ids_of(with("META-INF/container.xml", "")), (Ids{"RSC-003", "RSC-016"}));
}

std::string package_of_one(const std::string& document) {
  return R"(<package xmlns="http://www.idpf.org/2007/opf" version="2.0"><metadata/><manifest>)"
         R"(<item id="a" href=")" +
         document +
         R"(" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine>)"
         "</package>";
}

TEST(Container, ReadsTheDocumentsOfEveryRendition) {
  Entries entries = with("OPS/p2.opf", package_of_one("a2.xhtml"));
  entries[1].second = container_xml(
      std::string(kRootfile) +
      R"(<rootfile full-path="OPS/p2.opf" media-type="application/oebps-package+xml"/>)");
  entries[2].second = package_of_one("a.xhtml");
  for (const std::string_view name : {"OPS/a.xhtml", "OPS/a2.xhtml"}) {
    entries.emplace_back(name, "<html xmlns='http://www.w3.org/1999/xhtml'><zz/></html>");
  }
  const zip::MemoryFile file(packed(entries));
  const Inspection book = check_epub(file.fd(), "a.epub", Profile::none, {});
  std::set<std::string> places;
  for (const Finding& finding : book.findings.kept()) {
    if (finding.detail.contains("\"zz\"")) places.insert(finding.place.entry);
  }
  EXPECT_EQ(places, (std::set<std::string>{"OPS/a.xhtml", "OPS/a2.xhtml"}));
}

constexpr std::string_view kByColor = " rendition:media='(color)'";

TEST(Container, ChecksMultipleRenditions) {
  const std::string chosen =
      R"(<rootfile full-path="OPS/p2.opf" media-type="application/oebps-package+xml")";
  Entries entries = with("OPS/p2.opf", package_xml());
  const auto ids_with = [&](std::string_view attributes, std::string_view version = "3.0") {
    entries[1].second =
        container_xml(std::string(kRootfile) + chosen + std::string(attributes) + "/>");
    entries[2].second = package_xml(version);
    return ids_of(entries);
  };
  EXPECT_EQ(ids_with(kByColor), Ids{"RSC-019"});
  EXPECT_EQ(ids_with(""), (Ids{"RSC-017", "RSC-019"}));
  EXPECT_EQ(ids_with("", "2.0"), Ids{"PKG-013"});
  EXPECT_EQ(ids_with(R"( rendition:media="nonsense")"), (Ids{"RSC-005", "RSC-019"}));
  EXPECT_EQ(ids_with(R"( rendition:accessMode="visual visual")"), (Ids{"RSC-005", "RSC-019"}));
  const auto metadata = [](std::string_view content) {
    return R"(<metadata xmlns="http://www.idpf.org/2013/metadata" unique-identifier="u")"
           R"( xmlns:dc="http://purl.org/dc/elements/1.1/">)" +
           std::string(content) + "</metadata>";
  };
  const std::string identifier = R"(<dc:identifier id="u">x</dc:identifier>)";
  const std::string modified = R"(<meta property="dcterms:modified">2020-01-01T00:00:00Z</meta>)";
  entries.emplace_back("META-INF/metadata.xml", metadata(identifier + modified));
  EXPECT_EQ(ids_with(kByColor), Ids());
  EXPECT_EQ(check(packed(entries), "a.epub", {}, Profile::education).ids, Ids{"RSC-005"});
  entries.back().second = metadata(identifier);
  EXPECT_EQ(ids_with(kByColor), Ids{"RSC-005"});
  entries.back().second = metadata(R"(<dc:identifier id="v">x</dc:identifier>)" + modified);
  EXPECT_EQ(ids_with(kByColor), Ids{"RSC-005"});
  entries.erase(entries.begin() + 4);  // p2.opf
  EXPECT_EQ(ids_with(kByColor), Ids{"OPF-002"});
}

TEST(Container, ValidatesMediaQueries) {
  for (const char* good : {"all", "not all and (a)", " (min-width: 1px) and (b) , only all "}) {
    EXPECT_TRUE(is_media_query_list(good)) << good;
  }
  for (const char* bad : {"", "screen", "()", "all (a)", "all,", "notall", "(a", "all and"}) {
    EXPECT_FALSE(is_media_query_list(bad)) << bad;
  }
}

std::string encryption_xml(std::string_view algorithm, std::string_view uri,
                           std::string_view id = "") {
  const std::string data = R"(<e:EncryptedData)" + std::string(id) +
                           R"(><e:EncryptionMethod Algorithm=")" + std::string(algorithm) +
                           R"("/><e:CipherData><e:CipherReference URI=")" + std::string(uri) +
                           R"("/></e:CipherData></e:EncryptedData>)";
  return R"(<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container")"
         R"( xmlns:e="http://www.w3.org/2001/04/xmlenc#">)" +
         data + data + "</encryption>";
}

TEST(Container, ObfuscatedFontsAreNotDrm) {
  const Checked fonts =
      check(packed(with("META-INF/encryption.xml",
                        encryption_xml("http://www.idpf.org/2008/embedding", "OPS/font%2Eotf"))));
  EXPECT_EQ(fonts.ids, Ids());
  EXPECT_TRUE(fonts.container.obfuscated.contains("OPS/font.otf"));
  EXPECT_FALSE(fonts.container.has_drm);
  const Checked drm = check(packed(with(
      "META-INF/encryption.xml", encryption_xml("http://example.org/secret", "OPS/font.otf"))));
  EXPECT_EQ(drm.ids, (Ids{"RSC-004", "TIDE-015"}));
  EXPECT_TRUE(drm.container.has_drm);
  EXPECT_TRUE(drm.container.encrypted.contains("OPS/font.otf"));
  EXPECT_EQ(ids_of(with("META-INF/encryption.xml",
                        encryption_xml("http://ns.adobe.com/pdf/enc#RC", "OPS/font.otf"))),
            Ids());
  EXPECT_EQ(ids_of(with("META-INF/rights.xml", "")), Ids{"TIDE-015"});
}

TEST(Container, ResolvesReferencesInAnyUnicodeNormalForm) {
  Entries entries = with("OPS/u\xcc\x88.otf", "");
  entries.emplace_back("META-INF/encryption.xml",
                       encryption_xml("http://www.idpf.org/2008/embedding", "OPS/%C3%BC.otf"));
  EXPECT_EQ(ids_of(entries), Ids{"PKG-012"});
}

TEST(Container, ValidatesEncryptionAndSignatures) {
  EXPECT_EQ(ids_of(with("META-INF/encryption.xml",
                        encryption_xml("http://www.idpf.org/2008/embedding", "no.otf"))),
            (Ids{"RSC-007", "RSC-007"}));
  EXPECT_EQ(
      ids_of(with("META-INF/encryption.xml", encryption_xml("http://www.idpf.org/2008/embedding",
                                                            "OPS/font.otf", R"( Id="x")"))),
      (Ids{"RSC-005", "RSC-005"}));
  EXPECT_EQ(ids_of(with("META-INF/encryption.xml", container_xml())), Ids{"RSC-005"});
  EXPECT_EQ(ids_of(with("META-INF/signatures.xml", container_xml())), (Ids{"RSC-005", "TIDE-016"}));
}

TEST(Container, MetadataOfASingleRenditionOnlyNeedsToBeWellFormed) {
  EXPECT_EQ(ids_of(with("META-INF/metadata.xml", "<a/>")), Ids());
  EXPECT_EQ(ids_of(with("META-INF/metadata.xml", "<a")), Ids{"RSC-016"});
}

TEST(Container, DoesNotReadContainerXmlWithoutItsDtd) {
  const auto with_doctype = [](std::string_view doctype) {
    return ids_of(
        with("META-INF/container.xml",
             "<!DOCTYPE container " + std::string(doctype) + ">" +
                 container_xml().substr(std::string_view("<?xml version='1.0'?>").size())));
  };
  EXPECT_EQ(with_doctype("SYSTEM 'x.dtd'"), (Ids{"PKG-008", "RSC-003"}));
  EXPECT_EQ(with_doctype("SYSTEM 'http://www.idpf.org/dtds/2007/opf.dtd'"), Ids{"OPF-073"});
  EXPECT_EQ(with_doctype(""), Ids());
}

TEST(Container, ChecksTheFileExtension) {
  EXPECT_EQ(ids_of(sound_book(), "a.EPUB"), Ids{"PKG-016"});
  EXPECT_EQ(ids_of(sound_book(), "a.zip"), Ids{"PKG-024"});
  EXPECT_EQ(ids_of(with("OPS/p.opf", package_xml("2.0")), "a.zip"), Ids{"PKG-017"});
  EXPECT_EQ(ids_of(sound_book(), "a"), Ids());
}

TEST(Container, ReportsHostileArchives) {
  const auto damaged = [](std::string_view name, std::size_t field, std::string_view value) {
    std::string bytes = packed(sound_book());
    std::size_t at = bytes.find("PK\1\2"s);
    while (bytes.compare(at + 46, name.size(), name) != 0) at = bytes.find("PK\1\2"s, at + 1);
    return check(bytes.replace(at + field, value.size(), value));
  };
  EXPECT_EQ(damaged("OPS/font.otf", 38, "\0\0\xff\xa1"s).ids, Ids{"TIDE-014"});
  EXPECT_EQ(damaged("OPS/font.otf", 8, "\1\0"s).ids, (Ids{"PKG-027", "TIDE-011"}));
  EXPECT_EQ(damaged("OPS/font.otf", 10, "\x0c\0"s).ids, Ids{"PKG-027"});
  EXPECT_EQ(damaged("OPS/font.otf", 24, "\0\0\0\x30"s).ids,
            (Ids{"TIDE-001", "TIDE-002", "TIDE-012"}));
  const Checked overlap = damaged("OPS/font.otf", 42, "\0\0\0\0"s);
  EXPECT_EQ(overlap.ids.count("TIDE-007"), 1U);
  EXPECT_FALSE(overlap.container.is_readable);
  EXPECT_EQ(check(packed(sound_book()) + "x").ids, Ids{"TIDE-013"});
  EXPECT_EQ(check("xxxx" + packed(sound_book())).ids, (Ids{"PKG-004", "TIDE-013"}));
  EXPECT_EQ(check(packed(sound_book()), "a.epub", {.entries = 3}).ids, Ids{"TIDE-008"});
}

}  // namespace
}  // namespace tidemill::epub
