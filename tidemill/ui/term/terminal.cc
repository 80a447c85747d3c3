#include "tidemill/ui/term/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace tidemill::term {

bool can_redraw(bool is_tty, const ScreenEnvironment& environment) {
  return is_tty && !environment.term.empty() && environment.term != "dumb";
}

bool wants_colour(ColourWish wish, bool is_tty, const ScreenEnvironment& environment) {
  if (wish != ColourWish::automatic) return wish == ColourWish::always;
  if (!environment.no_color.empty()) return false;
  if (!environment.clicolor_force.empty() && environment.clicolor_force != "0") return true;
  return can_redraw(is_tty, environment);
}

bool is_tty(int fd) { return ::isatty(fd) == 1; }

Size size_of(int fd) {
  winsize told{};
  Size size;
  if (::ioctl(fd, TIOCGWINSZ, &told) != 0) return size;
  if (told.ws_col > 0) size.width = told.ws_col;
  if (told.ws_row > 0) size.height = told.ws_row;
  return size;
}

}  // namespace tidemill::term
