// SvgRules: what an SVG content document must keep to beside its grammar. Ids are unique; in EPUB 3
// attributes of EPUB's namespace stand only where they may, a title has HTML in it and nothing else
// (RSC-005), and a page of fixed layout says its viewBox (HTM-048).
#pragma once

#include <cstddef>

#include "tidemill/formats/epub/content/xhtml/ids.h"
#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

// Of an SVG element, in whichever document: epub:type may stand where something is drawn,
// epub:prefix at the root of the document (RSC-005).
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
  std::size_t title_depth_ = 0;  // of the svg:title that is open; 0: none
  std::size_t alien_depth_ = 0;  // of the element in it that is no HTML; 0: none
};

}  // namespace tidemill::epub
