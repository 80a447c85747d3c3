#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/cli/catalogue_place.h"
#include "tidemill/cli/catalogue_text.h"
#include "tidemill/cli/catalogue_verbs.h"
#include "tidemill/cli/exit_code.h"
#include "tidemill/term/table.h"
#include "tidemill/text/json.h"
#include "tidemill/text/quantity.h"

namespace tidemill::cli {
namespace {

using catalogue::About;
using catalogue::RootSummary;
using text::count_text;

std::string table_of(const std::vector<RootSummary>& roots, const Desk& desk) {
  constexpr auto kRight = term::Align::right;
  term::Table table({{.heading = "ROOT"},
                     {.heading = "FILES", .align = kRight},
                     {.heading = "SIZE", .align = kRight},
                     {.heading = "HASHED", .align = kRight},
                     {.heading = "REMOVED", .align = kRight},
                     {.heading = "ERRORS", .align = kRight},
                     {.heading = "LAST COMPLETE", .align = kRight},
                     {.heading = "LAST SCAN", .align = kRight}});
  for (const RootSummary& root : roots) {
    table.add({root.path, count_text(root.files), text::bytes_text({root.bytes}),
               count_text(root.hashed), count_text(root.removed), count_text(root.errors),
               minute_of(root.completed_at), ending_text(root)});
  }
  return table.text(desk.is_out_tty ? std::optional(desk.out_width()) : std::nullopt);
}

std::string json_of(const About& about, const std::vector<RootSummary>& roots) {
  std::string line;
  text::JsonWriter json(line);
  json.begin_object().key("v").value(1).bytes("host", about.host);
  if (!about.machine_id.empty()) json.bytes("machineId", about.machine_id);
  write_time(json, "made", about.made_at);
  json.key("format").value(about.version).key("roots").begin_array();
  for (const RootSummary& root : roots) {
    json.begin_object();
    write_members(root, json);
    json.end_object();
  }
  json.end_array().end_object();
  return line + "\n";
}

}  // namespace

command::Verb describe_catalogue_ls() {
  return {.name = "catalogue ls",
          .summary = "list the folders that a catalogue knows",
          .usage = {"tidemill catalogue ls [OPTIONS]"},
          .examples = {{"tidemill catalogue ls", "all roots, with what is known of them"},
                       {"tidemill catalogue ls --catalogue nas.catalogue --json",
                        "of a copy from another host, for a program"}},
          .description =
              {"A line a root: the files that are there, their bytes, how many of them have a "
               "hash, files that were removed and are still remembered, files and folders that "
               "could not be read, when a scan last saw the whole of it, and how the last scan "
               "ended."},
          .flags = {catalogue_flag(),
                    {.name = "json", .help = "print one object", .is_configurable = false}}};
}

Result<int> run_catalogue_ls(Desk& desk) {
  LET(auto catalogue, open_catalogue(desk));
  LET(const auto roots, catalogue.roots());
  if (desk.values.is_on("json")) {
    LET(const About about, catalogue.about());
    TRY(desk.console->out(json_of(about, roots)));
    return kDone;
  }
  if (roots.empty()) {
    desk.console->say(command::Tone::plain, "The catalogue has no roots.");
    return kDone;
  }
  TRY(desk.console->out(table_of(roots, desk)));
  return kDone;
}

}  // namespace tidemill::cli
