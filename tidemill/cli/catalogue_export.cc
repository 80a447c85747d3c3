#include <string>

#include "tidemill/base/try.h"
#include "tidemill/cli/catalogue_place.h"
#include "tidemill/cli/catalogue_verbs.h"
#include "tidemill/cli/exit_code.h"
#include "tidemill/text/printable.h"

namespace tidemill::cli {

command::Verb describe_catalogue_export() {
  return {.name = "catalogue export",
          .summary = "write a copy of a catalogue for another host",
          .usage = {"tidemill catalogue export FILE [OPTIONS]"},
          .examples = {{"tidemill catalogue export nas.catalogue", "then take it along"},
                       {"tidemill dupes photos --with nas.catalogue", "and compare, elsewhere"}},
          .description =
              {"The copy is one file without a log, whole and on the disk when the command ends. "
               "It can be made while somebody scans. A FILE that is there is never replaced."},
          .arguments = {{.name = "FILE", .help = "where to write it", .is_required = true}},
          .flags = {catalogue_flag()}};
}

Result<int> run_catalogue_export(Desk& desk) {
  const std::string& target = desk.values.argument("FILE").front();
  LET(auto catalogue, open_catalogue(desk));
  TRY(catalogue.export_to(target));
  desk.console->say(command::Tone::good, "written: " + text::printable(target));
  return kDone;
}

}  // namespace tidemill::cli
