#include "tidemill/ui/term/screen/console.h"

#include <utility>

namespace tidemill::term {

using command::Tone;

FullScreenConsole::FullScreenConsole(ConsoleOptions options, const Clock& clock)
    : options_(options), clock_(clock), terminal_(std::move(options), clock) {}

FullScreenConsole::~FullScreenConsole() { flush_end(); }

void FullScreenConsole::want_screen(FullScreenOptions options) {
  wanted_ = std::move(options);
  wanted_.on_leave = [this] { print_kept(); };
  wants_screen_ = true;
}

void FullScreenConsole::name_items(ItemWords words) { wanted_.words = std::move(words); }

// The open screen, or null. The first caller opens it.
FullScreen* FullScreenConsole::screen() {
  if (!wants_screen_) return nullptr;
  if (FullScreen* up = screen_) return up;
  auto made = making_.lock();
  if (*made) return screen_;
  hold_.lock()->is_up = true;  // from here on output is kept
  *made = std::make_unique<FullScreen>(wanted_, clock_);
  if (const auto started = (*made)->start(); !started) {
    wants_screen_ = false;
    print_kept();
    terminal_.say(Tone::warning, started.error().reason);
    return nullptr;
  }
  screen_ = made->get();
  return screen_;
}

// Empty: the caller prints it now.
std::optional<Result<void>> FullScreenConsole::keep(std::uint8_t kind, std::string_view bytes) {
  if (!(kind == kOut ? options_.is_out_tty : options_.is_err_tty)) return std::nullopt;
  auto hold = hold_.lock();
  if (!hold->is_up) return std::nullopt;
  return hold->kept.add(kind, bytes);
}

Result<void> FullScreenConsole::print(std::uint8_t kind, std::string_view bytes) {
  if (kind == kOut) return terminal_.out(bytes);
  if (kind == kErr) return terminal_.err(bytes);
  terminal_.say(static_cast<Tone>(kind - kSay), bytes);
  return {};
}

// Called by the screen's thread when the terminal is restored.
void FullScreenConsole::print_kept() {
  wants_screen_ = false;
  auto hold = hold_.lock();
  // If the reader is gone, the next out() fails.
  (void)hold->kept.replay(
      [this](std::uint8_t kind, std::string_view bytes) { return print(kind, bytes); });
  hold->is_up = false;
}

Result<void> FullScreenConsole::out(std::string_view bytes) {
  if (auto kept = keep(kOut, bytes)) return *std::move(kept);
  return terminal_.out(bytes);
}

Result<void> FullScreenConsole::err(std::string_view bytes) {
  if (auto kept = keep(kErr, bytes)) return *std::move(kept);
  return terminal_.err(bytes);
}

void FullScreenConsole::say(Tone tone, std::string_view text) {
  const auto kind = static_cast<std::uint8_t>(kSay + static_cast<std::uint8_t>(tone));
  if (FullScreen* up = screen_) up->tell(tone, text);
  if (!keep(kind, text)) terminal_.say(tone, text);
}

void FullScreenConsole::show(const engine::ProgressSnapshot& snapshot) {
  FullScreen* up = screen();
  if (up != nullptr) up->show(snapshot);
  // The screen replaces the bar; progress that goes to a file or pipe continues.
  if (up == nullptr || !options_.is_err_tty) terminal_.show(snapshot);
}

void FullScreenConsole::settled(command::SettledItem&& item) {
  if (FullScreen* up = screen()) up->settle(std::move(item));
}

void FullScreenConsole::interrupt() {
  if (FullScreen* up = screen_) up->interrupt();
}

void FullScreenConsole::finish() {
  if (FullScreen* up = screen_) up->finish();
}

bool FullScreenConsole::is_over() {
  FullScreen* up = screen_;
  return up != nullptr && up->is_over();
}

void FullScreenConsole::flush_end() {
  making_.lock()->reset();
  screen_ = nullptr;
  terminal_.flush_end();
}

void FullScreenConsole::restore() {
  if (FullScreen* up = wants_screen_ ? screen_.load() : nullptr) {
    up->pause();
  } else {
    terminal_.restore();
  }
}

void FullScreenConsole::resume() {
  if (FullScreen* up = screen_) up->resume();
  terminal_.resume();
}

}  // namespace tidemill::term
