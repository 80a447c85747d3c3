#include "tidemill/formats/epub/content/search_key_reader.h"

#include <string>

#include "tidemill/formats/epub/content/prolog_check.h"
#include "tidemill/formats/epub/namespaces.h"
#include "tidemill/formats/epub/package/media_types.h"

namespace tidemill::epub {

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

}  // namespace tidemill::epub
