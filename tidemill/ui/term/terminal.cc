#include "tidemill/ui/term/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace tidemill::term {

bool can_redraw(bool is_tty, const ScreenEnvironment& environment) {
  return is_tty && !environment.term.empty() && environment.term != "dumb";
}

bool wants_colour(ColourChoice choice, bool is_tty, const ScreenEnvironment& environment) {
  if (choice != ColourChoice::automatic) return choice == ColourChoice::always;
  if (!environment.no_color.empty()) return false;
  if (!environment.clicolor_force.empty() && environment.clicolor_force != "0") return true;
  return can_redraw(is_tty, environment);
}

bool is_tty(int fd) { return ::isatty(fd) == 1; }

Size size_of(int fd) {
  winsize window{};
  Size size;
  if (::ioctl(fd, TIOCGWINSZ, &window) != 0) return size;
  if (window.ws_col > 0) size.width = window.ws_col;
  if (window.ws_row > 0) size.height = window.ws_row;
  return size;
}

}  // namespace tidemill::term
