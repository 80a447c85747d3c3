#include <cerrno>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "tidemill/app/catalogue/place.h"
#include "tidemill/app/catalogue/verbs.h"
#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/jobs/dupes/scan/wanted_hash.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/recorded.h"
#include "tidemill/ui/cli/signal_scope.h"
#include "tidemill/ui/command/usage.h"

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
  const auto list = failures.list();
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
  return {
      .name = "catalogue hash",
      .summary = "hash the files that another host needs",
      .usage = {"tidemill catalogue hash --wanted FILE [OPTIONS]"},
      .examples = {{"tidemill catalogue hash --wanted list",
                    "hash the listed files; then export the catalogue again"}},
      .description =
          {"tidemill dupes --with OTHER --wanted FILE writes a list of the files that only their "
           "own host can hash. This command hashes the listed files of the catalogue's host, and "
           "no others, and records the hashes. A file must be unchanged since its scan; if it has "
           "changed, scan its folder again first.",
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
}

namespace {

Result<int> hash_on(const std::vector<dupes::WantedFile>& wanted, catalogue::Catalogue& catalogue,
                    const command::Context& context, const cli::Recording& recording,
                    cli::SignalScope& signal_scope) {
  dupes::Failures failures(&signal_scope.console);
  LET(const auto counts, dupes::hash_wanted(wanted, catalogue, failures, context));
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
  LET(auto catalogue, open_catalogue(cli, catalogue::Catalogue::Access::write));
  cli::SignalScope signal_scope(cli);
  LET(const auto log, cli::log_for(cli));
  const command::Context context = signal_scope.context(cli, *log);
  return cli::recorded(cli, signal_scope.console, "catalogue-hash",
                       [&](const cli::Recording& recording) {
                         return hash_on(wanted, catalogue, context, recording, signal_scope);
                       });
}

}  // namespace tidemill::app
