// FullScreenConsole: a TerminalConsole that can show a full screen (--screen).
//
//   show(), settled() ──► the screen while it is open, else the terminal console
//   out(), err(), say() ► kept while the screen covers the place where they would be printed, and
//                         printed when it is closed; a file or pipe is written at once
//
// The screen opens with the first snapshot or item, so that a verb without a run or a run that
// cannot start does not flash it. Without want_screen() it is only a TerminalConsole. If the
// terminal cannot be taken over, a warning is printed and the run continues with a progress bar.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string_view>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/ui/command/console.h"
#include "tidemill/ui/term/screen/buffer.h"
#include "tidemill/ui/term/screen/full_screen.h"
#include "tidemill/ui/term/terminal_console.h"

namespace tidemill::term {

// Thread-safe, except want_screen() and name_items(), which are called before the run. An exception
// to the rule of one lock at a time: when the screen is closed, the kept output is printed under
// the lock that preserves its order.
class FullScreenConsole final : public command::Console {
 public:
  // The clock must outlive the console.
  FullScreenConsole(ConsoleOptions options, const Clock& clock);
  FullScreenConsole(const FullScreenConsole&) = delete;
  FullScreenConsole& operator=(const FullScreenConsole&) = delete;
  ~FullScreenConsole() override;  // flush_end()

  void want_screen(FullScreenOptions options);
  // The words for the items of this run.
  void name_items(ItemWords words);

  [[nodiscard]] Result<void> out(std::string_view bytes) override;
  [[nodiscard]] Result<void> err(std::string_view bytes) override;
  [[nodiscard]] Result<void> sync() override { return terminal_.sync(); }
  void say(command::Tone tone, std::string_view text) override;
  void show(const engine::ProgressSnapshot& snapshot) override;
  [[nodiscard]] bool wants_items() const override { return wants_screen_; }
  void settled(command::SettledItem&& item) override;

  // A stop was requested (Ctrl-C).
  void interrupt();
  // The run is over: returns when the user has closed the screen. Further calls do nothing.
  void finish();
  // finish() was called: only the user still keeps the screen open.
  [[nodiscard]] bool is_over();
  // Closes the screen, removes the live block and prints the kept output.
  void flush_end();

  // Before and after the process is suspended (Ctrl-Z).
  void restore();
  void resume();

 private:
  static constexpr std::uint8_t kOut = 0;
  static constexpr std::uint8_t kErr = 1;
  static constexpr std::uint8_t kSay = 2;  // + the tone
  struct Hold {
    bool is_up = false;
    FullScreenBuffer kept{};
  };

  [[nodiscard]] FullScreen* screen();
  [[nodiscard]] std::optional<Result<void>> keep(std::uint8_t kind, std::string_view bytes);
  [[nodiscard]] Result<void> print(std::uint8_t kind, std::string_view bytes);
  void print_kept();

  const ConsoleOptions options_;
  const Clock& clock_;
  FullScreenOptions wanted_{};
  TerminalConsole terminal_;
  std::atomic<bool> wants_screen_ = false;  // and it was not closed
  Guarded<Hold> hold_;
  Guarded<std::unique_ptr<FullScreen>> making_;
  std::atomic<FullScreen*> screen_ = nullptr;  // points into making_ once the screen is open
};

}  // namespace tidemill::term
