#include "tidemill/formats/epub/package/package.h"

#include <algorithm>
#include <unordered_set>

namespace tidemill::epub {

bool Item::has(std::string_view property) const {
  return std::ranges::find(properties, property) != properties.end();
}

const Item* Package::item_with_id(std::string_view id) const {
  const auto found = by_id.find(std::string(id));
  return found == by_id.end() ? nullptr : &items[found->second];
}

const Item* Package::item_at(std::string_view entry) const {
  const auto found = by_path.find(std::string(entry));
  return found == by_path.end() ? nullptr : &items[found->second];
}

std::size_t Package::spine_position(const Item& item) const {
  const auto found = spine_by_id.find(item.id);
  return found == spine_by_id.end() ? kNone : found->second;
}

bool Package::is_fixed(const Item& item) const {
  const std::size_t position = spine_position(item);
  if (position == kNone) return is_fixed_layout;
  const std::vector<std::string>& properties = spine[position].properties;
  if (std::ranges::find(properties, "rendition:layout-pre-paginated") != properties.end()) {
    return true;
  }
  if (std::ranges::find(properties, "rendition:layout-reflowable") != properties.end()) {
    return false;
  }
  return is_fixed_layout;
}

std::vector<const Item*> Package::fallback_chain(const Item& item) const {
  std::vector<const Item*> chain;
  std::unordered_set<const Item*> seen;
  for (const Item* at = &item; at != nullptr && seen.insert(at).second;
       at = at->fallback.empty() ? nullptr : item_with_id(at->fallback)) {
    chain.push_back(at);
  }
  return chain;
}

bool Package::is_of_type(std::string_view type) const {
  return std::ranges::find(types, type) != types.end();
}

}  // namespace tidemill::epub
