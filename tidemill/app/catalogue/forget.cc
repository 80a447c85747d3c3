#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/app/catalogue/place.h"
#include "tidemill/app/catalogue/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::app {
namespace {

using catalogue::Catalogue;
using catalogue::RootSummary;
using command::Tone;
using command::ValueKind;
using text::counted;

std::string_view verb_of(bool is_dry) { return is_dry ? "Would forget " : "Forgot "; }

// Forgets nothing unless all roots are known.
Result<void> forget_roots(Catalogue& catalogue, const std::vector<std::string>& typed, bool is_dry,
                          cli::CliContext& cli) {
  LET(const auto roots, catalogue.roots());
  std::vector<RootSummary> chosen;
  for (const std::string& name : typed) {
    const auto root = root_named(name, roots);
    if (!root) return no_such_root(name, roots);
    const bool is_there = std::ranges::find(chosen, root->path, &RootSummary::path) != chosen.end();
    if (!is_there) chosen.push_back(*root);
  }
  for (const RootSummary& root : chosen) {
    if (!is_dry) TRY(catalogue.forget(root.path, cli.clock));
    cli.console->say(Tone::good, std::string(verb_of(is_dry)) + text::printable(root.path) + ": " +
                                     counted(root.files + root.removed, "file"));
  }
  return {};
}

Result<void> forget_removed(Catalogue& catalogue, std::chrono::milliseconds age, bool is_dry,
                            cli::CliContext& cli) {
  const WallTime before = cli.clock.wall() - age;
  LET(const auto purged, is_dry ? catalogue.purgeable(before) : catalogue.purge(before, cli.clock));
  cli.console->say(Tone::good,
                   std::string(verb_of(is_dry)) +
                       counted(static_cast<std::uint64_t>(purged.files), "removed file") + " and " +
                       counted(static_cast<std::uint64_t>(purged.folders), "removed folder"));
  return {};
}

// Only warns on failure: the rows are deleted, and their space in the file will be reused.
void give_room_back(Catalogue& catalogue, cli::CliContext& cli) {
  if (const auto given = catalogue.vacuum(); !given) {
    cli.console->say(Tone::warning, "Could not shrink the file of the catalogue: " +
                                        text::printable(text_of(given.error())));
  }
}

}  // namespace

command::Verb describe_catalogue_forget() {
  return {
      .name = "catalogue forget",
      .summary = "remove roots or deleted files from the catalogue",
      .usage = {"tidemill catalogue forget ROOT... [OPTIONS]",
                "tidemill catalogue forget --removed-before AGE [OPTIONS]"},
      .examples = {{"tidemill catalogue forget /mnt/old-disk", "forget one root"},
                   {"tidemill catalogue forget --removed-before 90d",
                    "forget files that were gone 90 days ago"}},
      .description =
          {"Changes only the catalogue, never a file. The next scan of a forgotten root reads its "
           "files again. --removed-before applies to all roots. A root that is being scanned "
           "cannot be forgotten; the exit status is "
           "then 4. The file of the catalogue is shrunk afterwards."},
      .arguments = {{.name = "ROOT",
                     .help = "roots, as listed by tidemill catalogue ls",
                     .is_list = true}},
      .flags = {{.name = "removed-before",
                 .kind = ValueKind::duration,
                 .metavar = "AGE",
                 .help = "files and folders found gone more than AGE ago",
                 .is_configurable = false,
                 .is_basic = true},
                {.name = "dry-run",
                 .letter = 'n',
                 .help = "show what would be forgotten and change nothing",
                 .is_configurable = false,
                 .is_basic = true},
                catalogue_flag()}};
}

Result<int> run_catalogue_forget(cli::CliContext& cli) {
  const auto& roots = cli.values.argument("ROOT");
  const auto age = cli.values.duration("removed-before");
  if (roots.empty() == !age) {
    return command::misuse("give either ROOT or --removed-before",
                           "use tidemill catalogue ls to list the roots");
  }
  const bool is_dry = cli.values.is_on("dry-run");
  LET(auto catalogue,
      open_catalogue(cli, is_dry ? Catalogue::Access::read : Catalogue::Access::write));
  if (age) TRY(forget_removed(catalogue, *age, is_dry, cli));
  TRY(forget_roots(catalogue, roots, is_dry, cli));
  if (!is_dry) give_room_back(catalogue, cli);
  return cli::kDone;
}

}  // namespace tidemill::app
