// Interned content patterns and their derivatives: the pattern that remains after a symbol.
//
// A pattern is a number. Patterns built from the same parts have the same number, so a pattern can
// be the state of a state machine: `after(state, symbol)` is a table whose cells are computed on
// first use. The number of states is bounded by the grammar, not by the document.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemill::epub {

using Pattern = std::uint32_t;
using Symbol = std::uint32_t;  // a tag of the grammar, or one of the special symbols after them
using TypeId = std::uint16_t;

inline constexpr TypeId kNoType = 0xffff;  // the content is not checked
inline constexpr Pattern kNotAllowed = 0;  // matches nothing
inline constexpr Pattern kEmpty = 1;       // matches empty content
inline constexpr Pattern kAnything = 2;    // matches any content

// One thread.
class Patterns {
 public:
  // `tags`: the number of symbols that are tags. After them come text, foreign, custom, other,
  // unnamed. An element that is not allowed by its name is tried as unnamed.
  explicit Patterns(std::uint32_t tags);

  [[nodiscard]] Symbol text() const { return tags_; }
  [[nodiscard]] Symbol foreign() const { return tags_ + 1; }
  [[nodiscard]] Symbol custom() const { return tags_ + 2; }
  [[nodiscard]] Symbol other() const { return tags_ + 3; }
  [[nodiscard]] Symbol unnamed() const { return tags_ + 4; }

  [[nodiscard]] Pattern one(Symbol symbol, TypeId type);
  [[nodiscard]] Pattern text_pattern();  // any number of texts
  [[nodiscard]] Pattern choice(Pattern a, Pattern b);
  [[nodiscard]] Pattern choice_of(const std::vector<Pattern>& alternatives);
  [[nodiscard]] Pattern sequence(Pattern a, Pattern b);
  [[nodiscard]] Pattern interleave(Pattern a, Pattern b);
  [[nodiscard]] Pattern some(Pattern part);
  [[nodiscard]] Pattern many(Pattern part) { return choice(kEmpty, some(part)); }

  [[nodiscard]] bool may_end(Pattern pattern) const { return nodes_[pattern].may_end; }

  struct Step {
    Pattern next = kUnknown;  // kNotAllowed: the symbol is not allowed here
    TypeId type = kNoType;
  };
  [[nodiscard]] Step after(Pattern state, Symbol symbol) {
    if (const Step* row = rows_[state].get(); row != nullptr && row[symbol].next != kUnknown) {
      return row[symbol];
    }
    return fill(state, symbol);
  }

  // The symbols that may come first, without duplicates.
  [[nodiscard]] std::vector<Symbol> first_of(Pattern pattern) const;
  // Every type in the pattern, with its symbol.
  void types_in(Pattern pattern, std::vector<std::pair<Symbol, TypeId>>& into) const;

 private:
  static constexpr Pattern kUnknown = 0xffffffff;
  enum class Kind : std::uint8_t {
    not_allowed,
    empty,
    anything,
    one,
    text,
    choice,
    sequence,
    interleave,
    some
  };
  struct Node {
    Kind kind{};
    bool may_end = false;
    Pattern a = 0;  // Kind::one: the symbol
    Pattern b = 0;  // Kind::one: the type
  };
  struct Key {
    Kind kind{};
    Pattern a = 0;
    Pattern b = 0;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      const std::uint64_t both = (static_cast<std::uint64_t>(key.a) << 32U) | key.b;
      return (both * 0x9e3779b97f4a7c15U) ^ (static_cast<std::uint64_t>(key.kind) << 20U);
    }
  };

  Pattern intern(Kind kind, Pattern a, Pattern b, bool may_end);
  Step fill(Pattern state, Symbol symbol);
  Pattern left_after(Pattern pattern, Symbol symbol, TypeId& type);
  void parts_of(Kind kind, Pattern pattern, std::vector<Pattern>& into) const;

  std::uint32_t tags_;
  std::vector<Node> nodes_;
  std::vector<std::unique_ptr<Step[]>> rows_;
  std::unordered_map<Key, Pattern, KeyHash> known_;
};

}  // namespace tidemill::epub
