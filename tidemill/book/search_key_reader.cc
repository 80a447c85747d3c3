#include "tidemill/book/search_key_reader.h"

#include <string>

#include "tidemill/book/media_types.h"
#include "tidemill/book/namespaces.h"
#include "tidemill/book/prolog_check.h"

namespace tidemill::book {

void SearchKeyReader::doctype(const xml::Doctype& doctype, xml::Position where) {
  check_doctype(document_, doctype, kSearchKeyType, where);
}

void SearchKeyReader::start(const xml::Element& element) {
  if (element.ns != kOpsNamespace) return;
  if (element.name != "search-key-group" && element.name != "match") return;
  const auto href = element.attribute("href");
  if (!href) return;
  document_.book->references.add({.use = Use::search_key,
                                  .from = document_.path,
                                  .url = std::string(*href),
                                  .target = resolve(*href, document_.path),
                                  .at = element.where});
}

void SearchKeyReader::finish() {
  if (!document_.path.ends_with(".xml")) document_.report("OPF-080", {}, document_.path);
}

}  // namespace tidemill::book
