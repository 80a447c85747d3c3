// SignalScope: handles signals and provides the console while a verb works. Also what all verbs
// that work share: the log, the exit code of a signal, creating a run, and reporting a recovery.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tidemill/base/log.h"
#include "tidemill/base/result.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/cli/cli_context.h"
#include "tidemill/ui/cli/signals.h"
#include "tidemill/ui/cli/status_console.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::cli {

// What a second Ctrl-C does to the work.
enum class SecondStop : std::uint8_t {
  waits,  // nothing: the work ends at its next safe point
  kills_commands,
  kills_tasks,  // the same for a worker: what it stops is run elsewhere
  exits,        // the process ends immediately, as if killed
};

// The message at the first or second signal. It never promises more than happens.
[[nodiscard]] std::string_view stopping_text(SecondStop second, bool is_first);

// Handles signals as long as it exists. Create it before the run is opened: the threads that a run
// starts must inherit the blocked signals, or one of them would receive Ctrl-C and end the process.
struct SignalScope {
  // `words`: the words for the items of the run on the full screen.
  explicit SignalScope(CliContext& cli, term::ItemWords words = {});
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;
  ~SignalScope();  // waits until the user closes the screen

  // For a job: this console and these stop tokens, with the log and the clock of `cli`.
  [[nodiscard]] command::Context context(const CliContext& cli, Log& log) {
    return {.console = console,
            .log = log,
            .clock = cli.clock,
            .stop = signals.stop(),
            .kill = signals.kill()};
  }

  term::FullScreenConsole& screen;
  StatusConsole console;
  std::atomic<SecondStop> second_stop = SecondStop::waits;  // for the message to the user
  Signals signals;
};

// The log of --log FILE, or one that discards everything.
[[nodiscard]] Result<std::unique_ptr<Log>> log_for(const CliContext& cli);

// The exit code of a process that was stopped by this signal.
[[nodiscard]] int exit_code_of(int signal);

// Whether the run ended because the reader closed standard output.
[[nodiscard]] bool is_unread(const std::optional<Failure>& cause);
// Printed instead of the report of such a run; the run can be resumed.
void say_unread(const std::string& run, const CliContext& cli);

// Creates a run of this job in the current folder, with the arguments of the command line.
[[nodiscard]] Result<std::unique_ptr<run::Run>> create_run(const std::string& job, CliContext& cli);

// Reports what was recovered if the previous process crashed.
void report_recovery(const run::Run& run, command::Console& console);

// Changes to the folder where the run was started: its relative names refer to it.
[[nodiscard]] Result<void> go_to_folder_of(const run::RunCard& card);

}  // namespace tidemill::cli
