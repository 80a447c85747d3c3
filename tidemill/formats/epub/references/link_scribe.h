// LinkScribe: writes down the references of one document. It resolves each URL against the base in
// force, says what is wrong with the URL itself, and notes in the document's traits what it points
// to.
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
class LinkScribe {
 public:
  explicit LinkScribe(Document& document)
      : document_(document), urls_(document), base_(document.path) {}

  // xml:base holds for the element at this depth and all in it, the first <base href> for the
  // document.
  void enter_base(std::string_view url, std::size_t depth, xml::Position at);
  void leave_base(std::size_t depth);
  void set_document_base(std::string_view url, xml::Position at);

  // <a href>. One that leads out of the book is only looked at.
  void hyperlink(std::string_view url, xml::Position at);
  // What is needed to show the document; remote ones have to be declared. A blank URL is none.
  void resource(Use use, std::string_view url, xml::Position at, std::string_view media_type = {},
                bool has_fallback = false);
  // Anything else.
  void reference(Use use, std::string_view url, xml::Position at);
  // The same in two steps, for what is known only later: look first, then add.
  [[nodiscard]] Target look(std::string_view url, xml::Position at);  // says what is wrong with it
  [[nodiscard]] Target look_at_resource(std::string_view url, xml::Position at);
  void add(Reference reference) const;

  [[nodiscard]] Document& document() { return document_; }
  [[nodiscard]] bool is_epub3() const { return document_.edition() == Edition::epub3; }

 private:
  [[nodiscard]] std::string based_on(std::string_view url, xml::Position at);

  Document& document_;
  UrlReport urls_;
  std::string base_;
  bool has_document_base_ = false;
  std::vector<std::pair<std::size_t, std::string>> outer_;  // bases to go back to, with the depth
};

}  // namespace tidemill::epub
