// Screen: what the terminal at the other end can do. The rules take what they need as values, so a
// test can be any terminal; only two functions ask the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tidemill::term {

enum class ColourWish : std::uint8_t { automatic, always, never };  // --color auto|always|never

struct Size {
  std::size_t width = 80;
  std::size_t height = 24;

  bool operator==(const Size&) const = default;
};

// The part of the environment that says something about the terminal; empty: not set.
struct ScreenEnvironment {
  std::string term{};            // TERM
  std::string no_color{};        // NO_COLOR
  std::string clicolor_force{};  // CLICOLOR_FORCE
};

// Whether to colour what goes to one of the streams. What the user typed wins; then NO_COLOR, then
// CLICOLOR_FORCE (anything but "0"), and then only a terminal that is not dumb has colours.
[[nodiscard]] bool wants_colour(ColourWish wish, bool is_tty, const ScreenEnvironment& environment);

// Whether a block can be drawn over and over at the same place.
[[nodiscard]] bool can_redraw(bool is_tty, const ScreenEnvironment& environment);

[[nodiscard]] bool is_tty(int fd);
// As it is now: ask again before each drawing. A terminal that does not know says 80×24.
[[nodiscard]] Size size_of(int fd);

}  // namespace tidemill::term
