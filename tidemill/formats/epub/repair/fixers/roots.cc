// Elements with only one possible meaning: root elements with their namespaces and versions, SVG
// and MathML without a namespace, XHTML elements in capitals.
#include <array>
#include <set>
#include <string>

#include "tidemill/formats/epub/namespaces.h"
#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/repair/fixers/documents.h"
#include "tidemill/formats/epub/repair/fixers/list.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

struct Root {
  std::string_view name{};
  std::string_view space{};    // the namespace
  std::string_view version{};  // empty: several versions, or none
};

constexpr std::array kRoots = {
    Root{.name = "html", .space = kXhtmlNamespace},
    Root{.name = "package", .space = kOpfNamespace},
    Root{.name = "ncx", .space = kNcxNamespace, .version = "2005-1"},
    Root{.name = "smil", .space = "http://www.w3.org/ns/SMIL", .version = "3.0"},
    Root{.name = "container", .space = kContainerNamespace, .version = "1.0"},
};

void correct(std::string_view document, XmlEdit& edit) {
  const auto pieces = scan(document);
  const Scanned* root = root_of(pieces);
  if (root == nullptr) return;
  for (const Root& one : kRoots) {
    if (root->name.in(document) != one.name) continue;
    set_attribute(document, *root, "xmlns", one.space, edit);
    if (!one.version.empty()) set_attribute(document, *root, "version", one.version, edit);
  }
}

// SVG and MathML in XHTML; only the outermost element needs the namespace.
void correct_islands(std::string_view document, XmlEdit& edit) {
  std::size_t depth = 0;
  for (const Scanned& piece : scan(document)) {
    const std::string_view name = piece.name.in(document);
    if (name != "svg" && name != "math") continue;
    if (piece.kind == Scanned::Kind::end) {
      depth -= depth > 0 ? 1 : 0;
      continue;
    }
    if (depth == 0 && piece.attribute(document, "xmlns") == nullptr) {
      set_attribute(document, piece, "xmlns", name == "svg" ? kSvgNamespace : kMathmlNamespace,
                    edit);
    }
    if (piece.kind == Scanned::Kind::start) ++depth;
  }
}

// <P> becomes <p> in XHTML. SVG has names with capitals.
void correct_capitals(std::string_view document, XmlEdit& edit) {
  bool is_svg = false;
  for (const Scanned& piece : scan(document)) {
    const std::string_view name = piece.name.in(document);
    using Kind = Scanned::Kind;
    if (piece.kind != Kind::start && piece.kind != Kind::end && piece.kind != Kind::empty) continue;
    if (local_name(name) == "svg") is_svg = piece.kind == Kind::start;
    if (is_svg || name.contains(':')) continue;
    const std::string small = lowered(name);
    if (small != name) edit.replace(piece.name, small);
  }
}

// The finding is an RSC-005 about an element whose name begins with a capital.
bool has_capitals(const Finding& one) {
  const std::size_t name = one.detail.find("element \"");
  return one.rule == RuleId("RSC-005") && name != std::string::npos &&
         name + 9 < one.detail.size() && one.detail[name + 9] >= 'A' && one.detail[name + 9] <= 'Z';
}

}  // namespace

void fix_roots(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  std::set<std::string> entries;
  for (const Root& root : kRoots) {
    const std::string name = "element \"" + std::string(root.name) + "\"";
    for (const std::string& entry : entries_with(found, "RSC-005", name)) entries.insert(entry);
  }
  for (const std::string& entry : entries) {
    edit_entry(draft, plan,
               {.name = "roots",
                .repairs = {"RSC-005"},
                .entry = entry,
                .what = "set the namespace and version of the root element"},
               correct);
  }
  std::set<std::string> islands;
  for (const std::string_view name : {"element \"svg\"", "element \"math\""}) {
    for (const std::string& entry : entries_with(found, "RSC-005", name)) islands.insert(entry);
  }
  std::set<std::string> capitals;
  for (const Finding& one : found.findings.kept()) {
    if (has_capitals(one)) capitals.insert(one.place.entry);
  }
  const auto fix_xhtml = [&](const std::set<std::string>& documents, const std::string& what,
                             void (*correct_one)(std::string_view, XmlEdit&)) {
    for (const std::string& entry : documents) {
      const Item* item = found.package.item_at(entry);
      if (item == nullptr || item->media_type != kXhtmlType) continue;
      edit_entry(draft, plan,
                 {.name = "roots", .repairs = {"RSC-005"}, .entry = entry, .what = what},
                 correct_one);
    }
  };
  fix_xhtml(islands, "add the namespaces of SVG and MathML", correct_islands);
  fix_xhtml(capitals, "write the XHTML elements in lower case", correct_capitals);
}

}  // namespace tidemill::epub
