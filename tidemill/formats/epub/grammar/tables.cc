#include "tidemill/formats/epub/grammar/tables.h"

#include <algorithm>
#include <utility>

#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

std::size_t NameTable::slot_of(const FullName& name) const {
  std::uint64_t hash = name.ns.size() * 0x9e3779b97f4a7c15U;
  for (const char c : name.name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  hash ^= hash >> 29U;
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot] != kNone && names_[slots_[slot]] != name) slot = (slot + 1) & mask;
  return slot;
}

void NameTable::grow() {
  slots_.assign(slots_.size() * 2, kNone);
  for (std::uint32_t number = 0; number < names_.size(); ++number) {
    slots_[slot_of(names_[number])] = number;
  }
}

std::uint32_t NameTable::add(const FullName& name) {
  std::size_t slot = slot_of(name);
  if (slots_[slot] != kNone) return slots_[slot];
  names_.push_back(name);
  if (names_.size() * 3 > slots_.size()) {
    grow();
    slot = slot_of(name);
  }
  slots_[slot] = size() - 1;
  return size() - 1;
}

std::uint32_t NameTable::find(const FullName& name) const { return slots_[slot_of(name)]; }

namespace {

bool is_one_of(const ValueChoice& choice, std::string_view value) {
  for (const std::string_view word : choice.words) {
    if (choice.any_case ? same_in_any_case(word, value) : word == value) return true;
  }
  return false;
}

bool fits_one(const ValueChoice& choice, std::string_view value) {
  if (choice.datatype != nullptr) return choice.datatype(value);
  if (!choice.is_list) return is_one_of(choice, trimmed(value));
  for (auto word = next_word(value); !word.empty(); word = next_word(value)) {
    if (!is_one_of(choice, word)) return false;
  }
  return true;
}

NameTable tags_of(const GrammarText& text) {
  NameTable tags;
  for (const ElementText& element : text.elements) tags.add(element.tag);
  return tags;
}

}  // namespace

bool fits(const std::vector<ValueChoice>& values, std::string_view value) {
  return values.empty() ||
         std::ranges::any_of(values, [&](const ValueChoice& one) { return fits_one(one, value); });
}

Grammar::Tables::Tables(GrammarText read)
    : text(std::move(read)),
      tags(tags_of(text)),
      type_of_tag(tags.size(), kNoType),
      patterns(tags.size()) {
  fill_tables(*this);
}

bool Grammar::Tables::declares(std::string_view ns) const {
  return ns == xml::kXmlNamespace ||
         std::ranges::find(text.namespaces, ns) != text.namespaces.end();
}

Symbol Grammar::Tables::symbol_of(std::string_view ns, std::string_view name) const {
  const std::uint32_t tag = tags.find({.ns = ns, .name = name});
  if (tag != NameTable::kNone) return tag;
  if (!declares(ns)) return patterns.foreign();
  if (ns == text.first_namespace && name.contains('-')) return patterns.custom();
  return patterns.other();
}

std::optional<const AttributeText*> Grammar::Tables::rule_for(const ElementShape& shape,
                                                              const xml::Attribute& found) const {
  const FullName name{.ns = found.ns, .name = found.name};
  if (const std::uint32_t number = attributes.find(name); number != NameTable::kNone) {
    if (const std::uint16_t rule = shape.rule_of[number]; rule != ElementShape::kNoRule) {
      return shape.attributes[rule];
    }
    if (state_of[number] != nullptr && !shape.allows_all) return state_of[number];
  }
  for (const FullName& begin : shape.begins_with) {
    if (found.ns == begin.ns && found.name.starts_with(begin.name)) return nullptr;
  }
  if (std::ranges::find(shape.whole_namespaces, found.ns) != shape.whole_namespaces.end()) {
    return nullptr;
  }
  if (shape.allows_all) return nullptr;
  if (shape.allows_foreign && !found.ns.empty() && !declares(found.ns)) return nullptr;
  return std::nullopt;
}

States Grammar::Tables::states_of(const ElementShape& shape,
                                  const xml::Attribute* role_found) const {
  if (role_found == nullptr) return shape.native;
  const auto own = std::ranges::find(shape.of_role, role_found->value,
                                     &std::pair<std::string_view, States>::first);
  if (own != shape.of_role.end()) return own->second;
  const auto common = states.find(role_found->value);
  return common == states.end() ? States{} : common->second;
}

const ElementShape& Grammar::Tables::shape_of(TypeId type, const xml::Element& element) const {
  const std::vector<ElementShape>& shapes = types[type];
  for (std::size_t i = 1; i < shapes.size(); ++i) {
    const ElementShape& shape = shapes[i];
    const auto value = element.attribute(shape.when.name, shape.when.ns);
    if (!value.has_value()) continue;
    if (shape.when_values.empty()) return shape;
    for (const std::string_view wanted : shape.when_values) {
      if (same_in_any_case(trimmed(*value), wanted)) return shape;
    }
  }
  return shapes.front();
}

}  // namespace tidemill::epub
