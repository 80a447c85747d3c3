// SvgRules: the rules for SVG content documents beyond their grammar. Ids are unique; in EPUB 3 the
// attributes of the EPUB namespace are allowed on some elements only, a title contains nothing but
// HTML (RSC-005), and a page with fixed layout has a viewBox (HTM-048).
#pragma once

#include <cstddef>

#include "tidemill/formats/epub/content/xhtml/ids.h"
#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

// Checks an SVG element in any document: epub:type is allowed on elements that draw something,
// epub:prefix on the root of the document (RSC-005).
void check_epub_attributes(const Document& document, const xml::Element& element, bool is_root);

// One thread. The document must outlive it.
class SvgRules final : public xml::Handler {
 public:
  explicit SvgRules(Document& document) : document_(document), ids_(document) {}

  void start(const xml::Element& element) override;
  void end(const xml::Element& element) override;
  void finish() {}

 private:
  void check_title_content(const xml::Element& element);

  const Document& document_;
  UniqueIds ids_;
  std::size_t depth_ = 0;        // open elements
  std::size_t title_depth_ = 0;  // of the open svg:title; 0: none
  std::size_t alien_depth_ = 0;  // of the open non-HTML element in it; 0: none
};

}  // namespace tidemill::epub
