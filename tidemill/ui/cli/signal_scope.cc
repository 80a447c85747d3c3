#include "tidemill/ui/cli/signal_scope.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "tidemill/base/log.h"
#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/term/spdlog_log.h"

namespace tidemill::cli {

using command::Tone;

std::string_view stopping_text(SecondStop second, bool is_first) {
  switch (second) {
    case SecondStop::kills_commands:
      return is_first ? "Stopping: running commands have a moment to finish. Press Ctrl-C again to "
                        "kill them."
                      : "Killing the running commands.";
    case SecondStop::kills_tasks:
      return is_first ? "Stopping: tasks are returned to the fleet. Press Ctrl-C again to kill the "
                        "running ones."
                      : "Killing the running tasks.";
    case SecondStop::exits:
      return is_first ? "Stopping: finishing the tasks in progress. Press Ctrl-C again to exit now."
                      : "Exiting now.";
    case SecondStop::waits:
      break;
  }
  return is_first ? "Stopping: waiting for the work in progress to reach a safe point."
                  : "Still stopping: waiting for the work in progress to reach a safe point.";
}

Result<std::unique_ptr<Log>> log_for(const CliContext& cli) {
  if (cli.log.empty()) return std::make_unique<SilentLog>();
  const std::filesystem::path file(cli.log);
  LET(auto log, term::SpdlogLog::open({.folder = file.has_parent_path() ? file.parent_path() : ".",
                                       .name = file.filename().string(),
                                       .is_json = true},
                                      cli.clock));
  return std::unique_ptr<Log>(std::move(log));
}

int exit_code_of(int signal) {
  if (signal == SIGTERM) return kTerminated;
  return signal == SIGHUP ? 128 + SIGHUP : kInterrupted;
}

SignalScope::SignalScope(CliContext& cli, term::ItemWords words)
    : screen(*cli.console),
      console(*cli.console),
      signals({.on_stop =
                   [this](int /*signal*/, bool is_first) {
                     if (!screen.is_over())
                       console.say(Tone::warning, stopping_text(second_stop, is_first));
                     screen.interrupt();
                   },
               .on_status = [this] { console.say_status(); },
               .before_pause = [&cli] { cli.console->restore(); },
               .after_pause = [&cli] { cli.console->resume(); }}) {
  cli.console->name_items(std::move(words));
}

SignalScope::~SignalScope() { screen.finish(); }

bool is_unread(const std::optional<Failure>& cause) {
  return cause && command::is_reader_gone(*cause);
}

void say_unread(const std::string& run, const CliContext& cli) {
  cli.console->say(Tone::plain, "Stopped: standard output was closed.\n  resume:  " +
                                    cli.program.name + " resume " + run);
}

Result<std::unique_ptr<run::Run>> create_run(const std::string& job, CliContext& cli) {
  std::error_code wrong;
  const auto here = std::filesystem::current_path(wrong);
  if (wrong) return fail(Cure::give_up, "start", "current folder: " + wrong.message());
  return run::Run::create(cli.state,
                          {.job = job,
                           .arguments = cli.values.as_arguments(),
                           .directory = here.string(),
                           .version = cli.program.version},
                          cli.clock);
}

void report_recovery(const run::Run& run, command::Console& console) {
  const run::Recovery& recovery = run.recovery();
  if (!recovery.was_unclean) return;
  std::string text = "The previous process crashed. Recovered ";
  text += text::counted(recovery.outcomes, "finished task");
  if (const auto again = recovery.crashed - recovery.died; again > 0) {
    text +=
        "; " + text::counted(again, "task was", "tasks were") + " running and will be run again";
  }
  if (recovery.died > 0) {
    text += "; " +
            text::counted(recovery.died, "task was running in three crashes and counts",
                          "tasks were running in three crashes and count") +
            " as failed";
  }
  if (recovery.unknown > 0) {
    text += ". The journal has lost commits, and " + text::counted(recovery.unknown, "task") +
            " with them: its write-ahead log was damaged. Lost tasks are found and run again";
  }
  console.say(Tone::warning, text + ".");
}

Result<void> go_to_folder_of(const run::RunCard& card) {
  if (::chdir(card.directory.c_str()) == 0) return {};
  return std::unexpected(Failure{
      .cure = Cure::give_up,
      .step = "resume",
      .reason = text::printable(card.directory) + ": " + system_text(errno),
      .hint = "restore this folder: the run was started in it, and its names are relative to it"});
}

}  // namespace tidemill::cli
