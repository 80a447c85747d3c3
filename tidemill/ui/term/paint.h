// Paint: the few colours that we use, as escape sequences that every terminal since the VT100
// accepts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemill::term {

enum class Colour : std::uint8_t { none, bold, dim, red, green, yellow };

[[nodiscard]] constexpr std::string_view sequence_of(Colour colour) {
  switch (colour) {
    case Colour::none:
      return "";
    case Colour::bold:
      return "\x1b[1m";
    case Colour::dim:
      return "\x1b[2m";
    case Colour::red:
      return "\x1b[31m";
    case Colour::green:
      return "\x1b[32m";
    case Colour::yellow:
      return "\x1b[33m";
  }
  return "";
}

// Returns the text unchanged without colour. The text must not contain a newline: some terminals
// fill the rest of the line with the attributes set there.
[[nodiscard]] inline std::string painted(std::string_view text, Colour colour, bool has_colour) {
  if (!has_colour || colour == Colour::none || text.empty()) return std::string(text);
  return std::string(sequence_of(colour)).append(text).append("\x1b[0m");
}

}  // namespace tidemill::term
