#include "tidemill/formats/epub/grammar/grammar.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tidemill/formats/epub/grammar/tables.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

namespace {

constexpr std::size_t kNamesShown = 8;
constexpr std::size_t kBytesShown = 60;
constexpr std::size_t kWholeText = 1U << 16U;  // more than any value of a datatype

GrammarText read_texts(std::span<const std::string_view> texts) {
  GrammarText all;
  for (const std::string_view text : texts) read_grammar_text(text, all);
  return all;
}

// The position of the first character that is not white space, from the position of the end.
xml::Position place_of_text(std::string_view part, xml::Position end) {
  const auto first = std::ranges::find_if_not(part, is_space);
  const auto lines = static_cast<std::uint32_t>(std::count(first, part.end(), '\n'));
  if (lines == 0 || lines >= end.line) return end;
  return {.line = end.line - lines, .column = 0};
}

std::string in_marks(std::string_view name) {
  std::string text = "\"";
  text += name.substr(0, kBytesShown);
  if (name.size() > kBytesShown) text += "…";
  return text += '"';
}

std::string in_marks(std::string_view prefix, std::string_view name) {
  if (prefix.empty()) return in_marks(name);
  return in_marks(std::string(prefix).append(":").append(name));
}

}  // namespace

Grammar::Grammar(std::span<const std::string_view> texts)
    : tables_(std::make_unique<Tables>(read_texts(texts))) {}

Grammar::~Grammar() = default;

// One thread.
struct GrammarCheck::State {
  struct Frame {
    Pattern content = kEmpty;
    const ElementShape* shape = nullptr;  // null: the document itself
    bool text_reported = false;
  };

  State(const Grammar& grammar, GrammarListener& to) : tables(grammar.tables()), listener(to) {
    frames.push_back({.content = tables.start});
  }

  TypeId place(const xml::Element& element);
  void check_attributes(const ElementShape& shape, const xml::Element& element);
  void check_value(const AttributeText& rule, const xml::Attribute& attribute,
                   const xml::Element& element);
  void check_states(const ElementShape& shape, const xml::Element& element,
                    const xml::Attribute* role, std::uint64_t held);
  void report_missing(const ElementShape& shape, const xml::Element& element);
  [[nodiscard]] std::string expected(Pattern pattern) const;

  Grammar::Tables& tables;
  GrammarListener& listener;
  std::vector<Frame> frames;
  std::size_t skipped = 0;  // open elements that are not checked
  std::string whole_text;   // of the open element whose text has a datatype
};

// The type of the element here. Reports an element that is not allowed and returns the type of its
// tag.
TypeId GrammarCheck::State::place(const xml::Element& element) {
  Frame& frame = frames.back();
  const Symbol symbol = tables.symbol_of(element.ns, element.name);
  const auto [next, type] = tables.patterns.after(frame.content, symbol);
  if (next != kNotAllowed) {
    frame.content = next;
    return type;
  }
  listener.mistake("element " + in_marks(element.prefix, element.name) + " is not allowed here" +
                       expected(frame.content),
                   element.where);
  return symbol < tables.tags.size() ? tables.type_of_tag[symbol] : kNoType;
}

std::string GrammarCheck::State::expected(Pattern pattern) const {
  std::vector<std::string_view> names;
  bool takes_text = false;
  for (const Symbol symbol : tables.patterns.first_of(pattern)) {
    if (symbol < tables.tags.size()) names.push_back(tables.tags.name(symbol).name);
    if (symbol == tables.patterns.text()) takes_text = true;
  }
  if (takes_text) names.emplace_back("text");
  if (names.empty()) return "; nothing more is expected";
  std::string text = "; expected: ";
  for (std::size_t i = 0; i < std::min(names.size(), kNamesShown); ++i) {
    if (i > 0) text += ", ";
    text += names[i];
  }
  if (names.size() > kNamesShown) text += ", …";
  return text;
}

void GrammarCheck::State::check_value(const AttributeText& rule, const xml::Attribute& attribute,
                                      const xml::Element& element) {
  if (fits(rule.values, attribute.value)) return;
  std::string sentence = "attribute " + in_marks(attribute.prefix, attribute.name) +
                         " of element " + in_marks(element.prefix, element.name) +
                         " has a value that is not allowed: " + in_marks(attribute.value);
  std::vector<std::string_view> words;
  for (const ValueChoice& choice : rule.values) {
    words.insert(words.end(), choice.words.begin(), choice.words.end());
  }
  for (std::size_t i = 0; i < std::min(words.size(), kNamesShown); ++i) {
    sentence += i == 0 ? "; expected: " : ", ";
    sentence += in_marks(words[i]);
  }
  if (words.size() > kNamesShown) sentence += ", …";
  listener.mistake(std::move(sentence), element.where);
}

void GrammarCheck::State::check_attributes(const ElementShape& shape, const xml::Element& element) {
  std::uint32_t required = 0;
  const xml::Attribute* role = nullptr;
  std::uint64_t states = 0;
  for (const xml::Attribute& attribute : element.attributes) {
    const auto rule = tables.rule_for(shape, attribute);
    if (!rule.has_value()) {
      listener.mistake("attribute " + in_marks(attribute.prefix, attribute.name) +
                           " is not allowed on element " + in_marks(element.prefix, element.name),
                       element.where);
    } else if (*rule != nullptr) {
      if ((*rule)->is_required) ++required;
      if ((*rule)->number == tables.role) role = &attribute;
      states |= (*rule)->state;
      check_value(**rule, attribute, element);
    }
  }
  if (required < shape.required) report_missing(shape, element);
  if (role != nullptr || states != 0) check_states(shape, element, role, states);
}

void GrammarCheck::State::check_states(const ElementShape& shape, const xml::Element& element,
                                       const xml::Attribute* role, std::uint64_t held) {
  const auto [allowed, required] = tables.states_of(shape, role);
  const std::uint64_t missing = required & ~held;
  const std::uint64_t extra = held & ~allowed;
  if ((missing | extra) == 0) return;
  const std::string who =
      "element " + in_marks(element.prefix, element.name) +
      (role == nullptr ? " without a role" : " with the role " + in_marks(role->value));
  for (const AttributeText* state : tables.state_of) {
    if (state == nullptr || ((missing | extra) & state->state) == 0) continue;
    listener.mistake((extra & state->state) != 0
                         ? "attribute " + in_marks(state->name.name) + " is not allowed on " + who
                         : who + " lacks the attribute " + in_marks(state->name.name),
                     element.where);
  }
}

void GrammarCheck::State::report_missing(const ElementShape& shape, const xml::Element& element) {
  for (const AttributeText* rule : shape.attributes) {
    if (!rule->is_required || element.attribute(rule->name.name, rule->name.ns)) continue;
    listener.mistake("element " + in_marks(element.prefix, element.name) + " lacks the attribute " +
                         in_marks(rule->name.name),
                     element.where);
  }
}

GrammarCheck::GrammarCheck(const Grammar& grammar, GrammarListener& listener)
    : state_(std::make_unique<State>(grammar, listener)) {}

GrammarCheck::~GrammarCheck() = default;

void GrammarCheck::start(const xml::Element& element) {
  if (state_->skipped > 0) {
    ++state_->skipped;
    return;
  }
  const TypeId type = state_->place(element);
  if (type == kNoType) {
    state_->skipped = 1;
    return;
  }
  const ElementShape& shape = state_->tables.shape_of(type, element);
  state_->check_attributes(shape, element);
  state_->frames.push_back({.content = shape.content, .shape = &shape});
  if (shape.whole_text != nullptr) state_->whole_text.clear();
}

void GrammarCheck::end(const xml::Element& element) {
  if (state_->skipped > 0) {
    --state_->skipped;
    return;
  }
  if (state_->frames.size() < 2) return;
  const State::Frame frame = state_->frames.back();
  state_->frames.pop_back();
  if (!state_->tables.patterns.may_end(frame.content)) {
    state_->listener.mistake("element " + in_marks(element.prefix, element.name) +
                                 " ends too early" + state_->expected(frame.content),
                             element.where);
  }
  if (frame.shape->whole_text != nullptr && !frame.shape->whole_text(state_->whole_text)) {
    state_->listener.mistake("the text of element " + in_marks(element.prefix, element.name) +
                                 " is not of the expected type: " + in_marks(state_->whole_text),
                             element.where);
  }
}

void GrammarCheck::text(std::string_view part, xml::Position where) {
  if (state_->skipped > 0) return;
  State::Frame& frame = state_->frames.back();
  if (frame.shape != nullptr && frame.shape->whole_text != nullptr &&
      state_->whole_text.size() < kWholeText) {
    state_->whole_text += part.substr(0, kWholeText);
  }
  if (frame.text_reported || is_blank(part)) return;
  const Pattern next =
      state_->tables.patterns.after(frame.content, state_->tables.patterns.text()).next;
  if (next != kNotAllowed) {
    frame.content = next;
    return;
  }
  frame.text_reported = true;
  state_->listener.mistake("text is not allowed here" + state_->expected(frame.content),
                           place_of_text(part, where));
}

}  // namespace tidemill::epub
