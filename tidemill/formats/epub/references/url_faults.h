// Checks a URL by itself, independent of its target: RSC-020 (invalid), RSC-026 (leaves the book),
// RSC-030 (a file: URL), RSC-033 (a query).
#pragma once

#include <string_view>

#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

// Reports faults at the position of the URL, when the URL is read. Use one UrlReport for all URLs
// of a document, in document order: like EPUBCheck, it stops reporting RSC-026 and RSC-033 after
// the first URL that does not stay inside the book. One thread. The document must outlive it.
class UrlReport {
 public:
  explicit UrlReport(const Document& document) : document_(document) {}
  void check(const LinkTarget& target, std::string_view url, xml::Position at);

 private:
  const Document& document_;
  bool has_left_ = false;
};

// Does the same for references whose readers do not use a UrlReport (package document, NCX, media
// overlays, search key maps). Skips positions that already have one of these findings.
void report_left_urls(Inspection& book);

// A hyperlink with an unregistered scheme is HTM-025.
[[nodiscard]] bool is_registered_scheme(std::string_view scheme);

}  // namespace tidemill::epub
