// FullScreenCanvas: a terminal that is taken over whole, through ncursesw. Lines with styles are
// put on it, keys are read from it, and it is given back as it was.
//
// open() fails with a usage failure when there is no terminal, or none that can place its cursor.
// Signals stay the program's: ncurses's own are put back. The size is asked before each drawing, so
// no SIGWINCH is needed. UTF-8 is written whatever the locale says, as everywhere in the program.
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

// One thread: the one that opened it, which must be the only one that uses ncurses.
class FullScreenCanvas {
 public:
  // Whether open() would work, without touching the terminal.
  [[nodiscard]] static Result<void> check(const CanvasOptions& options);

  [[nodiscard]] static Result<std::unique_ptr<FullScreenCanvas>> open(const CanvasOptions& options);
  FullScreenCanvas(const FullScreenCanvas&) = delete;
  FullScreenCanvas& operator=(const FullScreenCanvas&) = delete;
  ~FullScreenCanvas();  // the terminal is as it was

  [[nodiscard]] Size size() const;
  void draw(const std::vector<Line>& lines);
  // Nothing when there is none now; waits only for the rest of an escape sequence.
  [[nodiscard]] std::optional<KeyPress> key();
  // To poll for input.
  [[nodiscard]] int descriptor() const;

  // The terminal is given back for a while. draw() takes it again.
  void lend();
  // Whether the terminal is ours to use: not that of a job in the background.
  [[nodiscard]] bool is_foreground() const;

 private:
  struct Parts;
  explicit FullScreenCanvas(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace tidemill::term
