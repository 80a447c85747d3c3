#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <utility>

#include "tidemill/app/catalogue/place.h"
#include "tidemill/app/catalogue/verbs.h"
#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/ui/cli/exit_code.h"

namespace tidemill::app {
namespace {

std::unexpected<Failure> cannot_export(const std::string& target, const std::string& why,
                                       std::string hint = "") {
  return std::unexpected(Failure{.cure = Cure::give_up,
                                 .step = text::printable(target),
                                 .reason = why,
                                 .hint = std::move(hint)});
}

// Reports what the user can fix about the target, before any error that names the catalogue.
Result<void> check_target(const std::string& target) {
  if (::access(target.c_str(), F_OK) == 0) {
    return cannot_export(target, system_text(EEXIST),
                         "use another name or remove the file first; export never overwrites");
  }
  const auto folder = std::filesystem::path(target).parent_path();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK) == 0) return {};
  return cannot_export(target, system_text(errno));
}

}  // namespace

command::Verb describe_catalogue_export() {
  return {.name = "catalogue export",
          .summary = "write a copy of a catalogue for another host",
          .usage = {"tidemill catalogue export FILE [OPTIONS]"},
          .examples = {{"tidemill catalogue export nas.catalogue", "write the copy"},
                       {"tidemill dupes photos --with nas.catalogue",
                        "compare with it on another host"}},
          .description =
              {"The copy is a single file without a write-ahead log, complete and on disk when the "
               "command ends. It can be made while a scan is running. An existing FILE is never "
               "overwritten."},
          .arguments = {{.name = "FILE", .help = "file to write", .is_required = true}},
          .flags = {catalogue_flag()}};
}

Result<int> run_catalogue_export(cli::CliContext& cli) {
  const std::string& target = cli.values.argument("FILE").front();
  LET(auto catalogue, open_catalogue(cli));
  TRY(check_target(target));
  if (auto done = catalogue.export_to(target); !done) {
    const bool is_full = done.error().kind == FailureKind::disk_full;
    if (!is_full) return std::unexpected(std::move(done).error());
    return cannot_export(target, system_text(ENOSPC),
                         "free some space on the disk that holds " + text::printable(target));
  }
  cli.console->say(command::Tone::good, "Wrote " + text::printable(target));
  return cli::kDone;
}

}  // namespace tidemill::app
