// FullScreenConsole: a TerminalConsole that may have a full screen before it (--screen).
//
//   show(), settled() ──► the screen while there is one, else the terminal console
//   out(), err(), say() ► kept while the screen stands where they would be printed, and printed
//                         when it is left; what goes to a file or pipe goes there at once
//
// The screen comes with the first snapshot or item, so that a verb without a run and a run that
// cannot start never flash one. Without want_screen() it is a TerminalConsole and nothing else. If
// the terminal cannot be taken, that is said and the run goes on with a bar.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string_view>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/ui/command/console.h"
#include "tidemill/ui/term/screen/full_screen.h"
#include "tidemill/ui/term/screen/spool.h"
#include "tidemill/ui/term/terminal_console.h"

namespace tidemill::term {

// Thread-safe, but for want_screen() and name_items(), which come before the run. At most two
// locks: when the screen is left, what was kept is printed under the lock that keeps the order.
class FullScreenConsole final : public command::Console {
 public:
  // The clock must outlive the console.
  FullScreenConsole(ConsoleOptions options, const Clock& clock);
  FullScreenConsole(const FullScreenConsole&) = delete;
  FullScreenConsole& operator=(const FullScreenConsole&) = delete;
  ~FullScreenConsole() override;  // flush_end()

  void want_screen(FullScreenOptions options);
  // What this run calls its items.
  void name_items(ItemWords words);

  [[nodiscard]] Result<void> out(std::string_view bytes) override;
  [[nodiscard]] Result<void> err(std::string_view bytes) override;
  [[nodiscard]] Result<void> sync() override { return terminal_.sync(); }
  void say(command::Tone tone, std::string_view text) override;
  void show(const engine::ProgressSnapshot& snapshot) override;
  [[nodiscard]] bool wants_items() const override { return wants_screen_; }
  void settled(command::SettledItem&& item) override;

  // The run was told to stop (Ctrl-C).
  void interrupt();
  // The run is over: returns when the user has left the screen. More calls do nothing.
  void finish();
  // finish() was called: who still looks only has to leave.
  [[nodiscard]] bool is_over();
  // Screen and block are gone, and what was kept is printed.
  void flush_end();

  // Before the process stops (Ctrl-Z), and after.
  void restore();
  void resume();

 private:
  static constexpr std::uint8_t kOut = 0;
  static constexpr std::uint8_t kErr = 1;
  static constexpr std::uint8_t kSay = 2;  // + the tone
  struct Hold {
    bool is_up = false;
    FullScreenSpool kept{};
  };

  [[nodiscard]] FullScreen* screen();
  [[nodiscard]] std::optional<Result<void>> keep(std::uint8_t kind, std::string_view bytes);
  [[nodiscard]] Result<void> print(std::uint8_t kind, std::string_view bytes);
  void print_kept();

  const ConsoleOptions options_;
  const Clock& clock_;
  FullScreenOptions wanted_{};
  TerminalConsole terminal_;
  std::atomic<bool> wants_screen_ = false;  // and it was not left
  Guarded<Hold> hold_;
  Guarded<std::unique_ptr<FullScreen>> making_;
  std::atomic<FullScreen*> screen_ = nullptr;  // in making_, once it is up
};

}  // namespace tidemill::term
