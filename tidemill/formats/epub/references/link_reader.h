// LinkReader: collects the references and ids of a content document (XHTML, SVG, DTBook), and the
// features that the package document must declare (scripts, MathML, SVG, remote resources). Checks
// embedded CSS on the way.
//
// Reports faults of URLs and CSS at once; judge_references() reports the rest.
#pragma once

#include <memory>
#include <string_view>

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/xml/xml_reader.h"

namespace tidemill::epub {

// Reads one document. One thread. The document must outlive it.
class LinkReader final : public xml::Handler {
 public:
  explicit LinkReader(Document& document);
  ~LinkReader() override;

  void start(const xml::Element& element) override;
  void end(const xml::Element& element) override;
  void text(std::string_view part, xml::Position where) override;
  void instruction(std::string_view target, std::string_view data, xml::Position where) override;
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tidemill::epub
