// FullScreen: a run on the whole terminal: bar, workers, what became of each item, details.
//
//   any thread ── show, settle, tell ──► FullScreenMail ──► the screen's thread ──► ScreenModel
//                                                                │ keys ▲   lines │
//                                                                └── FullScreenCanvas ◄──┘
//
// One thread draws, at most every kFrame, and reads the keys. Whoever hands something over never
// waits for it: not for a slow terminal, not for one that is stopped (Ctrl-S), not for a reader who
// scrolls. The terminal is given back on every way out: the end of the run, q, a signal (pause),
// the destructor. A terminal that hangs up is left; the run goes on.
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
  // Both by the screen's thread, and neither may call the screen.
  std::function<void()> on_stop{};   // the user wants the run to stop
  std::function<void()> on_leave{};  // once, when the terminal is everybody's again
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
  ~FullScreen();  // leaves

  // Takes the terminal, or says why it cannot: then on_leave is not called.
  [[nodiscard]] Result<void> start();

  void show(const engine::ProgressSnapshot& snapshot) { mail_.post(snapshot); }
  void settle(command::SettledItem item) { mail_.post(std::move(item)); }
  void tell(command::Tone tone, std::string_view text) { mail_.post(tone, text); }

  // The run was told to stop: no second Esc is needed, and nobody lingers.
  void interrupt();
  // Before the process is stopped: returns when the terminal is given back, or after kPatience when
  // the terminal takes nothing.
  void pause();
  void resume();

  // The run is over. When it ended by itself the screen stays until the user leaves it.
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
    std::optional<Failure> trouble{};
  };

  enum class Hold : std::uint8_t { none, wait, leave };

  void work();
  void watch(FullScreenCanvas& canvas);
  [[nodiscard]] Hold hold_on(FullScreenCanvas& canvas);
  [[nodiscard]] bool should_go(ScreenModel& model, bool is_over);
  void deliver(ScreenModel& model);
  [[nodiscard]] bool take_keys(FullScreenCanvas& canvas, ScreenModel& model, bool& was_touched);
  // False: the terminal is gone.
  [[nodiscard]] bool wait_for_news(const FullScreenCanvas& canvas, Instant until,
                                   bool listens) const;
  void give(const std::function<void(Orders&)>& change);

  const FullScreenOptions options_;
  const Clock& clock_;
  const Descriptor bell_;  // rung when the orders change
  FullScreenMail mail_;
  Guarded<Orders> orders_;
  EtaSmoother eta_;  // the screen's thread
  std::jthread thread_;
};

}  // namespace tidemill::term
