// What is wrong with a URL in itself, wherever it leads: RSC-020 (not a valid one), RSC-026 (leaves
// the book), RSC-030 (a file of this machine), RSC-033 (a query).
#pragma once

#include <string_view>

#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

// Said where the URL stands, when it is read. One for all URLs of one document, in their order:
// after the first that leads out of the book, EPUBCheck asks no more for queries and leaks, and a
// verdict other than its own would help nobody. One thread; the document must outlive it.
class UrlReport {
 public:
  explicit UrlReport(const Document& document) : document_(document) {}
  void check(const Target& target, std::string_view url, xml::Position at);

 private:
  const Document& document_;
  bool has_left_ = false;
};

// Says it for all references whose readers did not (those of the package document, the NCX, the
// overlays).
void report_left_urls(Inspection& book);

// A scheme that is registered: of others a hyperlink is doubtful (HTM-025).
[[nodiscard]] bool is_registered_scheme(std::string_view scheme);

}  // namespace tidemill::epub
