// Named entities that XML does not define (&nbsp;), ampersands that do not begin a reference, and
// angle brackets that do not begin a tag.
//
// HTML defines &nbsp;, XML does not unless the document declares it; both support the number of the
// character. An ampersand that does not begin a reference is shown as an ampersand, so it becomes
// &amp;. Names that HTML does not define stay.
#include <string>
#include <unordered_set>

#include "tidemill/formats/epub/repair/fixers/documents.h"
#include "tidemill/formats/epub/repair/fixers/list.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

constexpr std::size_t kLongestName = 40;

// The names that the document declares itself: <!ENTITY name …>.
std::unordered_set<std::string> declared_in(std::string_view doctype) {
  constexpr std::string_view kBegin = "<!ENTITY";
  std::unordered_set<std::string> names;
  for (std::size_t at = doctype.find(kBegin); at != std::string_view::npos;
       at = doctype.find(kBegin, at + 1)) {
    std::string_view rest = doctype.substr(at + kBegin.size());
    names.emplace(next_word(rest));
  }
  return names;
}

// The ampersands and angle brackets of one document. One thread.
class Ampersands {
 public:
  Ampersands(std::string_view document, XmlEdit& edit) : document_(document), edit_(edit) {}

  void fix_all() {
    for (const Scanned& piece : scan(document_)) {
      using Kind = Scanned::Kind;
      if (piece.kind == Kind::doctype) declared_ = declared_in(piece.whole.in(document_));
      if (piece.kind == Kind::text) repair(piece.whole);
      if (piece.kind == Kind::text) fix_brackets(piece.whole);
      for (const ScannedAttribute& one : piece.attributes) repair(one.value);
    }
  }

  [[nodiscard]] bool has_left() const { return has_left_; }

 private:
  void repair(Span span) {
    const std::string_view text = span.in(document_);
    for (std::size_t sign = text.find('&'); sign != std::string_view::npos;
         sign = text.find('&', sign + 1)) {
      fix_one(text.substr(sign + 1, kLongestName + 1), span.begin + sign);
    }
  }

  // "1 < 2": no tag begins with a space or a digit.
  void fix_brackets(Span span) {
    const std::string_view text = span.in(document_);
    for (std::size_t sign = text.find('<'); sign != std::string_view::npos;
         sign = text.find('<', sign + 1)) {
      const char next = sign + 1 < text.size() ? text[sign + 1] : ' ';
      if (!is_space(next) && !is_digit(next) && next != '=') continue;
      edit_.replace({span.begin + sign, span.begin + sign + 1}, "&lt;");
    }
  }

  // `rest` is what follows the ampersand at `at`.
  void fix_one(std::string_view rest, std::size_t at) {
    std::size_t length = 0;
    while (length < rest.size() && (is_letter(rest[length]) || is_digit(rest[length]))) ++length;
    const std::string name(rest.substr(0, length));
    const bool is_reference = length < rest.size() && rest[length] == ';';
    if (rest.starts_with('#')) return;
    if (!is_reference || name.empty()) {
      edit_.insert(at + 1, "amp;");
      return;
    }
    static const std::unordered_set<std::string_view> kOfXml = {"amp", "lt", "gt", "quot", "apos"};
    if (kOfXml.contains(name) || declared_.contains(name)) return;
    const std::uint32_t code = character_of(name);
    has_left_ = has_left_ || code == 0;
    if (code == 0) return;
    edit_.replace({at, at + length + 2}, "&#" + std::to_string(code) + ";");
  }

  const std::string_view document_;
  XmlEdit& edit_;
  std::unordered_set<std::string> declared_{};
  bool has_left_ = false;
};

}  // namespace

void fix_entities(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  for (const std::string& entry : entries_with(found, "RSC-016")) {
    bool has_left = false;
    edit_entry(draft, plan,
               {.tier = Repairability::safe,
                .name = "entities",
                .repairs = {"RSC-016"},
                .entry = entry,
                .what = "replace named entities that XML does not define with numeric ones, and "
                        "bare ampersands and brackets with &amp; and &lt;"},
               [&](std::string_view document, XmlEdit& edit) {
                 Ampersands ampersands(document, edit);
                 ampersands.fix_all();
                 has_left = ampersands.has_left();
               });
    if (!has_left) continue;
    plan.declined.push_back(
        {.rule = "RSC-016", .entry = entry, .why = "it uses an unknown named entity"});
  }
}

}  // namespace tidemill::epub
