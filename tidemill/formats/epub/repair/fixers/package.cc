// The fixers of the package document as a whole: its version, the order of its parts, its guide.
#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tidemill/formats/epub/repair/fixers/documents.h"
#include "tidemill/formats/epub/repair/fixers/list.h"
#include "tidemill/formats/epub/repair/fixers/package_pieces.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

// A package document with a missing or unknown version.
//
// EPUB 3 requires a navigation document and dcterms:modified; EPUB 2 allows neither, and the spine
// names an NCX. A book between the two is left unchanged.
namespace {

struct Signs {
  bool has_nav = false;
  bool has_modified = false;
  bool has_toc = false;
  bool has_property = false;  // has a meta of EPUB 3
};

Signs signs_of(const PackagePieces& pieces) {
  Signs signs;
  for (const Scanned& piece : pieces.all()) {
    if (pieces.is_element(piece, "item") && has_word(pieces.value(piece, "properties"), "nav")) {
      signs.has_nav = true;
    }
    if (pieces.is_element(piece, "meta")) {
      const std::string property = pieces.value(piece, "property");
      signs.has_property = signs.has_property || !property.empty();
      if (property == "dcterms:modified") signs.has_modified = true;
    }
    if (pieces.is_element(piece, "spine") && !pieces.value(piece, "toc").empty()) {
      signs.has_toc = true;
    }
  }
  return signs;
}

// Empty: not certain.
std::string_view version_by(const Signs& signs) {
  if (signs.has_nav && signs.has_modified) return "3.0";
  if (signs.has_toc && !signs.has_nav && !signs.has_property) return "2.0";
  return {};
}

}  // namespace

void fix_edition(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  const bool is_unknown = found.findings.has("OPF-001");
  if (!is_unknown && !found.findings.has("RSC-005")) return;
  edit_package(found, draft, plan,
               {.name = "edition",
                .repairs = {"OPF-001"},
                .what = "set the version to the one that the contents are written for"},
               [&](const PackagePieces& pieces, XmlEdit& edit) {
                 const Scanned* root = root_of(pieces.all());
                 const std::string_view version = version_by(signs_of(pieces));
                 if (root == nullptr || version.empty()) return;
                 if (!pieces.is_element(*root, "package")) return;
                 const std::string written = pieces.value(*root, "version");
                 // A known version of the same edition is correct.
                 if (!is_unknown && written.starts_with(version.substr(0, 1))) return;
                 set_attribute(pieces.document(), *root, "version", version, edit);
               });
}

// The order of the parts of the package document: metadata, manifest, spine, and the rest.
namespace {

constexpr auto kOrder = std::to_array<std::string_view>(
    {"metadata", "manifest", "spine", "tours", "guide", "bindings", "collection"});

struct Part {
  std::ptrdiff_t rank = 0;
  Span span{};
};

// Empty if one of them is unknown.
std::vector<Part> parts_of(const PackagePieces& pieces) {
  std::vector<Part> parts;
  std::size_t depth = 0;
  for (const Scanned& piece : pieces.all()) {
    const bool is_start = piece.kind == Scanned::Kind::start;
    if (piece.kind == Scanned::Kind::end && depth > 0 && --depth == 1 && !parts.empty()) {
      parts.back().span.end = piece.whole.end;
    }
    if (depth == 1 && (is_start || piece.kind == Scanned::Kind::empty)) {
      const auto* const known =
          std::ranges::find(kOrder, local_name(piece.name.in(pieces.document())));
      if (known == kOrder.end()) return {};
      parts.push_back({.rank = known - kOrder.begin(), .span = piece.whole});
    }
    if (is_start) ++depth;
  }
  return parts;
}

}  // namespace

void fix_order(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  const auto entries = entries_with(found, "RSC-005", "is not allowed here");
  if (std::ranges::find(entries, found.package.path) == entries.end()) return;
  edit_package(found, draft, plan,
               {.name = "order",
                .repairs = {"RSC-005"},
                .what = "put metadata, manifest, spine and guide in the required order"},
               [](const PackagePieces& pieces, XmlEdit& edit) {
                 const std::vector<Part> parts = parts_of(pieces);
                 std::vector<Part> sorted = parts;
                 std::ranges::sort(sorted, {}, [](const Part& part) {
                   return std::pair(part.rank, part.span.begin);
                 });
                 for (std::size_t at = 0; at < parts.size(); ++at) {
                   if (parts[at].span.begin == sorted[at].span.begin) continue;
                   edit.replace(parts[at].span, std::string(sorted[at].span.in(pieces.document())));
                 }
               });
}

// Removes references of the guide to files that are not in the book, and a guide without
// references.
//
// The guide is a list of hints (EPUB 2; EPUB 3 ignores it). If the file exists and is only missing
// in the manifest, the reference may be correct and stays.
namespace {

std::unordered_set<std::string> dead_references(const Inspection& found) {
  std::unordered_set<std::string> dead;
  for (const GuideRef& one : found.package.guide) {
    const bool is_inside = one.target.kind == LinkTarget::Kind::inside;
    if (is_inside && !found.has_entry(one.target.path)) dead.insert(one.href);
  }
  return dead;
}

// Drops the `dead` references, and the guide if no reference remains.
void drop_dead(const PackagePieces& pieces, const std::unordered_set<std::string>& dead,
               XmlEdit& edit) {
  std::size_t guide = 0;
  std::size_t alive = 0;
  std::vector<Span> spans;
  for (std::size_t at = 0; at < pieces.all().size(); ++at) {
    const Scanned& piece = pieces.all()[at];
    if (pieces.is_element(piece, "guide")) guide = at;
    if (guide == at && piece.kind == Scanned::Kind::empty) spans.push_back(pieces.with_line(at));
    if (pieces.is_element(piece, "reference")) {
      if (dead.contains(pieces.value(piece, "href"))) {
        spans.push_back(pieces.with_line(at));
      } else {
        ++alive;
      }
    }
    const bool is_end =
        piece.kind == Scanned::Kind::end && local_name(piece.name.in(pieces.document())) == "guide";
    if (is_end && alive == 0 && guide > 0) {
      spans = {{pieces.all()[guide].whole.begin, piece.whole.end}};
    }
  }
  for (const Span& span : spans) edit.remove(span);
}

}  // namespace

void fix_guide(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  const bool is_empty = !entries_with(found, "RSC-005", "element \"guide\" ends too early").empty();
  if (!found.findings.has("OPF-031") && !is_empty) return;
  const auto dead = dead_references(found);
  if (dead.empty() && !is_empty) {
    plan.declined.push_back({.rule = "OPF-031",
                             .entry = found.package.path,
                             .why = "the file is in the book, but not in the manifest"});
    return;
  }
  edit_entry(draft, plan,
             {.tier = Repairability::safe,
              .name = "guide",
              .repairs = {"OPF-031", "RSC-007"},
              .entry = found.package.path,
              .what = "remove references in the guide to files that are not in the book"},
             [&](std::string_view document, XmlEdit& edit) {
               drop_dead(PackagePieces(document), dead, edit);
             });
}

}  // namespace tidemill::epub
