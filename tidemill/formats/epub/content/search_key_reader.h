// Search key maps of EPUB dictionaries: which words lead to which entries. The content model is for
// search_key_grammar().
#pragma once

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/xml/reader.h"

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
