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
using command::ValueKind;

std::vector<Flag> input_flags() {
  const std::string group = "Files";
  std::vector<Flag> flags = {
      {.name = "files-from",
       .kind = ValueKind::path,
       .metavar = "FILE",
       .help = "read the names of the files from FILE; - is standard input",
       .is_configurable = false,
       .group = group},
      {.name = "null",
       .letter = '0',
       .help = "names in the list end with a NUL byte, as find -print0 writes them",
       .is_configurable = false,
       .group = group},
      {.name = "reference",
       .kind = ValueKind::path,
       .metavar = "ROOT",
       .help = "also search ROOT, which is never changed",
       .is_list = true,
       .is_configurable = false,
       .group = group,
       .is_basic = true},
  };
  std::ranges::move(command::file_flags(group), std::back_inserter(flags));
  const std::vector<Flag> more = {
      {.name = "ignore-files",
       .aliases = {"gitignore"},
       .help = "respect .gitignore and .ignore files below ROOT",
       .group = group},
      {.name = "min-size",
       .kind = ValueKind::size,
       .metavar = "SIZE",
       .help = "skip files smaller than SIZE; 0 includes empty files",
       .fallback = "1",
       .group = group,
       .is_basic = true},
      {.name = "max-size",
       .kind = ValueKind::size,
       .metavar = "SIZE",
       .help = "skip files larger than SIZE",
       .group = group},
      {.name = "newer-than",
       .kind = ValueKind::duration,
       .metavar = "AGE",
       .help = "only files modified within AGE, such as 30d",
       .group = group},
      {.name = "older-than",
       .kind = ValueKind::duration,
       .metavar = "AGE",
       .help = "only files not modified within AGE",
       .group = group},
      {.name = "follow", .help = "follow symlinks; cannot be used with --action", .group = group},
      {.name = "one-file-system", .help = "do not cross file system boundaries", .group = group},
      command::allow_empty_flag(group),
  };
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

std::vector<Flag> finding_flags() {
  const std::string group = "Search";
  return {
      {.name = "hash",
       .kind = ValueKind::choice,
       .metavar = "NAME",
       .help = "hash algorithm; xxh3 is fastest, the others are cryptographic",
       .fallback = "xxh3",
       .choices = {"xxh3", "sha256", "sha512", "sha3-256", "blake2b"},
       .group = group},
      {.name = "verify",
       .help = "also compare the files of each group byte by byte",
       .group = group},
      {.name = "hash-all",
       .help = "hash every file, so that the catalogue can be compared with other hosts'",
       .group = group},
      {.name = "jobs",
       .letter = 'j',
       .aliases = {"workers", "w", "threads"},
       .kind = ValueKind::count,
       .metavar = "N",
       .help = "files read in parallel; 0 = all cores",
       .fallback_text = "as many as the disk needs",
       .group = group,
       .most = "256"},
      {.name = "memory",
       .kind = ValueKind::size,
       .metavar = "SIZE",
       .help = "approximate memory limit, for any number of files; slower",
       .group = group,
       .least = "32M"},
      {.name = "catalogue",
       .kind = ValueKind::path,
       .metavar = "FILE",
       .help = "catalogue that caches the hashes",
       .fallback_text = "catalogue.db in the state folder",
       .group = group},
      {.name = "no-catalogue", .help = "do not read or write a catalogue", .group = group},
      {.name = "with",
       .kind = ValueKind::path,
       .metavar = "FILE",
       .help = "catalogue of another host, to compare with its files by hash",
       .is_list = true,
       .is_configurable = false,
       .group = group},
      {.name = "wanted",
       .kind = ValueKind::path,
       .metavar = "FILE",
       .help = "write the list of files that other hosts must hash first",
       .is_configurable = false,
       .group = group},
  };
}

std::vector<Flag> report_flags() {
  const std::string group = "Report";
  return {
      {.name = "min-copies",
       .kind = ValueKind::count,
       .metavar = "N",
       .help = "only groups of at least N files",
       .fallback = "2",
       .group = group,
       .least = "2"},
      {.name = "between", .help = "only groups with files under two or more roots", .group = group},
      {.name = "unique",
       .help = "list the files that have no duplicate instead",
       .is_configurable = false,
       .group = group},
      {.name = "folders", .help = "also report identical and overlapping folders", .group = group},
      {.name = "overlap",
       .kind = ValueKind::count,
       .metavar = "PERCENT",
       .help = "smallest overlap of two folders to report",
       .fallback = "50",
       .group = group,
       .least = "1",
       .most = "100"},
      {.name = "top",
       .kind = ValueKind::count,
       .metavar = "N",
       .help = "show the N largest groups; 0 shows all",
       .fallback = "20",
       .group = group,
       .is_basic = true},
      {.name = "json",
       .help = "print the report as one JSON object",
       .is_configurable = false,
       .group = group,
       .is_basic = true},
      {.name = "jsonl",
       .help = "print one JSON object per line, one for each group",
       .is_configurable = false,
       .group = group},
      {.name = "csv", .help = "print the report as CSV", .is_configurable = false, .group = group},
      {.name = "fdupes",
       .help = "print paths with a blank line between groups, like fdupes and jdupes",
       .is_configurable = false,
       .group = group},
  };
}

std::vector<Flag> acting_flags() {
  const std::string group = "Actions";
  return {
      {.name = "keep",
       .kind = ValueKind::text,
       .metavar = "RULE",
       .help = "rule for the copy to keep, such as oldest",
       .is_list = true,
       .group = group,
       .is_basic = true},
      {.name = "action",
       .kind = ValueKind::text,
       .metavar = "WHAT",
       .help = "hardlink, reflink, delete, move:DIR or script",
       .is_configurable = false,
       .group = group,
       .is_basic = true},
      {.name = "apply",
       .help = "make the changes; each pair is compared again first",
       .is_configurable = false,
       .group = group,
       .is_basic = true},
      {.name = "dry-run",
       .letter = 'n',
       .help = "only show the plan; the default",
       .is_configurable = false,
       .group = group,
       .is_basic = true},
      {.name = "ignore-difference",
       .kind = ValueKind::choice,
       .metavar = "WHAT",
       .help = "act on a pair even if its files differ in WHAT",
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
      .summary = "find duplicate files and remove them safely",
      .usage = {"tidemill dupes [ROOT...] [OPTIONS]",
                "tidemill dupes --files-from FILE|- [-0] [OPTIONS]",
                "tidemill dupes [ROOT...] --action WHAT [--keep RULE...] [--apply]",
                "tidemill dupes [ROOT...] --with OTHER.catalogue... [--wanted FILE]"},
      .examples = {{"tidemill dupes photos", "list the duplicates, largest groups first"},
                   {"tidemill dupes photos --keep oldest --action hardlink",
                    "show the plan; nothing is changed"},
                   {"tidemill dupes photos --keep oldest --action hardlink --apply",
                    "replace each duplicate with a hard link to the oldest copy"},
                   {"tidemill undo last", "undo the last run"},
                   {"tidemill dupes inbox --reference archive --action delete --apply",
                    "delete the files in inbox that archive also has; archive is never changed"},
                   {"tidemill dupes photos backup --between", "only files that are in both"},
                   {"find . -name '*.iso' -print0 | tidemill dupes --files-from - -0",
                    "search only the files that find lists"},
                   {"tidemill dupes photos --json", "the full report as JSON"}},
      .description =
          {"Finds files with the same contents below each folder ROOT (default: the current "
           "folder). A file whose size no other file has is not read. Small files are read once; "
           "of large files the beginning and the end are read first. Hard links to the same file "
           "count as one file, never as duplicates.",
           "Hashes are cached in the catalogue, so that the next scan reads only files that have "
           "changed; a scan with another --hash reads the files again. After Ctrl-C or a crash, "
           "tidemill resume or the same command continues where the scan stopped.",
           "--files-from reads the names of the files from a list, one per line, instead of "
           "searching folders. Cached hashes are used, but the hashes of listed files are not "
           "added to the catalogue.",
           "Nothing is changed without --apply. With --apply, each pair is opened and compared "
           "byte by byte again, and a file that has changed or is open for writing is skipped. "
           "Each step is atomic and is recorded before it is done, so that tidemill undo can undo "
           "it."},
      .arguments = {Argument{
          .name = "ROOT", .help = "folders to search, or single files", .is_list = true}},
  };
  verb.description.emplace_back(
      "--keep takes oldest, newest, first-root, shortest or path:GLOB and can be repeated: the "
      "first rule that tells two copies apart decides. A copy in a --reference is always kept. "
      "--action script prints a shell script. --ignore-difference applies to hardlink and, when "
      "run by root, to every action; owner includes the group, and folder means that other users "
      "can replace the kept file.");
  for (auto* group : {&input_flags, &finding_flags, &report_flags, &acting_flags}) {
    for (Flag& flag : group()) verb.flags.push_back(std::move(flag));
  }
  verb.works = true;
  return verb;
}

}  // namespace tidemill::dupes
