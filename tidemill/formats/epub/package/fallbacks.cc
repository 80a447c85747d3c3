// The fallbacks of the manifest: each item names at most one, so they are chains, or circles.
#include <cstdint>
#include <utility>
#include <vector>

#include "tidemill/formats/epub/package/facts.h"
#include "tidemill/formats/epub/package/media_types.h"

namespace tidemill::epub {

namespace {

void check_targets(const OpfCheck& check, const Item& item) {
  const Package& package = check.package();
  if (!item.fallback.empty() && !package.by_id.contains(item.fallback)) {
    check.report("OPF-040", item.at, item.fallback);
  }
  if (package.edition == Edition::epub2 && !item.fallback_style.empty() &&
      !package.by_id.contains(item.fallback_style)) {
    check.report("OPF-041", item.at, item.fallback_style);
  }
}

// What the item is by itself. In EPUB 2 a style sheet makes any XML readable.
void judge_alone(const Package& package, Item& item) {
  const Item* style =
      package.edition == Edition::epub2 ? package.item_with_id(item.fallback_style) : nullptr;
  const bool has_style = style != nullptr && is_style_type(style->media_type);
  item.leads_to_document = has_style || is_content_document(item.media_type, package.edition) ||
                           is_old_content_document(item.media_type);
}

}  // namespace

void check_fallbacks(const OpfCheck& check) {
  Package& package = check.book->package;
  for (Item& item : package.items) {
    check_targets(check, item);
    judge_alone(package, item);
  }
  enum class Visit : std::uint8_t { none, open, done };
  std::vector<Visit> visits(package.items.size(), Visit::none);
  bool has_circle = false;
  for (std::size_t first = 0; first < package.items.size(); ++first) {
    std::vector<std::size_t> path;
    std::size_t at = first;
    while (at != kNone && visits[at] == Visit::none) {
      visits[at] = Visit::open;
      path.push_back(at);
      const auto next = package.by_id.find(package.items[at].fallback);
      at = next == package.by_id.end() ? kNone : next->second;
    }
    const bool is_circle = at != kNone && visits[at] == Visit::open;
    if (is_circle && !std::exchange(has_circle, true)) {
      check.report("OPF-045", package.items[at].at, package.items[at].id);
    }
    const Item* after = at == kNone || is_circle ? nullptr : &package.items[at];
    for (; !path.empty(); path.pop_back()) {
      Item& item = package.items[path.back()];
      visits[path.back()] = Visit::done;
      item.leads_to_document =
          item.leads_to_document || (after != nullptr && after->leads_to_document);
      after = &item;
    }
  }
}

}  // namespace tidemill::epub
