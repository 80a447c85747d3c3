// TerminalConsole: the Console for a user at a terminal, or for a log file or program that reads
// the streams instead.
//
//   out()  ──────────────► standard output     data, byte for byte
//   err(), say(), show() ► standard error      standard error of commands, messages, progress
//
// With ProgressMode::bar a live block (live_block.h) is shown below everything else on the
// terminal. Other output goes above it: the block is erased, the bytes are written, the block is
// drawn again. Bytes that do not end a line are followed by a newline on the terminal (never in the
// data), because the block needs its own lines. The cursor is hidden while there is a block.
//
// Nothing is drawn on a terminal that is stopped (Ctrl-S). Standard output has its own lock if it
// is not the terminal: a worker that writes to a file or pipe never waits for the screen.
//
// out() and err() fail permanently when the reader is gone or there is no space. Our own messages
// are then dropped silently, because they cannot be shown anywhere.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/ui/command/console.h"
#include "tidemill/ui/term/block_painter.h"
#include "tidemill/ui/term/eta_smoother.h"
#include "tidemill/ui/term/terminal.h"

namespace tidemill::term {

enum class ProgressMode : std::uint8_t {
  bar,    // a live block
  plain,  // a line with the time every 10 s if something changed, and one at the end
  json,   // one object per line every second, and one at the end
  none,
};

struct ConsoleOptions {
  ProgressMode progress = ProgressMode::none;
  bool has_colour = false;  // on standard error
  bool is_quiet = false;    // no progress, only warnings and errors
  std::string title{};      // of the block: the verb
  int out = 1;
  int err = 2;
  bool is_out_tty = false;
  bool is_err_tty = false;
  std::function<Size()> size{};  // empty: the size of the terminal on `err`
  bool breaks_lines = true;      // the terminal rewraps its lines when it becomes narrower
};

// Thread-safe. An exception to the rule that nothing is written under a lock: the lock protects the
// order of the output on the screen.
class TerminalConsole final : public command::Console {
 public:
  static constexpr Instant::duration kPlainInterval = std::chrono::seconds(10);
  static constexpr Instant::duration kJsonInterval = std::chrono::seconds(1);

  // The clock must outlive the console.
  TerminalConsole(ConsoleOptions options, const Clock& clock);
  TerminalConsole(const TerminalConsole&) = delete;
  TerminalConsole& operator=(const TerminalConsole&) = delete;
  ~TerminalConsole() override;  // flush_end()

  [[nodiscard]] Result<void> out(std::string_view bytes) override;
  [[nodiscard]] Result<void> err(std::string_view bytes) override;
  [[nodiscard]] Result<void> sync() override;
  void say(command::Tone tone, std::string_view text) override;
  void show(const engine::ProgressSnapshot& snapshot) override;

  // Removes the block and shows the cursor, even if there was no last snapshot.
  void flush_end();

  // For abnormal exit and before a suspend: shows the cursor and draws nothing from then on. Takes
  // no lock and may be called from a signal handler.
  void restore() noexcept;
  // After restore() and a suspend (Ctrl-Z): the next snapshot is drawn below the current output.
  void resume();

  // "1,188/10,000 done, 12 failed, 118/s, ETA 1 min 14 s", printed on SIGUSR1.
  [[nodiscard]] static std::string status_line(const engine::ProgressSnapshot& snapshot);

 private:
  struct Stage {
    BlockPainter painter{};
    EtaSmoother eta{};
    std::optional<engine::ProgressSnapshot> snapshot{};  // shown in the block; empty: no block
    std::vector<std::string> lines{};                    // of the block
    Size size{};                                         // of the terminal at the last drawing
    bool is_line_open = false;                           // the last output did not end its line
    std::optional<Instant> next_report{};                // plain and json
    engine::FlowCounts reported{};
  };

  [[nodiscard]] Size size() const;
  [[nodiscard]] std::string erased(Stage& stage) const;
  [[nodiscard]] std::string picture(Stage& stage);
  void render_again(Stage& stage) const;
  [[nodiscard]] std::string above_block(Stage& stage, std::string_view bytes);
  Result<void> write(Stage& stage, std::string_view bytes);
  void write_lines(Stage& stage, std::string_view lines);
  void draw(const engine::ProgressSnapshot& snapshot);
  void remove_block(Stage& stage);
  void report_plain(const engine::ProgressSnapshot& snapshot);
  void report_json(const engine::ProgressSnapshot& snapshot);

  const ConsoleOptions options_;
  const Clock& clock_;
  const bool is_shared_;  // standard output is the terminal with the block

  Guarded<Stage> stage_;
  Guarded<bool> out_turn_;  // lock for standard output if it is not shared; the value is unused
  std::atomic<bool> is_cursor_hidden_ = false;
  std::atomic<bool> is_suspended_ = false;
};

}  // namespace tidemill::term
