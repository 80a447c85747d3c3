// Placeholders: expands the command as typed, with one name, to the arguments of one process.
//
//   {}    the name                 photos/a.b.jpg
//   {.}   without its extension    photos/a.b
//   {/}   the last part            a.b.jpg
//   {//}  the folder               photos            ("." when the name has none)
//   {/.}  last part, no extension  a.b
//   {#}   the number of the task   17
//
// A command without any of {} {.} {/} {//} {/.} gets the name as its last argument. No shell is
// involved, so nothing needs quoting: whatever characters a name contains, it stays within its
// argument. A name that begins with "-" would be taken for an option, so at the beginning of an
// argument it is written "./-name". The first word, the program, is never expanded.
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
  // `words` is the program and its arguments; it must not be empty.
  explicit Placeholders(const std::vector<std::string>& words);

  // Writes the complete argument vector, the program first, to `arguments` and reuses its strings.
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

// --shell: the script is passed unchanged and gets the name as $1, which is as safe as above.
[[nodiscard]] std::vector<std::string> shell_arguments(const std::string& script,
                                                       std::string_view name);

}  // namespace tidemill::each
