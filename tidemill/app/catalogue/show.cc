#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/app/catalogue/place.h"
#include "tidemill/app/catalogue/text.h"
#include "tidemill/app/catalogue/verbs.h"
#include "tidemill/base/hex.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/json.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/ui/cli/exit_code.h"

namespace tidemill::app {
namespace {

using catalogue::FileCard;
using catalogue::RootSummary;
using text::count_text;

// Names and values, one per line.
class Sheet {
 public:
  void add(std::string_view name, std::string_view value) {
    text_ += std::string(name) + std::string(kWidth - name.size(), ' ') + text::printable(value);
    text_ += '\n';
  }
  void add_time(std::string_view name, catalogue::Seconds time) {
    if (time != 0) add(name, minute_of(time));
  }
  [[nodiscard]] std::string& text() { return text_; }

 private:
  static constexpr std::size_t kWidth = 15;
  std::string text_{};
};

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1'000) return text::bytes_text({bytes});
  return text::bytes_text({bytes}) + " (" + count_text(bytes) + " bytes)";
}

std::string text_of(const std::string& path, const FileCard& card) {
  Sheet sheet;
  sheet.add("file", path);
  sheet.add("root", card.root);
  sheet.add("size", size_text(card.stamp.size));
  sheet.add("modified", second_of_ns(card.stamp.mtime_ns));
  sheet.add("hash",
            card.hash.empty() ? "none" : algorithm_text(card.algorithm) + " " + hex_of(card.hash));
  sheet.add_time("first seen", card.history.first_seen);
  sheet.add_time("last seen", card.history.last_seen);
  sheet.add_time("changed", card.history.changed_at);
  sheet.add_time("removed", card.history.removed_at);
  sheet.add_time("restored", card.history.restored_at);
  if (!card.error.empty()) sheet.add("error", card.error);
  return std::move(sheet.text());
}

std::string text_of(const RootSummary& root) {
  Sheet sheet;
  sheet.add("root", root.path);
  sheet.add("files", count_text(root.files));
  sheet.add("size", size_text(root.bytes));
  sheet.add("hashed", count_text(root.hashed));
  sheet.add("removed", count_text(root.removed));
  sheet.add("errors", count_text(root.errors));
  sheet.add_time("added", root.added_at);
  sheet.add_time("last started", root.started_at);
  sheet.add("last complete", minute_of(root.completed_at));
  sheet.add("last scan", ending_text(root));
  return std::move(sheet.text());
}

std::string json_of(const std::string& path, const FileCard& card) {
  std::string line;
  text::JsonWriter json(line);
  json.begin_object()
      .key("v")
      .value(1)
      .key("job")
      .value("catalogue")
      .key("kind")
      .value("file")
      .bytes("path", path);
  json.bytes("root", card.root).key("size").value(card.stamp.size);
  json.key("mtimeNs").value(card.stamp.mtime_ns).key("ctimeNs").value(card.stamp.ctime_ns);
  json.key("device").value(card.stamp.device).key("inode").value(card.stamp.inode);
  if (!card.hash.empty()) {
    json.key("algorithm").value(algorithm_text(card.algorithm));
    json.key("hash").value(hex_of(card.hash));
  }
  write_time(json, "firstSeen", card.history.first_seen);
  write_time(json, "lastSeen", card.history.last_seen);
  write_time(json, "changed", card.history.changed_at);
  write_time(json, "removed", card.history.removed_at);
  write_time(json, "restored", card.history.restored_at);
  if (!card.error.empty()) json.bytes("error", card.error);
  json.end_object();
  return line + "\n";
}

std::string json_of(const RootSummary& root) {
  std::string line;
  text::JsonWriter json(line);
  json.begin_object().key("v").value(1).key("job").value("catalogue").key("kind").value("root");
  write_members(root, json);
  json.end_object();
  return line + "\n";
}

// The output for one path: one piece if it is a root, or one for each root that contains it.
Result<std::vector<std::string>> pieces_for(const std::string& typed, catalogue::Catalogue& source,
                                            const std::vector<RootSummary>& roots, bool is_json) {
  std::vector<std::string> pieces;
  if (const auto root = root_named(typed, roots)) {
    pieces.push_back(is_json ? json_of(*root) : text_of(*root));
    return pieces;
  }
  for (const std::string& path : names_of(typed)) {
    LET(const auto cards, source.file(path));
    for (const FileCard& card : cards) {
      pieces.push_back(is_json ? json_of(path, card) : text_of(path, card));
    }
    if (!pieces.empty()) break;
  }
  return pieces;
}

}  // namespace

command::Verb describe_catalogue_show() {
  return {.name = "catalogue show",
          .summary = "show what the catalogue records of a file or a root",
          .usage = {"tidemill catalogue show PATH... [OPTIONS]"},
          .examples = {{"tidemill catalogue show photos/a.jpg", "its hash and history"},
                       {"tidemill catalogue show photos --json", "a root, as JSON"}},
          .description =
              {"Shows the records of the catalogue, including those of removed files. The files "
               "themselves are not read. A file below two roots is shown once for each.",
               "The exit status is 1 if no PATH is in the catalogue and 3 if some are not."},
          .arguments = {{.name = "PATH",
                         .help = "files, or roots of the catalogue",
                         .is_required = true,
                         .is_list = true}},
          .flags = {catalogue_flag(),
                    {.name = "json",
                     .help = "print one JSON object per line",
                     .is_configurable = false,
                     .is_basic = true}}};
}

Result<int> run_catalogue_show(cli::CliContext& cli) {
  const bool is_json = cli.values.is_on("json");
  LET(auto catalogue, open_catalogue(cli));
  LET(const auto roots, catalogue.roots());
  std::size_t unknown = 0;
  bool is_first = true;
  for (const std::string& typed : cli.values.argument("PATH")) {
    LET(const auto pieces, pieces_for(typed, catalogue, roots, is_json));
    for (const std::string& piece : pieces) {
      const bool has_gap = !std::exchange(is_first, false) && !is_json;
      TRY(cli.console->out((has_gap ? "\n" : "") + piece));
    }
    if (!pieces.empty()) continue;
    ++unknown;
    const std::string above = root_above(typed, roots);
    cli.console->say(command::Tone::bad,
                     text::printable(typed) + ": not in the catalogue" +
                         (above.empty() ? "" : " (below the root " + text::printable(above) + ")"));
  }
  if (unknown == 0) return cli::kDone;
  return is_first ? cli::kFailed : cli::kSomeFailed;
}

}  // namespace tidemill::app
