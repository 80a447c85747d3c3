// The text of a grammar, read into lists: what stands there, not yet what it means. Names are not
// looked up here; grammar/maker.cc does that.
//
// How it fails: a text that is no grammar is a bug; it ends the program and names the line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/formats/epub/grammar/grammar.h"

namespace tidemill::epub {

// A name with its namespace. The views point into the texts, which live as long as the program.
struct FullName {
  std::string_view ns{};
  std::string_view name{};

  auto operator<=>(const FullName&) const = default;
};

// What an attribute's value may be: any of the alternatives.
struct ValueChoice {
  Datatype datatype = nullptr;
  std::vector<std::string_view> words{};  // used when there is no datatype
  bool any_case = false;
  bool is_list = false;  // every word of the value is one of these
};

struct AttributeText {
  enum class Kind : std::uint8_t { one, begins_with, whole_namespace, foreign, all, set, states };
  Kind kind = Kind::one;
  FullName name{};                    // of a set or states: its name
  std::string_view role{};            // of states: with which they go here; none: without a role
  std::vector<ValueChoice> values{};  // none: any text
  bool is_required = false;
  std::uint32_t number = 0;  // among all names of attributes; told by grammar/maker.cc
  std::uint64_t state = 0;   // its bit, when it goes with some roles only; told there too
};

struct AttributeSetText {
  std::string_view name{};
  std::vector<AttributeText> members{};
};

// Attributes that go with roles.
struct StatesText {
  std::vector<std::string_view> roles{};
  std::vector<AttributeText> members{};
  std::uint32_t line = 0;
};

// A content pattern as a tree in one array: a node names its parts by position.
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
  std::vector<Node> nodes{};  // the last one is the whole
};

struct ContentText {
  std::string_view name{};
  PatternText pattern{};
};

struct ElementText {
  std::string_view type{};
  FullName tag{};
  // When the attribute is there, or has one of the values; no name: always.
  FullName when{};
  std::vector<std::string_view> when_values{};
  std::vector<AttributeText> attributes{};
  PatternText pattern{};
  Datatype whole_text = nullptr;
  std::uint32_t line = 0;
};

struct GrammarText {
  std::vector<std::string_view> namespaces{};  // all that are declared, in any text
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
