// SearchKeyReader: reads the search key maps of EPUB dictionaries, which map words to entries.
// search_key_grammar() checks the content model.
#pragma once

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/xml/xml_reader.h"

namespace tidemill::epub {

// One thread. The document must outlive it.
class SearchKeyReader final : public xml::Handler {
 public:
  explicit SearchKeyReader(Document& document) : document_(document) {}

  void doctype(const xml::Doctype& doctype, xml::Position where) override;
  void start(const xml::Element& element) override;
  void finish();

 private:
  Document& document_;
};

}  // namespace tidemill::epub
