// The description of the verb: help, man page, completions and parsing come from here.
#include "tidemill/jobs/each/options.h"

#include <utility>

namespace tidemill::each {
namespace {

using command::Argument;
using command::Flag;
using command::Kind;

std::vector<Flag> input_flags() { return jobs::source_flags("Which files"); }

std::vector<Flag> running_flags() {
  const std::string group = "Running";
  return {
      {.name = "workers",
       .letter = 'w',
       .kind = Kind::count,
       .metavar = "N",
       .help = "commands that run at the same time",
       .fallback_text = "the number of CPUs",
       .group = group,
       .least = "1",
       .most = "1024"},
      {.name = "shell",
       .help = "COMMAND is one shell script; the name is its $1, {} is not replaced",
       .is_configurable = false,
       .group = group},
      {.name = "rate",
       .kind = Kind::rate,
       .metavar = "N/s",
       .help = "start at most so many, over all workers",
       .group = group},
      {.name = "timeout",
       .letter = 't',
       .kind = Kind::duration,
       .metavar = "TIME",
       .help = "end a command that runs longer, with its whole process group",
       .group = group},
      {.name = "grace",
       .kind = Kind::duration,
       .metavar = "TIME",
       .help = "how long a command has between SIGTERM and SIGKILL",
       .fallback = "2s",
       .group = group},
      {.name = "dry-run",
       .letter = 'n',
       .help = "print the commands and run nothing",
       .is_configurable = false,
       .group = group},
  };
}

std::vector<Flag> failing_flags() {
  const std::string group = "When a command fails";
  return {
      {.name = "attempts",
       .letter = 'a',
       .kind = Kind::count,
       .metavar = "N",
       .help = "try so often what may pass by itself, the first time included",
       .fallback = "3",
       .group = group,
       .least = "1",
       .most = "1000"},
      {.name = "backoff",
       .kind = Kind::duration,
       .metavar = "TIME",
       .help = "wait up to this long before the second attempt, and twice as long before each "
               "further one",
       .fallback = "200ms",
       .group = group},
      {.name = "retry-on",
       .kind = Kind::text,
       .metavar = "LIST",
       .help = "what else may pass by itself: exit statuses, ranges, signals, any (always: 75 and "
               "timeouts)",
       .is_list = true,
       .group = group},
      {.name = "permanent-on",
       .kind = Kind::text,
       .metavar = "LIST",
       .help = "what is never tried again; wins over --retry-on",
       .is_list = true,
       .group = group},
      {.name = "halt",
       .kind = Kind::text,
       .metavar = "RULE",
       .help = "when failures end the run: never, soon, now, soon,fail=3, now,fail=10%",
       .fallback = "never",
       .group = group},
      {.name = "max-letters",
       .kind = Kind::count,
       .metavar = "N",
       .help = "start nothing more when so many tasks have failed for good; 0: no limit",
       .fallback = "0",
       .group = group},
  };
}

std::vector<Flag> output_flags() {
  const std::string group = "Output";
  return {
      {.name = "keep-order",
       .letter = 'k',
       .help = "print the outputs in the order of the names",
       .group = group},
      {.name = "tag", .help = "begin every line of output with the name", .group = group},
      {.name = "results",
       .kind = Kind::path,
       .metavar = "FOLDER",
       .help = "write each task's output to files there instead of printing it",
       .is_configurable = false,
       .group = group},
      {.name = "keep-output",
       .kind = Kind::size,
       .metavar = "SIZE",
       .help =
           "keep so much of each stream of a task in memory; what is longer goes through a file",
       .fallback = "64K",
       .group = group},
      {.name = "json",
       .help = "print one object with the summary at the end; outputs go to standard error",
       .is_configurable = false,
       .group = group},
      {.name = "jsonl",
       .help = "print an object a line for every event, outputs inside",
       .is_configurable = false,
       .group = group},
  };
}

}  // namespace

command::Verb verb() {
  command::Verb verb{
      .name = "each",
      .summary = "run a command for each file, and keep account of it",
      .usage = {"tidemill each [ROOT...] [OPTIONS] -- COMMAND [ARGS...]",
                "tidemill each --files-from FILE|- [-0] [OPTIONS] -- COMMAND [ARGS...]"},
      .examples = {{"tidemill each photos -g '*.jpg' -- jpegoptim --strip-all {}",
                    "optimise every photograph below photos, on all CPUs"},
                   {"find . -name '*.wav' -print0 | tidemill each --files-from - -0 -- flac -s {}",
                    "take the names from another program, whatever is in them"},
                   {"tidemill each --files-from urls.txt -w 8 --rate 5/s -a 6 --retry-on any -- "
                    "curl -fsSO {}",
                    "eight at a time, five starts a second, six attempts each"},
                   {"tidemill each logs --shell -- 'zcat \"$1\" | grep -c ERROR'",
                    "a pipe needs a shell; the name is $1, never part of the script"},
                   {"tidemill resume last", "go on with what is not done, after Ctrl-C or a crash"},
                   {"tidemill letters last retry --all", "run again only what failed"}},
      .description =
          {"Runs COMMAND once for each file below the folders ROOT (default: the current one), or "
           "for "
           "each name of a list. In its arguments {} stands for the name, {.} for the name without "
           "its "
           "extension, {/} for its last part, {//} for its folder, {/.} for the last part without "
           "extension and {#} for the number of the task. Without any of them the name is the last "
           "argument. There is no shell between: whatever a name holds stays in its argument, and "
           "one "
           "that begins with a dash is written ./-name.",
           "Every task is a row in the run's journal before it starts and after it ends. After "
           "Ctrl-C, "
           "a crash or a power cut, `tidemill resume` goes on: what is done stays done, what was "
           "running is run again. A command must therefore bear being run twice for the same file.",
           "Output of a command is printed when it has ended, in one piece, its standard error on "
           "standard error. TIDEMILL_TASK, TIDEMILL_ATTEMPT and TIDEMILL_RUN are in its "
           "environment; "
           "its standard input is empty."},
      .arguments = {Argument{.name = "ROOT",
                             .help = "folders to walk, or single files",
                             .is_list = true},
                    Argument{.name = "COMMAND",
                             .help = "the command and its arguments",
                             .kind = Kind::text,
                             .is_required = true,
                             .is_list = true,
                             .is_after_dashes = true}},
  };
  for (auto* group : {&input_flags, &running_flags, &failing_flags, &output_flags}) {
    for (Flag& flag : group()) verb.flags.push_back(std::move(flag));
  }
  verb.works = true;
  verb.prints_meanwhile = [](const command::Values& values) { return !values.is_on("json"); };
  return verb;
}

}  // namespace tidemill::each
