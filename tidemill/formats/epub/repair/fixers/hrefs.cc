// Parts of a URL that have no meaning where they stand: the fragment of a style sheet, and the
// fragment and the query of a manifest's item, which is a file.
#include <string>

#include "tidemill/formats/epub/repair/fixer_list.h"
#include "tidemill/formats/epub/repair/fixer_package.h"
#include "tidemill/formats/epub/repair/fixer_text.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

void cut(std::string_view document, const Scanned& piece, std::string_view signs, XmlEdit& edit) {
  const auto* href = piece.attribute(document, "href");
  if (href == nullptr) return;
  const std::string_view value = href->value.in(document);
  if (value.contains("://")) return;
  const std::size_t at = value.find_first_of(signs);
  if (at != std::string_view::npos) edit.remove({href->value.begin + at, href->value.end});
}

void cut_style_sheets(std::string_view document, XmlEdit& edit) {
  for (const Scanned& piece : scan(document)) {
    const auto* rel = piece.attribute(document, "rel");
    if (rel == nullptr || !has_word(lowered(rel->value.in(document)), "stylesheet")) continue;
    cut(document, piece, "#", edit);
  }
}

}  // namespace

void mend_hrefs(const Inspection& found, Draft& draft, Plan& plan) {
  const Change change{.name = "hrefs",
                      .mends = {"OPF-091", "RSC-013", "RSC-033"},
                      .what = "meaningless fragments and queries are removed"};
  if (found.findings.has("OPF-091") || found.findings.has("RSC-033")) {
    edit_package(found, draft, plan, change, [](const PackagePieces& pieces, XmlEdit& edit) {
      for (const Scanned& piece : pieces.all()) {
        if (pieces.is_element(piece, "item")) cut(pieces.document(), piece, "?#", edit);
      }
    });
  }
  for (const std::string& entry : entries_with(found, "RSC-013")) {
    Change of_document = change;
    of_document.entry = entry;
    edit_entry(draft, plan, std::move(of_document), cut_style_sheets);
  }
}

}  // namespace tidemill::epub
