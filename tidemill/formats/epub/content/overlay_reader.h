// OverlayReader: reads media overlays, SMIL documents that synchronise audio with text.
//
// overlay_grammar() checks the content model; the reader checks clips, types and targets.
// judge_overlays() matches overlays and content documents after all of them were read.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/epub/package/vocabulary.h"
#include "tidemill/formats/xml/xml_reader.h"

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

// Overlays and content documents must refer to each other consistently: MED-010 to MED-013. Also
// checks the media type of audio: MED-005.
void judge_overlays(Inspection& book);

}  // namespace tidemill::epub
