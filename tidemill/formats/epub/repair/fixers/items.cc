// Files of the book that are referred to and are not in the manifest: an item is added.
//
// What the item must say is certain when the name and the first bytes agree. Of everything else the
// type could be guessed only.
#include <set>
#include <string>
#include <unordered_set>

#include "tidemill/formats/epub/repair/fixer_kinds.h"
#include "tidemill/formats/epub/repair/fixer_list.h"
#include "tidemill/formats/epub/repair/fixer_package.h"
#include "tidemill/formats/epub/repair/fixer_text.h"

namespace tidemill::epub {
namespace {

struct Added {
  std::string href{};
  std::string_view type{};
};

void add_items(std::string_view document, const std::vector<Added>& items, XmlEdit& edit) {
  std::unordered_set<std::string> ids;
  const Scanned* end = nullptr;
  const PackagePieces pieces(document);
  for (const Scanned& piece : pieces.all()) {
    ids.insert(pieces.value(piece, "id"));
    if (piece.kind == Scanned::Kind::end && local_name(piece.name.in(document)) == "manifest") {
      end = &piece;
    }
  }
  if (end == nullptr) return;
  const std::string_view tag = end->name.in(document);
  const std::string prefix(tag.substr(0, tag.size() - std::string_view("manifest").size()));
  std::string text;
  std::size_t number = 0;
  for (const Added& item : items) {
    std::string id;
    do {
      id = "added-" + std::to_string(++number);
    } while (!ids.insert(id).second);
    text += "<" + prefix + "item id=\"" + id + "\" href=\"" + escaped_value(item.href) +
            "\" media-type=\"" + std::string(item.type) + "\"/>\n";
  }
  edit.insert(end->whole.begin, text);
}

}  // namespace

void mend_items(const Inspection& found, Draft& draft, Plan& plan) {
  // Items with a fragment, and those without an id, are not known by their files.
  if (found.findings.has("OPF-091") ||
      !entries_with(found, "RSC-005", "lacks the attribute \"id\"").empty()) {
    return;
  }
  std::set<std::string> paths;
  for (const Finding& one : found.findings.kept()) {
    if (one.rule == RuleId("RSC-008") && found.has_entry(one.detail)) paths.insert(one.detail);
  }
  std::vector<Added> items;
  for (const std::string& path : paths) {
    Added added{.href = relative_url(found.package.path, path), .type = certain_type(found, path)};
    if (added.type.empty()) {
      plan.declined.push_back(
          {.rule = "RSC-008", .entry = path, .why = "it is not certain what kind of file it is"});
    } else {
      items.push_back(std::move(added));
    }
  }
  if (items.empty()) return;
  edit_entry(draft, plan,
             {.tier = Mend::safe,
              .name = "items",
              .mends = {"RSC-008"},
              .entry = found.package.path,
              .what = "files that are referred to become items of the manifest"},
             [&](std::string_view document, XmlEdit& edit) { add_items(document, items, edit); });
}

}  // namespace tidemill::epub
