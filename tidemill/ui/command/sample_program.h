// A small program with every kind of flag and argument, for the tests of this folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemill/ui/command/parse.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::command::sample {

[[nodiscard]] inline Verb each() {
  return {.name = "each",
          .summary = "run a command for every file",
          .usage = {"mill each [ROOT…] [OPTIONS] -- COMMAND [ARGS…]"},
          .examples = {{"mill each src -j4 -- wc -l", "count lines"},
                       {"mill each --exclude '*.o' -- sh -c 'echo \\\\ \"$1\"'", ""}},
          .description = {"Walks the folders and runs the command once for each file it finds "
                          "there. Files that are gone by then are skipped.",
                          ".starts with a dot, 'and a quote, and has a back\\slash."},
          .arguments = {{.name = "ROOT", .help = "folders to walk", .is_list = true},
                        {.name = "COMMAND",
                         .help = "the command and its arguments",
                         .kind = ValueKind::text,
                         .is_required = true,
                         .is_list = true,
                         .is_after_dashes = true}},
          .flags = {{.name = "jobs",
                     .letter = 'j',
                     .aliases = {"workers", "w"},
                     .kind = ValueKind::count,
                     .metavar = "N",
                     .help = "parallel commands",
                     .fallback_text = "all CPUs",
                     .group = "Speed",
                     .least = "1",
                     .most = "1000"},
                    {.name = "timeout",
                     .kind = ValueKind::duration,
                     .help = "time limit per command",
                     .fallback = "5m",
                     .group = "Speed"},
                    {.name = "memory", .kind = ValueKind::size, .help = "memory limit"},
                    {.name = "rate",
                     .letter = 'r',
                     .kind = ValueKind::rate,
                     .help = "starts per second"},
                    {.name = "exclude",
                     .letter = 'x',
                     .kind = ValueKind::text,
                     .metavar = "GLOB",
                     .help = "skip names like [a-z]",
                     .is_list = true},
                    {.name = "state", .kind = ValueKind::path, .help = "state folder"},
                    {.name = "keep-going",
                     .letter = 'k',
                     .aliases = {"continue"},
                     .help = "continue after a failure",
                     .is_basic = true},
                    {.name = "dry-run",
                     .help = "print what would be done",
                     .is_configurable = false,
                     .is_basic = true}},
          .sections = {{"Notes", "Nothing is \"rounded\"."}}};
}

[[nodiscard]] inline Verb letters() {
  return {
      .name = "letters",
      .summary = "show what failed",
      .flags = {{.name = "limit", .kind = ValueKind::count, .help = "maximum number of entries"}},
      .below = {{.name = "letters retry",
                 .summary = "try again what failed",
                 .arguments = {{.name = "RUN", .kind = ValueKind::run, .is_required = true},
                               {.name = "ID", .kind = ValueKind::count, .is_list = true}},
                 .flags = {{.name = "force", .help = "even if it was dropped"}}},
                {.name = "letters drop", .summary = "forget what failed"}}};
}

[[nodiscard]] inline Program program() {
  return {.name = "mill",
          .version = "1.2.3",
          .summary = "work over files",
          .description = {"A mill for files."},
          .examples = {{"mill each . -- true", "do nothing, often"}},
          .flags = {{.name = "color",
                     .kind = ValueKind::choice,
                     .help = "colours",
                     .fallback = "auto",
                     .choices = {"auto", "always", "never"}},
                    {.name = "quiet", .letter = 'q', .help = "say less"}},
          .verbs = {each(),
                    letters(),
                    {.name = "show",
                     .aliases = {"look"},
                     .summary = "show a run",
                     .arguments = {{.name = "RUN", .kind = ValueKind::run, .is_required = true},
                                   {.name = "HOW",
                                    .kind = ValueKind::choice,
                                    .choices = {"short", "long", "lines"}},
                                   {.name = "FILE", .is_list = true}}},
                    {.name = "copy",
                     .summary = "copy files",
                     .arguments = {{.name = "SOURCE",
                                    .help = "what to copy",
                                    .is_required = true,
                                    .is_list = true},
                                   {.name = "TARGET", .is_required = true}}}},
          .exits = {{0, "done"}, {1, "failed"}, {2, "wrong usage"}}};
}

using Words = std::vector<std::string>;

// The text of the failure, or "no failure".
[[nodiscard]] inline std::string failure_of(const Words& words, const ParseContext& context = {}) {
  const auto parsed = parse(program(), words, context);
  return parsed ? "no failure" : text_of(parsed.error());
}

// After a failure, values with the text of the failure as the verb, so that the test fails.
[[nodiscard]] inline Values values_of(const Words& words, const ParseContext& context = {}) {
  auto parsed = parse(program(), words, context);
  if (!parsed) return {.verb = text_of(parsed.error())};
  const auto* const values = std::get_if<Values>(&*parsed);
  return values == nullptr ? Values{.verb = "a printout"} : *values;
}

[[nodiscard]] inline Printout printout_of(const Words& words, const ParseContext& context = {}) {
  auto parsed = parse(program(), words, context);
  if (!parsed) return {.text = text_of(parsed.error()), .status = -1};
  const auto* const printout = std::get_if<Printout>(&*parsed);
  return printout == nullptr ? Printout{.text = "values", .status = -1} : *printout;
}

}  // namespace tidemill::command::sample
