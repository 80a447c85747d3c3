// The version of a package document, when it is missing or none that there is.
//
// A navigation document and dcterms:modified are of EPUB 3 and must be there; in EPUB 2 neither may
// be, and the spine names an NCX. A book that is between the two stays.
#include <string>

#include "tidemill/formats/epub/repair/fixer_list.h"
#include "tidemill/formats/epub/repair/fixer_package.h"
#include "tidemill/formats/epub/repair/fixer_text.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

struct Signs {
  bool has_nav = false;
  bool has_modified = false;
  bool has_toc = false;
  bool has_property = false;  // some meta of EPUB 3
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

// Empty: it is not certain.
std::string_view version_by(const Signs& signs) {
  if (signs.has_nav && signs.has_modified) return "3.0";
  if (signs.has_toc && !signs.has_nav && !signs.has_property) return "2.0";
  return {};
}

}  // namespace

void mend_edition(const Inspection& found, Draft& draft, Plan& plan) {
  const bool is_unknown = found.findings.has("OPF-001");
  if (!is_unknown && !found.findings.has("RSC-005")) return;
  edit_package(found, draft, plan,
               {.name = "edition",
                .mends = {"OPF-001"},
                .what = "the version is set to the edition that the contents are written for"},
               [&](const PackagePieces& pieces, XmlEdit& edit) {
                 const Scanned* root = root_of(pieces.all());
                 const std::string_view version = version_by(signs_of(pieces));
                 if (root == nullptr || version.empty()) return;
                 if (!pieces.is_element(*root, "package")) return;
                 const std::string written = pieces.value(*root, "version");
                 // 3.0 that only names another EPUB 3 than ours is right as it is.
                 if (!is_unknown && written.starts_with(version.substr(0, 1))) return;
                 set_attribute(pieces.document(), *root, "version", version, edit);
               });
}

}  // namespace tidemill::epub
