#include "tidemill/book/xhtml11_unique_ids.h"

#include <algorithm>
#include <string_view>

namespace tidemill::book {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

// Without white space at the ends, and with one space where there is some inside.
std::string with_single_spaces(std::string_view value) {
  std::string text;
  for (auto at = value.find_first_not_of(kSpace); at != std::string_view::npos;
       at = value.find_first_not_of(kSpace, at)) {
    const auto end = std::min(value.find_first_of(kSpace, at), value.size());
    if (!text.empty()) text += ' ';
    text += value.substr(at, end - at);
    at = end;
  }
  return text;
}

}  // namespace

void UniqueIds::see(const xml::Element& element) {
  const auto value = element.attribute("id");
  if (!value) return;
  const auto [known, is_new] = ids_.try_emplace(with_single_spaces(*value), element.where);
  if (is_new) return;
  const std::string detail = "the id \"" + known->first + "\" stands on more than one element";
  if (!known->second.is_told) document_.report("RSC-005", known->second.at, detail);
  known->second.is_told = true;
  document_.report("RSC-005", element.where, detail);
}

}  // namespace tidemill::book
