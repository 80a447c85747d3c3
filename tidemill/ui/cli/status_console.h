// StatusConsole: a Console that keeps the last snapshot, so that it can be printed on demand, and
// adds what the run is waiting for to every snapshot.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tidemill/base/guarded.h"
#include "tidemill/ui/command/console.h"
#include "tidemill/ui/term/terminal_console.h"

namespace tidemill::cli {

// Thread-safe.
class StatusConsole final : public command::Console {
 public:
  explicit StatusConsole(command::Console& console) : console_(console) {}

  [[nodiscard]] Result<void> out(std::string_view bytes) override { return console_.out(bytes); }
  [[nodiscard]] Result<void> err(std::string_view bytes) override { return console_.err(bytes); }
  [[nodiscard]] Result<void> sync() override { return console_.sync(); }
  void say(command::Tone tone, std::string_view text) override { console_.say(tone, text); }
  void show(const engine::ProgressSnapshot& snapshot) override {
    engine::ProgressSnapshot now = snapshot;
    if (std::string reason = *waits_for_.lock(); !reason.empty() && !now.is_last) {
      now.waits_for = std::move(reason);
      now.eta.reset();
    }
    *last_.lock() = now;
    console_.show(now);
  }
  void wait_for(std::string_view reason) override { *waits_for_.lock() = reason; }
  [[nodiscard]] bool wants_items() const override { return console_.wants_items(); }
  void settled(command::SettledItem&& item) override { console_.settled(std::move(item)); }

  // Printed even with --quiet, because the user requested it.
  void say_status() {
    std::optional<engine::ProgressSnapshot> last = *last_.lock();
    if (last) console_.say(command::Tone::warning, term::TerminalConsole::status_line(*last));
  }

 private:
  command::Console& console_;
  Guarded<std::optional<engine::ProgressSnapshot>> last_;
  Guarded<std::string> waits_for_;
};

}  // namespace tidemill::cli
