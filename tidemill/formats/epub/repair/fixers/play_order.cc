// playOrder in the NCX: the places in the order of reading, counted from 1; the same place has the
// same number wherever it stands.
//
// In a navMap the order of reading is that of the document, so the numbers follow from it. With a
// list of pages or figures beside it, the places of both lie between each other in an order that
// the NCX does not tell otherwise: then they stay.
#include <string>
#include <unordered_map>

#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/repair/fixer_list.h"
#include "tidemill/formats/epub/repair/fixer_text.h"

namespace tidemill::epub {
namespace {

bool has_other_lists(std::string_view document) {
  for (const Scanned& piece : scan(document)) {
    const std::string_view name = local_name(piece.name.in(document));
    if (name == "pageTarget" || name == "navTarget") return true;
  }
  return false;
}

void renumber(std::string_view document, XmlEdit& edit) {
  std::unordered_map<std::string, std::size_t> numbers;  // by target
  const ScannedAttribute* order = nullptr;               // of the navPoint whose content comes
  const auto pieces = scan(document);
  for (const Scanned& piece : pieces) {
    const std::string_view name = local_name(piece.name.in(document));
    if (piece.kind == Scanned::Kind::end) continue;
    if (name == "navPoint") order = piece.attribute(document, "playOrder");
    const auto* source = piece.attribute(document, "src");
    if (name != "content" || source == nullptr || order == nullptr) continue;
    const auto next = numbers.size() + 1;
    const std::size_t number =
        numbers.try_emplace(resolved_value(source->value.in(document)), next).first->second;
    const std::string text = std::to_string(number);
    if (order->value.in(document) != text) edit.replace(order->value, text);
    order = nullptr;
  }
}

}  // namespace

void mend_play_order(const Inspection& found, Draft& draft, Plan& plan) {
  for (const std::string& entry : entries_with(found, "RSC-005", "playOrder")) {
    const Item* item = found.package.item_at(entry);
    if (item == nullptr || item->media_type != kNcxType) continue;
    const auto document = draft.contents(entry);
    if (document && has_other_lists(*document)) {
      plan.declined.push_back({.rule = "RSC-005",
                               .entry = entry,
                               .why = "the order of pages among chapters is not known"});
      continue;
    }
    edit_entry(draft, plan,
               {.tier = Mend::safe,
                .name = "play-order",
                .mends = {"RSC-005"},
                .entry = entry,
                .what = "playOrder is counted anew, in the order of the document"},
               renumber);
  }
}

}  // namespace tidemill::epub
