// Items that are declared as something else than they are.
//
// The first bytes of JPEG, PNG and GIF are certain, whatever the name. Of other files name and
// first bytes must agree. Then the manifest is what is wrong: image/jpg, text/html for XHTML, no
// type at all.
#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "tidemill/formats/epub/content/resource_image.h"
#include "tidemill/formats/epub/references/url.h"
#include "tidemill/formats/epub/repair/fixer_kinds.h"
#include "tidemill/formats/epub/repair/fixer_list.h"
#include "tidemill/formats/epub/repair/fixer_package.h"
#include "tidemill/formats/epub/repair/fixer_text.h"

namespace tidemill::epub {
namespace {

std::string_view type_of(ImageFormat format) {
  switch (format) {
    case ImageFormat::jpeg:
      return "image/jpeg";
    case ImageFormat::png:
      return "image/png";
    case ImageFormat::gif:
      return "image/gif";
    default:
      return {};
  }
}

std::string_view type_of_bytes(const Inspection& found, const std::string& entry) {
  const zip::Entry* source = found.archive->find(entry);
  if (source == nullptr) return {};
  const auto head = found.archive->read_head(*source, 64);
  return head ? type_of(format_of_bytes(*head)) : std::string_view();
}

using Types = std::map<std::string, std::string_view>;  // by the path of the item

// What is found where a type is not the right one. OPF-029 is told with the file itself.
bool has_wrong_type(const Inspection& found) {
  static constexpr auto kRules =
      std::to_array<RuleId>({"OPF-029", "OPF-043", "OPF-044", "OPF-050", "MED-003", "MED-005",
                             "MED-007", "PKG-026", "RSC-010", "RSC-032"});
  return std::ranges::any_of(kRules, [&](RuleId rule) { return found.findings.has(rule); }) ||
         !entries_with(found, "RSC-005", "media-type").empty();
}

Types wrong_types(const Inspection& found, Plan& plan) {
  Types types;
  for (const Item& item : found.package.items) {
    if (item.is_remote || item.is_data) continue;
    std::string_view type = certain_type(found, item.path);
    if (type.empty()) type = official_name(item.media_type, found.edition());
    if (type.empty() || stands_for(item.media_type, type, found.edition())) continue;
    types.emplace(item.path, type);
  }
  for (const std::string& entry : entries_with(found, "OPF-029")) {
    const std::string_view type = type_of_bytes(found, entry);
    if (found.package.item_at(entry) == nullptr || type.empty()) {
      plan.declined.push_back(
          {.rule = "OPF-029", .entry = entry, .why = "its bytes are of no kind that is known"});
    } else {
      types.insert_or_assign(entry, type);
    }
  }
  return types;
}

// Links of the metadata to files of the book must have a type; the manifest knows it, or the file.
void mend_links(const Inspection& found, Draft& draft, Plan& plan) {
  edit_package(found, draft, plan,
               {.name = "media-types",
                .mends = {"OPF-093"},
                .what = "links to files of the book get the media type of the file"},
               [&](const PackagePieces& pieces, XmlEdit& edit) {
                 for (const Scanned& piece : pieces.all()) {
                   if (!pieces.is_element(piece, "link")) continue;
                   if (piece.attribute(pieces.document(), "media-type") != nullptr) continue;
                   const Target target = resolve(pieces.value(piece, "href"), found.package.path);
                   if (target.kind != Target::Kind::inside) continue;
                   const Item* item = found.package.item_at(target.path);
                   const std::string type(item != nullptr ? item->media_type
                                                          : certain_type(found, target.path));
                   if (type.empty()) continue;
                   set_attribute(pieces.document(), piece, "media-type", type, edit);
                 }
               });
}

}  // namespace

void mend_media_types(const Inspection& found, Draft& draft, Plan& plan) {
  if (!found.package.is_read) return;
  if (found.findings.has("OPF-093")) mend_links(found, draft, plan);
  if (!has_wrong_type(found)) return;
  const Types types = wrong_types(found, plan);
  if (types.empty()) return;
  edit_package(found, draft, plan,
               {.name = "media-types",
                .mends = {"OPF-029"},
                .what = "items are declared as what their names and first bytes say"},
               [&](const PackagePieces& pieces, XmlEdit& edit) {
                 for (const Scanned& piece : pieces.all()) {
                   if (!pieces.is_element(piece, "item")) continue;
                   const Item* item = found.package.item_with_id(pieces.value(piece, "id"));
                   const auto type = item == nullptr ? types.end() : types.find(item->path);
                   if (type == types.end()) continue;
                   set_attribute(pieces.document(), piece, "media-type", type->second, edit);
                 }
               });
}

}  // namespace tidemill::epub
