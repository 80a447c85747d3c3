// The description of the verb: help, man page, completions and parsing come from here.
#include "tidemill/jobs/dupes/options.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tidemill/ui/command/file_flags.h"

namespace tidemill::dupes {
namespace {

using command::Argument;
using command::Flag;
using command::Kind;

std::vector<Flag> input_flags() {
  const std::string group = "Which files";
  std::vector<Flag> flags = {
      {.name = "reference",
       .kind = Kind::path,
       .metavar = "ROOT",
       .help = "look here too, and never touch anything in it; its copies are the ones kept",
       .is_list = true,
       .is_configurable = false,
       .group = group},
  };
  std::ranges::move(command::file_flags(group), std::back_inserter(flags));
  const std::vector<Flag> more = {
      {.name = "ignore-files",
       .help = "obey the rules in .gitignore and .ignore files below ROOT",
       .group = group},
      {.name = "min-size",
       .kind = Kind::size,
       .metavar = "SIZE",
       .help = "leave out smaller files; 0 takes empty ones too",
       .fallback = "1",
       .group = group},
      {.name = "max-size",
       .kind = Kind::size,
       .metavar = "SIZE",
       .help = "leave out larger files",
       .group = group},
      {.name = "newer-than",
       .kind = Kind::duration,
       .metavar = "AGE",
       .help = "only files written to within this time, as 30d",
       .group = group},
      {.name = "older-than",
       .kind = Kind::duration,
       .metavar = "AGE",
       .help = "only files not written to within this time",
       .group = group},
      {.name = "follow", .help = "follow symlinks; no action is possible then", .group = group},
      {.name = "one-file-system",
       .help = "do not enter other mounted file systems",
       .group = group},
      command::allow_empty_flag(group),
  };
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

std::vector<Flag> finding_flags() {
  const std::string group = "Finding";
  return {
      {.name = "hash",
       .kind = Kind::choice,
       .metavar = "NAME",
       .help = "by which contents are compared; xxh3 is the fastest, the others cannot be forged; "
               "another one than last time means reading again",
       .fallback = "xxh3",
       .choices = {"xxh3", "sha256", "sha512", "sha3-256", "blake2b"},
       .group = group},
      {.name = "verify", .help = "compare groups byte for byte as well", .group = group},
      {.name = "hash-all",
       .help = "hash files without a partner of the same size too, for a catalogue that will meet "
               "others",
       .group = group},
      {.name = "threads",
       .kind = Kind::count,
       .metavar = "N",
       .help = "files that are read at the same time",
       .fallback_text = "as many as the disk needs",
       .group = group,
       .least = "1",
       .most = "256"},
      {.name = "memory",
       .kind = Kind::size,
       .metavar = "SIZE",
       .help = "stay within about so much memory, however many files there are; slower",
       .group = group,
       .least = "32M"},
      {.name = "catalogue",
       .kind = Kind::path,
       .metavar = "FILE",
       .help = "where hashes are remembered for the next time",
       .fallback_text = "catalogue.db in the state folder",
       .group = group},
      {.name = "no-catalogue", .help = "remember nothing", .group = group},
      {.name = "with",
       .kind = Kind::path,
       .metavar = "FILE",
       .help = "the catalogue of another host: its files are compared without reading them",
       .is_list = true,
       .is_configurable = false,
       .group = group},
      {.name = "wanted",
       .kind = Kind::path,
       .metavar = "FILE",
       .help = "write there which files the other hosts must hash first",
       .is_configurable = false,
       .group = group},
  };
}

std::vector<Flag> report_flags() {
  const std::string group = "Report";
  return {
      {.name = "min-copies",
       .kind = Kind::count,
       .metavar = "N",
       .help = "only groups with at least so many files",
       .fallback = "2",
       .group = group,
       .least = "2"},
      {.name = "between", .help = "only groups with files under two roots or more", .group = group},
      {.name = "unique",
       .help = "list the files that have no copy instead",
       .is_configurable = false,
       .group = group},
      {.name = "folders",
       .help = "tell which folders are the same, or overlap, as well",
       .group = group},
      {.name = "overlap",
       .kind = Kind::count,
       .metavar = "PERCENT",
       .help = "how much two folders must have in common to be told of",
       .fallback = "50",
       .group = group,
       .least = "1",
       .most = "100"},
      {.name = "top",
       .kind = Kind::count,
       .metavar = "N",
       .help = "show so many groups, the largest; 0 shows all",
       .fallback = "20",
       .group = group},
      {.name = "json",
       .help = "print one object with everything",
       .is_configurable = false,
       .group = group},
      {.name = "jsonl",
       .help = "print an object a line, one for each group",
       .is_configurable = false,
       .group = group},
      {.name = "csv",
       .help = "print a table for other programs",
       .is_configurable = false,
       .group = group},
      {.name = "fdupes",
       .help = "print plain paths, an empty line between groups, as fdupes and jdupes do",
       .is_configurable = false,
       .group = group},
  };
}

std::vector<Flag> acting_flags() {
  const std::string group = "Acting";
  return {
      {.name = "keep",
       .kind = Kind::text,
       .metavar = "RULE",
       .help = "which file of a group is kept: oldest, newest, first-root, shortest, path:GLOB; "
               "several, in order",
       .is_list = true,
       .group = group},
      {.name = "action",
       .kind = Kind::text,
       .metavar = "WHAT",
       .help =
           "what becomes of the others: hardlink, reflink, delete, move:DIR, or script to print "
           "a shell script; without --apply only the plan is shown",
       .is_configurable = false,
       .group = group},
      {.name = "apply",
       .help = "do it; every file is compared byte for byte again first",
       .is_configurable = false,
       .group = group},
      {.name = "dry-run",
       .letter = 'n',
       .help = "show the plan only; the default",
       .is_configurable = false,
       .group = group},
      {.name = "ignore-difference",
       .kind = Kind::choice,
       .metavar = "WHAT",
       .help = "act on a pair although this differs, for hardlink and, run by root, for every "
               "action; owner is the group too, folder is who can exchange the kept file",
       .choices = {"mtime", "mode", "owner", "xattrs", "folder"},
       .is_list = true,
       .is_configurable = false,
       .group = group},
  };
}

}  // namespace

command::Verb verb() {
  command::Verb verb{
      .name = "dupes",
      .summary = "find files with the same contents, and safely be rid of them",
      .usage = {"tidemill dupes [ROOT...] [OPTIONS]",
                "tidemill dupes [ROOT...] --action WHAT [--keep RULE...] [--apply]",
                "tidemill dupes [ROOT...] --with OTHER.catalogue... [--wanted FILE]"},
      .examples = {{"tidemill dupes photos", "what could be won, the largest groups first"},
                   {"tidemill dupes photos backup --between", "only files that are in both"},
                   {"tidemill dupes photos --keep oldest --action hardlink",
                    "the plan: nothing is changed yet"},
                   {"tidemill dupes photos --keep oldest --action hardlink --apply",
                    "one file with several names instead of several files"},
                   {"tidemill undo last", "and back again"},
                   {"tidemill dupes inbox --reference archive --action delete --apply",
                    "delete from inbox what archive has; archive is never touched"},
                   {"tidemill dupes photos --json", "everything, for a program"}},
      .description =
          {"Looks at every file below the folders ROOT (default: the current one) and tells which "
           "have the same contents. Files of a size of their own are not read. Of the others, "
           "small "
           "ones are read once and large ones first at both ends. Names of the same file (hard "
           "links) are one file and never a duplicate.",
           "What was read is remembered in the catalogue. The next time only files that have "
           "changed "
           "are read; after Ctrl-C or a crash tidemill resume, or the same command, goes on where "
           "it was.",
           "Nothing is changed without --apply. With it each pair is opened and compared byte for "
           "byte again, a file that has changed or is being written to is declined, the step is "
           "atomic, and it is written down first, so that tidemill undo can take it back."},
      .arguments = {Argument{
          .name = "ROOT", .help = "folders to look through, or single files", .is_list = true}},
  };
  for (auto* group : {&input_flags, &finding_flags, &report_flags, &acting_flags}) {
    for (Flag& flag : group()) verb.flags.push_back(std::move(flag));
  }
  verb.works = true;
  return verb;
}

}  // namespace tidemill::dupes
