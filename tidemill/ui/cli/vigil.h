// Vigil: signals and console for the time in which a verb works, and what all verbs that work have
// in common: the log, the exit code of a signal, how a run begins and is said to be stopped.
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
#include "tidemill/ui/cli/desk.h"
#include "tidemill/ui/cli/signals.h"
#include "tidemill/ui/cli/status_console.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::cli {

// What a second Ctrl-C does to the work.
enum class SecondStop : std::uint8_t {
  waits,  // nothing more: the work ends at its next safe point
  kills_commands,
  exits,  // the process ends at once, as after a kill
};

// What is said about the first signal, and about the second: never more than happens.
[[nodiscard]] std::string_view stopping_text(SecondStop second, bool is_first);

// Vigil: from here on signals are ours. Make it before the run is opened: the threads that a run
// starts must be born with the signals blocked, or one of them would take Ctrl-C and end
// everything.
struct Vigil {
  // `words`: what the run calls its items on a full screen.
  explicit Vigil(Desk& desk, term::ItemWords words = {});
  Vigil(const Vigil&) = delete;
  Vigil& operator=(const Vigil&) = delete;
  ~Vigil();  // waits for a user who still looks at the screen

  // What a job is lent: the console of the vigil, its stop signals, a log and the desk's clock.
  [[nodiscard]] command::Context context(const Desk& desk, Log& log) {
    return {.console = console,
            .log = log,
            .clock = desk.clock,
            .stop = signals.stop(),
            .kill = signals.kill()};
  }

  term::FullScreenConsole& screen;
  StatusConsole console;
  std::atomic<SecondStop> second_stop = SecondStop::waits;  // what the user is told it does
  Signals signals;
};

// --log FILE, or silence.
[[nodiscard]] Result<std::unique_ptr<Log>> log_for(const Desk& desk);

// Of a process that was stopped by this signal.
[[nodiscard]] int exit_code_of(int signal);

[[nodiscard]] bool is_unread(const std::optional<Failure>& cause);
// Instead of the report of such a run, which goes on when somebody reads it.
void say_unread(const std::string& run, const Desk& desk);

// A new run of this verb, in this folder, with the arguments that were given.
[[nodiscard]] Result<std::unique_ptr<run::Run>> create_run(const std::string& job, Desk& desk);

// What was recovered from a process that crashed, if there is something to tell.
void tell_of_recovery(const run::Run& run, command::Console& console);

// To the folder where a run was started, for its relative names begin there.
[[nodiscard]] Result<void> go_to_folder_of(const run::RunCard& card);

}  // namespace tidemill::cli
