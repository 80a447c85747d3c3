// What is said when a verb that works on files has found none: a typing error in a pattern must not
// look like work that was done. The exit status is then 1, with --allow-empty 0.
//
// Why there is none is found out by walking again, each time with one more of the filters, so that
// the difference is what this filter leaves out. That costs time only where there was nothing to
// do.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "tidemill/io/walk/walker.h"
#include "tidemill/ui/cli/desk.h"

namespace tidemill::cli {

// Where files were looked for, and which were wanted.
struct Selection {
  std::vector<std::string> roots{};
  walk::WalkOptions wanted{};    // but for the sizes
  std::string globs = "--glob";  // what is responsible for wanted.globs
  std::string limits{};          // the flags that leave files out which the walk does not
  std::string list{};            // of --files-from, instead of all that
  bool is_empty_allowed = false;
};

// One sentence, or several.
[[nodiscard]] std::string why_nothing(const Selection& selection, const std::stop_token& stop);

// Says it, and answers with the exit code.
[[nodiscard]] int nothing_matched(const Selection& selection, Desk& desk,
                                  const std::stop_token& stop = {});

}  // namespace tidemill::cli
