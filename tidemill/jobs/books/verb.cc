// The description of the verb: help, man page, completions and parsing come from here.
#include <algorithm>
#include <iterator>
#include <utility>

#include "tidemill/jobs/books/options.h"
#include "tidemill/ui/command/file_flags.h"

namespace tidemill::books {
namespace {

using command::Argument;
using command::Flag;
using command::Kind;

std::vector<Flag> checking_flags() {
  const std::string group = "Checking";
  return {
      {.name = "checker",
       .kind = Kind::choice,
       .metavar = "WHO",
       .help =
           "who judges EPUBs: our own rules, EPUBCheck where it is installed, or both, with their "
           "disagreements",
       .fallback = "tidemill",
       .choices = {"tidemill", "epubcheck", "both"},
       .group = group},
      {.name = "epubcheck",
       .kind = Kind::path,
       .metavar = "JAR",
       .help = "where epubcheck.jar is",
       .fallback_text = "looked for in the usual places",
       .group = group},
  };
}

std::vector<Flag> judging_flags() {
  const std::string group = "What counts";
  return {
      {.name = "ignore",
       .kind = Kind::text,
       .metavar = "ID",
       .help = "leave findings of this rule out; GLOB:ID: only in books whose path matches",
       .is_list = true,
       .group = group},
      {.name = "severity",
       .kind = Kind::text,
       .metavar = "ID=LEVEL",
       .help = "make a rule more or less grave; GLOB:ID=LEVEL: only in books whose path matches",
       .is_list = true,
       .group = group},
      {.name = "min-severity",
       .kind = Kind::choice,
       .metavar = "LEVEL",
       .help = "show findings from this one on; the verdict is the same",
       .fallback_text = "warning for people, usage for machines",
       .choices = {"usage", "info", "warning", "error", "fatal"},
       .group = group},
      {.name = "fail-on",
       .kind = Kind::choice,
       .metavar = "LEVEL",
       .help = "exit status 3 when a book has such a finding, or a graver one",
       .fallback = "error",
       .choices = {"info", "warning", "error", "fatal", "never"},
       .group = group},
  };
}

std::vector<Flag> report_flags() {
  const std::string group = "Report";
  return {
      {.name = "format",
       .kind = Kind::choice,
       .metavar = "FORMAT",
       .help = "text for people, markdown, html in one file, junit and sarif for other programs",
       .fallback = "text",
       .choices = {"text", "markdown", "html", "junit", "sarif"},
       .is_configurable = false,
       .group = group},
      {.name = "by-rule",
       .help = "text: grouped by rule, the most frequent first, instead of by book",
       .group = group},
      {.name = "output",
       .letter = 'o',
       .kind = Kind::path,
       .metavar = "FILE",
       .help = "write the report there instead of to standard output",
       .is_configurable = false,
       .group = group},
  };
}

}  // namespace

std::vector<Flag> lines_flags(const std::string& group) {
  return {
      {.name = "json",
       .help = "print one object with everything",
       .is_configurable = false,
       .group = group},
      {.name = "jsonl",
       .help = "print an object a line, for each book as it is settled",
       .is_configurable = false,
       .group = group},
  };
}

std::vector<Flag> shelf_flags(const std::string& group, const std::string& usual) {
  return {
      {.name = "again",
       .help = "look at every book, also those that have not changed since",
       .is_configurable = false,
       .group = group},
      {.name = "shelf",
       .kind = Kind::path,
       .metavar = "FILE",
       .help = "where it is remembered which books were looked at",
       .fallback_text = usual + " in the state folder",
       .group = group},
      {.name = "no-shelf", .help = "remember nothing, and know nothing", .group = group},
  };
}

std::vector<Flag> work_flags() {
  std::vector<Flag> flags = command::file_flags("Which books");
  flags.push_back(command::allow_empty_flag("Which books"));
  const std::string group = "Running";
  const std::vector<Flag> more = {
      {.name = "workers",
       .letter = 'w',
       .kind = Kind::count,
       .metavar = "N",
       .help = "books that are worked on at the same time",
       .fallback_text = "the number of CPUs",
       .group = group,
       .least = "1",
       .most = "1024"},
      {.name = "queue",
       .kind = Kind::count,
       .metavar = "N",
       .help = "books that are found ahead of the workers",
       .fallback_text = "32 for each worker",
       .group = group,
       .least = "1"},
      {.name = "timeout",
       .letter = 't',
       .kind = Kind::duration,
       .metavar = "TIME",
       .help = "give a book up that takes longer",
       .fallback = "60s",
       .group = group,
       .least = "1ms"},
      {.name = "memory",
       .kind = Kind::size,
       .metavar = "SIZE",
       .help = "give a book up that needs more",
       .fallback = "208M",
       .group = group,
       .least = "16M"},
      {.name = "progress-interval",
       .kind = Kind::duration,
       .metavar = "TIME",
       .help = "how often the progress is looked at",
       .fallback = "100ms",
       .group = group,
       .least = "100ms",
       .most = "1d"},
      {.name = "profile",
       .kind = Kind::choice,
       .metavar = "PROFILE",
       .help = "rules beyond those of every EPUB",
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
      .summary = "tell what is wrong with e-books",
      .usage = {"tidemill books check PATH... [OPTIONS]"},
      .examples = {{"tidemill books check library", "every EPUB and PDF below a folder"},
                   {"tidemill books check library --by-rule", "which faults are the most frequent"},
                   {"tidemill books check library --format html -o report.html",
                    "a page to look through"},
                   {"tidemill books check library --checker both",
                    "ask EPUBCheck as well, and show where it disagrees"},
                   {"tidemill books check out.epub --format junit -o junit.xml",
                    "in continuous integration"}},
      .description =
          {"Looks into every EPUB and PDF below PATH, and tells what is wrong by the message ids "
           "of "
           "EPUBCheck, with the place. What tidemill books repair can mend is named as such. "
           "Nothing is changed.",
           "Books are read in processes that may open no file and no connection and have limits on "
           "memory and time. Such a process reads up to 1,000 books, one after the other: a "
           "hostile book can spoil its own report and those of the books after it, nothing else.",
           "What was found is remembered on the shelf: a book that has not changed is not read "
           "again, and after Ctrl-C or a crash tidemill resume, or the same command, goes on where "
           "it was.",
           "The exit status is 0 when no book has an error, and 3 when some have, or could not be "
           "looked at; --fail-on moves the line. There are no letters: the report has it all."},
      .arguments = {Argument{.name = "PATH",
                             .help = "folders to look through, or single books",
                             .is_required = true,
                             .is_list = true}},
      .flags = work_flags(),
  };
  for (auto flags : {checking_flags(), shelf_flags("Checking", "books.shelf"), judging_flags(),
                     lines_flags("Report"), report_flags()}) {
    std::ranges::move(flags, std::back_inserter(verb.flags));
  }
  verb.works = true;
  return verb;
}

}  // namespace tidemill::books
