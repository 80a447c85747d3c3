// check_placeholders(): refuses a command in which a placeholder would stay as it is. Users of GNU
// parallel and fd write {} into a shell script and {1}, {..} or {%} into arguments; run like that,
// the command would get the braces instead of the name, for every file.
//
//   --shell     {} {.} {1} {..} {#} …  are refused: a name is never put into a script
//   otherwise   {1} {..} {%} …         are refused: {} {.} {/} {//} {/.} {#} are what there is
//
// Braces that mean something else pass: ${1}, { command; }, {a,b}, {1..3}, awk's {print}, and a
// number behind what a regular expression could repeat, as in [0-9]{4}. To the shell {""} is a
// literal {}.
#pragma once

#include "tidemill/base/result.h"
#include "tidemill/jobs/each/options.h"

namespace tidemill::each {

// Fails with kind usage, names the placeholder and says what to write. To be asked for new runs
// alone: an old run keeps its command, whatever it is.
[[nodiscard]] Result<void> check_placeholders(const Options& options);

}  // namespace tidemill::each
