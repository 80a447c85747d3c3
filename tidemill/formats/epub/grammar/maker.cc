// Builds the tables of a grammar from its text.
#include <algorithm>
#include <map>
#include <utility>

#include "tidemill/formats/epub/grammar/tables.h"

namespace tidemill::epub {

namespace {

// Used once.
class Maker {
 public:
  explicit Maker(Grammar::Tables& tables) : text_(tables.text), tables_(tables) {}

  void run() {
    number_attributes();
    number_states();
    name_types();
    for (const ElementText& element : text_.elements) make_shape(element);
    tables_.start = checked(resolve(text_.start), 0);
  }

 private:
  // Numbers the attributes of each set once, because many elements use the same set.
  void number_attributes() {
    const auto number = [&](std::vector<AttributeText>& members) {
      for (AttributeText& member : members) {
        if (member.kind == AttributeText::Kind::one) {
          member.number = tables_.attributes.add(member.name);
        }
      }
    };
    for (AttributeSetText& set : text_.attribute_sets) number(set.members);
    for (ElementText& element : text_.elements) number(element.attributes);
  }

  // The set `state` lists the attributes that are states, with their values.
  void number_states() {
    tables_.role = tables_.attributes.find({.name = "role"});
    tables_.state_of.resize(tables_.attributes.size(), nullptr);
    std::uint64_t bit = 1;
    for (AttributeSetText& set : text_.attribute_sets) {
      if (set.name != "state") continue;
      for (AttributeText& member : set.members) {
        member.state = bit;
        tables_.state_of[member.number] = &member;
        if (bit <<= 1U; bit == 0) bad_grammar("more than 63 states", member.name.name, 0);
      }
    }
    for (const StatesText& text : text_.states) {
      const States states = states_in(text);
      for (const std::string_view role : text.roles) {
        if (!tables_.states.try_emplace(role, states).second) {
          bad_grammar("states of this role a second time", role, text.line);
        }
      }
    }
  }

  [[nodiscard]] States states_in(const StatesText& text) const {
    States states;
    for (const AttributeText& member : text.members) {
      const std::uint32_t number = tables_.attributes.find(member.name);
      if (number == NameTable::kNone || tables_.state_of[number] == nullptr) {
        bad_grammar("no such state", member.name.name, text.line);
      }
      const std::uint64_t bit = tables_.state_of[number]->state;
      states.allowed |= bit;
      if (member.is_required) states.required |= bit;
    }
    return states;
  }

  void add_states(const AttributeText& member, ElementShape& shape, std::uint32_t line) const {
    const auto found = tables_.states.find(member.name.name);
    if (found == tables_.states.end()) bad_grammar("no such states", member.name.name, line);
    if (!member.role.empty()) {
      shape.of_role.emplace_back(member.role, found->second);
    } else {
      shape.native.allowed |= found->second.allowed;
      shape.native.required |= found->second.required;
    }
  }

  void name_types() {
    for (const ElementText& element : text_.elements) {
      if (!element.when.name.empty()) continue;
      const auto type = static_cast<TypeId>(types_.size());
      if (!types_.try_emplace(element.type, type).second) {
        bad_grammar("a second type of this name", element.type, element.line);
      }
      const Symbol tag = tables_.tags.find(element.tag);
      if (tables_.type_of_tag[tag] == kNoType) tables_.type_of_tag[tag] = type;
      tag_of_.push_back(tag);
    }
    tables_.types.resize(types_.size());
    for (const ContentText& content : text_.contents) contents_[content.name].push_back(&content);
    for (const AttributeSetText& set : text_.attribute_sets) sets_[set.name] = &set;
  }

  void make_shape(const ElementText& element) {
    const auto type = types_.find(element.type);
    if (type == types_.end()) bad_grammar("a condition of no type", element.type, element.line);
    ElementShape shape{
        .when = element.when, .when_values = element.when_values, .whole_text = element.whole_text};
    shape.rule_of.resize(tables_.attributes.size(), ElementShape::kNoRule);
    add_attributes(element.attributes, shape, element.line, 0);
    shape.required = static_cast<std::uint32_t>(std::ranges::count_if(
        shape.attributes, [](const AttributeText* rule) { return rule->is_required; }));
    shape.content = element.whole_text != nullptr ? tables_.patterns.text_pattern()
                                                  : checked(resolve(element.pattern), element.line);
    auto& shapes = tables_.types[type->second];
    if (shapes.empty() == !element.when.name.empty()) {
      bad_grammar("the plain element comes first", element.type, element.line);
    }
    shapes.push_back(std::move(shape));
  }

  void add_attributes(const std::vector<AttributeText>& members, ElementShape& shape,
                      std::uint32_t line, int depth) {
    if (depth > 50) bad_grammar("sets of attributes in a circle", {}, line);
    for (const AttributeText& member : members) {
      switch (member.kind) {
        case AttributeText::Kind::set: {
          const auto set = sets_.find(member.name.name);
          if (set == sets_.end()) bad_grammar("no such set", member.name.name, line);
          add_attributes(set->second->members, shape, line, depth + 1);
          break;
        }
        case AttributeText::Kind::one:
          add_rule(member, shape);
          break;
        case AttributeText::Kind::states:
          add_states(member, shape, line);
          break;
        case AttributeText::Kind::begins_with:
          shape.begins_with.push_back(member.name);
          break;
        case AttributeText::Kind::whole_namespace:
          shape.whole_namespaces.push_back(member.name.ns);
          break;
        case AttributeText::Kind::foreign:
          shape.allows_foreign = true;
          break;
        case AttributeText::Kind::all:
          shape.allows_all = true;
          break;
      }
    }
  }

  static void add_rule(const AttributeText& member, ElementShape& shape) {
    std::uint16_t& place = shape.rule_of[member.number];
    if (place != ElementShape::kNoRule) {
      shape.attributes[place] = &member;
      return;
    }
    place = static_cast<std::uint16_t>(shape.attributes.size());
    shape.attributes.push_back(&member);
  }

  Pattern resolve(const PatternText& text) {
    std::vector<Pattern> made;
    made.reserve(text.nodes.size());
    for (const PatternText::Node& node : text.nodes) made.push_back(resolve_node(node, made));
    if (made.empty()) bad_grammar("no pattern", "start", 0);
    return made.back();
  }

  Pattern resolve_node(const PatternText::Node& node, const std::vector<Pattern>& made) {
    Patterns& patterns = tables_.patterns;
    std::vector<Pattern> parts;
    for (const std::uint32_t part : node.parts) parts.push_back(made[part]);
    switch (node.kind) {
      case PatternText::Kind::empty:
        return kEmpty;
      case PatternText::Kind::text:
        return patterns.text_pattern();
      case PatternText::Kind::any:
        return kAnything;
      case PatternText::Kind::foreign:
        return patterns.one(patterns.foreign(), kNoType);
      case PatternText::Kind::custom:
        return patterns.one(patterns.custom(), kNoType);
      case PatternText::Kind::other:
        return patterns.one(patterns.other(), kNoType);
      case PatternText::Kind::unnamed:
        return patterns.one(patterns.unnamed(), node.name.empty() ? kNoType : type_named(node));
      case PatternText::Kind::name:
        return named(node.name, node.line);
      case PatternText::Kind::choice:
        return patterns.choice_of(parts);
      case PatternText::Kind::sequence:
        return folded(parts, [&](Pattern a, Pattern b) { return patterns.sequence(b, a); });
      case PatternText::Kind::interleave:
        return folded(parts, [&](Pattern a, Pattern b) { return patterns.interleave(a, b); });
      case PatternText::Kind::many:
        return patterns.many(parts[0]);
      case PatternText::Kind::some:
        return patterns.some(parts[0]);
      case PatternText::Kind::maybe:
        return patterns.choice(kEmpty, parts[0]);
    }
    return kNotAllowed;
  }

  TypeId type_named(const PatternText::Node& node) const {
    const auto type = types_.find(node.name);
    if (type == types_.end()) bad_grammar("no such element", node.name, node.line);
    return type->second;
  }

  // Folds from the back, because a chain grows at its front.
  template <class Join>
  static Pattern folded(const std::vector<Pattern>& parts, Join join) {
    Pattern made = parts.back();
    for (auto part = parts.rbegin() + 1; part != parts.rend(); ++part) made = join(made, *part);
    return made;
  }

  Pattern named(std::string_view name, std::uint32_t line) {
    if (const auto type = types_.find(name); type != types_.end()) {
      return tables_.patterns.one(tag_of_[type->second], type->second);
    }
    if (const auto done = resolved_.find(name); done != resolved_.end()) {
      if (done->second == kOpen) bad_grammar("a content that holds itself", name, line);
      return done->second;
    }
    const auto found = contents_.find(name);
    if (found == contents_.end()) bad_grammar("no such element or content", name, line);
    resolved_[name] = kOpen;
    std::vector<Pattern> parts;
    for (const ContentText* content : found->second) parts.push_back(resolve(content->pattern));
    return resolved_[name] = tables_.patterns.choice_of(parts);
  }

  // Within one pattern a tag must have one type only.
  Pattern checked(Pattern pattern, std::uint32_t line) {
    if (!checked_.try_emplace(pattern, true).second) return pattern;
    std::vector<std::pair<Symbol, TypeId>> types;
    tables_.patterns.types_in(pattern, types);
    for (std::size_t i = 1; i < types.size(); ++i) {
      if (types[i].first == types[i - 1].first && types[i].first < tables_.tags.size()) {
        bad_grammar("two types of one tag in one pattern", tables_.tags.name(types[i].first).name,
                    line);
      }
    }
    return pattern;
  }

  static constexpr Pattern kOpen = 0xffffffff;

  GrammarText& text_;
  Grammar::Tables& tables_;
  std::map<std::string_view, TypeId> types_;
  std::vector<Symbol> tag_of_;
  std::map<std::string_view, std::vector<const ContentText*>> contents_;
  std::map<std::string_view, Pattern> resolved_;
  std::map<std::string_view, const AttributeSetText*> sets_;
  std::map<Pattern, bool> checked_;
};

}  // namespace

void fill_tables(Grammar::Tables& tables) { Maker(tables).run(); }

}  // namespace tidemill::epub
