#include <array>

#include "tidemill/app/catalogue/verbs.h"
#include "tidemill/app/verbs.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::app {
namespace {

struct Entry {
  command::Verb (*describe)();
  Result<int> (*run)(cli::Desk& desk);
};

constexpr std::array kBelow{
    Entry{.describe = describe_catalogue_ls, .run = run_catalogue_ls},
    Entry{.describe = describe_catalogue_show, .run = run_catalogue_show},
    Entry{.describe = describe_catalogue_verify, .run = run_catalogue_verify},
    Entry{.describe = describe_catalogue_hash, .run = run_catalogue_hash},
    Entry{.describe = describe_catalogue_forget, .run = run_catalogue_forget},
    Entry{.describe = describe_catalogue_export, .run = run_catalogue_export},
};

}  // namespace

command::Verb describe_catalogue() {
  command::Verb verb{
      .name = "catalogue",
      .summary = "look at what scans remember, and look after it",
      .usage = {"tidemill catalogue ls|show|verify|hash|forget|export [OPTIONS]"},
      .examples = {{"tidemill catalogue ls", "which folders it knows, and how much of them"},
                   {"tidemill catalogue show photos/a.jpg", "what is known of a file"},
                   {"tidemill catalogue verify", "read everything again: is it still the same?"},
                   {"tidemill catalogue export nas.catalogue", "a copy for another host"}},
      .description = {"tidemill dupes remembers in a catalogue what it saw: every file with its "
                      "size, its times and, where it was read, its hash. These verbs look at it. "
                      "It is a memory: what is forgotten is read again by the next scan."},
  };
  for (const Entry& entry : kBelow) verb.below.push_back(entry.describe());
  return verb;
}

Result<int> run_catalogue(cli::Desk& desk) {
  for (const Entry& entry : kBelow) {
    if (entry.describe().name == desk.values.verb) return entry.run(desk);
  }
  return command::misuse("what about the catalogue?",
                         "there are ls, show, verify, hash, forget and export; see tidemill "
                         "catalogue --help");
}

}  // namespace tidemill::app
