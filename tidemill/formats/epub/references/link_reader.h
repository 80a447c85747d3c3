// LinkReader: everything a content document (XHTML, SVG, DTBook) points to and everything in it
// that can be pointed at, and what it uses that the package document has to tell (scripts, MathML,
// SVG, remote resources). CSS inside it is checked on the way.
//
// It reports what can be said at once (URLs, CSS); the rest is judge_references()'s.
#pragma once

#include <memory>
#include <string_view>

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/xml/reader.h"

namespace tidemill::epub {

// One document; one thread. The document must outlive it.
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
