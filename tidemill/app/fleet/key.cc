#include <filesystem>
#include <string>
#include <utility>

#include "tidemill/app/fleet/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/io/files/private_files.h"
#include "tidemill/state/fleet/fleet_key.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/command/usage.h"
#include "tidemill/ui/redis_flags/fleet_flags.h"

namespace tidemill::app {
namespace {

using command::Tone;

// Where the other verbs look for it. Its folder is created.
[[nodiscard]] Result<std::string> default_place(const cli::CliContext& cli) {
  std::string path = redis_flags::default_key_file(cli);
  if (path.empty()) {
    return command::misuse("HOME is not set, so there is no config folder",
                           "name the file: tidemill fleet key FILE");
  }
  TRY(files::make_private_folders(std::filesystem::path(path).parent_path().string()));
  return path;
}

}  // namespace

command::Verb describe_fleet_key() {
  return {.name = "fleet key",
          .summary = "create a key for the hosts of a fleet",
          .usage = {"tidemill fleet key [FILE]"},
          .examples = {{"tidemill fleet key", "create fleet.key in the config folder"},
                       {"tidemill fleet key /etc/tidemill/films.key",
                        "another file, for --fleet-key or TIDEMILL_FLEET_KEY"}},
          .description =
              {"Everyone who can write to the Redis server of a fleet could make its workers run "
               "any command. So coordinators and workers sign what they send with a key that they "
               "share, and ignore what is not signed with it.",
               "Creates a random key and prints the path of the file. Copy the file to every host "
               "of the fleet, readable for its user only (mode 0600). An existing file is never "
               "overwritten."},
          .arguments = {
              {.name = "FILE", .help = "new file; fleet.key in the config folder if not given"}}};
}

Result<int> run_fleet_key(cli::CliContext& cli) {
  const auto& typed = cli.values.argument("FILE");
  LET(const std::string path,
      typed.empty() ? default_place(cli) : Result<std::string>(typed.front()));
  if (auto created = fleet::FleetKey::create(path); !created) {
    Failure failure = std::move(created).error();
    failure.reason = text::printable(failure.reason);
    return std::unexpected(std::move(failure));
  }
  TRY(cli.console->out(path + "\n"));
  cli.console->say(Tone::good, typed.empty()
                                   ? "Created a key. Copy this file to the same place on every "
                                     "host of the fleet, with mode 0600."
                                   : "Created a key. Copy this file to every host of the fleet, "
                                     "with mode 0600, and use it with --fleet-key FILE or "
                                     "TIDEMILL_FLEET_KEY.");
  return cli::kDone;
}

}  // namespace tidemill::app
