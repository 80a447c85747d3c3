// FullScreenCanvas: takes over the complete terminal through ncursesw. It draws lines with styles,
// reads keys, and restores the terminal at the end.
//
// open() fails with kind usage if there is no terminal, or one that cannot position its cursor. The
// signal handlers that ncurses installs are removed again. The size is read before each drawing, so
// SIGWINCH is not needed. Output is UTF-8 whatever the locale, as everywhere in the program.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/ui/term/screen/model.h"
#include "tidemill/ui/term/terminal.h"

namespace tidemill::term {

struct CanvasOptions {
  std::string path = "/dev/tty";
  std::string term{};  // TERM
  bool has_colour = false;
};

// One thread: the one that opened it. No other thread may use ncurses.
class FullScreenCanvas {
 public:
  // Whether open() would work. Does not change the terminal.
  [[nodiscard]] static Result<void> check(const CanvasOptions& options);

  [[nodiscard]] static Result<std::unique_ptr<FullScreenCanvas>> open(const CanvasOptions& options);
  FullScreenCanvas(const FullScreenCanvas&) = delete;
  FullScreenCanvas& operator=(const FullScreenCanvas&) = delete;
  ~FullScreenCanvas();  // restores the terminal

  [[nodiscard]] Size size() const;
  void draw(const std::vector<Line>& lines);
  // Empty if no key was pressed; waits only for the rest of an escape sequence.
  [[nodiscard]] std::optional<KeyPress> key();
  // For polling for input.
  [[nodiscard]] int descriptor() const;

  // Restores the terminal temporarily. draw() takes it over again.
  void lend();
  // Whether this process is in the foreground of the terminal, not a background job.
  [[nodiscard]] bool is_foreground() const;

 private:
  struct Curses;
  explicit FullScreenCanvas(std::unique_ptr<Curses> curses);

  std::unique_ptr<Curses> curses_;
};

}  // namespace tidemill::term
