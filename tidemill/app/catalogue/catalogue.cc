#include <array>

#include "tidemill/app/catalogue/verbs.h"
#include "tidemill/app/verbs.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::app {
namespace {

struct ListedEntry {
  command::Verb (*describe)();
  Result<int> (*run)(cli::CliContext& cli);
};

constexpr std::array kBelow{
    ListedEntry{.describe = describe_catalogue_ls, .run = run_catalogue_ls},
    ListedEntry{.describe = describe_catalogue_show, .run = run_catalogue_show},
    ListedEntry{.describe = describe_catalogue_verify, .run = run_catalogue_verify},
    ListedEntry{.describe = describe_catalogue_hash, .run = run_catalogue_hash},
    ListedEntry{.describe = describe_catalogue_forget, .run = run_catalogue_forget},
    ListedEntry{.describe = describe_catalogue_export, .run = run_catalogue_export},
};

}  // namespace

command::Verb describe_catalogue() {
  command::Verb verb{
      .name = "catalogue",
      .summary = "inspect and maintain the catalogue of scanned files",
      .usage = {"tidemill catalogue ls|show|verify|hash|forget|export [OPTIONS]"},
      .examples = {{"tidemill catalogue ls", "list the scanned folders"},
                   {"tidemill catalogue show photos/a.jpg", "show the record of a file"},
                   {"tidemill catalogue verify", "read every file again and compare its hash"},
                   {"tidemill catalogue export nas.catalogue", "write a copy for another host"}},
      .description = {"tidemill dupes records every file it scans in a catalogue: its size, its "
                      "times and, if it was read, its hash. These commands inspect and maintain "
                      "it. The catalogue is a cache: the next scan reads a forgotten file again."},
  };
  for (const ListedEntry& entry : kBelow) verb.below.push_back(entry.describe());
  return verb;
}

Result<int> run_catalogue(cli::CliContext& cli) {
  for (const ListedEntry& entry : kBelow) {
    if (entry.describe().name == cli.values.verb) return entry.run(cli);
  }
  return command::misuse("no subcommand given",
                         "use ls, show, verify, hash, forget or export; see tidemill catalogue "
                         "--help");
}

}  // namespace tidemill::app
