// container.xml, which names the package document.
//
// If the book has exactly one file whose name ends in .opf, that is the package document. The media
// type, the namespace and the version of container.xml have only one valid value each. A
// container.xml that cannot be read is rewritten.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "tidemill/formats/epub/container/container.h"
#include "tidemill/formats/epub/namespaces.h"
#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/repair/fixers/documents.h"
#include "tidemill/formats/epub/repair/fixers/list.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

constexpr auto kRules =
    std::to_array<RuleId>({"OPF-002", "OPF-016", "OPF-017", "RSC-002", "RSC-003"});

// nullopt: none, or more than one.
std::optional<std::string> only_package(const BookDraft& draft) {
  std::optional<std::string> only;
  for (const DraftEntry& entry : draft.entries()) {
    if (entry.name.starts_with("META-INF/") || !ends_in_any_case(entry.name, ".opf")) continue;
    if (only) return std::nullopt;
    only = entry.name;
  }
  return only;
}

std::string rootfile(const std::string& package) {
  return "<rootfile full-path=\"" + escaped_value(package) + "\" media-type=\"" +
         std::string(kPackageType) + "\"/>";
}

void name_package(std::string_view document, const std::string& package, XmlEdit& edit) {
  const auto pieces = scan(document);
  const Scanned* only = nullptr;
  const Scanned* list = nullptr;
  std::size_t count = 0;
  for (const Scanned& piece : pieces) {
    if (piece.kind == Scanned::Kind::end) continue;
    const std::string_view name = local_name(piece.name.in(document));
    if (name == "rootfiles" && piece.kind == Scanned::Kind::start) list = &piece;
    if (name != "rootfile") continue;
    only = &piece;
    ++count;
  }
  const Scanned* root = root_of(pieces);
  if (root != nullptr && root->name.in(document) == "container") {
    set_attribute(document, *root, "xmlns", kContainerNamespace, edit);
  }
  if (count == 1) {
    set_attribute(document, *only, "full-path", package, edit);
    set_attribute(document, *only, "media-type", kPackageType, edit);
  } else if (count == 0 && list != nullptr) {
    edit.insert(list->whole.end, rootfile(package));
  }
}

std::string container_for(const std::string& package) {
  return "<?xml version=\"1.0\"?>\n<container version=\"1.0\" xmlns=\"" +
         std::string(kContainerNamespace) + "\">\n<rootfiles>" + rootfile(package) +
         "</rootfiles>\n</container>\n";
}

// container.xml cannot be read, and has no links that a new one would lose.
bool is_to_be_replaced(const Inspection& found, const BookDraft& draft) {
  const auto broken = entries_with(found, "RSC-016");
  if (std::ranges::find(broken, kContainerPath) == broken.end()) return false;
  const auto document = draft.contents(kContainerPath);
  return document && !document->contains("<link");
}

}  // namespace

void fix_rootfile(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  Change change{.name = "rootfile",
                .entry = std::string(kContainerPath),
                .what = "point container.xml at the only package document"};
  for (const RuleId rule : kRules) {
    if (found.findings.has(rule)) change.repairs.push_back(rule);
  }
  const bool is_replaced = is_to_be_replaced(found, draft);
  constexpr RuleId kUnread("RSC-016");
  if (is_replaced) change.repairs.push_back(kUnread);
  if (change.repairs.empty()) return;
  const auto package = only_package(draft);
  if (!package) {
    plan.declined.push_back({.rule = change.repairs.front(),
                             .entry = std::string(kContainerPath),
                             .why = "there is no package document, or more than one"});
    return;
  }
  if (draft.find(kContainerPath) == nullptr) {
    if (draft.find(kMimetypePath) == nullptr) return;  // may not be an EPUB
    draft.add({.name = std::string(kContainerPath), .bytes = container_for(*package)},
              draft.entries().size());
    plan.changes.push_back(std::move(change));
    return;
  }
  if (is_replaced) {
    draft.rewrite(kContainerPath, container_for(*package));
    plan.changes.push_back(std::move(change));
    return;
  }
  edit_entry(draft, plan, std::move(change), [&](std::string_view document, XmlEdit& edit) {
    name_package(document, *package, edit);
  });
}

}  // namespace tidemill::epub
