// media-overlay of items: which overlay reads a document can be seen in the overlays.
//
// When exactly one overlay refers to the document, that is the one. When none does, the attribute
// is wrong, and goes.
#include <map>
#include <set>
#include <string>

#include "tidemill/formats/epub/repair/fixer_list.h"
#include "tidemill/formats/epub/repair/fixer_package.h"
#include "tidemill/formats/epub/repair/fixer_text.h"

namespace tidemill::epub {
namespace {

using Owners = std::map<std::string, std::set<std::string>, std::less<>>;  // path, ids of overlays

Owners owners_of(const Inspection& found) {
  Owners owners;
  for (const Reference& link : found.references.all()) {
    if (link.use != Use::overlay_text || link.target.kind != Target::Kind::inside) continue;
    const Item* overlay = found.package.item_at(link.from);
    if (overlay != nullptr) owners[link.target.path].insert(overlay->id);
  }
  return owners;
}

}  // namespace

void mend_overlays(const Inspection& found, Draft& draft, Plan& plan) {
  Change change{.name = "overlays",
                .what = "media-overlay is added to items that an overlay refers to"};
  for (const RuleId rule : {RuleId("MED-010"), RuleId("MED-012"), RuleId("MED-013")}) {
    if (found.findings.has(rule)) change.mends.push_back(rule);
  }
  if (change.mends.empty() || found.references.dropped() > 0 || found.findings.has("RSC-016")) {
    return;
  }
  const Owners owners = owners_of(found);
  edit_package(found, draft, plan, std::move(change),
               [&](const PackagePieces& pieces, XmlEdit& edit) {
                 for (const Scanned& piece : pieces.all()) {
                   if (!pieces.is_element(piece, "item")) continue;
                   const Item* item = found.package.item_with_id(pieces.value(piece, "id"));
                   if (item == nullptr) continue;
                   const auto owner = owners.find(item->path);
                   if (owner != owners.end() && owner->second.size() != 1) continue;
                   set_words(pieces.document(), piece, "media-overlay",
                             owner == owners.end() ? "" : *owner->second.begin(), edit);
                 }
               });
}

}  // namespace tidemill::epub
