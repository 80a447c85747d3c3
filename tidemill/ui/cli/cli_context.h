// CliContext: what a verb of the program works with: the values of its flags, a console as the user
// configured it, the state folder, the clock. It is built in one place from the command line and
// the environment; nothing below this folder reads either.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/state/run/run_folder.h"
#include "tidemill/ui/command/values.h"
#include "tidemill/ui/command/verb.h"
#include "tidemill/ui/term/screen/console.h"
#include "tidemill/ui/term/terminal.h"

namespace tidemill::cli {

// A command that `resume` runs again: its record, and the message about it.
struct ResumedCommand {
  run::RunFolder folder;
  std::string line{};
};

// One thread, except for the console and the clock.
struct CliContext {
  const command::Program& program;
  const command::Values& values;
  run::StateFolder state;
  SystemClock clock{};
  std::unique_ptr<term::FullScreenConsole> console{};
  std::string log{};  // --log as an absolute path: a resumed run changes the current folder
  std::optional<ResumedCommand> resumed{};
  bool has_colour_out = false;  // on standard output
  bool has_colour_err = false;
  bool is_out_tty = false;
  bool is_quiet = false;

  // The width of the terminal on standard output, or 100 if it is not a terminal.
  [[nodiscard]] std::size_t out_width() const { return is_out_tty ? term::size_of(1).width : 100; }

  // Prints the report of a job. With -q, only its first line and the cause, and only for a warning
  // or an error.
  void say_report(command::Tone tone, std::string_view report,
                  const std::optional<Failure>& cause = {}) const;
};

// The maximum width of a table on this stream: $COLUMNS, or the width of the terminal. Empty: it
// goes to a file or a program, and nothing is truncated.
[[nodiscard]] std::optional<std::size_t> columns_of(int fd);

[[nodiscard]] Result<CliContext> make_cli(const command::Program& program,
                                          const command::Values& values);

// For a verb that has progress in some cases only: rejects the flags about progress in the others.
// `instead` is the command that accepts them.
[[nodiscard]] Result<void> refuse_work_flags(const CliContext& cli, const std::string& instead);

// The environment variable, if it is set.
[[nodiscard]] std::optional<std::string> variable(std::string_view name);

}  // namespace tidemill::cli
