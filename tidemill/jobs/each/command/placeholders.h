// Placeholders: from the command as typed and one name to the arguments of one process.
//
//   {}    the name                 photos/a.b.jpg
//   {.}   without its extension    photos/a.b
//   {/}   the last part            a.b.jpg
//   {//}  the folder               photos            ("." when the name has none)
//   {/.}  last part, no extension  a.b
//   {#}   the number of the task   17
//
// A command without any of {} {.} {/} {//} {/.} gets the name as its last argument. There is no
// quoting to get right, for there is no shell: whatever the name holds, it stays in its argument.
// A name that begins with "-" would be taken for an option, so where it begins an argument it is
// written "./-name". The first word, the program, is never expanded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"

namespace tidemill::each {

// Immutable.
class Placeholders {
 public:
  // `words` is the program and its arguments; there is at least one.
  explicit Placeholders(const std::vector<std::string>& words);

  // The whole argument vector, the program first, into `arguments`, whose strings are used again.
  void expand(std::string_view name, std::uint64_t number,
              std::vector<std::string>& arguments) const;

 private:
  enum class Part : std::uint8_t { literal, whole, stem, last, folder, last_stem, number };
  struct Piece {
    Part part = Part::literal;
    std::string text{};  // of a literal
  };

  static std::vector<Piece> pieces_of(std::string_view word);
  static void append(const Piece& piece, std::string_view name, std::uint64_t number,
                     std::string& argument);

  std::vector<std::vector<Piece>> words_;
};

// --shell: the script is never touched, the name is its $1, as safe as above.
[[nodiscard]] std::vector<std::string> shell_arguments(const std::string& script,
                                                       std::string_view name);

}  // namespace tidemill::each
