#include "tidemill/formats/epub/content/xhtml/ids.h"

#include <array>
#include <string>

#include "tidemill/formats/epub/namespaces.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

// Attributes of any element whose value is a list of ids.
constexpr auto kIdLists = std::to_array<std::string_view>(
    {"aria-controls", "aria-describedby", "aria-flowto", "aria-labelledby", "aria-owns"});

}  // namespace

IdRules::Kind IdRules::kind_of(const xml::Element& element, Tag tag) {
  switch (tag) {
    case Tag::datalist:
      return datalist;
    case Tag::form:
      return form;
    case Tag::input:
      return element.attribute("type") == "hidden" ? anything : labelable;
    case Tag::button:
    case Tag::meter:
    case Tag::output:
    case Tag::progress:
    case Tag::select:
    case Tag::textarea:
      return labelable;
    case Tag::th:
      return table_header;
    default:
      return anything;
  }
}

void IdRules::note_id(std::string_view id, const xml::Element& element, Tag tag) {
  const auto [found, is_new] = targets_.try_emplace(std::string(id));
  IdTarget& target = found->second;
  target.kinds |= kind_of(element, tag);
  if (tag == Tag::th && target.header == 0) target.header = number_;
  if (is_new) {
    target.first = number_;
    target.where = element.where;
    return;
  }
  const std::string sentence = "the id \"" + std::string(id.substr(0, 80)) + "\" is used twice";
  if (!target.is_reported) document_.report_if_whole("RSC-005", target.where, sentence);
  target.is_reported = true;
  document_.report_if_whole("RSC-005", element.where, sentence);
}

bool IdRules::add_references(Kind kind, std::string_view attribute, std::string_view value,
                             const xml::Element& element, bool is_list) {
  bool has_one = false;
  const auto add = [&](std::string_view id) {
    references_.push_back({.kind = kind,
                           .id = std::string(id),
                           .attribute = attribute,
                           .where = element.where,
                           .begin = number_});
  };
  if (!is_list) {
    add(value);
    return true;
  }
  for (auto word = next_word(value); !word.empty(); word = next_word(value)) {
    add(word);
    has_one = true;
  }
  return has_one;
}

void IdRules::read_aria(const xml::Element& element, const xml::Attribute& attribute) {
  for (const std::string_view list : kIdLists) {
    if (attribute.name == list) add_references(anything, list, attribute.value, element, true);
  }
  if (attribute.name != "aria-activedescendant") return;
  open_.back().has_descendant_reference =
      add_references(descendant, "aria-activedescendant", attribute.value, element, false);
}

void IdRules::read_html(const xml::Element& element, const xml::Attribute& attribute, Tag tag) {
  const std::string_view name = attribute.name;
  const auto one = [&](Kind kind, std::string_view what) {
    add_references(kind, what, attribute.value, element, false);
  };
  const auto list = [&](Kind kind, std::string_view what) {
    add_references(kind, what, attribute.value, element, true);
  };
  if (name == "for" && tag == Tag::output) list(anything, "for");
  if (name == "for" && tag == Tag::label) one(labelable, "for");
  if (name == "list" && tag == Tag::input) one(datalist, "list");
  if (name == "form") one(form, "form");
  if (name == "headers") list(table_header, "headers");
}

void IdRules::read_reference(const xml::Element& element, const xml::Attribute& attribute,
                             Tag tag) {
  const std::string_view name = attribute.name;
  if (attribute.ns == kXmlEventsNamespace && tag == Tag::epub_trigger && name == "observer") {
    add_references(anything, "ev:observer", attribute.value, element, false);
  }
  if (!attribute.ns.empty()) return;
  if (name == "id") note_id(attribute.value, element, tag);
  if (name.starts_with("aria-")) read_aria(element, attribute);
  if (tag == Tag::epub_trigger && name == "ref") {
    add_references(anything, "ref", attribute.value, element, false);
  }
  if (element.ns == kMathmlNamespace && (name == "xref" || name == "indenttarget")) {
    add_references(anything, name == "xref" ? "xref" : "indenttarget", attribute.value, element,
                   false);
  }
  if (is_html(tag)) read_html(element, attribute, tag);
}

void IdRules::start(const xml::Element& element, Tag tag) {
  ++number_;
  open_.push_back({.number = number_,
                   .first_reference = static_cast<std::uint32_t>(references_.size()),
                   .tag = tag});
  if (tag == Tag::table && tables_++ == 0) {
    outer_table_ = number_;
    outer_reference_ = static_cast<std::uint32_t>(references_.size());
  }
  for (const xml::Attribute& attribute : element.attributes)
    read_reference(element, attribute, tag);
}

void IdRules::end(Tag tag) {
  if (open_.empty()) return;
  const Open closed = open_.back();
  open_.pop_back();
  if (closed.has_descendant_reference) {
    for (std::size_t i = closed.first_reference; i < references_.size(); ++i) {
      if (references_[i].begin != closed.number) break;  // those of the element itself come first
      if (references_[i].kind == descendant) references_[i].end = number_;
    }
  }
  if (tag != Tag::table || tables_ == 0 || --tables_ > 0) return;
  for (std::size_t i = outer_reference_; i < references_.size(); ++i) {
    if (references_[i].kind != table_header) continue;
    references_[i].begin = outer_table_;
    references_[i].end = number_;
  }
}

bool IdRules::is_resolved(const IdReference& reference) const {
  const auto found = targets_.find(reference.id);
  if (found == targets_.end()) return false;
  const IdTarget& target = found->second;
  if (reference.kind == descendant) {
    return target.first > reference.begin && target.first <= reference.end;
  }
  if (reference.kind == table_header) {
    return target.header > reference.begin && target.header <= reference.end;
  }
  return reference.kind == anything || (target.kinds & reference.kind) != 0;
}

void IdRules::finish() {
  for (const IdReference& reference : references_) {
    if (is_resolved(reference)) continue;
    document_.report_if_whole("RSC-005", reference.where,
                              "attribute \"" + std::string(reference.attribute) +
                                  "\" does not name an element that it may refer to: \"" +
                                  reference.id.substr(0, 80) + "\"");
  }
}

void UniqueIds::see(const xml::Element& element) {
  const auto value = element.attribute("id");
  if (!value) return;
  const auto [known, is_new] = ids_.try_emplace(normalized(*value), element.where);
  if (is_new) return;
  const std::string detail = "the id \"" + known->first + "\" is used on more than one element";
  if (!known->second.is_reported) document_.report_if_whole("RSC-005", known->second.at, detail);
  known->second.is_reported = true;
  document_.report_if_whole("RSC-005", element.where, detail);
}

}  // namespace tidemill::epub
