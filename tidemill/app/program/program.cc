#include "tidemill/app/program/program.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>
#include <variant>

#include "tidemill/app/program/verbs.h"
#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/command/lookup.h"
#include "tidemill/ui/command/parse.h"
#include "tidemill/ui/command/program_name.h"
#include "tidemill/ui/term/terminal.h"

namespace tidemill::app {
namespace {

using command::Flag;
using command::ValueKind;

std::vector<Flag> common_flags() {
  const std::string group = "Common options";
  return {{.name = "progress",
           .kind = ValueKind::choice,
           .metavar = "MODE",
           .help = "progress on standard error; auto: bar on a terminal, plain elsewhere",
           .fallback = "auto",
           .choices = {"auto", "bar", "plain", "json", "none"},
           .group = group,
           .is_for_work = true},
          {.name = "screen",
           .help = "full-screen view of the run; press ? for the keys",
           .group = group,
           .is_for_work = true},
          {.name = "color",
           .kind = ValueKind::choice,
           .metavar = "WHEN",
           .help = "when to use colours; auto respects NO_COLOR",
           .fallback = "auto",
           .choices = {"auto", "always", "never"},
           .group = group},
          {.name = "quiet",
           .letter = 'q',
           .help = "print errors and results only: no progress, no report",
           .group = group},
          {.name = "log",
           .kind = ValueKind::path,
           .metavar = "FILE",
           .help = "also write problems to FILE, one JSON object per line",
           .group = group,
           .is_for_work = true}};
}

command::ParseContext parse_context(const App& app, const command::Program& all) {
  const bool is_tty = term::is_tty(1);
  const command::VariableLookup environment = [](const std::string& name) {
    return cli::variable(name);
  };
  return {.environment = environment,
          .config_paths = command::config_paths(all, environment),
          .help = {.width = is_tty ? std::min<std::size_t>(term::size_of(1).width, 100) : 80,
                   .is_bold = is_tty && !cli::variable("NO_COLOR")},
          .about = app.about_build != nullptr ? app.about_build : [] { return std::string(); }};
}

// False: not everything was written; errno is set.
bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(fd, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

// A reason may contain raw or already escaped names, so backslashes are kept.
std::string one_line(std::string_view text) {
  std::string line;
  while (true) {
    const auto backslash = text.find('\\');
    line += text::printable(text.substr(0, backslash));
    if (backslash == std::string_view::npos) return line;
    line += '\\';
    text.remove_prefix(backslash + 1);
  }
}

// `call` is "tidemill each", or the program alone when no verb was typed.
int complain(const Failure& failure, const std::string& call) {
  if (command::is_reader_gone(failure)) return cli::exit_code_of(failure);  // not an error
  const bool is_usage = failure.kind == FailureKind::usage;
  std::string text = call + ": ";
  const bool is_plain =
      is_usage || call.ends_with(" " + failure.step);  // "tidemill resume: resume:"
  text += one_line(is_plain ? failure.reason : failure.step + ": " + failure.reason) + "\n";
  if (!failure.hint.empty()) text += "  hint: " + one_line(failure.hint) + "\n";
  (void)write_all(2, text);
  return cli::exit_code_of(failure);
}

int show(const command::Printout& printout, const std::string& program) {
  if (write_all(printout.status == 0 ? 1 : 2, printout.text)) return printout.status;
  if (errno == EPIPE) return printout.status == 0 ? cli::kReaderGone : printout.status;
  const std::string why = system_text(errno);
  return complain({.cure = Cure::give_up, .step = "output", .reason = "standard output: " + why},
                  program);
}

// An invalid value may come from a place other than the command line, which the message must name.
Failure with_origin(Failure failure, const command::Values& values) {
  if (failure.kind != FailureKind::usage || failure.subject.empty()) return failure;
  const auto chosen = values.flags.find(failure.subject);
  if (chosen == values.flags.end() || chosen->second.place.empty()) return failure;
  if (chosen->second.origin == command::ValueSource::command_line) return failure;
  if (!failure.hint.empty()) failure.hint += "; ";
  failure.hint += "the value comes from " + chosen->second.place;
  return failure;
}

// "tidemill books check", for the error message about an invalid command line.
std::string typed_call(const command::Program& all, const std::vector<std::string>& words) {
  const command::Verb* verb = nullptr;
  for (const std::string& word : words) {
    const auto* next = command::find_verb(all, verb == nullptr ? word : verb->name + " " + word);
    if (next == nullptr && verb != nullptr) break;
    if (next != nullptr) verb = next;
  }
  return command::call_of(all, verb);
}

// One table, printed in every help and man page.
std::vector<std::pair<int, std::string>> exit_table(const std::string& program) {
  return {
      {cli::kDone, "success"},
      {cli::kFailed, "failed: the run could not start, ended early, or matched no file"},
      {cli::kUsage, "invalid command line"},
      {cli::kSomeFailed, "finished, but some items failed; see " + program + " failures"},
      {cli::kHeldElsewhere, "another process has this run open, or another producer this queue"},
      {cli::kInterrupted, "interrupted by Ctrl-C; continue with " + program +
                              " resume (143: by SIGTERM, 129: by SIGHUP)"},
      {cli::kReaderGone, "standard output was closed, as by | head"}};
}

}  // namespace

std::vector<VerbEntry> program_verbs() {
  return {verb_entry<describe_completion, run_completion>(),
          {.describe = describe_man,
           .run = [](cli::CliContext& cli, const App&) { return run_man(cli); }}};
}

command::Program describe(const App& app) {
  command::Program all{.name = app.name,
                       .version = app.version,
                       .summary = app.summary,
                       .description = app.description,
                       .examples = app.examples,
                       .flags = common_flags(),
                       .exits = exit_table(app.name)};
  const auto add = [&](command::Verb verb) {
    all.verbs.push_back(command::with_program_name(std::move(verb), app.name));
  };
  for (const jobs::Job* job : app.jobs) add(job->verb());
  for (const VerbEntry& entry : app.verbs) add(entry.describe(app));
  return all;
}

Result<int> run_verb(const App& app, const std::string& name, cli::CliContext& cli) {
  if (const jobs::Job* job = jobs::find_job(app.jobs, name)) return job->run(cli);
  const auto entry = std::ranges::find_if(
      app.verbs, [&](const VerbEntry& candidate) { return candidate.describe(app).name == name; });
  if (entry != app.verbs.end()) return entry->run(cli, app);
  return fail(Cure::give_up, "start", "this program does not know the job " + name);
}

int run(const App& app, const std::vector<std::string>& words) {
  const command::Program all = describe(app);
  auto parsed = command::parse(all, words, parse_context(app, all));
  if (!parsed) return complain(parsed.error(), typed_call(all, words));
  if (const auto* printout = std::get_if<command::Printout>(&*parsed)) {
    return show(*printout, app.name);
  }
  const auto& values = std::get<command::Values>(*parsed);
  const std::string verb = values.verb.substr(0, values.verb.find(' '));  // "catalogue ls"
  const std::string call = command::call_of(all, values.described.get());
  auto cli = cli::make_cli(all, values);
  if (!cli) return complain(cli.error(), call);
  const auto code = run_verb(app, verb, *cli);
  cli->console->flush_end();
  return code ? *code : complain(with_origin(code.error(), values), call);
}

}  // namespace tidemill::app
