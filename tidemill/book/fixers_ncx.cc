// The identifier in the NCX is a copy of the one in the package document: when they differ, the
// copy is wrong.
#include <string>

#include "tidemill/book/fixers_list.h"
#include "tidemill/book/fixers_text.h"

namespace tidemill::book {
namespace {

std::string trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(kSpace) - begin + 1));
}

}  // namespace

void mend_ncx_uid(const Inspection& found, Draft& draft, Plan& plan) {
  const std::string identifier = trimmed(found.package.identifier);
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
