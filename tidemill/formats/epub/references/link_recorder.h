// LinkRecorder: records the references of one document. Resolves each URL against the current base,
// reports faults of the URL itself, and updates the document's traits (remote resources, SVG).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/epub/references/url_faults.h"

namespace tidemill::epub {

// One thread. The document must outlive it.
class LinkRecorder {
 public:
  explicit LinkRecorder(Document& document)
      : document_(document), urls_(document), base_(document.path) {}

  // xml:base applies to the element at this depth and its content; the first <base href> applies to
  // the document.
  void enter_base(std::string_view url, std::size_t depth, xml::Position at);
  void leave_base(std::size_t depth);
  void set_document_base(std::string_view url, xml::Position at);

  // <a href>. A link that leaves the book is checked but not recorded.
  void hyperlink(std::string_view url, xml::Position at);
  // A resource needed to show the document; remote resources must be declared. Ignores blank URLs.
  void resource(Use use, std::string_view url, xml::Position at, std::string_view media_type = {},
                bool has_fallback = false);
  // Any other reference.
  void reference(Use use, std::string_view url, xml::Position at);
  // The same in two steps, for references that are complete only later: look() or
  // look_at_resource() first, then add().
  [[nodiscard]] LinkTarget look(std::string_view url,
                                xml::Position at);  // reports faults of the URL
  [[nodiscard]] LinkTarget look_at_resource(std::string_view url, xml::Position at);
  void add(Reference reference) const;

  [[nodiscard]] Document& document() { return document_; }
  [[nodiscard]] bool is_epub3() const { return document_.edition() == Edition::epub3; }

 private:
  [[nodiscard]] std::string based_on(std::string_view url, xml::Position at);

  Document& document_;
  UrlReport urls_;
  std::string base_;
  bool has_document_base_ = false;
  std::vector<std::pair<std::size_t, std::string>> outer_;  // bases to restore, with the depth
};

}  // namespace tidemill::epub
