// The message when a verb that works on files finds none: a typo in a pattern must not look like
// finished work. The exit status is then 1, or 0 with --allow-empty.
//
// To find the reason, the folders are walked again, each time with one more filter; the difference
// is what that filter skips. This costs time only if there was nothing to do.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "tidemill/io/walk/walker.h"
#include "tidemill/ui/cli/cli_context.h"

namespace tidemill::cli {

// Where files were looked for, and which were selected.
struct Selection {
  std::vector<std::string> roots{};
  walk::WalkOptions wanted{};    // `sizes` is not used
  std::string globs = "--glob";  // the flag that set wanted.globs
  std::string limits{};          // flags that skip further files, after the walk
  std::string list{};            // of --files-from, used instead of the above
  bool is_empty_allowed = false;
};

// One or more sentences.
[[nodiscard]] std::string why_nothing(const Selection& selection, const std::stop_token& stop);

// Prints the message and returns the exit code.
[[nodiscard]] int nothing_matched(const Selection& selection, CliContext& cli,
                                  const std::stop_token& stop = {});

}  // namespace tidemill::cli
