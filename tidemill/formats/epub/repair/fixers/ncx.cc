// The identifier in the NCX is a copy of the one in the package document: when they differ, the
// copy is wrong.
#include <string>

#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/repair/fixer_list.h"
#include "tidemill/formats/epub/repair/fixer_text.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

// To a head without any meta element.
void add_uid(std::string_view document, std::string_view identifier, XmlEdit& edit) {
  const auto pieces = scan(document);
  const Scanned* head = nullptr;
  for (const Scanned& piece : pieces) {
    const std::string_view name = local_name(piece.name.in(document));
    if (name == "meta") return;
    if (name == "head" && piece.kind == Scanned::Kind::start) head = &piece;
  }
  if (head == nullptr || head->name.in(document) != "head") return;
  edit.insert(head->whole.end,
              "<meta name=\"dtb:uid\" content=\"" + escaped_value(identifier) + "\"/>");
}

}  // namespace

void mend_ncx_uid(const Inspection& found, Draft& draft, Plan& plan) {
  const std::string_view identifier = trimmed(found.package.identifier);
  for (const std::string& entry : entries_with(found, "RSC-005", "\"head\"")) {
    const Item* item = found.package.item_at(entry);
    if (item == nullptr || item->media_type != kNcxType || identifier.empty()) continue;
    edit_entry(
        draft, plan,
        {.name = "ncx-uid",
         .mends = {"RSC-005"},
         .entry = entry,
         .what = "the head gets the dtb:uid that it lacks"},
        [&](std::string_view document, XmlEdit& edit) { add_uid(document, identifier, edit); });
  }
  for (const std::string& entry : entries_with(found, "NCX-001")) {
    if (identifier.empty()) {
      plan.declined.push_back(
          {.rule = "NCX-001", .entry = entry, .why = "the package document has no identifier"});
      continue;
    }
    edit_entry(draft, plan,
               {.tier = Mend::safe,
                .name = "ncx-uid",
                .mends = {"NCX-001"},
                .entry = entry,
                .what = "dtb:uid becomes the identifier of the package document"},
               [&](std::string_view document, XmlEdit& edit) {
                 for (const Scanned& piece : scan(document)) {
                   if (local_name(piece.name.in(document)) != "meta") continue;
                   const auto* name = piece.attribute(document, "name");
                   const auto* content = piece.attribute(document, "content");
                   if (name == nullptr || content == nullptr) continue;
                   if (name->value.in(document) != "dtb:uid") continue;
                   edit.replace(content->value, escaped_value(identifier));
                 }
               });
  }
}

}  // namespace tidemill::epub
