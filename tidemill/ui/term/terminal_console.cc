#include "tidemill/ui/term/terminal_console.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/ui/term/fd_writer.h"
#include "tidemill/ui/term/live_block.h"
#include "tidemill/ui/term/paint.h"
#include "tidemill/ui/term/progress_json.h"

namespace tidemill::term {
namespace {

using command::Tone;
using engine::ProgressSnapshot;

constexpr std::string_view kOut = "standard output";
constexpr std::string_view kErr = "standard error";
constexpr std::string_view kRestore = "\x1b[?7h\x1b[?25h";  // wrap, show the cursor

// Removes trailing sequences that set colours: they do not move the cursor.
std::string_view without_trailing_paint(std::string_view bytes) {
  while (bytes.ends_with('m')) {
    const auto start = bytes.find_last_not_of("0123456789;", bytes.size() - 2);
    if (start == std::string_view::npos || start == 0) break;
    if (bytes.substr(start - 1, 2) != "\x1b[") break;
    bytes.remove_suffix(bytes.size() - (start - 1));
  }
  return bytes;
}

// Whether the cursor is inside a line after these bytes.
bool leaves_line_open(std::string_view bytes, bool was_open) {
  const std::string_view seen = without_trailing_paint(bytes);
  return seen.empty() ? was_open : !seen.ends_with('\n');
}

Colour colour_of(Tone tone) {
  switch (tone) {
    case Tone::plain:
      return Colour::none;
    case Tone::good:
      return Colour::green;
    case Tone::warning:
      return Colour::yellow;
    case Tone::bad:
      return Colour::red;
  }
  return Colour::none;
}

// Each line is coloured separately and ends with a newline.
std::string message(std::string_view text, Colour colour, bool has_colour) {
  std::string lines;
  do {
    const std::size_t end = text.find('\n');
    lines += painted(text.substr(0, end), colour, has_colour) + "\n";
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  } while (!text.empty());
  return lines;
}

std::string time_of_day(WallTime wall) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(wall);
  std::tm parts{};
  std::array<char, 16> text{};
  if (::localtime_r(&seconds, &parts) == nullptr) return "--:--:--";
  return {text.data(), std::strftime(text.data(), text.size(), "%H:%M:%S", &parts)};
}

}  // namespace

TerminalConsole::TerminalConsole(ConsoleOptions options, const Clock& clock)
    : options_(std::move(options)),
      clock_(clock),
      is_shared_(options_.is_out_tty && options_.is_err_tty) {}

TerminalConsole::~TerminalConsole() { flush_end(); }

Result<void> TerminalConsole::out(std::string_view bytes) {
  if (!is_shared_) {
    const auto turn = out_turn_.lock();
    return write_all(options_.out, bytes, kOut);
  }
  auto stage = stage_.lock();
  (void)write(*stage, erased(*stage));
  auto written = write_all(options_.out, bytes, kOut);
  stage->is_line_open = leaves_line_open(bytes, stage->is_line_open);
  (void)write(*stage, picture(*stage));
  return written;
}

Result<void> TerminalConsole::err(std::string_view bytes) {
  auto stage = stage_.lock();
  return write(*stage, above_block(*stage, bytes));
}

Result<void> TerminalConsole::sync() {
  TRY(sync_file(options_.out, kOut));
  return sync_file(options_.err, kErr);
}

void TerminalConsole::say(Tone tone, std::string_view text) {
  if (options_.is_quiet && (tone == Tone::plain || tone == Tone::good)) return;
  auto stage = stage_.lock();
  write_lines(*stage, message(text, colour_of(tone), options_.has_colour));
}

void TerminalConsole::show(const ProgressSnapshot& snapshot) {
  if (options_.is_quiet) return;
  switch (options_.progress) {
    case ProgressMode::bar:
      return draw(snapshot);
    case ProgressMode::plain:
      return report_plain(snapshot);
    case ProgressMode::json:
      return report_json(snapshot);
    case ProgressMode::none:
      return;
  }
}

void TerminalConsole::flush_end() {
  auto stage = stage_.lock();
  remove_block(*stage);
}

void TerminalConsole::restore() noexcept {
  is_suspended_ = true;
  if (!is_cursor_hidden_.exchange(false)) return;
  const int kept = errno;
  [[maybe_unused]] const auto written = ::write(options_.err, kRestore.data(), kRestore.size());
  errno = kept;
}

void TerminalConsole::resume() {
  auto stage = stage_.lock();
  stage->painter.forget();
  stage->is_line_open = false;
  is_suspended_ = false;
}

std::string TerminalConsole::status_line(const ProgressSnapshot& snapshot) {
  return status_text(snapshot);
}

Size TerminalConsole::size() const {
  return options_.size ? options_.size() : size_of(options_.err);
}

void TerminalConsole::render_again(Stage& stage) const {
  if (!stage.snapshot) return;
  stage.lines = render(*stage.snapshot, stage.size, options_.has_colour, options_.title);
}

// The bytes that draw the block; empty if there is none or it must not be drawn.
std::string TerminalConsole::picture(Stage& stage) {
  if (!stage.snapshot || is_suspended_) return {};
  if (const Size now = size(); now != stage.size) {
    stage.size = now;
    render_again(stage);
  }
  std::string bytes;
  if (stage.lines.empty()) return erased(stage);
  if (std::exchange(stage.is_line_open, false)) bytes += "\r\n";
  if (!is_cursor_hidden_.exchange(true)) bytes += kHideCursor;
  if (options_.breaks_lines) stage.painter.set_width(stage.size.width);
  return bytes + stage.painter.draw(stage.lines);
}

std::string TerminalConsole::erased(Stage& stage) const {
  if (options_.breaks_lines && stage.painter.is_drawn()) stage.painter.set_width(size().width);
  return stage.painter.erase();
}

std::string TerminalConsole::above_block(Stage& stage, std::string_view bytes) {
  std::string all = erased(stage);
  all += bytes;
  stage.is_line_open = leaves_line_open(bytes, stage.is_line_open);
  return all + picture(stage);
}

Result<void> TerminalConsole::write(Stage& stage, std::string_view bytes) {
  auto written = write_all(options_.err, bytes, kErr);
  if (!written) {
    stage.snapshot.reset();  // the block is not visible: stop drawing
    // Kind closed is only for a reader of standard output that has seen enough.
    written.error().kind = FailureKind::unwritable;
  }
  // restore() ran meanwhile: these bytes may have hidden the cursor again.
  if (is_suspended_ && is_cursor_hidden_) restore();
  return written;
}

void TerminalConsole::write_lines(Stage& stage, std::string_view lines) {
  const std::string_view fresh = stage.is_line_open ? "\n" : "";
  (void)write(stage, above_block(stage, std::string(fresh).append(lines)));
}

void TerminalConsole::draw(const ProgressSnapshot& snapshot) {
  // If the terminal is not ready, this frame is skipped.
  if (!snapshot.is_last && !is_ready(options_.err)) return;
  auto stage = stage_.lock();
  if (snapshot.is_last) return remove_block(*stage);
  const bool was_drawn = stage->painter.is_drawn();
  const auto before = std::exchange(stage->lines, {});
  ProgressSnapshot shown = snapshot;
  shown.eta = stage->eta.smooth(clock_.now(), snapshot.eta);
  stage->snapshot = std::move(shown);
  const Size now = size();
  const bool is_resized = std::exchange(stage->size, now) != now;
  render_again(*stage);
  if (was_drawn && !is_resized && stage->lines == before) return;
  (void)write(*stage, picture(*stage));
}

void TerminalConsole::remove_block(Stage& stage) {
  stage.snapshot.reset();
  std::string bytes = erased(stage);
  if (is_cursor_hidden_.exchange(false)) bytes += kShowCursor;
  (void)write(stage, bytes);
}

void TerminalConsole::report_plain(const ProgressSnapshot& snapshot) {
  auto stage = stage_.lock();
  const Instant now = clock_.now();
  const Instant due = stage->next_report.value_or(now + kPlainInterval);
  stage->next_report = due;
  const bool is_due = now >= due && snapshot.counts != stage->reported;
  if (!snapshot.is_last && !is_due) return;
  stage->next_report = now + kPlainInterval;
  stage->reported = snapshot.counts;
  write_lines(*stage, time_of_day(clock_.wall()) + " " + status_text(snapshot) + "\n");
}

void TerminalConsole::report_json(const ProgressSnapshot& snapshot) {
  auto stage = stage_.lock();
  const Instant now = clock_.now();
  if (!snapshot.is_last && now < stage->next_report.value_or(now)) return;
  stage->next_report = now + kJsonInterval;
  write_lines(*stage, progress_json(snapshot) + "\n");
}

}  // namespace tidemill::term
