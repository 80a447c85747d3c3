// Complete books with one fault each, where the findings depend on more than one part of the book.
// The expected ids are those that EPUBCheck reports for the same books.
#include "tidemill/formats/epub/checker.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "tidemill/formats/epub/repair/repair_testing.h"

namespace tidemill::epub {
namespace {

using Found = std::set<std::string>;

// The ids of errors and warnings.
Found found(std::string_view bytes) {
  const zip::MemoryFile file(bytes);
  const Inspection book = check_epub(file.fd(), "a.epub");
  Found ids;
  for (const Finding& finding : book.findings.kept()) {
    if (finding.rule.severity() >= Severity::warning) ids.emplace(finding.rule.text());
  }
  return ids;
}

Found found(const Entries& entries) { return found(packed(entries)); }

constexpr std::string_view kPackage = "OPS/p.opf";

TEST(Checker, ReportsAMissingVersionWhenThePackageRootCannotBeRead) {
  const auto before = [](std::string_view text) {
    return found(with(epub3(), kPackage, "<package", std::string(text) + "<package"));
  };
  EXPECT_EQ(before("x"), (Found{"OPF-001", "RSC-016"}));
  EXPECT_EQ(before("<!DOCTYPE package SYSTEM \"x.dtd\">"), (Found{"OPF-001", "PKG-008"}));
  EXPECT_EQ(before("<!DOCTYPE package PUBLIC \"x\" \"\">"), (Found{"OPF-001", "PKG-008"}));
}

TEST(Checker, ChecksThePackageDoctypeAgainstTheEdition) {
  constexpr std::string_view kOeb =
      "<!DOCTYPE package PUBLIC \"+//ISBN 0-9673008-1-9//DTD OEB 1.2 Package//EN\" "
      "\"http://openebook.org/dtds/oeb-1.2/oebpkg12.dtd\"><package";
  constexpr std::string_view kOther =
      "<!DOCTYPE package SYSTEM \"http://www.idpf.org/dtds/2007/opf.dtd\"><package";
  EXPECT_EQ(found(with(epub3(), kPackage, "<package", kOeb)), Found{"OPF-073"});
  EXPECT_EQ(found(with(epub3(), kPackage, "<package", kOther)), Found{"OPF-073"});
  EXPECT_EQ(found(with(epub2(), kPackage, "<package", kOeb)), Found{});
  EXPECT_EQ(found(with(epub2(), kPackage, "<package", kOther)), Found{"HTM-009"});
}

TEST(Checker, DoesNotReadAnEpub2DocumentWithoutItsDtd) {
  EXPECT_EQ(found(with(epub2(), "OPS/toc.ncx", "<ncx", "<!DOCTYPE ncx SYSTEM \"x.dtd\"><ncx")),
            (Found{"HTM-004", "PKG-008"}));
  EXPECT_EQ(found(with(epub3(), "OPS/a.xhtml", "<html", "<!DOCTYPE html SYSTEM \"x.dtd\"><html")),
            Found{"HTM-004"});
}

TEST(Checker, ChecksTheIdentifierOfAMalformedPackage) {
  EXPECT_EQ(found(with(epub3(), kPackage, "<dc:identifier", "& <dc:identifier")),
            (Found{"OPF-030", "RSC-016"}));
  EXPECT_EQ(found(with(epub3(), kPackage, "urn:x:1", "&")), Found{"RSC-016"});
}

TEST(Checker, DoesNotTreatABrokenTagAsAnElement) {
  Entries cut = epub3();
  std::string& nav = cut[3].second;
  nav = nav.substr(0, nav.find("<title>") + 3);
  EXPECT_EQ(found(cut), Found{"RSC-016"});
  EXPECT_EQ(found(with(epub3(), "META-INF/encryption.xml", "", "<encryption")), Found{"RSC-016"});
}

TEST(Checker, ReportsInvalidUtf8AndContinues) {
  EXPECT_EQ(found(with(epub3(), "OPS/a.xhtml", "one", "o\xffne")), Found{"TIDE-020"});
  EXPECT_EQ(found(with(epub3(), "OPS/a.xhtml", "<p>", "<\xffp>")), (Found{"RSC-016", "TIDE-020"}));
  EXPECT_EQ(found(with(epub3(), kPackage, "<package",
                       "<pack\xff"
                       "age")),
            (Found{"OPF-001", "RSC-016", "TIDE-020"}));
}

TEST(Checker, StopsAtAnUnknownEncoding) {
  const auto declared = [](const std::string& encoding) {
    return found(with(epub3(), "OPS/a.xhtml", "<html",
                      "<?xml version='1.0' encoding='" + encoding + "'?><html"));
  };
  EXPECT_EQ(declared("utf8"), (Found{"RSC-016", "RSC-028"}));
  EXPECT_EQ(declared("iso-8859-1"), Found{"RSC-028"});
}

TEST(Checker, UsesTheLastItemWithADuplicateId) {
  EXPECT_EQ(found(with_item(epub3(),
                            R"(<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>)")),
            Found{"RSC-005"});
  Entries other = with_item(epub3(), R"(<item id="a" href="b.css" media-type="text/css"/>)");
  other.emplace_back("OPS/b.css", "");
  EXPECT_EQ(found(other), (Found{"OPF-043", "RSC-005", "RSC-008"}));
}

TEST(Checker, DoesNotCheckThePackageAsAnotherMediaType) {
  EXPECT_EQ(found(with_item(epub3(), R"(<item id="x" href="" media-type="image/png"/>)")),
            Found{"OPF-099"});
}

TEST(Checker, ChecksThatHrefsAreValidUris) {
  EXPECT_EQ(found(with(epub3(), kPackage, "a.xhtml", "a.xhtml##")),
            (Found{"OPF-091", "RSC-001", "RSC-005", "RSC-008", "RSC-020"}));
  EXPECT_EQ(found(with(epub3(), "OPS/a.xhtml", "one", R"(<a href="%zz">x</a>)")),
            (Found{"RSC-005", "RSC-007", "RSC-020"}));
}

TEST(Checker, ReportsAFragmentLinkToAnUnlistedFileAsNotFound) {
  const Entries book = with(epub3(), "OPS/nav.xhtml", "a.xhtml", "b.xhtml#x");
  Entries more = book;
  more.emplace_back("OPS/b.xhtml", xhtml("<p>b</p>"));
  EXPECT_EQ(found(more), Found{"RSC-007"});
  EXPECT_EQ(found(with(more, "OPS/nav.xhtml", "b.xhtml#x", "b.xhtml")), Found{"RSC-008"});
}

TEST(Checker, HandlesAnEmptyOrMissingSpine) {
  EXPECT_EQ(found(with(epub3(), kPackage, R"(<itemref idref="a"/>)", "")),
            (Found{"RSC-005", "RSC-011"}));
  // An NCX that the spine does not name is not checked.
  EXPECT_EQ(found(with(epub2(), kPackage, R"(<spine toc="ncx"><itemref idref="a"/></spine>)", "")),
            Found{"RSC-005"});
}

TEST(Checker, FindsNoIdsInAnUnreadableDocument) {
  Entries gone = with(epub3(), "OPS/nav.xhtml", "a.xhtml", "a.xhtml#x");
  gone.pop_back();
  EXPECT_EQ(found(gone), (Found{"RSC-001", "RSC-012"}));
  EXPECT_EQ(found(with(with(epub3(), "OPS/nav.xhtml", "a.xhtml", "a.xhtml#x"), "OPS/a.xhtml",
                       "<p>one</p>", "<p>&</p><p id=\"x\"/>")),
            (Found{"RSC-012", "RSC-016"}));
}

TEST(Checker, DoesNotCheckATocThatIsNotAnNcx) {
  EXPECT_EQ(found(with(epub2(), kPackage, "toc=\"ncx\"", "toc=\"a\"")),
            (Found{"CHK-008", "OPF-050"}));
}

TEST(Checker, ChecksThatDeclaredPropertiesMatchTheContent) {
  EXPECT_EQ(found(with(epub3(), kPackage, "id=\"a\"", "id=\"a\" properties=\"dictionary\"")),
            (Found{"OPF-012", "OPF-015"}));
  Entries local = with_item(
      epub3(),
      R"(<item id="s" href="s.css" media-type="text/css" properties="remote-resources"/>)");
  local.emplace_back("OPS/s.css", "p{a:b}");
  EXPECT_EQ(found(local), Found{"OPF-018"});
  Entries styled = with_item(epub2(), R"(<item id="s" href="s.css" media-type="text/css"/>)");
  styled.emplace_back("OPS/s.css", "p{background:url(http://a.org/b.png)}");
  EXPECT_EQ(found(styled), (Found{"OPF-014", "RSC-006"}));
}

TEST(Checker, ReadsContentsDespiteAChecksumMismatch) {
  std::string bytes = packed(with(epub3(), "OPS/a.xhtml", "one", "&"), false);
  const std::size_t at = bytes.find("<p>&</p>");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 3] = 'x';
  EXPECT_EQ(found(bytes), Found{"TIDE-012"});
}

}  // namespace
}  // namespace tidemill::epub
