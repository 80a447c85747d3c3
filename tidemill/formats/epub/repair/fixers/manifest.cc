// Items of the manifest that are none: of files that are not in the book, and of the package
// document itself.
//
// When nothing refers to such an item, nothing is lost without it. When something does (the spine,
// another item, a link, a style sheet), the missing file is what is wrong, and that cannot be made.
// A document that cannot be read may refer to anything: then all of them stay.
#include <string>
#include <unordered_set>

#include "tidemill/formats/epub/repair/fixer_list.h"
#include "tidemill/formats/epub/repair/fixer_package.h"
#include "tidemill/formats/epub/repair/fixer_text.h"

namespace tidemill::epub {
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

  // Drops the items that nothing needs; the others go into `needed`.
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

void mend_manifest(const Inspection& found, Draft& draft, Plan& plan) {
  if (!found.findings.has("RSC-001") && !found.findings.has("OPF-099")) return;
  Manifest manifest(found);
  Change change{.tier = Mend::safe, .name = "manifest", .entry = found.package.path};
  for (const RuleId rule : {RuleId("RSC-001"), RuleId("OPF-099")}) {
    if (found.findings.has(rule)) change.mends.push_back(rule);
  }
  change.what = "items that are no files of the book, and that nothing refers to, are dropped";
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

}  // namespace tidemill::epub
