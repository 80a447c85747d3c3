// The description of the verb: help, man page, completions and parsing come from here.
#include <algorithm>
#include <iterator>
#include <utility>

#include "tidemill/jobs/books/options.h"
#include "tidemill/jobs/tasks/file_source.h"
#include "tidemill/ui/command/file_flags.h"

namespace tidemill::books {
namespace {

using command::Argument;
using command::Flag;
using command::ValueKind;

std::vector<Flag> checking_flags() {
  const std::string group = "Checking";
  return {
      {.name = "checker",
       .kind = ValueKind::choice,
       .metavar = "CHECKER",
       .help = "checker for EPUBs",
       .fallback = "tidemill",
       .choices = {"tidemill", "epubcheck", "both"},
       .group = group},
      {.name = "epubcheck",
       .kind = ValueKind::path,
       .metavar = "JAR",
       .help = "path of epubcheck.jar",
       .fallback_text = "searched in the usual places",
       .group = group},
  };
}

std::vector<Flag> judging_flags() {
  const std::string group = "Severity";
  return {
      {.name = "ignore",
       .kind = ValueKind::text,
       .metavar = "ID",
       .help = "ignore a rule; GLOB:ID in some books only",
       .is_list = true,
       .group = group,
       .is_basic = true},
      {.name = "severity",
       .kind = ValueKind::text,
       .metavar = "ID=LEVEL",
       .help = "severity of a rule; GLOB:ID=LEVEL in some books only",
       .is_list = true,
       .group = group},
      {.name = "min-severity",
       .kind = ValueKind::choice,
       .metavar = "LEVEL",
       .help = "lowest severity to show; does not change the verdict",
       .fallback_text = "warning for people, usage for programs",
       .choices = {"usage", "info", "warning", "error", "fatal"},
       .group = group},
      {.name = "fail-on",
       .kind = ValueKind::choice,
       .metavar = "LEVEL",
       .help = "exit with status 3 if a finding is this severe or more",
       .fallback = "error",
       .choices = {"info", "warning", "error", "fatal", "never"},
       .group = group},
  };
}

std::vector<Flag> report_flags() {
  const std::string group = "Report";
  return {
      {.name = "format",
       .kind = ValueKind::choice,
       .metavar = "FORMAT",
       .help = "report format",
       .fallback = "text",
       .choices = {"text", "markdown", "html", "junit", "sarif"},
       .is_configurable = false,
       .group = group,
       .is_basic = true},
      {.name = "by-rule",
       .help = "group the text report by rule instead of by book, most frequent first",
       .group = group},
      {.name = "output",
       .letter = 'o',
       .kind = ValueKind::path,
       .metavar = "PATH",
       .help = "file for the report, instead of standard output",
       .is_configurable = false,
       .group = group,
       .is_basic = true},
  };
}

// The shared flags that have the same meaning here.
std::vector<Flag> list_flags(const std::string& group) {
  std::vector<Flag> flags;
  for (Flag& flag : jobs::source_flags(group)) {
    if (flag.name == "files-from" || flag.name == "null") flags.push_back(std::move(flag));
  }
  return flags;
}

}  // namespace

std::vector<Flag> lines_flags(const std::string& group) {
  return {
      {.name = "json",
       .help = "print the report as one JSON object",
       .is_configurable = false,
       .group = group,
       .is_basic = true},
      {.name = "jsonl",
       .help = "print one JSON object per line, for each book when it is done",
       .is_configurable = false,
       .group = group},
  };
}

std::vector<Flag> cache_flags(const std::string& group, const std::string& usual) {
  return {
      {.name = "again",
       .help = "read all books again, including unchanged ones",
       .is_configurable = false,
       .group = group,
       .is_basic = true},
      {.name = "cache",
       .aliases = {"shelf"},
       .kind = ValueKind::path,
       .metavar = "FILE",
       .help = "cache of results; an unchanged book is not read again",
       .fallback_text = usual + " in the state folder",
       .group = group},
      {.name = "no-cache",
       .aliases = {"no-shelf"},
       .help = "do not read or write the cache",
       .group = group},
  };
}

std::vector<Flag> work_flags() {
  const std::string books = "Books";
  std::vector<Flag> flags = list_flags(books);
  std::ranges::move(command::file_flags(books), std::back_inserter(flags));
  flags.push_back(command::allow_empty_flag(books));
  const std::string group = "Running";
  const std::vector<Flag> more = {
      {.name = "jobs",
       .letter = 'j',
       .aliases = {"workers", "w"},
       .kind = ValueKind::count,
       .metavar = "N",
       .help = "books to process in parallel; 0 = all cores",
       .fallback = "0",
       .group = group,
       .most = "1024",
       .is_basic = true},
      {.name = "queue",
       .kind = ValueKind::count,
       .metavar = "N",
       .help = "books to find ahead of processing",
       .fallback_text = "32 per job",
       .group = group,
       .least = "1"},
      {.name = "timeout",
       .letter = 't',
       .kind = ValueKind::duration,
       .metavar = "TIME",
       .help = "time limit per book",
       .fallback = "60s",
       .group = group,
       .least = "1ms",
       .is_basic = true},
      {.name = "memory",
       .kind = ValueKind::size,
       .metavar = "SIZE",
       .help = "memory limit per book",
       .fallback = "208M",
       .group = group,
       .least = "16M"},
      {.name = "progress-interval",
       .kind = ValueKind::duration,
       .metavar = "TIME",
       .help = "interval between progress updates",
       .fallback = "100ms",
       .group = group,
       .least = "100ms",
       .most = "1d"},
      {.name = "profile",
       .kind = ValueKind::choice,
       .metavar = "PROFILE",
       .help = "additional rules for a kind of EPUB",
       .fallback = "default",
       .choices = {"default", "dict", "edupub", "idx", "preview"},
       .group = group},
  };
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

command::Verb check_verb() {
  command::Verb verb{
      .name = "books check",
      .summary = "find errors in e-books",
      .usage = {"tidemill books check PATH... [OPTIONS]",
                "tidemill books check --files-from FILE [OPTIONS]"},
      .examples = {{"tidemill books check library", "check every EPUB and PDF in a folder"},
                   {"tidemill books check library --by-rule", "list the most frequent errors"},
                   {"tidemill books check library --format html -o report.html",
                    "write a report for a browser"},
                   {"tidemill books check library --checker both",
                    "run EPUBCheck as well, and show where the results differ"},
                   {"tidemill books check out.epub --format junit -o junit.xml",
                    "write a report for continuous integration"},
                   {"find library -name '*.epub' -newer last -print0 | tidemill books check "
                    "--files-from - -0",
                    "check the books in a list"}},
      .description =
          {"Checks every EPUB and PDF below PATH and reports errors by the message ids of "
           "EPUBCheck, with their place. The report says which errors tidemill books repair may "
           "repair. Nothing is changed.",
           "Each book is read in a sandboxed process, which cannot open files or connections and "
           "has limits on memory and time. One such process reads up to 1,000 books in turn: a "
           "hostile book can falsify its own report and those of the books after it, nothing else.",
           "Results are cached; an unchanged book is not read again. After Ctrl-C or a crash, "
           "tidemill resume or the same command continues where it stopped.",
           "--ignore and --severity take GLOB:ID for books whose path matches GLOB."},
      .arguments = {Argument{
          .name = "PATH", .help = "folders to search, or single books", .is_list = true}},
      .flags = work_flags(),
  };
  verb.description.emplace_back(
      "With --files-from, the names come from a list: glob patterns do not apply, and a name that "
      "does not exist counts as a failed book.");
  verb.description.emplace_back(
      "The exit status is 0 if no book has an error, and 3 if a book has one or could not be "
      "checked; --fail-on changes the severity. Failed books are in the report, not in tidemill "
      "failures.");
  for (auto flags : {checking_flags(), cache_flags("Checking", "books.shelf"), judging_flags(),
                     lines_flags("Report"), report_flags()}) {
    std::ranges::move(flags, std::back_inserter(verb.flags));
  }
  verb.works = true;
  return verb;
}

}  // namespace tidemill::books
