#include <optional>
#include <string>
#include <utility>

#include "tidemill/app/runs/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/io/files/output_file.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/command/usage.h"
#include "tidemill/ui/pages/report.h"

namespace tidemill::app {
namespace {

using command::ValueKind;

Result<std::optional<pages::Comparison>> comparison_with(const pages::RunView& view,
                                                         cli::CliContext& cli) {
  if (!cli.values.has("compare")) return std::nullopt;
  LET(const auto folder, cli.state.find_any(cli.values.text("compare")));
  LET(auto other, pages::read_run(folder, cli.clock));
  if (other.status.card.job != view.status.card.job) {
    return command::misuse("--compare " + folder.id() + " is a run of " + other.status.card.job +
                           ", not of " + view.status.card.job);
  }
  LET(auto comparison, pages::compare(view, std::move(other)));
  return std::optional(std::move(comparison));
}

}  // namespace

command::Verb describe_report() {
  return {
      .name = "report",
      .summary = "write a report of a run as one HTML file",
      .usage = {"%program report RUN [-o PATH] [--compare RUN]"},
      .examples = {{"%program report last", "write a report of the newest run"},
                   {"%program report last-each -o photos.html", "choose the file"},
                   {"%program report last --compare 20261115-0431",
                    "add what differs from another run"}},
      .description =
          {"Writes plots of rate, busy workers and durations, failures by reason with an example "
           "of each, the slowest attempts, tables of the job, settings and machines. The file has "
           "no script and loads nothing, so that you can send it to others. It contains names of "
           "files, the command and its settings: look at it first.",
           "You can use it while the run is in progress. A report of ten million tasks is as large "
           "as one of a thousand.",
           std::string(kRunNames),
           "RUN can also be a finished import, books check, books repair or search of dupes: the "
           "newest 20 of each are kept."},
      .arguments = {{.name = "RUN",
                     .help = std::string(kRunHelp),
                     .kind = ValueKind::run,
                     .is_required = true}},
      .flags = {{.name = "output",
                 .letter = 'o',
                 .kind = ValueKind::path,
                 .metavar = "PATH",
                 .help = "file to write; - for standard output",
                 .fallback_text = "RUN.html in the current folder",
                 .is_configurable = false,
                 .is_basic = true},
                {.name = "compare",
                 .kind = ValueKind::text,
                 .metavar = "RUN",
                 .help = "add what differs from another run of the same job",
                 .is_configurable = false,
                 .is_basic = true}}};
}

Result<int> run_report(cli::CliContext& cli, const App& /*app*/) {
  LET(const auto folder, cli.state.find_any(cli.values.argument("RUN").front()));
  LET(const auto view, pages::read_run(folder, cli.clock));
  LET(const auto comparison, comparison_with(view, cli));
  const std::string page = pages::report_page(view, cli.program, comparison);
  const std::string path =
      cli.values.has("output") ? cli.values.text("output") : folder.id() + ".html";
  if (path == "-") {
    TRY(cli.console->out(page));
    return cli::kDone;
  }
  TRY(files::write_file(path, page));
  cli.console->say(command::Tone::good, "wrote " + text::printable(path) + " (" +
                                            text::bytes_text(Bytes{page.size()}) + ")");
  return cli::kDone;
}

}  // namespace tidemill::app
