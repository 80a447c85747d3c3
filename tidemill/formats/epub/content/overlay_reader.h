// Media overlays: documents (SMIL) that say which recording goes with which text.
//
// Content model is for overlay_grammar(). The reader looks at clips, types and where they lead; who
// belongs to which overlay is judged when all of them were read.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/epub/package/vocabulary.h"
#include "tidemill/formats/xml/reader.h"

namespace tidemill::epub {

// One thread. The document must outlive it.
class OverlayReader final : public xml::Handler {
 public:
  explicit OverlayReader(Document& document) : document_(document) {}

  void doctype(const xml::Doctype& doctype, xml::Position where) override;
  void start(const xml::Element& element) override;
  void finish() {}

 private:
  void check_id(const xml::Element& element);
  void check_types(std::string_view types, xml::Position where);
  void check_audio(const xml::Element& audio);
  void check_clip(const xml::Element& audio);
  void refer(std::string_view url, Use use, xml::Position where);

  Document& document_;
  Prefixes prefixes_;
  std::unordered_set<std::string> ids_;
};

// Overlays and content documents must agree on who belongs to whom: MED-005, MED-010 to MED-013.
void judge_overlays(Inspection& book);

}  // namespace tidemill::epub
