#include "tidemill/formats/epub/content/prolog_check.h"

#include <algorithm>
#include <array>
#include <string>

#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

using Mark = xml::Prolog::Mark;

enum class Encoding : std::uint8_t { utf8, utf16, other };

// The bytes take precedence over the declaration.
Encoding encoding_of(const xml::Prolog& prolog) {
  const Mark mark = prolog.mark == Mark::none ? prolog.looks_like : prolog.mark;
  switch (mark) {
    case Mark::utf8:
      return Encoding::utf8;
    case Mark::utf16le:
    case Mark::utf16be:
      return Encoding::utf16;
    case Mark::utf32:
      return Encoding::other;
    case Mark::none:
      break;
  }
  const std::string_view declared = prolog.declared_encoding;
  if (declared.empty() || same_in_any_case(declared, "utf-8")) return Encoding::utf8;
  return same_in_any_case(declared, "utf-16") ? Encoding::utf16 : Encoding::other;
}

void check_encoding(const Document& document, const xml::Prolog& prolog,
                    std::string_view media_type) {
  switch (encoding_of(prolog)) {
    case Encoding::utf8:
      return;
    case Encoding::utf16:
      if (media_type == kXhtmlType) return document.report("HTM-058", {}, "UTF-16");
      return document.report("RSC-027", {}, "UTF-16");
    case Encoding::other:
      document.report("RSC-028", {},
                      prolog.declared_encoding.empty() ? "UTF-32" : prolog.declared_encoding);
  }
}

// Encoded as UTF-16 but declared as UTF-8, which a parser must reject.
bool contradicts_itself(const xml::Prolog& prolog) {
  const Mark mark = prolog.mark == Mark::none ? prolog.looks_like : prolog.mark;
  return (mark == Mark::utf16le || mark == Mark::utf16be) &&
         same_in_any_case(prolog.declared_encoding, "utf-8");
}

void report_mistake(const Document& document, const xml::Mistake& mistake) {
  using Kind = xml::Mistake::Kind;
  switch (mistake.kind) {
    case Kind::malformed:
    case Kind::undeclared_entity:
    case Kind::undeclared_prefix:
    case Kind::encoding:
      return document.report("RSC-016", mistake.where, mistake.text);
    case Kind::missing_dtd:
      return document.report("PKG-008", mistake.where, mistake.text);
    case Kind::too_large:
      return document.report("TIDE-001", mistake.where, mistake.text);
    case Kind::too_deep:
      return document.report("TIDE-009", mistake.where, mistake.text);
    case Kind::entity_bomb:
      return document.report("TIDE-010", mistake.where, mistake.text);
  }
}

struct Known {
  std::string_view media_type{};
  std::string_view root{};  // empty: any
  std::string_view public_id{};
  std::string_view system_id{};
};

constexpr Known kXhtml11 = {.media_type = kXhtmlType,
                            .root = "html",
                            .public_id = "-//W3C//DTD XHTML 1.1//EN",
                            .system_id = "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd"};
constexpr Known kNcx = {.media_type = kNcxType,
                        .public_id = "-//NISO//DTD ncx 2005-1//EN",
                        .system_id = "http://www.daisy.org/z3986/2005/ncx-2005-1.dtd"};
constexpr Known kSvg = {.media_type = kSvgType,
                        .public_id = "-//W3C//DTD SVG 1.1//EN",
                        .system_id = "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd"};
constexpr Known kOeb = {.media_type = kPackageType,
                        .root = "package",
                        .public_id = "+//ISBN 0-9673008-1-9//DTD OEB 1.2 Package//EN",
                        .system_id = "http://openebook.org/dtds/oeb-1.2/oebpkg12.dtd"};

bool matches(const xml::Doctype& doctype, const Known& known) {
  return doctype.public_id == known.public_id && doctype.system_id == known.system_id;
}

std::string shown(const xml::Doctype& doctype) {
  return "\"" + std::string(doctype.public_id) + "\" \"" + std::string(doctype.system_id) + "\"";
}

void check_doctype2(const Document& document, const xml::Doctype& doctype,
                    std::string_view media_type, xml::Position where) {
  for (const Known& known : {kXhtml11, kNcx}) {
    if (media_type != known.media_type) continue;
    if (!known.root.empty() && doctype.root != known.root) continue;
    if (!matches(doctype, known)) document.report("HTM-004", where, shown(doctype));
  }
  const bool has_id = !doctype.public_id.empty() || !doctype.system_id.empty();
  if (media_type == kOeb.media_type && has_id) {
    const bool is_known = doctype.root == kOeb.root &&
                          (doctype.public_id.empty() || doctype.public_id == kOeb.public_id) &&
                          (doctype.system_id.empty() || doctype.system_id == kOeb.system_id);
    if (!is_known) document.report("HTM-009", where, shown(doctype));
  }
}

void check_doctype3(const Document& document, const xml::Doctype& doctype,
                    std::string_view media_type, xml::Position where) {
  const bool has_id = !doctype.public_id.empty() || !doctype.system_id.empty();
  if (!has_id) return;
  if (media_type == kXhtmlType && same_in_any_case(doctype.root, "html")) {
    const bool is_legacy = doctype.public_id.empty() && doctype.system_id == "about:legacy-compat";
    if (!is_legacy) document.report("HTM-004", where, shown(doctype));
    return;
  }
  for (const Known& known : {kNcx, kSvg}) {
    if (media_type == known.media_type && matches(doctype, known)) return;
  }
  document.report("OPF-073", where, shown(doctype));
}

}  // namespace

bool is_known_dtd(const xml::Doctype& doctype) {
  // A public id without a system id counts as an unknown DTD.
  if (doctype.system_id.empty()) return doctype.public_id.empty();
  static constexpr std::array<std::string_view, 12> kKnown = {
      "about:legacy-compat",
      "http://http://idpf.org/dtds/oeb-1.2/oebpkg12.dtd",
      "http://openebook.org/dtds/oeb-1.2/oebdoc12.dtd",
      kOeb.system_id,
      "http://www.daisy.org/z3986/2005/dtbook-2005-2.dtd",
      kNcx.system_id,
      "http://www.idpf.org/dtds/2007/opf.dtd",
      kSvg.system_id,
      "http://www.w3.org/MarkUp/DTD/xhtml11.dtd",
      "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd",
      "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd",
      kXhtml11.system_id};
  return std::ranges::find(kKnown, doctype.system_id) != kKnown.end();
}

void check_prolog(const Document& document, const xml::ParseOutcome& outcome,
                  std::string_view media_type) {
  check_encoding(document, outcome.prolog, media_type);
  const std::string& version = outcome.prolog.version;
  if (!version.empty() && version != "1.0") document.report("HTM-001", {}, version);
  if (outcome.has_stray_bytes) document.report("TIDE-020", {});
  if (outcome.mistake) {
    report_mistake(document, *outcome.mistake);
  } else if (contradicts_itself(outcome.prolog)) {
    document.report("RSC-016", {}, "encoded as UTF-16, but declared as UTF-8");
  }
}

void check_doctype(const Document& document, const xml::Doctype& doctype,
                   std::string_view media_type, xml::Position where) {
  if (document.edition() == Edition::epub2) {
    check_doctype2(document, doctype, media_type, where);
  } else {
    check_doctype3(document, doctype, media_type, where);
  }
}

}  // namespace tidemill::epub
