#include "tidemill/formats/epub/content/xhtml/xhtml11_unique_ids.h"

#include <string>

#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

void UniqueIds::see(const xml::Element& element) {
  const auto value = element.attribute("id");
  if (!value) return;
  const auto [known, is_new] = ids_.try_emplace(normalized(*value), element.where);
  if (is_new) return;
  const std::string detail = "the id \"" + known->first + "\" stands on more than one element";
  if (!known->second.is_told) document_.report_if_whole("RSC-005", known->second.at, detail);
  known->second.is_told = true;
  document_.report_if_whole("RSC-005", element.where, detail);
}

}  // namespace tidemill::epub
