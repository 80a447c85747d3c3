#include "tidemill/ui/term/screen/canvas.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <utility>

#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>
// Macros of ncurses that collide with our names.
#undef columns
#undef lines
#undef tab

#include "tidemill/base/descriptor.h"
#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"

namespace tidemill::term {
namespace {

constexpr short kGood = 1;  // colour pairs
constexpr short kBad = 2;
constexpr short kFailed = 3;

Result<void> refused(std::string reason, std::string hint) {
  return std::unexpected(Failure{.kind = FailureKind::usage,
                                 .step = "usage",
                                 .reason = "--screen needs a terminal: " + std::move(reason),
                                 .hint = std::move(hint),
                                 .subject = "screen"});
}

constexpr std::string_view kSetTerm = "set TERM to your terminal type, such as xterm-256color";

struct CloseFile {
  void operator()(std::FILE* file) const { (void)std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// Sets UTF-8 for this thread only: the locale of the process must not change once there are other
// threads.
class Utf8Here {
 public:
  Utf8Here() : utf8_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
    if (utf8_ != nullptr) before_ = ::uselocale(utf8_);
  }
  Utf8Here(const Utf8Here&) = delete;
  Utf8Here& operator=(const Utf8Here&) = delete;
  ~Utf8Here() {
    if (utf8_ == nullptr) return;
    ::uselocale(before_);
    ::freelocale(utf8_);
  }

 private:
  locale_t utf8_;
  locale_t before_ = nullptr;
};

// Saves the signal handlers that ncurses may replace; the destructor restores them.
class SignalsKept {
 public:
  SignalsKept() {
    for (std::size_t at = 0; at < kSignals.size(); ++at) {
      ::sigaction(kSignals[at], nullptr, &before_[at]);
    }
  }
  SignalsKept(const SignalsKept&) = delete;
  SignalsKept& operator=(const SignalsKept&) = delete;
  ~SignalsKept() {
    for (std::size_t at = 0; at < kSignals.size(); ++at) {
      ::sigaction(kSignals[at], &before_[at], nullptr);
    }
  }

 private:
  static constexpr std::array<int, 4> kSignals = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
  std::array<struct sigaction, kSignals.size()> before_{};
};

attr_t attributes_of(Style style, bool has_colour) {
  const auto pair = [&](short number) {
    return has_colour ? static_cast<attr_t>(COLOR_PAIR(number)) : attr_t{A_NORMAL};
  };
  switch (style) {
    case Style::plain:
      return A_NORMAL;
    case Style::bold:
      return A_BOLD;
    case Style::dim:
      return A_DIM;
    case Style::good:
      return pair(kGood);
    case Style::bad:
      return pair(kBad);
    case Style::failed:
      return pair(kFailed);
    case Style::chosen:
      return A_REVERSE;
  }
  return A_NORMAL;
}

std::optional<Key> key_of(wint_t code) {
  switch (code) {
    case KEY_UP:
      return Key::up;
    case KEY_DOWN:
      return Key::down;
    case KEY_PPAGE:
      return Key::page_up;
    case KEY_NPAGE:
      return Key::page_down;
    case KEY_HOME:
      return Key::home;
    case KEY_END:
      return Key::end;
    case KEY_BTAB:
      return Key::shift_tab;
    case KEY_BACKSPACE:
      return Key::backspace;
    case KEY_ENTER:
      return Key::enter;
    default:
      return std::nullopt;
  }
}

KeyPress press_of(wint_t character) {
  switch (character) {
    case L'\x1b':
      return {.key = Key::escape};
    case L'\n':
    case L'\r':
      return {.key = Key::enter};
    case L'\t':
      return {.key = Key::tab};
    case L'\b':
    case 0x7f:
      return {.key = Key::backspace};
    default:
      return {.character = static_cast<char32_t>(character)};
  }
}

}  // namespace

struct FullScreenCanvas::Curses {
  Utf8Here utf8{};  // first: it must outlive the screen
  File file{};
  SCREEN* screen = nullptr;
  bool has_colour = false;
  bool is_lent = false;
};

Result<void> FullScreenCanvas::check(const CanvasOptions& options) {
  const Descriptor tty(::open(options.path.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!tty.is_open() || !is_tty(tty.number())) {
    return refused("there is no terminal", "omit --screen to see a progress bar or lines");
  }
  if (options.term.empty()) return refused("TERM is not set", std::string(kSetTerm));
  if (options.term == "dumb") {
    return refused("TERM is dumb, which cannot move the cursor", std::string(kSetTerm));
  }
  int found = 0;
  if (::setupterm(options.term.c_str(), tty.number(), &found) != OK) {
    return refused("unknown terminal type " + options.term,
                   "install ncurses-term, or " + std::string(kSetTerm));
  }
  const bool can_move = ::tigetstr("cup") != nullptr && ::tigetstr("clear") != nullptr;
  ::del_curterm(cur_term);
  return can_move ? Result<void>()
                  : refused(options.term + " cannot move the cursor", std::string(kSetTerm));
}

Result<std::unique_ptr<FullScreenCanvas>> FullScreenCanvas::open(const CanvasOptions& options) {
  TRY(check(options));
  auto curses = std::make_unique<Curses>();
  const SignalsKept kept;
  const int tty = ::open(options.path.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY);
  curses->file.reset(tty < 0 ? nullptr : ::fdopen(tty, "r+"));
  if (!curses->file) {
    return fail(Cure::give_up, "screen", options.path + ": " + system_text(errno));
  }
  curses->screen = ::newterm(options.term.c_str(), curses->file.get(), curses->file.get());
  if (curses->screen == nullptr) return fail(Cure::give_up, "screen", "ncurses could not start");
  ::use_legacy_coding(0);  // ncurses read the locale of the process, not of this thread
  ::set_escdelay(25);
  ::cbreak();  // Ctrl-C and Ctrl-Z stay signals
  ::noecho();
  ::keypad(stdscr, TRUE);
  ::nodelay(stdscr, TRUE);
  ::curs_set(0);
  if (options.has_colour && ::has_colors()) {
    ::start_color();
    ::use_default_colors();
    ::init_pair(kGood, COLOR_GREEN, -1);
    ::init_pair(kBad, COLOR_RED, -1);
    ::init_pair(kFailed, COLOR_YELLOW, -1);
    curses->has_colour = true;
  }
  return std::unique_ptr<FullScreenCanvas>(new FullScreenCanvas(std::move(curses)));
}

FullScreenCanvas::FullScreenCanvas(std::unique_ptr<Curses> curses) : curses_(std::move(curses)) {}

FullScreenCanvas::~FullScreenCanvas() {
  lend();
  ::delscreen(curses_->screen);
}

Size FullScreenCanvas::size() const { return size_of(descriptor()); }

void FullScreenCanvas::draw(const std::vector<Line>& lines) {
  curses_->is_lent = false;
  const Size now = size();
  if (::is_term_resized(static_cast<int>(now.height), static_cast<int>(now.width))) {
    ::resizeterm(static_cast<int>(now.height), static_cast<int>(now.width));
    ::clearok(stdscr, TRUE);
  }
  ::werase(stdscr);
  int row = 0;
  for (const Line& line : lines) {
    ::wmove(stdscr, row++, 0);
    for (const StyledSpan& span : line) {
      ::wattrset(stdscr, static_cast<int>(attributes_of(span.style, curses_->has_colour)));
      ::waddnstr(stdscr, span.text.c_str(), static_cast<int>(span.text.size()));
    }
  }
  ::wattrset(stdscr, A_NORMAL);
  ::wrefresh(stdscr);
}

std::optional<KeyPress> FullScreenCanvas::key() {
  if (curses_->is_lent) return std::nullopt;
  wint_t code = 0;
  const int kind = ::wget_wch(stdscr, &code);
  if (kind == ERR) return std::nullopt;
  if (kind == OK) return press_of(code);
  const auto known = key_of(code);
  return known ? KeyPress{.key = *known} : KeyPress{.character = 0};  // unused key
}

int FullScreenCanvas::descriptor() const { return ::fileno(curses_->file.get()); }

void FullScreenCanvas::lend() {
  if (std::exchange(curses_->is_lent, true)) return;
  ::endwin();
  (void)std::fflush(curses_->file.get());
}

bool FullScreenCanvas::is_foreground() const {
  const pid_t group = ::tcgetpgrp(descriptor());
  return group == -1 || group == ::getpgrp();
}

}  // namespace tidemill::term
