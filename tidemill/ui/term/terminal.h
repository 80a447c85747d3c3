// Terminal: what the terminal on a stream supports. The rules take their input as values, so a test
// can simulate any terminal; only is_tty() and size_of() query the system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tidemill::term {

enum class ColourChoice : std::uint8_t { automatic, always, never };  // --color auto|always|never

struct Size {
  std::size_t width = 80;
  std::size_t height = 24;

  bool operator==(const Size&) const = default;
};

// The environment variables about the terminal; empty: not set.
struct ScreenEnvironment {
  std::string term{};            // TERM
  std::string no_color{};        // NO_COLOR
  std::string clicolor_force{};  // CLICOLOR_FORCE
};

// Whether to use colours on a stream. --color always or never decides; then NO_COLOR, then
// CLICOLOR_FORCE (anything but "0"); otherwise only a terminal that is not dumb gets colours.
[[nodiscard]] bool wants_colour(ColourChoice choice, bool is_tty,
                                const ScreenEnvironment& environment);

// Whether a block can be redrawn at the same place.
[[nodiscard]] bool can_redraw(bool is_tty, const ScreenEnvironment& environment);

[[nodiscard]] bool is_tty(int fd);
// The current size: call it before each drawing. 80×24 if the terminal does not report one.
[[nodiscard]] Size size_of(int fd);

}  // namespace tidemill::term
