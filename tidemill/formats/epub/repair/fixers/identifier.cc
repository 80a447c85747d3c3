// unique-identifier names no dc:identifier: when there is exactly one, it is the one that is meant.
#include <string>

#include "tidemill/formats/epub/repair/fixer_list.h"
#include "tidemill/formats/epub/repair/fixer_package.h"
#include "tidemill/formats/epub/repair/fixer_text.h"

namespace tidemill::epub {
namespace {

struct Identifiers {
  const Scanned* package = nullptr;
  const Scanned* only = nullptr;
  std::size_t count = 0;
  bool is_taken = false;  // another element has the id that is named
};

Identifiers identifiers_of(const PackagePieces& pieces, const std::string& named) {
  Identifiers found;
  for (const Scanned& piece : pieces.all()) {
    if (pieces.is_element(piece, "package")) found.package = &piece;
    if (pieces.value(piece, "id") == named) found.is_taken = true;
    if (!pieces.is_element(piece, "identifier")) continue;
    found.only = &piece;
    ++found.count;
  }
  return found;
}

// False: there is no one answer.
bool name_the_only(const PackagePieces& pieces, const std::string& named, XmlEdit& edit) {
  const Identifiers found = identifiers_of(pieces, named);
  if (found.count != 1 || found.package == nullptr) return false;
  const std::string_view document = pieces.document();
  if (const auto* id = found.only->attribute(document, "id")) {
    if (id->value.begin == id->value.end) return false;
    set_attribute(document, *found.package, "unique-identifier",
                  resolved_value(id->value.in(document)), edit);
    return true;
  }
  if (named.empty() || found.is_taken) return false;
  edit.insert(found.only->name.end, " id=\"" + escaped_value(named) + "\"");
  return true;
}

}  // namespace

void mend_identifier(const Inspection& found, Draft& draft, Plan& plan) {
  for (const std::string& entry : entries_with(found, "OPF-030")) {
    bool is_left = false;
    edit_entry(draft, plan,
               {.tier = Mend::safe,
                .name = "identifier",
                .mends = {"OPF-030"},
                .entry = entry,
                .what = "unique-identifier and the one dc:identifier that there is are joined"},
               [&](std::string_view document, XmlEdit& edit) {
                 is_left =
                     !name_the_only(PackagePieces(document), found.package.unique_identifier, edit);
               });
    if (!is_left) continue;
    plan.declined.push_back(
        {.rule = "OPF-030", .entry = entry, .why = "there is no dc:identifier, or more than one"});
  }
}

}  // namespace tidemill::epub
