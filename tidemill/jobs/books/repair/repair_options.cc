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
using command::Kind;
using command::misuse;

std::vector<Flag> mending_flags() {
  const std::string group = "Mending";
  return {
      {.name = "apply", .help = "do it", .is_configurable = false, .group = group},
      {.name = "dry-run",
       .letter = 'n',
       .help = "show the plan only; the default",
       .is_configurable = false,
       .group = group},
      {.name = "output",
       .letter = 'o',
       .kind = Kind::path,
       .metavar = "DIR",
       .help = "put mended books there, under the names they have below PATH; the old ones stay as "
               "they are",
       .is_configurable = false,
       .group = group},
      {.name = "in-place",
       .help = "put a mended book in the place of the old one, which is kept as NAME.orig",
       .is_configurable = false,
       .group = group},
      {.name = "backup-dir",
       .kind = Kind::path,
       .metavar = "DIR",
       .help = "in place: keep the old books there, under their paths",
       .group = group},
      {.name = "no-backup", .help = "in place: do not keep the old books", .group = group},
      {.name = "tier",
       .kind = Kind::choice,
       .metavar = "TIER",
       .help = "container: only the archive around a book; safe: also what has exactly one answer "
               "that keeps all content",
       .fallback = "safe",
       .choices = {"container", "safe"},
       .group = group},
      {.name = "fix",
       .kind = Kind::text,
       .metavar = "NAME",
       .help = "let a fixer act that acts only when it is named",
       .is_list = true,
       .is_configurable = false,
       .group = group},
      {.name = "no-fix",
       .kind = Kind::text,
       .metavar = "NAME",
       .help = "keep a fixer from acting",
       .is_list = true,
       .group = group},
  };
}

std::vector<Flag> telling_flags() {
  return {{.name = "no-diff", .help = "leave the changed lines out", .group = "Report"},
          {.name = "show-declined",
           .help = "also list the books that no fixer mends, with the reason",
           .group = "Report"}};
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
      return misuse("--" + flag + " does not know the fixer " + in_quotes(name),
                    command::did_you_mean(command::nearest(name, all)) +
                        "tidemill books rules --fixers lists them");
    }
    names.insert(name);
  }
  return names;
}

// A copy cannot lie where its original lies: every book would fail by itself.
Result<void> check_output(const RepairOptions& options) {
  if (options.output.empty()) return {};
  for (const std::string& root : options.work.roots) {
    std::error_code wrong;  // what is not there yet is no other's folder
    if (!std::filesystem::equivalent(options.output, root, wrong) || wrong) continue;
    return misuse("--output is the folder of the books themselves: " + in_quotes(options.output),
                  "name another folder, or mend them there with --in-place");
  }
  return {};
}

Result<void> check(const RepairOptions& options, bool is_in_place) {
  if (options.apply && options.output.empty() && !is_in_place) {
    return misuse("--apply needs to know where mended books go", "add --output DIR or --in-place");
  }
  if (!options.output.empty() && is_in_place) {
    return misuse("--output and --in-place exclude each other");
  }
  TRY(check_output(options));
  if (!options.has_backup && !options.backups.empty()) {
    return misuse("--backup-dir and --no-backup exclude each other");
  }
  if (options.has_json && options.has_lines) return misuse("--json and --jsonl exclude each other");
  if (!options.has_shelf && !options.shelf.empty()) {
    return misuse("--shelf and --no-shelf exclude each other");
  }
  return {};
}

}  // namespace

command::Verb repair_verb() {
  command::Verb verb{
      .name = "books repair",
      .summary = "mend e-books, and never make one worse",
      .usage = {"tidemill books repair PATH... [OPTIONS]",
                "tidemill books repair PATH... --apply --output DIR",
                "tidemill books repair PATH... --apply --in-place"},
      .examples = {{"tidemill books repair library", "the plan: nothing is changed"},
                   {"tidemill books repair library --apply --output mended",
                    "mended copies in another folder"},
                   {"tidemill books repair library --apply --in-place",
                    "in place; the old book stays as NAME.orig"},
                   {"tidemill books repair library --tier container",
                    "only what is wrong with the archive around the book"}},
      .description =
          {"Mends what has exactly one right answer, and says of everything else why it is left. A "
           "mended book is checked again by the same rules and taken only if it has fewer errors, "
           "breaks no rule that it did not break before, and has the same text. What is not mended "
           "keeps its compressed bytes.",
           "Without --apply nothing is written. With it a book is written beside its place, synced "
           "and put there in one step: after a crash there is the old book or the new one, whole. "
           "Books with DRM and signed ones are left alone.",
           "PDFs are written anew through qpdf's library when they are damaged.",
           "The exit status is 0 when no book has an error at the end, and 3 when some have errors "
           "that are left, or could not be worked on. Without --apply it is what --apply would "
           "give. There are no letters."},
      .arguments = {Argument{.name = "PATH",
                             .help = "folders to look through, or single books",
                             .is_required = true,
                             .is_list = true}},
      .flags = work_flags(),
  };
  for (auto flags : {mending_flags(), lines_flags("Report"), telling_flags(),
                     shelf_flags("Report", "repairs.shelf")}) {
    std::ranges::move(flags, std::back_inserter(verb.flags));
  }
  verb.works = true;
  return verb;
}

Result<RepairOptions> repair_options_of(const command::Values& values) {
  RepairOptions options;
  LET(options.work, work_options_of(values));
  options.tier = values.text("tier") == "container" ? epub::Mend::container : epub::Mend::safe;
  LET(options.asked, fixers_named(values, "fix"));
  LET(options.refused, fixers_named(values, "no-fix"));
  options.apply = values.is_on("apply");
  if (options.apply && values.is_on("dry-run")) {
    return misuse("--apply and --dry-run exclude each other");
  }
  options.output = values.text("output");
  options.backups = values.text("backup-dir");
  options.has_backup = !values.is_on("no-backup");
  options.has_json = values.is_on("json");
  options.has_lines = values.is_on("jsonl");
  options.has_diffs = !values.is_on("no-diff");
  options.shows_declined = values.is_on("show-declined");
  options.again = values.is_on("again");
  options.has_shelf = !values.is_on("no-shelf");
  options.shelf = values.text("shelf");
  TRY(check(options, values.is_on("in-place")));
  return options;
}

}  // namespace tidemill::books
