#include "tidemill/ui/cli/desk.h"

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/ui/command/kinds.h"
#include "tidemill/ui/command/lookup.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::cli {
namespace {

// Of a flag that not every verb has.
std::string chosen_text(const command::Values& values, std::string_view flag) {
  const auto found = values.flags.find(flag);
  return found == values.flags.end() ? "" : found->second.texts.back();
}

term::ColourWish colour_wish(const command::Values& values) {
  const std::string wish = values.text("color");
  if (wish == "always") return term::ColourWish::always;
  return wish == "never" ? term::ColourWish::never : term::ColourWish::automatic;
}

term::ProgressMode progress_mode(const command::Values& values, bool has_block) {
  const std::string mode = chosen_text(values, "progress");
  if (mode == "bar") return term::ProgressMode::bar;
  if (mode == "plain") return term::ProgressMode::plain;
  if (mode == "json") return term::ProgressMode::json;
  if (mode == "none") return term::ProgressMode::none;
  return has_block ? term::ProgressMode::bar : term::ProgressMode::plain;
}

bool is_pipe(int fd) {
  struct stat facts{};
  return ::fstat(fd, &facts) == 0 && S_ISFIFO(facts.st_mode);
}

// Whoever reads from our pipe (tee, grep) may write to the terminal that we draw on, into the
// block: then both are lost.
bool is_terminal_shared(const command::Program& program, const command::Values& values) {
  if (!is_pipe(1)) return false;
  const command::Verb* verb = command::find_verb(program, values.verb);
  return verb != nullptr && verb->prints_meanwhile != nullptr && verb->prints_meanwhile(values);
}

// When they have become narrower. xterm, the console of Linux and GNU screen cut their lines.
bool breaks_lines(std::string_view term) {
  const bool is_gnu_screen = term.starts_with("screen") && !variable("TMUX");
  return !variable("XTERM_VERSION") && term != "linux" && !is_gnu_screen;
}

// The screen itself comes when a run has something to show.
Result<void> want_screen(const Desk& desk, const term::ScreenEnvironment& around) {
  term::FullScreenOptions options{
      .canvas = {.term = around.term,
                 .has_colour = term::wants_colour(colour_wish(desk.values), true, around)},
      .title = desk.values.verb,
      .on_stop = [] { ::kill(::getpid(), SIGINT); }};  // as if Ctrl-C had been pressed
  TRY(term::FullScreenCanvas::check(options.canvas));
  desk.console->want_screen(std::move(options));
  return {};
}

}  // namespace

std::optional<std::string> variable(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());  // NOLINT(concurrency-mt-unsafe)
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

Result<void> refuse_work_flags(const Desk& desk, const std::string& instead) {
  for (const command::Flag& flag : desk.program.flags) {
    const auto chosen = desk.values.flags.find(flag.name);
    if (!flag.is_for_work || chosen == desk.values.flags.end()) continue;
    if (chosen->second.origin != command::Origin::command_line) continue;
    return command::misuse("--" + flag.name + " can only be used with " + desk.program.name + " " +
                           instead);
  }
  return {};
}

std::optional<std::size_t> columns_of(int fd) {
  constexpr std::uint64_t kLeast = 20;
  constexpr std::uint64_t kMost = 100'000;
  const auto told = command::parse_count(variable("COLUMNS").value_or(""));
  if (told && *told >= kLeast && *told <= kMost) return *told;
  return term::is_tty(fd) ? std::optional(term::size_of(fd).width) : std::nullopt;
}

void Desk::say_report(command::Tone tone, std::string_view report,
                      const std::optional<Failure>& cause) const {
  if (!is_quiet) return console->say(tone, report);
  std::string text(report.substr(0, report.find('\n')));
  if (cause) text += "\n  " + text::printable(text_of(*cause));
  console->say(tone, text);
}

Result<Desk> make_desk(const command::Program& program, const command::Values& values) {
  LET(auto state, run::StateFolder::from(variable, program.name));
  const term::ScreenEnvironment around{.term = variable("TERM").value_or(""),
                                       .no_color = variable("NO_COLOR").value_or(""),
                                       .clicolor_force = variable("CLICOLOR_FORCE").value_or("")};
  Desk desk{.program = program, .values = values, .state = std::move(state)};
  if (const std::string log = chosen_text(values, "log"); !log.empty()) {
    std::error_code wrong;
    desk.log = std::filesystem::absolute(log, wrong).string();
    if (wrong) desk.log = log;
  }
  const bool is_err_tty = term::is_tty(2);
  desk.is_out_tty = term::is_tty(1);
  desk.is_quiet = values.is_on("quiet");
  desk.has_colour_out = term::wants_colour(colour_wish(values), desk.is_out_tty, around);
  desk.has_colour_err = term::wants_colour(colour_wish(values), is_err_tty, around);
  static const SystemClock clock;  // a desk can be moved; a clock has no state
  const bool has_block =
      term::can_redraw(is_err_tty, around) && !is_terminal_shared(program, values);
  desk.console = std::make_unique<term::FullScreenConsole>(
      term::ConsoleOptions{.progress = progress_mode(values, has_block),
                           .has_colour = desk.has_colour_err,
                           .is_quiet = desk.is_quiet,
                           .title = values.verb,
                           .is_out_tty = desk.is_out_tty,
                           .is_err_tty = is_err_tty,
                           .breaks_lines = breaks_lines(around.term)},
      clock);
  if (chosen_text(values, "screen") == "true") TRY(want_screen(desk, around));
  return desk;
}

}  // namespace tidemill::cli
