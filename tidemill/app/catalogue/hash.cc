#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "tidemill/app/catalogue/hash_on_fleet.h"
#include "tidemill/app/catalogue/place.h"
#include "tidemill/app/catalogue/verbs.h"
#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/jobs/dupes/rehash/wanted_hash.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/recorded.h"
#include "tidemill/ui/cli/signal_scope.h"
#include "tidemill/ui/command/usage.h"
#include "tidemill/ui/redis_flags/fleet_call.h"

namespace tidemill::app {
namespace {

using command::Tone;
using text::count_text;

constexpr std::size_t kFailuresShown = 10;

Result<std::string> contents_of(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.is_open() && !file.bad()) return text;
  const int error = errno != 0 ? errno : EIO;
  return fail(Cure::give_up, "wanted", text::printable(path) + ": " + system_text(error));
}

Result<std::vector<dupes::WantedFile>> wanted_in(const std::string& path) {
  LET(const std::string list, contents_of(path));
  auto wanted = dupes::wanted_files(list);
  if (wanted) return wanted;
  Failure failure = std::move(wanted).error();
  failure.reason = text::printable(path) + ": " + failure.reason;
  return std::unexpected(std::move(failure));
}

void tell(const dupes::WantedCounts& counts, const dupes::Failures& failures,
          command::Console& console) {
  auto list = failures.list();
  std::ranges::sort(list, {}, &dupes::FileFailure::path);
  for (std::size_t i = 0; i < list.size() && i < kFailuresShown; ++i) {
    console.say(Tone::warning, text::printable(list[i].path) + ": " + text_of(list[i].failure));
  }
  if (list.size() > kFailuresShown) {
    console.say(Tone::warning,
                "... and " + count_text(list.size() - kFailuresShown) + " more failures");
  }
  console.say(
      counts.failed > 0 ? Tone::warning : Tone::good,
      fmt::format("{} hashed, {} already hashed, {} of other hosts, {} not in the catalogue, "
                  "{} failed",
                  count_text(counts.hashed), count_text(counts.known),
                  count_text(counts.other_hosts), count_text(counts.strangers),
                  count_text(counts.failed)));
}

}  // namespace

command::Verb describe_catalogue_hash() {
  command::Verb verb{
      .name = "catalogue hash",
      .summary = "hash the files that another host needs",
      .usage = {"tidemill catalogue hash --wanted FILE [OPTIONS]"},
      .examples = {{"tidemill catalogue hash --wanted list",
                    "hash the listed files; then export the catalogue again"},
                   {"tidemill catalogue hash --wanted list --fleet redis:photos",
                    "the same on the hosts that run tidemill worker --fleet redis:photos"}},
      .description =
          {"tidemill dupes --with OTHER --wanted FILE writes a list of the files that only their "
           "own host can hash. This command hashes the listed files of the catalogue's host, and "
           "no others, and records the hashes. A file must be unchanged since its scan; if it has "
           "changed, scan its folder again first.",
           "With --fleet, the workers of a fleet read the files, and the hashes are recorded here. "
           "The hosts must have the roots of the catalogue: at the same path, or named with "
           "tidemill worker --map.",
           "After Ctrl-C, tidemill resume or the same command continues. The exit status is 3 "
           "when some files could not be hashed."},
      .flags = {{.name = "wanted",
                 .kind = command::ValueKind::path,
                 .metavar = "FILE",
                 .help = "list written by tidemill dupes --wanted",
                 .is_configurable = false,
                 .is_basic = true},
                catalogue_flag()},
      .works = true};
  std::ranges::move(redis_flags::fleet_call_flags(), std::back_inserter(verb.flags));
  return verb;
}

namespace {

Result<dupes::WantedCounts> hash_anywhere(const std::vector<dupes::WantedFile>& wanted,
                                          const std::optional<redis_flags::FleetCall>& fleet,
                                          catalogue::Catalogue& catalogue,
                                          dupes::Failures& failures, const cli::CliContext& cli,
                                          const command::Context& context, const std::string& id) {
  if (!fleet) return dupes::hash_wanted(wanted, catalogue, failures, context);
  return hash_on_fleet(
      {.wanted = wanted, .catalogue = catalogue_path(cli), .id = id, .call = *fleet}, catalogue,
      failures, context);
}

Result<int> conclude(const dupes::WantedCounts& counts, const dupes::Failures& failures,
                     const cli::Recording& recording, cli::SignalScope& signal_scope) {
  tell(counts, failures, signal_scope.console);
  if (counts.left > 0) {
    signal_scope.console.say(Tone::warning, "Interrupted with " +
                                                text::counted(counts.left, "file") +
                                                " left. The hashes so far are recorded; " +
                                                recording.resume_command() + " continues.");
    return cli::exit_code_of(signal_scope.signals.first());
  }
  return counts.failed > 0 ? cli::kSomeFailed : cli::kDone;
}

}  // namespace

Result<int> run_catalogue_hash(cli::CliContext& cli) {
  if (!cli.values.has("wanted")) {
    return command::misuse("--wanted is missing",
                           "use --wanted FILE with a list written by tidemill dupes --wanted");
  }
  LET(const auto wanted, wanted_in(cli.values.text("wanted")));
  LET(const auto fleet, redis_flags::fleet_call_of(cli, "tidemill-hash"));
  LET(auto catalogue, open_catalogue(cli, catalogue::Catalogue::Access::write));
  cli::SignalScope signal_scope(cli);
  if (fleet) signal_scope.second_stop = cli::SecondStop::kills_commands;
  LET(const auto log, cli::log_for(cli));
  const command::Context context = signal_scope.context(cli, *log);
  return cli::recorded(cli, signal_scope.console, "catalogue-hash",
                       [&](const cli::Recording& recording) -> Result<int> {
                         dupes::Failures failures(&signal_scope.console);
                         LET(const auto counts, hash_anywhere(wanted, fleet, catalogue, failures,
                                                              cli, context, recording.id()));
                         return conclude(counts, failures, recording, signal_scope);
                       });
}

}  // namespace tidemill::app
