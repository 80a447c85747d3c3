// The scanner of xml_edit.h: splits a document into pieces, well-formed or not.
#include <algorithm>
#include <array>

#include "tidemill/formats/epub/repair/xml_edit.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

bool ends_name(char byte) {
  return is_xml_space(byte) || byte == '=' || byte == '>' || byte == '/';
}

// One pass over the document. Every step advances.
class Scanner {
 public:
  explicit Scanner(std::string_view document) : document_(document) {}

  std::vector<Scanned> all() {
    while (at_ < document_.size()) {
      if (document_[at_] != '<' || !markup()) text();
    }
    return std::move(pieces_);
  }

 private:
  using Kind = Scanned::Kind;

  [[nodiscard]] std::string_view rest() const { return document_.substr(at_); }

  // From '<' on; false: this '<' is text.
  bool markup() {
    if (rest().starts_with("<!--")) return until("-->", Kind::comment);
    if (rest().starts_with("<![CDATA[")) return until("]]>", Kind::cdata);
    if (rest().starts_with("<?")) return until("?>", Kind::instruction);
    if (same_in_any_case(rest().substr(0, 9), "<!DOCTYPE")) return doctype();
    return tag();
  }

  bool until(std::string_view end, Kind kind) {
    // If there is no end from here on, there is none further on either, so search only once.
    bool& is_missing = never_ends_[static_cast<std::size_t>(kind)];
    const std::size_t found = is_missing ? std::string_view::npos : document_.find(end, at_);
    is_missing = found == std::string_view::npos;
    if (is_missing) return false;
    Scanned piece{.kind = kind, .whole = {at_, found + end.size()}};
    if (kind == Kind::instruction) {
      std::size_t name_end = at_ + 2;
      while (name_end < found && !is_xml_space(document_[name_end])) ++name_end;
      piece.name = {at_ + 2, name_end};
    }
    return take(std::move(piece));
  }

  // May have an internal subset in brackets, whose declarations may contain '>' and quotes.
  bool doctype() {
    if (never_ends_[static_cast<std::size_t>(Kind::doctype)]) return false;
    char quote = 0;
    bool is_inside = false;
    for (std::size_t at = at_; at < document_.size(); ++at) {
      const char byte = document_[at];
      if (quote != 0) {
        if (byte == quote) quote = 0;
      } else if (byte == '"' || byte == '\'') {
        quote = byte;
      } else if (byte == '[' || byte == ']') {
        is_inside = byte == '[';
      } else if (byte == '>' && !is_inside) {
        return take({.kind = Kind::doctype, .whole = {at_, at + 1}});
      }
    }
    never_ends_[static_cast<std::size_t>(Kind::doctype)] = true;
    return false;
  }

  bool tag() {
    std::size_t at = at_ + 1;
    const bool is_end = at < document_.size() && document_[at] == '/';
    if (is_end) ++at;
    const std::size_t name = at;
    while (at < document_.size() && !ends_name(document_[at]) && document_[at] != '<') ++at;
    if (at == name) return false;
    Scanned piece{.kind = is_end ? Kind::end : Kind::start, .name = {name, at}};
    if (!attributes(at, piece)) return false;
    piece.whole = {at_, at};
    return take(std::move(piece));
  }

  // Up to and including '>'.
  bool attributes(std::size_t& at, Scanned& piece) {
    while (at < document_.size()) {
      const std::size_t begin = at;
      while (at < document_.size() && is_xml_space(document_[at])) ++at;
      if (rest_from(at).starts_with("/>")) {
        piece.kind = Scanned::Kind::empty;
        at += 2;
        return true;
      }
      if (at < document_.size() && document_[at] == '>') {
        ++at;
        return true;
      }
      if (!attribute(begin, at, piece)) return false;
    }
    return false;
  }

  bool attribute(std::size_t begin, std::size_t& at, Scanned& piece) {
    ScannedAttribute one;
    one.name.begin = at;
    while (at < document_.size() && !ends_name(document_[at]) && document_[at] != '<') ++at;
    one.name.end = at;
    while (at < document_.size() && is_xml_space(document_[at])) ++at;
    if (one.name.begin == one.name.end || at >= document_.size() || document_[at] != '=') {
      return false;
    }
    ++at;
    while (at < document_.size() && is_xml_space(document_[at])) ++at;
    if (at >= document_.size() || (document_[at] != '"' && document_[at] != '\'')) return false;
    bool& is_open = never_closes_[document_[at] == '"' ? 0 : 1];
    const std::size_t end =
        is_open ? std::string_view::npos : document_.find(document_[at], at + 1);
    is_open = end == std::string_view::npos;
    if (is_open) return false;
    one.value = {at + 1, end};
    at = end + 1;
    one.whole = {begin, at};
    piece.attributes.push_back(one);
    return true;
  }

  void text() {
    const std::size_t next = std::min(document_.find('<', at_ + 1), document_.size());
    // A '<' that does not begin markup belongs to the text before it.
    if (!pieces_.empty() && pieces_.back().kind == Kind::text && pieces_.back().whole.end == at_) {
      pieces_.back().whole.end = next;
      at_ = next;
      return;
    }
    take({.kind = Kind::text, .whole = {at_, next}});
  }

  bool take(Scanned piece) {
    at_ = piece.whole.end;
    pieces_.push_back(std::move(piece));
    return true;
  }

  [[nodiscard]] std::string_view rest_from(std::size_t at) const { return document_.substr(at); }

  const std::string_view document_;
  std::size_t at_ = 0;
  std::array<bool, 8> never_ends_{};    // by kind: no end follows
  std::array<bool, 2> never_closes_{};  // for " and ': no closing quote follows
  std::vector<Scanned> pieces_;
};

}  // namespace

const ScannedAttribute* Scanned::attribute(std::string_view document,
                                           std::string_view name_wanted) const {
  const auto found = std::ranges::find_if(attributes, [&](const ScannedAttribute& one) {
    return one.name.in(document) == name_wanted;
  });
  return found == attributes.end() ? nullptr : &*found;
}

std::vector<Scanned> scan(std::string_view document) { return Scanner(document).all(); }

}  // namespace tidemill::epub
