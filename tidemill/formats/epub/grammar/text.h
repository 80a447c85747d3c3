// Parses the text of a grammar into lists (syntax only). grammar/maker.cc resolves the names.
//
// A syntax error is a bug: it aborts the program with the line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/formats/epub/grammar/grammar.h"

namespace tidemill::epub {

// A name with its namespace. The views point into the texts, which have static lifetime.
struct FullName {
  std::string_view ns{};
  std::string_view name{};

  auto operator<=>(const FullName&) const = default;
};

// One of the alternatives for the value of an attribute.
struct ValueChoice {
  Datatype datatype = nullptr;
  std::vector<std::string_view> words{};  // used if there is no datatype
  bool any_case = false;
  bool is_list = false;  // every word of the value is one of these
};

struct AttributeText {
  enum class Kind : std::uint8_t { one, begins_with, whole_namespace, foreign, all, set, states };
  Kind kind = Kind::one;
  FullName name{};                    // Kind::set, Kind::states: the name of the set or role
  std::string_view role{};            // Kind::states: the role they apply to; empty: no role
  std::vector<ValueChoice> values{};  // empty: any text
  bool is_required = false;
  std::uint32_t number = 0;  // of the attribute name; set by grammar/maker.cc
  std::uint64_t state = 0;   // its bit if only some roles allow it; set by grammar/maker.cc
};

struct AttributeSetText {
  std::string_view name{};
  std::vector<AttributeText> members{};
};

// Attributes that some roles allow.
struct StatesText {
  std::vector<std::string_view> roles{};
  std::vector<AttributeText> members{};
  std::uint32_t line = 0;
};

// A content pattern as a tree in one array: a node refers to its parts by position.
struct PatternText {
  enum class Kind : std::uint8_t {
    empty,
    text,
    any,
    foreign,
    custom,
    other,
    unnamed,
    name,
    choice,
    sequence,
    interleave,
    many,
    some,
    maybe
  };
  struct Node {
    Kind kind{};
    std::string_view name{};
    std::uint32_t line = 0;
    std::vector<std::uint32_t> parts{};
  };
  std::vector<Node> nodes{};  // the last node is the root
};

struct ContentText {
  std::string_view name{};
  PatternText pattern{};
};

struct ElementText {
  std::string_view type{};
  FullName tag{};
  // Condition: the attribute is present, or has one of the values; no name: no condition.
  FullName when{};
  std::vector<std::string_view> when_values{};
  std::vector<AttributeText> attributes{};
  PatternText pattern{};
  Datatype whole_text = nullptr;
  std::uint32_t line = 0;
};

struct GrammarText {
  std::vector<std::string_view> namespaces{};  // declared in any of the texts
  std::string_view first_namespace{};
  std::vector<FullName> any_case{};  // attributes, with the namespace of their elements
  std::vector<AttributeSetText> attribute_sets{};
  std::vector<StatesText> states{};
  std::vector<ContentText> contents{};
  std::vector<ElementText> elements{};
  PatternText start{};
};

void read_grammar_text(std::string_view text, GrammarText& into);

[[noreturn]] void bad_grammar(std::string_view what, std::string_view name, std::uint32_t line);

}  // namespace tidemill::epub
