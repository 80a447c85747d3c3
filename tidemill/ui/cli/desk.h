// Desk: what a verb of the program works with: the values of its flags, a console as the user wants
// it, the folder of the runs, the clock. Built in one place, from the command line and the
// environment; nothing below this folder reads either.
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

// A command that is run again: its record, and the line that says so.
struct ResumedCommand {
  run::RunFolder folder;
  std::string line{};
};

// One thread, but for the console and the clock.
struct Desk {
  const command::Program& program;
  const command::Values& values;
  run::StateFolder state;
  SystemClock clock{};
  std::unique_ptr<term::FullScreenConsole> console{};
  std::string log{};  // --log as a path from anywhere: a run may be worked on in another folder
  std::optional<ResumedCommand> resumed{};
  bool has_colour_out = false;  // on standard output
  bool has_colour_err = false;
  bool is_out_tty = false;
  bool is_quiet = false;

  // A terminal's width, or 100 for whatever else reads it.
  [[nodiscard]] std::size_t out_width() const { return is_out_tty ? term::size_of(1).width : 100; }

  // How a job ended: with -q only when something went wrong, and then its first line and the cause.
  void say_report(command::Tone tone, std::string_view report,
                  const std::optional<Failure>& cause = {}) const;
};

// How wide a table on this stream may be: $COLUMNS, or a terminal's width. Nothing: it is read by a
// file or a program, and nothing is cut short.
[[nodiscard]] std::optional<std::size_t> columns_of(int fd);

[[nodiscard]] Result<Desk> make_desk(const command::Program& program,
                                     const command::Values& values);

// For a verb that works in some cases only, in the others: a flag about progress is refused by its
// name. `instead` is where it belongs.
[[nodiscard]] Result<void> refuse_work_flags(const Desk& desk, const std::string& instead);

// Of the environment, if it is set.
[[nodiscard]] std::optional<std::string> variable(std::string_view name);

}  // namespace tidemill::cli
