// The fixers of the attributes of manifest items: media type, properties, fallback, media overlay.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <unordered_set>

#include "tidemill/formats/epub/content/resource_check.h"
#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/references/url.h"
#include "tidemill/formats/epub/repair/fixers/documents.h"
#include "tidemill/formats/epub/repair/fixers/kinds.h"
#include "tidemill/formats/epub/repair/fixers/list.h"
#include "tidemill/formats/epub/repair/fixers/package_pieces.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

// Items with a wrong media type.
//
// The first bytes identify JPEG, PNG and GIF, whatever the name; for other files the name and the
// first bytes must agree. Then the manifest is wrong: image/jpg, text/html for XHTML, or no type.
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
  const zip::ZipEntry* source = found.archive->find(entry);
  if (source == nullptr) return {};
  const auto head = found.archive->read_head(*source, 64);
  return head ? type_of(format_of_bytes(*head)) : std::string_view();
}

using Types = std::map<std::string, std::string_view>;  // by the path of the item

// Has findings that a wrong media type can cause. The entry of OPF-029 is the file itself.
bool has_wrong_type(const Inspection& found) {
  static constexpr auto kRules =
      std::to_array<RuleId>({"OPF-029", "OPF-043", "OPF-044", "OPF-050", "MED-003", "MED-005",
                             "MED-007", "PKG-026", "RSC-010", "RSC-032"});
  return std::ranges::any_of(kRules, [&](RuleId rule) { return found.findings.has(rule); }) ||
         !entries_with(found, "RSC-005", "media-type").empty();
}

Types wrong_types(const Inspection& found, RepairPlan& plan) {
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
          {.rule = "OPF-029", .entry = entry, .why = "its bytes do not match a known media type"});
    } else {
      types.insert_or_assign(entry, type);
    }
  }
  return types;
}

// Metadata links to files of the book must have a media type; it comes from the manifest or the
// file.
void fix_links(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  edit_package(found, draft, plan,
               {.name = "media-types",
                .repairs = {"OPF-093"},
                .what = "give links to files in the book the media type of the file"},
               [&](const PackagePieces& pieces, XmlEdit& edit) {
                 for (const Scanned& piece : pieces.all()) {
                   if (!pieces.is_element(piece, "link")) continue;
                   if (piece.attribute(pieces.document(), "media-type") != nullptr) continue;
                   const LinkTarget target =
                       resolve(pieces.value(piece, "href"), found.package.path);
                   if (target.kind != LinkTarget::Kind::inside) continue;
                   const Item* item = found.package.item_at(target.path);
                   const std::string type(item != nullptr ? item->media_type
                                                          : certain_type(found, target.path));
                   if (type.empty()) continue;
                   set_attribute(pieces.document(), piece, "media-type", type, edit);
                 }
               });
}

}  // namespace

void fix_media_types(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  if (!found.package.is_read) return;
  if (found.findings.has("OPF-093")) fix_links(found, draft, plan);
  if (!has_wrong_type(found)) return;
  const Types types = wrong_types(found, plan);
  if (types.empty()) return;
  edit_package(found, draft, plan,
               {.name = "media-types",
                .repairs = {"OPF-029"},
                .what = "set the media types of items to match their names and first bytes"},
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

// Properties of items that declare the features of a document: scripts, SVG, MathML, remote
// resources.
//
// The document shows which features it uses, so if the two differ, the manifest is wrong.
namespace {

struct Words {
  std::set<std::string> missing{};
  std::set<std::string> untrue{};
};

// "index" is not among them: it declares the purpose of a document.
bool is_seen_in_documents(const std::string& property) {
  static const std::unordered_set<std::string> kProperties = {"scripted", "mathml", "svg", "switch",
                                                              "remote-resources"};
  return kProperties.contains(property);
}

// EPUBCheck requires remote-resources if a style element names a remote font, and warns that it is
// not needed once it is declared. No value satisfies it, so nothing is changed.
bool is_for_fonts_only(const Inspection& found, const std::string& path) {
  const Item* item = found.package.item_at(path);
  if (item == nullptr || item->media_type != kXhtmlType) return false;
  return std::ranges::none_of(found.references.all(), [&](const Reference& one) {
    return one.from == path && one.use != Use::font && one.use != Use::hyperlink &&
           one.target.kind == LinkTarget::Kind::remote;
  });
}

// By the path of the item.
std::map<std::string, Words> wrong_words(const Inspection& found) {
  std::map<std::string, Words> wrong;
  for (const Finding& one : found.findings.kept()) {
    const bool is_missing = one.rule == RuleId("OPF-014");
    if (!is_missing && one.rule != RuleId("OPF-015")) continue;
    const std::size_t colon = one.detail.find(": ");
    const std::string property = one.detail.substr(0, colon);
    if (colon == std::string::npos || !is_seen_in_documents(property)) continue;
    const std::string path = one.detail.substr(colon + 2);
    if (property == "remote-resources" && is_for_fonts_only(found, path)) continue;
    Words& words = wrong[path];
    (is_missing ? words.missing : words.untrue).insert(property);
  }
  return wrong;
}

std::string corrected(const std::string& properties, const Words& wrong) {
  std::string words;
  const auto add = [&](std::string_view word) {
    words += (words.empty() ? "" : " ") + std::string(word);
  };
  for (const std::string_view word : words_of(properties)) {
    if (!wrong.untrue.contains(std::string(word))) add(word);
  }
  for (const std::string& word : wrong.missing) {
    if (!has_word(words, word)) add(word);
  }
  return words;
}

}  // namespace

void fix_properties(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  const auto wrong = wrong_words(found);
  if (wrong.empty()) return;
  Change change{.name = "properties",
                .what = "set the properties of items to match their documents"};
  for (const RuleId rule : {RuleId("OPF-014"), RuleId("OPF-015")}) {
    if (found.findings.has(rule)) change.repairs.push_back(rule);
  }
  edit_package(
      found, draft, plan, std::move(change), [&](const PackagePieces& pieces, XmlEdit& edit) {
        for (const Scanned& piece : pieces.all()) {
          if (!pieces.is_element(piece, "item")) continue;
          const Item* item = found.package.item_with_id(pieces.value(piece, "id"));
          const auto words = item == nullptr ? wrong.end() : wrong.find(item->path);
          if (words == wrong.end()) continue;
          const std::string right = corrected(pieces.value(piece, "properties"), words->second);
          set_words(pieces.document(), piece, "properties", right, edit);
        }
      });
}

// Fallbacks to missing items, or in a cycle, on items that need none: every reading system supports
// these items, so the attribute has no effect and is removed.
namespace {

// The chain ends at an existing item without a fallback.
bool has_an_end(const Package& package, const Item& item) {
  return package.fallback_chain(item).back()->fallback.empty();
}

}  // namespace

void fix_fallbacks(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  const bool has_styles = !entries_with(found, "RSC-005", "fallback-style").empty();
  if (!found.findings.has("OPF-040") && !found.findings.has("OPF-045") && !has_styles) return;
  edit_package(found, draft, plan,
               {.name = "fallbacks",
                .repairs = {"OPF-040", "OPF-045"},
                .what = "remove dangling fallbacks from items that do not need one"},
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

// The media-overlay attribute of items: the overlays show which of them belongs to a document.
//
// If exactly one overlay refers to the document, the attribute names it. If none does, the
// attribute is wrong and is removed.
namespace {

using Owners = std::map<std::string, std::set<std::string>, std::less<>>;  // path, ids of overlays

Owners owners_of(const Inspection& found) {
  Owners owners;
  for (const Reference& link : found.references.all()) {
    if (link.use != Use::overlay_text || link.target.kind != LinkTarget::Kind::inside) continue;
    const Item* overlay = found.package.item_at(link.from);
    if (overlay != nullptr) owners[link.target.path].insert(overlay->id);
  }
  return owners;
}

}  // namespace

void fix_overlays(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  Change change{.name = "overlays", .what = "add media-overlay to items that an overlay refers to"};
  for (const RuleId rule : {RuleId("MED-010"), RuleId("MED-012"), RuleId("MED-013")}) {
    if (found.findings.has(rule)) change.repairs.push_back(rule);
  }
  if (change.repairs.empty() || found.references.dropped() > 0 || found.findings.has("RSC-016")) {
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
