// Glob: a compiled pattern for names, in command-line syntax.
//
//   *       any bytes but '/'             [a-z]   one byte of the class; [!a-z] or [^a-z] one not
//   ?       one byte but '/'                      in it; never '/'
//   **      any bytes, '/' too            {a,b}   one of the alternatives; may be nested and empty
//   **/     zero or more folders          \x      x itself
//
// A pattern without '/' is matched against the name of an entry, one with '/' against its path
// below the root; a leading '/' only anchors it at the root. A trailing '/' matches folders only.
// Matching is on bytes: names need not be UTF-8, case matters, and a leading dot is not special.
//
// Matching takes time linear in the length of the name, whatever the pattern: it follows all
// possible matches at once, as a set of states, and never backtracks. Invalid patterns (an open
// bracket, a leading '!') are rejected when they are compiled.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"

namespace tidemill::walk {

// Immutable.
class Glob {
 public:
  // A state is one byte or operator of the pattern. The state sets are on the stack.
  static constexpr std::size_t kMostStates = 2048;

  [[nodiscard]] static Result<Glob> compile(std::string_view pattern);

  // `path` is the path below the root, `name` its last component.
  [[nodiscard]] bool matches(std::string_view path, std::string_view name, bool is_folder) const;

  [[nodiscard]] bool wants_folder() const { return wants_folder_; }

 private:
  friend class GlobCompiler;
  using ByteClass = std::bitset<256>;

  enum class Sign : std::uint8_t {
    byte,      // consumes one byte: `value`
    any,       // consumes one byte but '/'
    of_class,  // consumes one byte of classes_[value]
    star,      // consumes any bytes but '/'
    stars,     // consumes any bytes
    fork,      // continues at the next state and at `value`
    jump,      // continues at `value`
    accept,    // the end of the pattern
  };
  struct State {
    Sign sign = Sign::accept;
    std::uint32_t value = 0;
  };

  Glob() = default;
  [[nodiscard]] bool run(std::string_view text) const;
  [[nodiscard]] bool eats(const State& state, unsigned char byte) const;
  void close_over_free_moves();

  std::vector<State> states_;
  std::vector<ByteClass> classes_;
  std::string tail_;  // suffix of every match: rejects most names without a run
  std::size_t words_ = 0;
  std::vector<std::uint64_t> reach_;  // per state: the states reachable without consuming a byte
  bool is_for_paths_ = false;
  bool wants_folder_ = false;
};

}  // namespace tidemill::walk
