// The identifier in the NCX is a copy of the one in the package document: when they differ, the
// copy is wrong.
#include <string>

#include "tidemill/book/fixers_list.h"
#include "tidemill/book/fixers_text.h"
#include "tidemill/book/words.h"

namespace tidemill::book {

void mend_ncx_uid(const Inspection& found, Draft& draft, Plan& plan) {
  const std::string_view identifier = trimmed(found.package.identifier);
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

}  // namespace tidemill::book
