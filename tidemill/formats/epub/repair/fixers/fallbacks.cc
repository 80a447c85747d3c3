// Fallbacks that lead nowhere, or back to where they come from, of items that need none: every
// reading system shows them, so the attribute has no effect and goes.
#include <string>

#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/repair/fixer_list.h"
#include "tidemill/formats/epub/repair/fixer_package.h"
#include "tidemill/formats/epub/repair/fixer_text.h"

namespace tidemill::epub {
namespace {

// The chain ends at an item that is there and has no fallback itself.
bool has_an_end(const Package& package, const Item& item) {
  return package.fallback_chain(item).back()->fallback.empty();
}

}  // namespace

void mend_fallbacks(const Inspection& found, Draft& draft, Plan& plan) {
  const bool has_styles = !entries_with(found, "RSC-005", "fallback-style").empty();
  if (!found.findings.has("OPF-040") && !found.findings.has("OPF-045") && !has_styles) return;
  edit_package(found, draft, plan,
               {.name = "fallbacks",
                .mends = {"OPF-040", "OPF-045"},
                .what = "dangling fallbacks of items that need none are dropped"},
               [&](const PackagePieces& pieces, XmlEdit& edit) {
                 for (const Scanned& piece : pieces.all()) {
                   if (!pieces.is_element(piece, "item")) continue;
                   const Item* item = found.package.item_with_id(pieces.value(piece, "id"));
                   if (item == nullptr) continue;
                   const bool has_style =
                       found.package.item_with_id(item->fallback_style) != nullptr;
                   if (!has_style) set_words(pieces.document(), piece, "fallback-style", "", edit);
                   if (item->fallback.empty()) continue;
                   if (!is_core_media_type(item->media_type, found.edition())) continue;
                   if (has_an_end(found.package, *item)) continue;
                   set_words(pieces.document(), piece, "fallback", "", edit);
                 }
               });
}

}  // namespace tidemill::epub
