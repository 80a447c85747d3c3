// Xhtml11Rules: the rules for EPUB 2 content documents beyond their grammar. A link inside a link
// is reported at the outer one; ids are unique; under the doctype of XHTML 1.0 Transitional a br
// gets the default attribute clear, which is not allowed. All faults are RSC-005.
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
    bool is_reported = false;
  };
  const Document& document_;
  UniqueIds ids_;
  bool gives_br_clear_ = false;  // the doctype gives every br the attribute clear
  std::vector<OpenLink> links_;  // outermost first; if one is reported, so are all outside it
};

}  // namespace tidemill::epub
