// Emphasis and its kin: which runs of *, _, ~~ and == open and close each other.
#pragma once

#include <string>
#include <vector>

#include "tests/docs/stub/tree.h"

namespace tidemill::docs_stub {

struct Token {
  enum class Kind : std::uint8_t {
    text,
    special,
    soft_break,
    hard_break,
    code,
    image,
    open,
    close
  };
  Kind kind = Kind::text;
  std::string text{};
  Mark mark{};
};

struct Delimiter {
  char marker = 0;
  std::size_t run = 0;  // its length; 0: the rule of three does not hold for it
  std::size_t token = 0;
  bool opens = false;
  bool closes = false;
  int end = -1;
};

struct Run {
  std::size_t length = 0;
  bool opens = false;
  bool closes = false;
};

[[nodiscard]] Run run_at(const std::string& text, std::size_t at);
// Turns the tokens of delimiters that belong together into marks.
void pair_up(std::vector<Token>& tokens, std::vector<Delimiter>& delimiters);

}  // namespace tidemill::docs_stub
