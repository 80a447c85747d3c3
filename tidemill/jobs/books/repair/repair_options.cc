#include "tidemill/jobs/books/repair/repair_options.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/epub/repair/fixers.h"
#include "tidemill/ui/command/nearest.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::books {
namespace {

using command::Argument;
using command::Flag;
using command::in_quotes;
using command::misuse;
using command::ValueKind;

std::vector<Flag> repairing_flags() {
  const std::string group = "Repair";
  return {
      {.name = "apply",
       .help = "write the repaired books",
       .is_configurable = false,
       .group = group,
       .is_basic = true},
      {.name = "dry-run",
       .letter = 'n',
       .help = "only show the plan; this is the default",
       .is_configurable = false,
       .group = group},
      {.name = "output",
       .letter = 'o',
       .kind = ValueKind::path,
       .metavar = "PATH",
       .help = "folder for the repaired copies",
       .is_configurable = false,
       .group = group,
       .is_basic = true},
      {.name = "in-place",
       .help = "replace each book, and keep the old one as NAME.orig",
       .is_configurable = false,
       .group = group,
       .is_basic = true},
      {.name = "backup-dir",
       .kind = ValueKind::path,
       .metavar = "DIR",
       .help = "with --in-place: keep the old books in DIR",
       .group = group},
      {.name = "no-backup", .help = "with --in-place: do not keep the old books", .group = group},
      {.name = "tier",
       .kind = ValueKind::choice,
       .metavar = "TIER",
       .help = "kinds of repairs; container repairs only the archive",
       .fallback = "safe",
       .choices = {"container", "safe"},
       .group = group},
      {.name = "fix",
       .kind = ValueKind::text,
       .metavar = "NAME",
       .help = "turn on a fixer that is off by default",
       .is_list = true,
       .is_configurable = false,
       .group = group},
      {.name = "no-fix",
       .kind = ValueKind::text,
       .metavar = "NAME",
       .help = "turn off a fixer",
       .is_list = true,
       .group = group},
  };
}

std::vector<Flag> telling_flags() {
  return {{.name = "no-diff", .help = "do not show changed lines", .group = "Report"},
          {.name = "show-skipped",
           .aliases = {"show-declined"},
           .help = "also list books that cannot be repaired",
           .group = "Report",
           .is_basic = true}};
}

std::vector<std::string> fixer_names() {
  std::vector<std::string> names;
  for (const auto fixers : {epub::container_fixers(), epub::safe_fixers(), epub::ask_fixers()}) {
    for (const epub::Fixer& fixer : fixers) names.emplace_back(fixer.name);
  }
  return names;
}

Result<std::set<std::string>> fixers_named(const command::Values& values, const std::string& flag) {
  const std::vector<std::string> all = fixer_names();
  std::set<std::string> names;
  for (const std::string& name : values.texts(flag)) {
    if (std::ranges::find(all, name) == all.end()) {
      return misuse("--" + flag + ": no such fixer: " + in_quotes(name),
                    command::did_you_mean(command::nearest(name, all)) +
                        "run 'tidemill books rules --fixers' to list them");
    }
    names.insert(name);
  }
  return names;
}

// A copy cannot be written over its original: without this check every single book would fail.
Result<void> check_output(const RepairOptions& options) {
  if (options.output.empty()) return {};
  for (const std::string& root : options.work.roots) {
    std::error_code wrong;  // an output folder that does not exist yet is not a root
    if (!std::filesystem::equivalent(options.output, root, wrong) || wrong) continue;
    return misuse("--output is the folder of the original books: " + in_quotes(options.output),
                  "name another folder, or use --in-place");
  }
  return {};
}

Result<void> check(const RepairOptions& options, bool is_in_place) {
  if (options.apply && options.output.empty() && !is_in_place) {
    return misuse("--apply needs a place for the repaired books", "add --output DIR or --in-place");
  }
  if (!options.output.empty() && is_in_place) {
    return misuse("--output cannot be used with --in-place");
  }
  TRY(check_output(options));
  if (!options.has_backup && !options.backups.empty()) {
    return misuse("--backup-dir cannot be used with --no-backup");
  }
  if (options.has_json && options.has_lines) return misuse("--json cannot be used with --jsonl");
  if (!options.has_cache && !options.cache.empty()) {
    return misuse("--cache cannot be used with --no-cache");
  }
  return {};
}

}  // namespace

command::Verb repair_verb() {
  command::Verb verb{
      .name = "books repair",
      .summary = "repair e-books without making them worse",
      .usage = {"tidemill books repair PATH... [OPTIONS]",
                "tidemill books repair PATH... --apply --output DIR",
                "tidemill books repair PATH... --apply --in-place"},
      .examples = {{"tidemill books repair library", "show the plan; change nothing"},
                   {"tidemill books repair library --apply --output repaired",
                    "write repaired copies to another folder"},
                   {"tidemill books repair library --apply --in-place",
                    "repair in place; keep each old book as NAME.orig"},
                   {"tidemill books repair library --tier container",
                    "repair only the archive, not its contents"}},
      .description =
          {"Repairs errors that have exactly one right answer, and says why other errors are not "
           "repaired. A repaired book is checked again by the same rules. It is accepted only if "
           "it has fewer errors, breaks no rule that it did not break before, and has the same "
           "text. Entries that are not repaired keep their compressed bytes.",
           "Without --apply, nothing is written. With --apply, a book is written next to its "
           "place, synced and renamed: after a crash, you have either the old book or the new one, "
           "complete. Copies in the --output folder have the paths of the books below PATH, "
           "backups in the --backup-dir folder have their full paths. Signed books and books with "
           "DRM are not changed.",
           "Damaged PDFs are rewritten with the qpdf library.",
           "The tier container repairs only the archive; safe also repairs what has exactly one "
           "right answer that keeps all content."},
      .arguments = {Argument{
          .name = "PATH", .help = "folders to search, or single books", .is_list = true}},
      .flags = work_flags(),
  };
  verb.description.emplace_back(
      "With --files-from, the names come from a list: glob patterns do not apply, and a name that "
      "does not exist counts as a failed book. With --output, a copy has the path that is in the "
      "list.");
  verb.description.emplace_back(
      "The exit status is 0 if no book has an error at the end, and 3 if a book still has one or "
      "could not be processed. Without --apply, it is the status that --apply would give. Failed "
      "books are in the report, not in tidemill failures.");
  for (auto flags : {repairing_flags(), lines_flags("Report"), telling_flags(),
                     cache_flags("Report", "repairs.shelf")}) {
    std::ranges::move(flags, std::back_inserter(verb.flags));
  }
  verb.works = true;
  return verb;
}

Result<RepairOptions> repair_options_of(const command::Values& values) {
  RepairOptions options;
  LET(options.work, work_options_of(values));
  options.tier = values.text("tier") == "container" ? epub::Repairability::container
                                                    : epub::Repairability::safe;
  LET(options.asked, fixers_named(values, "fix"));
  LET(options.refused, fixers_named(values, "no-fix"));
  options.apply = values.is_on("apply");
  if (options.apply && values.is_on("dry-run")) {
    return misuse("--apply cannot be used with --dry-run");
  }
  options.output = values.text("output");
  options.backups = values.text("backup-dir");
  options.has_backup = !values.is_on("no-backup");
  options.has_json = values.is_on("json");
  options.has_lines = values.is_on("jsonl");
  options.has_diffs = !values.is_on("no-diff");
  options.shows_declined = values.is_on("show-skipped");
  options.again = values.is_on("again");
  options.has_cache = !values.is_on("no-cache");
  options.cache = values.text("cache");
  TRY(check(options, values.is_on("in-place")));
  return options;
}

}  // namespace tidemill::books
