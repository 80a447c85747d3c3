// FullScreen: shows a run on the complete terminal: bar, workers, the outcome of each item,
// details.
//
//   any thread ── show, settle, tell ──► FullScreenMail ──► the screen's thread ──► ScreenModel
//                                                               ▲ keys  │ lines
//                                                               │       ▼
//                                                            FullScreenCanvas
//
// One thread draws, at most every kFrame, and reads the keys. Callers never wait for it: not for a
// slow terminal, not for one that is stopped (Ctrl-S), not for a user who scrolls. The terminal is
// restored on every way out: the end of the run, q, a signal (pause), the destructor. If the
// terminal hangs up, the screen is closed and the run continues.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "tidemill/base/clock.h"
#include "tidemill/base/descriptor.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/progress.h"
#include "tidemill/ui/command/console.h"
#include "tidemill/ui/term/eta_smoother.h"
#include "tidemill/ui/term/screen/canvas.h"
#include "tidemill/ui/term/screen/mail.h"
#include "tidemill/ui/term/screen/model.h"

namespace tidemill::term {

struct FullScreenOptions {
  CanvasOptions canvas{};
  std::string title{};  // the verb
  ItemWords words{};
  // Both are called by the screen's thread, and must not call the screen.
  std::function<void()> on_stop{};   // the user wants the run to stop
  std::function<void()> on_leave{};  // once, when the terminal is restored
};

// Thread-safe.
class FullScreen {
 public:
  static constexpr Instant::duration kFrame = std::chrono::milliseconds(100);
  static constexpr Instant::duration kAfterKey = std::chrono::milliseconds(15);
  static constexpr Instant::duration kPatience = std::chrono::seconds(1);

  // The clock must outlive the screen.
  FullScreen(FullScreenOptions options, const Clock& clock);
  FullScreen(const FullScreen&) = delete;
  FullScreen& operator=(const FullScreen&) = delete;
  ~FullScreen();  // closes the screen

  // Takes over the terminal. If this fails, on_leave is not called.
  [[nodiscard]] Result<void> start();

  void show(const engine::ProgressSnapshot& snapshot) { mail_.post(snapshot); }
  void settle(command::SettledItem item) { mail_.post(std::move(item)); }
  void tell(command::Tone tone, std::string_view text) { mail_.post(tone, text); }

  // A stop was requested: Esc no longer asks, and the screen closes when the run is over.
  void interrupt();
  // Before the process is suspended: returns when the terminal is restored, or after kPatience if
  // it accepts no output.
  void pause();
  void resume();

  // The run is over. If it was not stopped, the screen stays until the user closes it.
  void finish();
  [[nodiscard]] bool is_over() { return orders_.lock()->is_over; }

 private:
  struct Orders {
    bool has_opened = false;
    bool should_pause = false;
    bool is_paused = false;
    bool is_over = false;
    bool should_leave = false;
    bool was_interrupted = false;
    bool has_left = false;
    std::optional<Failure> failure{};
  };

  enum class Hold : std::uint8_t { none, wait, leave };

  void work();
  void watch(FullScreenCanvas& canvas);
  [[nodiscard]] Hold hold_on(FullScreenCanvas& canvas);
  [[nodiscard]] bool should_go(ScreenModel& model, bool is_over);
  void deliver(ScreenModel& model);
  [[nodiscard]] bool take_keys(FullScreenCanvas& canvas, ScreenModel& model, bool& was_touched);
  // False: the terminal has hung up.
  [[nodiscard]] bool wait_for_news(const FullScreenCanvas& canvas, Instant until,
                                   bool listens) const;
  void give(const std::function<void(Orders&)>& change);

  const FullScreenOptions options_;
  const Clock& clock_;
  const Descriptor bell_;  // eventfd: wakes the thread when the orders change
  FullScreenMail mail_;
  Guarded<Orders> orders_;
  EtaSmoother eta_;  // used by the screen's thread only
  std::jthread thread_;
};

}  // namespace tidemill::term
