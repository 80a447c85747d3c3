// Xhtml11Rules: what a content document of EPUB 2 must keep to beside its grammar. A link inside a
// link is told about at the outer one; ids are unique; a br under the doctype of XHTML 1.0
// Transitional has an attribute that nobody wrote. Everything is RSC-005.
#pragma once

#include <vector>

#include "tidemill/formats/epub/content/xhtml/ids.h"
#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

// One thread. The document must outlive it.
class Xhtml11Rules final : public xml::Handler {
 public:
  explicit Xhtml11Rules(Document& document) : document_(document), ids_(document) {}

  void doctype(const xml::Doctype& doctype, xml::Position where) override;
  void start(const xml::Element& element) override;
  void end(const xml::Element& element) override;
  void finish() {}

 private:
  struct OpenLink {
    xml::Position at{};
    bool is_told = false;
  };
  const Document& document_;
  UniqueIds ids_;
  bool gives_br_clear_ = false;  // the doctype gives every br the attribute clear
  std::vector<OpenLink> links_;  // outermost first; once one is told, all outside it are
};

}  // namespace tidemill::epub
