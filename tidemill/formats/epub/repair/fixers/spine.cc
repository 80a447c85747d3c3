// The spine: its toc attribute, and references to items that do not exist.
//
// toc names the NCX: with exactly one NCX in the manifest there is one fix. An itemref without an
// item means the document that is in the book but not in the manifest, if there is exactly one of
// each. If every document of the book is in the manifest and in the spine, it means nothing and is
// removed. The second of two equal consecutive itemrefs is redundant and is removed.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/repair/fixers/documents.h"
#include "tidemill/formats/epub/repair/fixers/kinds.h"
#include "tidemill/formats/epub/repair/fixers/list.h"
#include "tidemill/formats/epub/repair/fixers/package_pieces.h"

namespace tidemill::epub {
namespace {

const Item* only_ncx(const Package& package) {
  const Item* only = nullptr;
  for (const Item& item : package.items) {
    if (item.media_type != kNcxType) continue;
    if (only != nullptr) return nullptr;
    only = &item;
  }
  return only;
}

bool lacks_toc(const Inspection& found) {
  return found.findings.has("OPF-049") || found.findings.has("OPF-050") ||
         !entries_with(found, "RSC-005", "toc").empty();
}

void name_ncx(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  const Item* ncx = only_ncx(found.package);
  if (ncx == nullptr || ncx->id.empty() || found.package.toc == ncx->id) return;
  edit_package(found, draft, plan,
               {.name = "spine",
                .repairs = {"OPF-049", "OPF-050", "RSC-005"},
                .what = "set toc of the spine to the only NCX"},
               [&](const PackagePieces& pieces, XmlEdit& edit) {
                 for (const Scanned& piece : pieces.all()) {
                   if (!pieces.is_element(piece, "spine")) continue;
                   set_attribute(pieces.document(), piece, "toc", ncx->id, edit);
                 }
               });
}

// The ids in itemrefs that no item has.
std::set<std::string> missing_items(const Package& package) {
  std::set<std::string> missing;
  for (const SpineRef& ref : package.spine) {
    if (package.item_with_id(ref.idref) == nullptr) missing.insert(ref.idref);
  }
  return missing;
}

std::vector<std::string> documents_without_items(const Inspection& found) {
  std::vector<std::string> paths;
  for (const zip::ZipEntry& entry : found.archive->entries()) {
    if (found.package.item_at(entry.name) != nullptr) continue;
    if (certain_type(found, entry.name) == kXhtmlType) paths.push_back(entry.name);
  }
  return paths;
}

bool is_every_document_in_spine(const Package& package) {
  for (const Item& item : package.items) {
    if (item.media_type != kXhtmlType || item.has("nav")) continue;
    if (package.spine_position(item) == kNone) return false;
  }
  return true;
}

void add_item(const Inspection& found, const std::string& id, const std::string& path,
              BookDraft& draft, RepairPlan& plan) {
  edit_package(found, draft, plan,
               {.name = "spine",
                .repairs = {"OPF-049", "RSC-005", "RSC-008"},
                .what = "use the only document without an item as the only missing item"},
               [&](const PackagePieces& pieces, XmlEdit& edit) {
                 for (const Scanned& piece : pieces.all()) {
                   if (piece.kind != Scanned::Kind::end) continue;
                   const std::string_view tag = piece.name.in(pieces.document());
                   if (local_name(tag) != "manifest") continue;
                   const std::string prefix(tag.substr(0, tag.size() - local_name(tag).size()));
                   edit.insert(piece.whole.begin,
                               "<" + prefix + "item id=\"" + escaped_value(id) + "\" href=\"" +
                                   escaped_value(relative_url(found.package.path, path)) +
                                   "\" media-type=\"" + std::string(kXhtmlType) + "\"/>\n");
                 }
               });
}

bool lacks_id(const PackagePieces& pieces, const Scanned& piece) {
  return pieces.is_element(piece, "item") && pieces.value(piece, "id").empty();
}

std::size_t items_without_ids(const Inspection& found, const BookDraft& draft) {
  const auto document = draft.contents(found.package.path);
  if (!document) return 0;
  const PackagePieces pieces(*document);
  return static_cast<std::size_t>(std::ranges::count_if(
      pieces.all(), [&](const Scanned& piece) { return lacks_id(pieces, piece); }));
}

// Gives the only item without an id the id that is referred to but missing. If no id is missing,
// nothing refers to the item, and any free id is correct.
void name_items(const Inspection& found, const std::string& missing, BookDraft& draft,
                RepairPlan& plan) {
  edit_package(
      found, draft, plan,
      {.name = "spine", .repairs = {"OPF-049", "RSC-005"}, .what = "give items without an id one"},
      [&](const PackagePieces& pieces, XmlEdit& edit) {
        std::set<std::string> ids;
        for (const Scanned& piece : pieces.all()) ids.insert(pieces.value(piece, "id"));
        std::size_t number = 0;
        for (const Scanned& piece : pieces.all()) {
          if (!lacks_id(pieces, piece)) continue;
          std::string id = missing;
          while (id.empty() || !ids.insert(id).second) {
            id = "added-" + std::to_string(++number);
          }
          set_attribute(pieces.document(), piece, "id", id, edit);
        }
      });
}

void drop_itemrefs(const Inspection& found, const std::set<std::string>& ids, BookDraft& draft,
                   RepairPlan& plan) {
  edit_package(
      found, draft, plan,
      {.name = "spine",
       .repairs = {"OPF-049", "OPF-034", "RSC-005"},
       .what = "remove itemrefs to missing items, or to the same item as the previous one"},
      [&](const PackagePieces& pieces, XmlEdit& edit) {
        std::string before;
        for (std::size_t at = 0; at < pieces.all().size(); ++at) {
          const Scanned& piece = pieces.all()[at];
          if (!pieces.is_element(piece, "itemref")) continue;
          const std::string_view tag = piece.whole.in(pieces.document());
          const bool is_dead = ids.contains(pieces.value(piece, "idref"));
          if (is_dead || tag == before) edit.remove(pieces.with_line(at));
          before = tag;
        }
      });
}

void fix_itemrefs(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  std::set<std::string> missing = missing_items(found.package);
  const auto documents = documents_without_items(found);
  if (missing.size() == 1 && documents.size() == 1) {
    add_item(found, *missing.begin(), documents.front(), draft, plan);
    return;
  }
  const bool may_drop = documents.empty() && is_every_document_in_spine(found.package);
  if (!missing.empty() && !may_drop) {
    plan.declined.push_back({.rule = "OPF-049",
                             .entry = found.package.path,
                             .why = "it is not certain which document the spine refers to"});
    missing.clear();
  }
  drop_itemrefs(found, missing, draft, plan);
}

}  // namespace

void fix_spine(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  if (!found.package.is_read) return;
  std::set<std::string> missing = missing_items(found.package);
  const bool has_toc = found.package.item_with_id(found.package.toc) != nullptr;
  if (!found.package.toc.empty() && !has_toc) missing.insert(found.package.toc);
  const std::size_t nameless = items_without_ids(found, draft);
  if (nameless > 0) {  // the next round does the rest, when they have ids
    if (missing.empty() || (missing.size() == 1 && nameless == 1)) {
      name_items(found, missing.empty() ? "" : *missing.begin(), draft, plan);
    }
    return;
  }
  if (lacks_toc(found)) name_ncx(found, draft, plan);
  const bool is_twice = !entries_with(found, "RSC-005", "the spine has").empty();
  if (found.findings.has("OPF-049") || found.findings.has("OPF-034") || is_twice) {
    fix_itemrefs(found, draft, plan);
  }
}

}  // namespace tidemill::epub
