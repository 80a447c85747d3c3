// Glob: a pattern for names, as people write it on a command line.
//
//   *       any bytes but '/'             [a-z]   one byte of the class; [!a-z] or [^a-z] one not
//   ?       one byte but '/'                      in it; never '/'
//   **      any bytes, '/' too            {a,b}   one of the alternatives; may be nested and empty
//   **/     no folder or any number       \x      x itself
//
// A pattern without '/' is matched against the name of an entry, one with '/' against its path
// below the root; a '/' in front only says "from the root". A '/' at the end asks for a folder.
// Matching is on bytes: names need not be UTF-8, case counts, and a leading dot is not special.
//
// Matching takes time in proportion to (length of the pattern) x (length of the name), whatever the
// pattern: all ways to match are followed at once, as a set of states, and none is tried again.
// A pattern that makes no sense (an open bracket, a leading '!') is refused when it is compiled.
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
  // A state is a byte or a sign of the pattern. The set of them lives on the stack.
  static constexpr std::size_t kMostStates = 2048;

  [[nodiscard]] static Result<Glob> compile(std::string_view pattern);

  // `path` is the path below the root, `name` its last part.
  [[nodiscard]] bool matches(std::string_view path, std::string_view name, bool is_folder) const;

  [[nodiscard]] bool wants_folder() const { return wants_folder_; }

 private:
  friend class GlobCompiler;
  using ByteClass = std::bitset<256>;

  enum class Sign : std::uint8_t {
    byte,      // eats one byte: `value`
    any,       // eats one byte but '/'
    of_class,  // eats one byte of classes_[value]
    star,      // eats any bytes but '/'
    stars,     // eats any bytes
    fork,      // goes on behind itself, and at `value`
    jump,      // goes on at `value`
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
  std::string tail_;  // bytes every match ends with: most names are refused by them alone
  std::size_t words_ = 0;
  std::vector<std::uint64_t> reach_;  // for each state a set: where one is without eating a byte
  bool is_for_paths_ = false;
  bool wants_folder_ = false;
};

}  // namespace tidemill::walk
