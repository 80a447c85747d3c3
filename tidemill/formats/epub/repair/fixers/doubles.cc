// Things that stand twice and may stand once: two items for one file, dcterms:modified, a rootfile.
//
// When both say the same, the second goes. Of two items that is so when they differ in nothing but
// their ids, and nothing refers to the second.
#include <map>
#include <set>
#include <string>

#include "tidemill/formats/epub/container/paths.h"
#include "tidemill/formats/epub/repair/fixer_list.h"
#include "tidemill/formats/epub/repair/fixer_package.h"
#include "tidemill/formats/epub/repair/fixer_text.h"

namespace tidemill::epub {
namespace {

// All that an item says but its id.
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

void mend_doubles(const Inspection& found, Draft& draft, Plan& plan) {
  const Change change{.name = "doubles",
                      .mends = {"OPF-074", "PKG-013", "RSC-005"},
                      .what = "a duplicate is dropped"};
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

}  // namespace tidemill::epub
