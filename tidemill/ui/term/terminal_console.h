// TerminalConsole: the Console of a person at a terminal, or of a log file or program in his place.
//
//   out()  ──────────────► standard output     data, byte for byte
//   err(), say(), show() ► standard error      what commands said, messages, progress
//
// With ProgressMode::bar a live block (live_block.h) stands below everything else on the terminal.
// What is written meanwhile goes above it: the block is erased, the bytes are written, the block is
// drawn again. Bytes that do not end a line are followed by a line end on the terminal (never in
// the data), because the block needs lines of its own. The cursor is hidden while there is a block.
//
// A terminal that is stopped (Ctrl-S) is not drawn on. Standard output has a lock of its own when
// it is not the terminal: a worker that writes to a file or pipe never waits for the screen.
//
// out() and err() fail for good when nobody reads any more or there is no space. What we say
// ourselves is lost then, without a word: there is nobody to tell.
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
  plain,  // a line with the time each 10 s if something changed, and one at the end
  json,   // an object a line each second, and one at the end
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
  std::function<Size()> size{};  // empty: of `err`
  bool breaks_lines = true;      // a terminal that has become narrower shows its lines in pieces
};

// Thread-safe. An exception to the rule that nothing is written under a lock: the order of what is
// on the screen is what the lock protects.
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

  // The block is gone and the cursor is back, also when there was no last snapshot.
  void flush_end();

  // For the way out that is none: shows the cursor and draws nothing from then on. Takes no lock
  // and may be called from a signal handler.
  void restore() noexcept;
  // After restore() and a stop (Ctrl-Z): the next snapshot is drawn again, below what is there.
  void resume();

  // "1,188/10,000 done, 12 failed, 118/s, ETA 1 min 14 s": what to say on SIGUSR1.
  [[nodiscard]] static std::string status_line(const engine::ProgressSnapshot& snapshot);

 private:
  struct Stage {
    BlockPainter painter{};
    EtaSmoother eta{};
    std::optional<engine::ProgressSnapshot> snapshot{};  // of the block; none: there is no block
    std::vector<std::string> lines{};                    // its picture
    Size size{};                                         // at which it was drawn
    bool is_line_open = false;             // what was written last did not end its line
    std::optional<Instant> next_report{};  // plain and json
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
  const bool is_shared_;  // standard output is the terminal that has the block

  Guarded<Stage> stage_;
  Guarded<bool> out_turn_;  // whose turn it is at standard output when that is not shared
  std::atomic<bool> is_cursor_hidden_ = false;
  std::atomic<bool> is_suspended_ = false;
};

}  // namespace tidemill::term
