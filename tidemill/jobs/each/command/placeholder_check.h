// check_placeholders(): rejects a command that contains a placeholder which would not be replaced.
// Users of GNU parallel and fd write {} into a shell script and {1}, {..} or {%} into arguments;
// without this check the command would get the braces instead of the name, for every file.
//
//   --shell     {} {.} {1} {..} {#} …  are rejected: a name is never put into a script
//   otherwise   {1} {..} {%} …         are rejected: only {} {.} {/} {//} {/.} {#} exist
//
// Braces with another meaning pass: ${1}, { command; }, {a,b}, {1..3}, awk's {print}, and a number
// after something that a regular expression can repeat, as in [0-9]{4}. In a shell script {""} is a
// literal {}.
#pragma once

#include "tidemill/base/result.h"
#include "tidemill/jobs/each/options.h"

namespace tidemill::each {

// Fails with kind usage; the failure names the placeholder and the hint says what to write. Call it
// only for new runs: an existing run keeps its command.
[[nodiscard]] Result<void> check_placeholders(const EachOptions& options);

}  // namespace tidemill::each
