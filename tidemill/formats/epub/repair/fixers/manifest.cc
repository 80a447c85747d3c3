// The fixers that add and remove items of the manifest.
#include <map>
#include <set>
#include <string>
#include <unordered_set>

#include "tidemill/formats/epub/container/container.h"
#include "tidemill/formats/epub/repair/fixers/documents.h"
#include "tidemill/formats/epub/repair/fixers/kinds.h"
#include "tidemill/formats/epub/repair/fixers/list.h"
#include "tidemill/formats/epub/repair/fixers/package_pieces.h"

namespace tidemill::epub {

// Duplicates of elements that may occur once: two items for one file, dcterms:modified, a rootfile.
//
// If both are equal, the second is removed. Two items are equal if they differ only in their ids
// and nothing refers to the second.
namespace {

// The attributes of an item except its id.
std::map<std::string, std::string> facts_of(const PackagePieces& pieces, const Scanned& item) {
  std::map<std::string, std::string> facts;
  for (const ScannedAttribute& one : item.attributes) {
    const std::string_view name = one.name.in(pieces.document());
    if (name != "id") facts.emplace(name, resolved_value(one.value.in(pieces.document())));
  }
  return facts;
}

void drop_items(const PackagePieces& pieces, XmlEdit& edit) {
  std::map<std::map<std::string, std::string>, std::string> first;  // facts, id
  for (std::size_t at = 0; at < pieces.all().size(); ++at) {
    const Scanned& piece = pieces.all()[at];
    if (!pieces.is_element(piece, "item")) continue;
    const std::string id = pieces.value(piece, "id");
    const auto [known, is_new] = first.emplace(facts_of(pieces, piece), id);
    if (is_new || (known->second != id && pieces.is_referred_to(id))) continue;
    edit.remove(pieces.with_line(at));
  }
}

void drop_dates(const PackagePieces& pieces, XmlEdit& edit) {
  std::set<std::string_view> seen;
  for (std::size_t at = 0; at < pieces.all().size(); ++at) {
    const Scanned& piece = pieces.all()[at];
    if (!pieces.is_element(piece, "meta")) continue;
    if (pieces.value(piece, "property") != "dcterms:modified" ||
        !pieces.value(piece, "refines").empty()) {
      continue;
    }
    const Span whole = pieces.whole_of(at);
    if (!seen.insert(whole.in(pieces.document())).second) edit.remove(pieces.with_line(at));
  }
}

void drop_rootfiles(std::string_view document, XmlEdit& edit) {
  const PackagePieces pieces(document);
  std::set<std::string_view> seen;
  for (std::size_t at = 0; at < pieces.all().size(); ++at) {
    if (!pieces.is_element(pieces.all()[at], "rootfile")) continue;
    if (!seen.insert(pieces.all()[at].whole.in(document)).second) edit.remove(pieces.with_line(at));
  }
}

}  // namespace

void fix_doubles(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  const Change change{.name = "doubles",
                      .repairs = {"OPF-074", "PKG-013", "RSC-005"},
                      .what = "remove a duplicate"};
  if (found.findings.has("OPF-074") || !entries_with(found, "RSC-005", "the id \"").empty()) {
    edit_package(found, draft, plan, change, drop_items);
  }
  if (!entries_with(found, "RSC-005", "dcterms:modified").empty()) {
    edit_package(found, draft, plan, change, drop_dates);
  }
  if (found.findings.has("PKG-013")) {
    Change rootfiles = change;
    rootfiles.entry = kContainerPath;
    edit_entry(draft, plan, std::move(rootfiles), drop_rootfiles);
  }
}

// Invalid items of the manifest: for files that are not in the book, and for the package document
// itself.
//
// If nothing refers to such an item, it can be removed without loss. If something does (the spine,
// another item, a link, a style sheet), the missing file is the fault, and it cannot be recreated.
// A document that cannot be read may refer to anything: then all items stay.
namespace {

bool is_superfluous(const Inspection& found, const Item& item) {
  if (item.is_remote || item.is_data || item.has_fragment) return false;
  return item.path == found.package.path || !found.has_entry(item.path);
}

std::unordered_set<std::string_view> paths_referred_to(const Inspection& found) {
  std::unordered_set<std::string_view> paths;
  for (const Reference& one : found.references.all()) paths.insert(one.target.path);
  for (const GuideRef& one : found.package.guide) paths.insert(one.target.path);
  for (const MetadataLink& one : found.package.links) paths.insert(one.target.path);
  return paths;
}

class Manifest {
 public:
  explicit Manifest(const Inspection& found) : found_(found), paths_(paths_referred_to(found)) {}

  // Drops the items that nothing refers to and adds the others to `needed`.
  void drop(std::string_view document, XmlEdit& edit) {
    const PackagePieces pieces(document);
    for (std::size_t at = 0; at < pieces.all().size(); ++at) {
      const Scanned& piece = pieces.all()[at];
      if (!pieces.is_element(piece, "item")) continue;
      const std::string id = pieces.value(piece, "id");
      const Item* item = found_.package.item_with_id(id);
      if (item == nullptr || pieces.value(piece, "href") != item->href) continue;
      if (!is_superfluous(found_, *item)) continue;
      if (is_needed(pieces, *item)) {
        needed.push_back(item);
      } else {
        edit.remove(pieces.with_line(at));
      }
    }
  }

  std::vector<const Item*> needed{};

 private:
  [[nodiscard]] bool is_needed(const PackagePieces& pieces, const Item& item) const {
    return found_.findings.has("RSC-016") || found_.references.dropped() > 0 || item.has("nav") ||
           pieces.is_referred_to(item.id) || paths_.contains(item.path);
  }

  const Inspection& found_;
  const std::unordered_set<std::string_view> paths_;
};

}  // namespace

void fix_manifest(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  if (!found.findings.has("RSC-001") && !found.findings.has("OPF-099")) return;
  Manifest manifest(found);
  Change change{.tier = Repairability::safe, .name = "manifest", .entry = found.package.path};
  for (const RuleId rule : {RuleId("RSC-001"), RuleId("OPF-099")}) {
    if (found.findings.has(rule)) change.repairs.push_back(rule);
  }
  change.what = "remove items whose files are not in the book and that nothing refers to";
  edit_entry(draft, plan, std::move(change),
             [&](std::string_view document, XmlEdit& edit) { manifest.drop(document, edit); });
  constexpr std::size_t kTold = 20;
  for (const Item* item : manifest.needed) {
    if (plan.declined.size() > kTold) break;
    const bool is_itself = item->path == found.package.path;
    plan.declined.push_back(
        {.rule = is_itself ? RuleId("OPF-099") : RuleId("RSC-001"),
         .entry = item->path,
         .why = is_itself ? "something may refer to the package document"
                          : "the file is not in the book, and something may refer to it"});
  }
}

// Adds an item for each file that is referred to but not in the manifest.
//
// The media type is certain if the name and the first bytes agree. Otherwise it would be a guess,
// and no item is added.
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

void fix_items(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  // Items with a fragment or without an id cannot be found by their file.
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
          {.rule = "RSC-008", .entry = path, .why = "the media type of the file is not certain"});
    } else {
      items.push_back(std::move(added));
    }
  }
  if (items.empty()) return;
  edit_entry(draft, plan,
             {.tier = Repairability::safe,
              .name = "items",
              .repairs = {"RSC-008"},
              .entry = found.package.path,
              .what = "add referenced files to the manifest"},
             [&](std::string_view document, XmlEdit& edit) { add_items(document, items, edit); });
}

}  // namespace tidemill::epub
