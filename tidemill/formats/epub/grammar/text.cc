#include "tidemill/formats/epub/grammar/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace tidemill::epub {

void bad_grammar(std::string_view what, std::string_view name, std::uint32_t line) {
  std::fprintf(stderr, "a grammar's text, line %u: %.*s: %.*s\n", line,
               static_cast<int>(what.size()), what.data(), static_cast<int>(name.size()),
               name.data());
  std::abort();
}

namespace {

using Kind = PatternText::Kind;

bool is_name_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.' ||
         c == ':';
}

// One thread. Reads one text from start to end.
class TextReader {
 public:
  TextReader(std::string_view text, GrammarText& into) : text_(text), into_(into) {}

  void run() {
    for (skip(); at_ < text_.size(); skip()) statement();
  }

 private:
  void statement() {
    const std::string_view word = name("a statement");
    if (word == "namespace") return read_namespace();
    if (word == "attributes") return read_attribute_set();
    if (word == "states") return read_states();
    if (word == "any-case") return read_any_case();
    if (word == "content") return read_content();
    if (word == "element") return read_element();
    if (word == "start") {
      if (!into_.start.nodes.empty()) fail("a second start", word);
      into_.start = pattern();
      return;
    }
    fail("no statement begins so", word);
  }

  void read_namespace() {
    skip();
    const std::string_view prefix = peek() == '=' ? std::string_view{} : name("a prefix");
    expect('=');
    expect('"');
    const std::size_t end = text_.find('"', at_);
    if (end == std::string_view::npos) fail("no end of the string", {});
    const std::string_view uri = text_.substr(at_, end - at_);
    at_ = end + 1;
    prefixes_.emplace_back(prefix, uri);
    if (prefix.empty() && into_.first_namespace.empty()) into_.first_namespace = uri;
    if (std::ranges::find(into_.namespaces, uri) == into_.namespaces.end()) {
      into_.namespaces.push_back(uri);
    }
  }

  void read_any_case() {
    for (skip(); at_ < text_.size() && !at_statement(); skip()) {
      into_.any_case.push_back({.ns = uri_of({}), .name = name("an attribute")});
    }
  }

  void read_attribute_set() {
    const std::string_view set = name("a set's name");
    skip();
    const bool adds = accept('+');
    expect('=');
    auto old = std::ranges::find(into_.attribute_sets, set, &AttributeSetText::name);
    if (old == into_.attribute_sets.end()) {
      into_.attribute_sets.push_back({.name = set});
      old = std::prev(into_.attribute_sets.end());
    } else if (!adds) {
      fail("a second set of this name", set);
    }
    // A statement begins with a keyword, so a set ends at the next keyword.
    for (skip(); at_ < text_.size() && !at_statement(); skip()) {
      old->members.push_back(attribute());
    }
  }

  void read_states() {
    StatesText states{.line = line_};
    do states.roles.push_back(name("a role"));
    while (accept('|'));
    expect('=');
    for (skip(); at_ < text_.size() && !at_statement(); skip()) {
      states.members.push_back(attribute());
    }
    into_.states.push_back(std::move(states));
  }

  void read_content() {
    const std::string_view content = name("a content's name");
    skip();
    const bool adds = accept('|');
    expect('=');
    if (!adds &&
        std::ranges::find(into_.contents, content, &ContentText::name) != into_.contents.end()) {
      fail("a second content of this name", content);
    }
    into_.contents.push_back({.name = content, .pattern = pattern()});
  }

  void read_element() {
    ElementText element{.type = name("a type"), .line = line_};
    std::string_view tag = element.type;
    skip();
    if (accept_word("as")) tag = name("a tag");
    skip();
    if (accept_word("when")) {
      const std::string_view attribute_name = name("an attribute");
      element.when = attribute_named(attribute_name);
      skip();
      if (accept('=')) {
        if (peek() == '(') {
          element.when_values = value().words;
        } else {
          do element.when_values.push_back(name("a value"));
          while (accept('|'));
        }
      }
    }
    element.tag = tag_named(tag);
    expect('{');
    for (skip(); !accept('}'); skip()) element.attributes.push_back(attribute());
    skip();
    if (text_.substr(at_).starts_with("text:")) {
      element.whole_text = datatype(name("text").substr(5));
    } else {
      element.pattern = pattern();
    }
    into_.elements.push_back(std::move(element));
  }

  AttributeText attribute() {
    AttributeText found;
    if (accept('@')) {
      found.kind = AttributeText::Kind::set;
      found.name.name = name("a set's name");
      return found;
    }
    if (accept('%')) {
      found.kind = AttributeText::Kind::states;
      found.name.name = name("a role");
      if (accept('=')) found.role = std::exchange(found.name.name, name("a role"));
      return found;
    }
    if (accept('*')) {
      found.kind = AttributeText::Kind::all;
      return found;
    }
    std::string_view word = name("an attribute");
    if (word == "foreign") {
      found.kind = AttributeText::Kind::foreign;
      return found;
    }
    found.name.ns = take_prefix(word);
    if (accept('*')) {
      found.kind =
          word.empty() ? AttributeText::Kind::whole_namespace : AttributeText::Kind::begins_with;
      found.name.name = word;
      return found;
    }
    const std::size_t colon = word.find(':');
    found.name.name = word.substr(0, colon);
    if (colon != std::string_view::npos) {
      at_ -= word.size() - colon - 1;  // go back to read the values again, as values
      do found.values.push_back(value());
      while (accept('|'));
    }
    if (found.name.ns.empty() && is_any_case(found.name.name)) {
      for (ValueChoice& choice : found.values) choice.any_case = true;
    }
    found.is_required = accept('!');
    return found;
  }

  // The namespace of the prefix; a word with a colon may also be an attribute with its values.
  std::string_view take_prefix(std::string_view& word) {
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos || !has_prefix(word.substr(0, colon))) return {};
    const std::string_view prefix = word.substr(0, colon);
    word.remove_prefix(colon + 1);
    return prefix.empty() ? std::string_view{} : uri_of(prefix);
  }

  bool is_any_case(std::string_view attribute_name) {
    const FullName wanted{.ns = uri_of({}), .name = attribute_name};
    return std::ranges::find(into_.any_case, wanted) != into_.any_case.end();
  }

  ValueChoice value() {
    ValueChoice choice;
    choice.any_case = accept('~');
    if (text_.substr(at_).starts_with("list(")) {
      choice.is_list = true;
      at_ += 4;
    }
    if (!accept('(')) {
      choice.datatype = datatype(name("a datatype"));
      return choice;
    }
    for (std::size_t begin = at_;; ++at_) {
      if (at_ == text_.size()) fail("no end of the values", {});
      if (text_[at_] != '|' && text_[at_] != ')') continue;
      choice.words.push_back(text_.substr(begin, at_ - begin));
      begin = at_ + 1;
      if (text_[at_] == ')') break;
    }
    ++at_;
    return choice;
  }

  Datatype datatype(std::string_view type) {
    const Datatype found = datatype_named(type);
    if (found == nullptr) fail("no such datatype", type);
    return found;
  }

  PatternText pattern() {
    PatternText made;
    choice(made);
    return made;
  }

  // Mixed operators need brackets: `a, b | c` is an error.
  std::uint32_t choice(PatternText& made) {
    const std::uint32_t first = repeated(made);
    skip();
    const char sign = peek();
    if (sign != ',' && sign != '|' && sign != '&') return first;
    const Kind kind = sign == ',' ? Kind::sequence : sign == '|' ? Kind::choice : Kind::interleave;
    PatternText::Node node{.kind = kind, .line = line_, .parts = {first}};
    while (accept(sign)) {
      node.parts.push_back(repeated(made));
      skip();
    }
    if (peek() == ',' || peek() == '&' || peek() == '|') fail("mixed operators need brackets", {});
    return add(made, std::move(node));
  }

  std::uint32_t repeated(PatternText& made) {
    skip();
    std::uint32_t part = 0;
    if (accept('(')) {
      part = choice(made);
      expect(')');
    } else {
      part = leaf(made);
    }
    for (;;) {
      const Kind kind = accept('*')   ? Kind::many
                        : accept('+') ? Kind::some
                        : accept('?') ? Kind::maybe
                                      : Kind::empty;
      if (kind == Kind::empty) return part;
      part = add(made, {.kind = kind, .line = line_, .parts = {part}});
    }
  }

  std::uint32_t leaf(PatternText& made) {
    const std::uint32_t line = line_;
    const std::string_view word = name("a pattern");
    using Leaf = std::pair<std::string_view, Kind>;
    static constexpr auto kLeaves = std::to_array<Leaf>({{"empty", Kind::empty},
                                                         {"text", Kind::text},
                                                         {"any", Kind::any},
                                                         {"foreign", Kind::foreign},
                                                         {"custom", Kind::custom},
                                                         {"other", Kind::other},
                                                         {"unnamed", Kind::unnamed}});
    const auto* const found = std::ranges::find(kLeaves, word, &Leaf::first);
    const Kind kind = found == kLeaves.end() ? Kind::name : found->second;
    if (kind == Kind::unnamed && accept('=')) {
      return add(made, {.kind = kind, .name = name("a type"), .line = line});
    }
    return add(made, {.kind = kind, .name = kind == Kind::name ? word : "", .line = line});
  }

  static std::uint32_t add(PatternText& made, PatternText::Node node) {
    made.nodes.push_back(std::move(node));
    return static_cast<std::uint32_t>(made.nodes.size() - 1);
  }

  FullName tag_named(std::string_view tag) {
    const std::size_t colon = tag.find(':');
    if (colon == std::string_view::npos) return {.ns = uri_of({}), .name = tag};
    return {.ns = uri_of(tag.substr(0, colon)), .name = tag.substr(colon + 1)};
  }

  FullName attribute_named(std::string_view attribute) {
    if (!attribute.contains(':')) return {.ns = {}, .name = attribute};
    return tag_named(attribute);
  }

  bool has_prefix(std::string_view prefix) const {
    return prefix == "xml" ||
           std::ranges::find(prefixes_, prefix,
                             &std::pair<std::string_view, std::string_view>::first) !=
               prefixes_.end();
  }

  std::string_view uri_of(std::string_view prefix) {
    if (prefix == "xml") return xml::kXmlNamespace;
    for (const auto& [known, uri] : prefixes_) {
      if (known == prefix) return uri;
    }
    if (prefix.empty()) return {};
    fail("no such prefix", prefix);
  }

  bool at_statement() const {
    const std::string_view rest = text_.substr(at_);
    for (const std::string_view word :
         {"namespace ", "any-case ", "attributes ", "states ", "content ", "element ", "start "}) {
      if (rest.starts_with(word)) return true;
    }
    return false;
  }

  void skip() {
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '#') at_ = std::min(text_.find('\n', at_), text_.size());
      if (at_ == text_.size()) return;
      if (text_[at_] == '\n') ++line_;
      if (std::isspace(static_cast<unsigned char>(text_[at_])) == 0) return;
    }
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  bool accept_word(std::string_view word) {
    const std::string_view rest = text_.substr(at_);
    if (!rest.starts_with(word) || rest.size() == word.size() || is_name_char(rest[word.size()])) {
      return false;
    }
    at_ += word.size();
    return true;
  }

  void expect(char c) {
    skip();
    if (!accept(c)) fail("expected here", std::string_view(&c, 1));
  }

  std::string_view name(std::string_view what) {
    skip();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name_char(text_[at_])) ++at_;
    if (at_ == begin) fail("expected here", what);
    return text_.substr(begin, at_ - begin);
  }

  [[noreturn]] void fail(std::string_view what, std::string_view which) const {
    bad_grammar(what, which, line_);
  }

  std::string_view text_;
  GrammarText& into_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::vector<std::pair<std::string_view, std::string_view>> prefixes_;
};

}  // namespace

void read_grammar_text(std::string_view text, GrammarText& into) { TextReader(text, into).run(); }

}  // namespace tidemill::epub
