// The fixers of what an item of the manifest says of its file: its media type, its properties, its
// fallback, its media overlay.
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

// Items that are declared as something else than they are.
//
// The first bytes of JPEG, PNG and GIF are certain, whatever the name. Of other files name and
// first bytes must agree. Then the manifest is what is wrong: image/jpg, text/html for XHTML, no
// type at all.
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
          {.rule = "OPF-029", .entry = entry, .why = "its bytes do not match a known media type"});
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
                .what = "give links to files in the book the media type of the file"},
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

// Properties of items that say what a document uses: scripts, SVG, MathML, remote resources.
//
// What a document uses can be seen in it, so where the two differ the manifest is wrong.
namespace {

struct Words {
  std::set<std::string> missing{};
  std::set<std::string> untrue{};
};

// "index" is not among them: it says what a document is meant to be.
bool is_seen_in_documents(const std::string& property) {
  static const std::unordered_set<std::string> kProperties = {"scripted", "mathml", "svg", "switch",
                                                              "remote-resources"};
  return kProperties.contains(property);
}

// EPUBCheck asks for remote-resources when a style element names a remote font, and once it is
// there warns that it is not needed. What cannot be right for it stays.
bool is_for_fonts_only(const Inspection& found, const std::string& path) {
  const Item* item = found.package.item_at(path);
  if (item == nullptr || item->media_type != kXhtmlType) return false;
  return std::ranges::none_of(found.references.all(), [&](const Reference& one) {
    return one.from == path && one.use != Use::font && one.use != Use::hyperlink &&
           one.target.kind == Target::Kind::remote;
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

void mend_properties(const Inspection& found, Draft& draft, Plan& plan) {
  const auto wrong = wrong_words(found);
  if (wrong.empty()) return;
  Change change{.name = "properties",
                .what = "set the properties of items to match their documents"};
  for (const RuleId rule : {RuleId("OPF-014"), RuleId("OPF-015")}) {
    if (found.findings.has(rule)) change.mends.push_back(rule);
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

// Fallbacks that lead nowhere, or back to where they come from, of items that need none: every
// reading system shows them, so the attribute has no effect and goes.
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

// media-overlay of items: which overlay reads a document can be seen in the overlays.
//
// When exactly one overlay refers to the document, that is the one. When none does, the attribute
// is wrong, and goes.
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
  Change change{.name = "overlays", .what = "add media-overlay to items that an overlay refers to"};
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
