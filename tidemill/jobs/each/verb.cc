// The description of the verb: help, man page, completions and parsing come from here.
#include "tidemill/jobs/each/options.h"

#include <utility>

#include "tidemill/ui/redis_flags/fleet_call.h"

namespace tidemill::each {
namespace {

using command::Argument;
using command::Flag;
using command::ValueKind;

std::vector<Flag> input_flags() { return jobs::source_flags("Which files"); }

std::vector<Flag> running_flags() {
  const std::string group = "Running";
  return {
      {.name = "jobs",
       .letter = 'j',
       .aliases = {"workers", "w"},
       .kind = ValueKind::count,
       .metavar = "N",
       .help = "parallel commands; 0 = all cores",
       .fallback = "0",
       .group = group,
       .most = "1024",
       .is_basic = true},
      {.name = "shell",
       .help = "run COMMAND as a shell script; $1 is the name",
       .is_configurable = false,
       .group = group,
       .is_basic = true},
      {.name = "rate",
       .kind = ValueKind::rate,
       .metavar = "N/s",
       .help = "maximum rate of starts, over all workers",
       .group = group},
      {.name = "timeout",
       .letter = 't',
       .kind = ValueKind::duration,
       .metavar = "TIME",
       .help = "time limit per command; ends its whole process group",
       .group = group,
       .is_basic = true},
      {.name = "grace",
       .kind = ValueKind::duration,
       .metavar = "TIME",
       .help = "time between SIGTERM and SIGKILL for a command",
       .fallback = "2s",
       .group = group},
      {.name = "dry-run",
       .letter = 'n',
       .help = "print the commands without running them",
       .is_configurable = false,
       .group = group,
       .is_basic = true},
  };
}

std::vector<Flag> failing_flags() {
  const std::string group = "When a command fails";
  return {
      {.name = "attempts",
       .letter = 'a',
       .kind = ValueKind::count,
       .metavar = "N",
       .help = "attempts per task for transient failures, including the first",
       .fallback = "3",
       .group = group,
       .least = "1",
       .most = "1000"},
      {.name = "backoff",
       .kind = ValueKind::duration,
       .metavar = "TIME",
       .help = "longest wait before the second attempt; doubles with each further one",
       .fallback = "200ms",
       .group = group},
      {.name = "retry-on",
       .kind = ValueKind::text,
       .metavar = "LIST",
       .help = "also retry these exit statuses, ranges or signals, or any (always: 75, timeouts)",
       .is_list = true,
       .group = group},
      {.name = "permanent-on",
       .kind = ValueKind::text,
       .metavar = "LIST",
       .help = "never retry these; takes precedence over --retry-on",
       .is_list = true,
       .group = group},
      {.name = "halt",
       .kind = ValueKind::text,
       .metavar = "RULE",
       .help = "when failures stop the run: never, soon, now, soon,fail=3, now,fail=10%",
       .fallback = "never",
       .group = group},
      {.name = "max-failures",
       .aliases = {"max-letters"},
       .kind = ValueKind::count,
       .metavar = "N",
       .help = "start no more tasks after N have failed for good; 0 = no limit",
       .fallback = "0",
       .group = group},
  };
}

std::vector<Flag> output_flags() {
  const std::string group = "Output";
  return {
      {.name = "keep-order",
       .letter = 'k',
       .help = "print outputs in the order of the names",
       .group = group,
       .is_basic = true},
      {.name = "tag", .help = "prefix each line of output with the name", .group = group},
      {.name = "results",
       .kind = ValueKind::path,
       .metavar = "FOLDER",
       .help = "write outputs to files in FOLDER instead of printing them",
       .is_configurable = false,
       .group = group},
      {.name = "keep-output",
       .kind = ValueKind::size,
       .metavar = "SIZE",
       .help = "memory per output stream of a task; longer output goes through a file",
       .fallback = "64K",
       .group = group},
      {.name = "json",
       .help = "print a JSON summary; command output goes to stderr",
       .is_configurable = false,
       .group = group,
       .is_basic = true},
      {.name = "jsonl",
       .help = "print one JSON object per event, with command output",
       .is_configurable = false,
       .group = group},
  };
}

}  // namespace

command::Verb verb() {
  command::Verb verb{
      .name = "each",
      .summary = "run a command for each file, and resume after a crash",
      .usage = {"tidemill each [ROOT...] [OPTIONS] -- COMMAND [ARGS...]",
                "tidemill each --files-from FILE|- [-0] [OPTIONS] -- COMMAND [ARGS...]"},
      .examples = {{"tidemill each photos -g '*.jpg' -- jpegoptim --strip-all {}",
                    "optimise every photo below photos, on all cores"},
                   {"find . -name '*.wav' -print0 | tidemill each --files-from - -0 -- flac -s {}",
                    "read the names from another program; with -0, any name is safe"},
                   {"tidemill each logs --shell -- 'zcat \"$1\" | grep ERROR | wc -l'",
                    "run a shell script for each file; the name is $1, never part of the script"},
                   {"tidemill each --files-from urls.txt -j 8 --rate 5/s -a 6 --retry-on any -- "
                    "curl -fsSO {}",
                    "8 parallel commands, at most 5 starts per second, up to 6 attempts each"},
                   {"tidemill resume last", "continue the last run after Ctrl-C or a crash"},
                   {"tidemill failures last retry --all", "run the failed tasks again"}},
      .description =
          {"Runs COMMAND once for each file below the folders ROOT (default: the current folder), "
           "or for each name in a list. In the arguments of COMMAND, {} is replaced by the name, "
           "{.} by the name without its extension, {/} by its last part, {//} by its folder, {/.} "
           "by its last part without the extension, and {#} by the number of the task. Without a "
           "placeholder, the name is added as the last argument. No shell is involved: a name "
           "always stays one argument, whatever characters it contains, and a name that begins "
           "with a dash is passed as ./-name. With --shell, COMMAND is one shell script: $1 is the "
           "name, and {} is not replaced.",
           "The journal of the run records every task before it starts and after it ends. After "
           "Ctrl-C, a crash or a power cut, `tidemill resume` continues the run: finished tasks "
           "are not repeated, and tasks that were running are run again. COMMAND must therefore "
           "be safe to run twice for the same file.",
           "The output of a command is printed in one piece when the command ends; its standard "
           "error goes to standard error. The command finds TIDEMILL_TASK, TIDEMILL_ATTEMPT and "
           "TIDEMILL_RUN in its environment; its standard input is empty.",
           "A pattern of --glob or --exclude without a slash is matched against the name, one with "
           "a "
           "slash against the path below ROOT."},
      .arguments = {Argument{.name = "ROOT", .help = "folders to walk, or files", .is_list = true},
                    Argument{.name = "COMMAND",
                             .help = "the command and its arguments",
                             .kind = ValueKind::text,
                             .is_required = true,
                             .is_list = true,
                             .is_after_dashes = true}},
  };
  for (auto* group : {&input_flags, &running_flags, &failing_flags, &output_flags,
                      &redis_flags::fleet_call_flags}) {
    for (Flag& flag : group()) verb.flags.push_back(std::move(flag));
  }
  verb.works = true;
  verb.prints_meanwhile = [](const command::Values& values) { return !values.is_on("json"); };
  return verb;
}

}  // namespace tidemill::each
