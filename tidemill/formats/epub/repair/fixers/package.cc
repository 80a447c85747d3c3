// References of the guide to files that are not in the book: they lead nowhere, and go. A guide
// without any goes too.
//
// The guide is a list of hints (EPUB 2; EPUB 3 ignores it). When the file is there and only missing
// in the manifest, the reference may be right: it stays.
#include <string>
#include <unordered_set>

#include "tidemill/formats/epub/repair/fixer_list.h"
#include "tidemill/formats/epub/repair/fixer_package.h"
#include "tidemill/formats/epub/repair/fixer_text.h"

namespace tidemill::epub {
namespace {

std::unordered_set<std::string> dead_references(const Inspection& found) {
  std::unordered_set<std::string> dead;
  for (const GuideRef& one : found.package.guide) {
    const bool is_inside = one.target.kind == Target::Kind::inside;
    if (is_inside && !found.has_entry(one.target.path)) dead.insert(one.href);
  }
  return dead;
}

// From the start tag to the end tag, when nothing but white space and `dead` tags are between.
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

void mend_guide(const Inspection& found, Draft& draft, Plan& plan) {
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
             {.tier = Mend::safe,
              .name = "guide",
              .mends = {"OPF-031", "RSC-007"},
              .entry = found.package.path,
              .what = "references of the guide to files that are not in the book are dropped"},
             [&](std::string_view document, XmlEdit& edit) {
               drop_dead(PackagePieces(document), dead, edit);
             });
}

}  // namespace tidemill::epub
