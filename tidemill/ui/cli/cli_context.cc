#include "tidemill/ui/cli/cli_context.h"

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

// For a flag that not every verb has; "" if it is absent.
std::string chosen_text(const command::Values& values, std::string_view flag) {
  const auto found = values.flags.find(flag);
  return found == values.flags.end() ? "" : found->second.texts.back();
}

term::ColourChoice colour_choice(const command::Values& values) {
  const std::string choice = values.text("color");
  if (choice == "always") return term::ColourChoice::always;
  return choice == "never" ? term::ColourChoice::never : term::ColourChoice::automatic;
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

// The process that reads our pipe (tee, grep) may write to the same terminal, into the live block,
// which would garble both.
bool is_terminal_shared(const command::Program& program, const command::Values& values) {
  if (!is_pipe(1)) return false;
  const command::Verb* verb = command::find_verb(program, values.verb);
  return verb != nullptr && verb->prints_meanwhile != nullptr && verb->prints_meanwhile(values);
}

// Whether the terminal rewraps its lines when it becomes narrower. xterm, the Linux console and GNU
// screen truncate them instead.
bool breaks_lines(std::string_view term) {
  const bool is_gnu_screen = term.starts_with("screen") && !variable("TMUX");
  return !variable("XTERM_VERSION") && term != "linux" && !is_gnu_screen;
}

// The screen itself opens when a run has something to show.
Result<void> want_screen(const CliContext& cli, const term::ScreenEnvironment& environment) {
  term::FullScreenOptions options{
      .canvas = {.term = environment.term,
                 .has_colour = term::wants_colour(colour_choice(cli.values), true, environment)},
      .title = cli.values.verb,
      .on_stop = [] { ::kill(::getpid(), SIGINT); }};  // as if Ctrl-C had been pressed
  TRY(term::FullScreenCanvas::check(options.canvas));
  cli.console->want_screen(std::move(options));
  return {};
}

}  // namespace

std::optional<std::string> variable(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());  // NOLINT(concurrency-mt-unsafe)
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

Result<void> refuse_work_flags(const CliContext& cli, const std::string& instead) {
  for (const command::Flag& flag : cli.program.flags) {
    const auto chosen = cli.values.flags.find(flag.name);
    if (!flag.is_for_work || chosen == cli.values.flags.end()) continue;
    if (chosen->second.origin != command::ValueSource::command_line) continue;
    return command::misuse("--" + flag.name + " can only be used with " + cli.program.name + " " +
                           instead);
  }
  return {};
}

std::optional<std::size_t> columns_of(int fd) {
  constexpr std::uint64_t kLeast = 20;
  constexpr std::uint64_t kMost = 100'000;
  const auto columns = command::parse_count(variable("COLUMNS").value_or(""));
  if (columns && *columns >= kLeast && *columns <= kMost) return *columns;
  return term::is_tty(fd) ? std::optional(term::size_of(fd).width) : std::nullopt;
}

void CliContext::say_report(command::Tone tone, std::string_view report,
                            const std::optional<Failure>& cause) const {
  if (!is_quiet) return console->say(tone, report);
  std::string text(report.substr(0, report.find('\n')));
  if (cause) text += "\n  " + text::printable(text_of(*cause));
  console->say(tone, text);
}

Result<CliContext> make_cli(const command::Program& program, const command::Values& values) {
  LET(auto state, run::StateFolder::from(variable, program.name));
  const term::ScreenEnvironment environment{
      .term = variable("TERM").value_or(""),
      .no_color = variable("NO_COLOR").value_or(""),
      .clicolor_force = variable("CLICOLOR_FORCE").value_or("")};
  CliContext cli{.program = program, .values = values, .state = std::move(state)};
  if (const std::string log = chosen_text(values, "log"); !log.empty()) {
    std::error_code wrong;
    cli.log = std::filesystem::absolute(log, wrong).string();
    if (wrong) cli.log = log;
  }
  const bool is_err_tty = term::is_tty(2);
  cli.is_out_tty = term::is_tty(1);
  cli.is_quiet = values.is_on("quiet");
  cli.has_colour_out = term::wants_colour(colour_choice(values), cli.is_out_tty, environment);
  cli.has_colour_err = term::wants_colour(colour_choice(values), is_err_tty, environment);
  static const SystemClock clock;  // static: the context can be moved, and the clock has no state
  const bool has_block =
      term::can_redraw(is_err_tty, environment) && !is_terminal_shared(program, values);
  cli.console = std::make_unique<term::FullScreenConsole>(
      term::ConsoleOptions{.progress = progress_mode(values, has_block),
                           .has_colour = cli.has_colour_err,
                           .is_quiet = cli.is_quiet,
                           .title = values.verb,
                           .is_out_tty = cli.is_out_tty,
                           .is_err_tty = is_err_tty,
                           .breaks_lines = breaks_lines(environment.term)},
      clock);
  if (chosen_text(values, "screen") == "true") TRY(want_screen(cli, environment));
  return cli;
}

}  // namespace tidemill::cli
