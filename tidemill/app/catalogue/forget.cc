#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "tidemill/app/catalogue/place.h"
#include "tidemill/app/catalogue/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::app {
namespace {

using catalogue::Catalogue;
using catalogue::RootSummary;
using command::Kind;
using command::Tone;
using text::count_text;

// All of them are known, or nothing is forgotten.
Result<void> forget_roots(Catalogue& catalogue, const std::vector<std::string>& typed,
                          cli::Desk& desk) {
  LET(const auto roots, catalogue.roots());
  std::vector<RootSummary> chosen;
  for (const std::string& name : typed) {
    const auto root = root_named(name, roots);
    if (!root) return no_such_root(name, roots);
    const bool is_there = std::ranges::find(chosen, root->path, &RootSummary::path) != chosen.end();
    if (!is_there) chosen.push_back(*root);
  }
  for (const RootSummary& root : chosen) {
    TRY(catalogue.forget(root.path, desk.clock));
    desk.console->say(Tone::good, "forgotten: " + text::printable(root.path) +
                                      ", files: " + count_text(root.files + root.removed));
  }
  return {};
}

Result<void> forget_removed(Catalogue& catalogue, std::chrono::milliseconds age, cli::Desk& desk) {
  LET(const auto purged, catalogue.purge(desk.clock.wall() - age, desk.clock));
  desk.console->say(Tone::good,
                    "forgotten, files: " + count_text(static_cast<std::uint64_t>(purged.files)) +
                        ", folders: " + count_text(static_cast<std::uint64_t>(purged.folders)));
  return {};
}

// The rows are gone whatever becomes of this; room in the file is used again.
void give_room_back(Catalogue& catalogue, cli::Desk& desk) {
  if (const auto given = catalogue.vacuum(); !given) {
    desk.console->say(Tone::warning,
                      "The file is not smaller yet: " + text::printable(text_of(given.error())));
  }
}

}  // namespace

command::Verb describe_catalogue_forget() {
  return {.name = "catalogue forget",
          .summary = "give up what is known of a folder, or of files long gone",
          .usage = {"tidemill catalogue forget ROOT... [OPTIONS]",
                    "tidemill catalogue forget --removed-before AGE [OPTIONS]"},
          .examples = {{"tidemill catalogue forget /mnt/old-disk", "everything about one root"},
                       {"tidemill catalogue forget --removed-before 90d",
                        "what was found gone three months ago"}},
          .description =
              {"Only the catalogue is changed, never a file. A root that is forgotten is read anew "
               "when it is scanned again. While somebody scans a root nothing of it is forgotten, "
               "and the exit status is 4. The room is given back to the disk."},
          .arguments = {{.name = "ROOT", .help = "roots, as ls shows them", .is_list = true}},
          .flags = {{.name = "removed-before",
                     .kind = Kind::duration,
                     .metavar = "AGE",
                     .help = "files and folders that a scan found gone longer ago, of all roots",
                     .is_configurable = false},
                    catalogue_flag()}};
}

Result<int> run_catalogue_forget(cli::Desk& desk) {
  const auto& roots = desk.values.argument("ROOT");
  const auto age = desk.values.duration("removed-before");
  if (roots.empty() == !age) {
    return command::misuse("what is to be forgotten?", "either roots, or --removed-before AGE");
  }
  LET(auto catalogue, open_catalogue(desk, Catalogue::Access::write));
  if (age) TRY(forget_removed(catalogue, *age, desk));
  TRY(forget_roots(catalogue, roots, desk));
  give_room_back(catalogue, desk);
  return cli::kDone;
}

}  // namespace tidemill::app
