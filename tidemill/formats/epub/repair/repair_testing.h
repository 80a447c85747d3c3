// Helpers for the tests of repair: small valid books, functions to break them in one place, and the
// result of a repair.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/formats/epub/checker.h"
#include "tidemill/formats/epub/repair/book_repair.h"
#include "tidemill/formats/zip/archive.h"
#include "tidemill/formats/zip/memory_file.h"
#include "tidemill/formats/zip/writer.h"

namespace tidemill::epub {

using Entries = std::vector<std::pair<std::string, std::string>>;
using Ids = std::multiset<std::string>;

inline std::string xhtml(std::string_view body, std::string_view doctype = "") {
  return std::string(doctype) +
         R"(<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body>)" +
         std::string(body) + "</body></html>";
}

inline std::string container_xml() {
  return R"(<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">)"
         R"(<rootfiles><rootfile full-path="OPS/p.opf" media-type="application/oebps-package+xml"/>)"
         R"(</rootfiles></container>)";
}

inline Entries epub3() {
  return {
      {"mimetype", "application/epub+zip"},
      {"META-INF/container.xml", container_xml()},
      {"OPS/p.opf",
       R"(<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="uid">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="uid">urn:x:1</dc:identifier>
<dc:title>t</dc:title>
<dc:language>en</dc:language>
<meta property="dcterms:modified">2024-01-01T00:00:00Z</meta>
</metadata>
<manifest>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>
</manifest>
<spine><itemref idref="a"/></spine>
</package>)"},
      {"OPS/nav.xhtml",
       R"(<html xmlns="http://www.w3.org/1999/xhtml")"
       R"( xmlns:epub="http://www.idpf.org/2007/ops"><head><title>t</title></head>)"
       R"(<body><nav epub:type="toc"><ol><li><a href="a.xhtml">a</a></li></ol></nav>)"
       R"(</body></html>)"},
      {"OPS/a.xhtml", xhtml("<p>one</p>")},
  };
}

inline Entries epub2() {
  return {
      {"mimetype", "application/epub+zip"},
      {"META-INF/container.xml", container_xml()},
      {"OPS/p.opf",
       R"(<package xmlns="http://www.idpf.org/2007/opf" version="2.0" unique-identifier="uid">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="uid">urn:x:1</dc:identifier>
<dc:title>t</dc:title>
<dc:language>en</dc:language>
<dc:date>2024</dc:date>
</metadata>
<manifest>
<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>
<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>
</manifest>
<spine toc="ncx"><itemref idref="a"/></spine>
</package>)"},
      {"OPS/toc.ncx", R"(<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1">)"
                      R"(<head><meta name="dtb:uid" content="urn:x:1"/></head>)"
                      R"(<docTitle><text>t</text></docTitle><navMap>)"
                      R"(<navPoint id="n1" playOrder="1"><navLabel><text>a</text></navLabel>)"
                      R"(<content src="a.xhtml"/></navPoint></navMap></ncx>)"},
      {"OPS/a.xhtml", xhtml("<p>one</p>")},
  };
}

// An image of one pixel.
inline std::string gif() {
  using namespace std::string_literals;
  return "GIF89a\1\0\1\0\0\0\0,\0\0\0\0\1\0\1\0\0\2\1\0\0;"s;
}

// The book with `from` in an entry replaced by `to`; a missing entry is added.
inline Entries with(Entries entries, std::string_view entry, std::string_view from,
                    std::string_view to) {
  for (auto& [name, content] : entries) {
    if (name != entry) continue;
    const std::size_t at = content.find(from);
    EXPECT_NE(at, std::string::npos) << from << " is not in " << entry;
    content.replace(at, from.size(), to);
    return entries;
  }
  entries.emplace_back(entry, to);
  return entries;
}

inline Entries with_item(Entries entries, std::string_view item) {
  return with(std::move(entries), "OPS/p.opf", "</manifest>", std::string(item) + "</manifest>");
}

inline std::string packed(const Entries& entries, bool is_compressed = true) {
  const zip::MemoryFile file;
  zip::ZipWriter writer(file.fd());
  for (const auto& [name, content] : entries) {
    EXPECT_TRUE(name == "mimetype" || !is_compressed ? writer.add_stored(name, content)
                                                     : writer.add_deflated(name, content));
  }
  EXPECT_TRUE(writer.finish());
  return file.bytes();
}

inline std::string content_of(std::string_view book, std::string_view name) {
  const zip::MemoryFile file(book);
  const auto archive = zip::Archive::open(file.fd());
  if (!archive || archive->find(name) == nullptr) return "not there";
  return archive->read_whole(*archive->find(name), 1U << 20U).value_or("not readable");
}

// Errors and fatal errors.
inline Ids errors_of(const Findings& findings) {
  Ids ids;
  for (const Finding& one : findings.kept()) {
    if (one.rule.severity() >= Severity::error) ids.emplace(one.rule.text());
  }
  return ids;
}

struct Repair {
  Repaired repaired{};
  std::string book{};  // empty: not accepted

  [[nodiscard]] std::string content(std::string_view name) const { return content_of(book, name); }
  // The fixers that made changes.
  [[nodiscard]] std::set<std::string> fixers() const {
    std::set<std::string> names;
    for (const Change& change : repaired.plan.changes) names.insert(change.name);
    return names;
  }
  [[nodiscard]] bool has_declined(std::string_view why) const {
    return std::ranges::any_of(repaired.plan.declined,
                               [&](const Declined& one) { return one.why.contains(why); });
  }
};

inline Repair repaired(std::string_view bytes, const EpubRepairOptions& options = {}) {
  const zip::MemoryFile book(bytes);
  const zip::MemoryFile out;
  const zip::MemoryFile scratch;
  const zip::MemoryFile spare;
  Repair repair;
  repair.repaired = repair_epub(
      {.book = book.fd(), .out = out.fd(), .scratch = scratch.fd(), .spare = spare.fd()},
      "book.epub", options);
  if (repair.repaired.is_accepted) repair.book = out.bytes();
  return repair;
}

inline Repair repaired(const Entries& entries, const EpubRepairOptions& options = {}) {
  return repaired(packed(entries), options);
}

using Names = std::set<std::string>;

// Repaired by exactly these fixers, without remaining errors, and a second repair changes nothing.
inline void expect_repaired_by(const Repair& repair, const Names& fixers) {
  EXPECT_EQ(repair.repaired.refusal, "");
  ASSERT_TRUE(repair.repaired.is_accepted);
  EXPECT_EQ(repair.fixers(), fixers);
  EXPECT_EQ(errors_of(repair.repaired.after), Ids{});
  EXPECT_FALSE(repaired(repair.book).repaired.is_accepted);
}

inline void expect_left(const Repair& repair, const Ids& errors, std::string_view why) {
  EXPECT_FALSE(repair.repaired.is_accepted);
  EXPECT_EQ(errors_of(repair.repaired.after), errors);
  EXPECT_TRUE(why.empty() || repair.has_declined(why));
}

}  // namespace tidemill::epub
