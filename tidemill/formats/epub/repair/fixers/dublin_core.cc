// Dublin Core elements in capitals: dc:Creator is dc:creator, and there is no other that it could
// be.
#include <string>
#include <unordered_set>

#include "tidemill/formats/epub/repair/fixer_list.h"
#include "tidemill/formats/epub/repair/fixer_package.h"
#include "tidemill/formats/epub/repair/fixer_text.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

bool is_element(const std::string& name) {
  static const std::unordered_set<std::string> kNames = {
      "dc:contributor", "dc:coverage",   "dc:creator",  "dc:date",      "dc:description",
      "dc:format",      "dc:identifier", "dc:language", "dc:publisher", "dc:relation",
      "dc:rights",      "dc:source",     "dc:subject",  "dc:title",     "dc:type"};
  return kNames.contains(name);
}

}  // namespace

void mend_dublin_core(const Inspection& found, Draft& draft, Plan& plan) {
  if (found.package.is_oeb12 || entries_with(found, "RSC-005", "\"dc:").empty()) return;
  edit_package(found, draft, plan,
               {.name = "dublin-core",
                .mends = {"RSC-005"},
                .what = "elements of Dublin Core are written in small letters"},
               [](const PackagePieces& pieces, XmlEdit& edit) {
                 for (const Scanned& piece : pieces.all()) {
                   const std::string_view name = piece.name.in(pieces.document());
                   const std::string small = lowered(name);
                   if (small != name && is_element(small)) edit.replace(piece.name, small);
                 }
               });
}

}  // namespace tidemill::epub
