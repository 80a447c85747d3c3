#include "tidemill/jobs/dupes/act/text.h"

#include <cstdint>
#include <functional>
#include <map>
#include <ranges>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/json.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/jobs/dupes/act/metadata.h"
#include "tidemill/ui/term/table.h"

namespace tidemill::dupes {
namespace {

using engine::TaskRecord;
using engine::TaskState;
using text::count_text;

constexpr std::size_t kPage = 1'000;      // tasks that are in memory at once
constexpr std::size_t kMostKept = 1'000;  // reasons that are counted separately
constexpr std::size_t kMostShown = 5;

struct Reason {
  std::string text{};
  std::uint64_t count = 0;
  std::string example{};
};

// Counts reasons. What comes after kMostKept different ones is only counted.
class Reasons {
 public:
  void add(const TaskRecord& task) {
    ++all_;
    const std::string& text = task.failures ? task.failures->failure.reason : task.outcome;
    const auto at = places_.find(text);
    if (at != places_.end()) {
      ++list_[at->second].count;
    } else if (list_.size() < kMostKept) {
      places_.emplace(text, list_.size());
      list_.push_back({.text = text, .count = 1, .example = task.subject});
    }
  }

  [[nodiscard]] std::string table(std::optional<std::size_t> width) const {
    if (all_ == 0) return {};
    std::multimap<std::uint64_t, const Reason*, std::greater<>> by_count;
    for (const Reason& reason : list_) by_count.emplace(reason.count, &reason);
    term::Table table({{.heading = "NOT DONE", .align = term::Align::right},
                       {.heading = "REASON"},
                       {.heading = "EXAMPLE"}});
    std::uint64_t shown = 0;
    for (const auto& [count, reason] : by_count | std::views::take(kMostShown)) {
      shown += count;
      table.add({count_text(count), reason->text, reason->example});
    }
    std::string text = "\n" + table.text(width);
    if (shown < all_) text += "and " + count_text(all_ - shown) + " more\n";
    return text + flags_text();
  }

 private:
  // A narrow table truncates the reasons, and with them the hints at their end.
  [[nodiscard]] std::string flags_text() const {
    std::set<std::string_view> flags;
    for (const Reason& reason : list_) flags.insert(dupes::root_needed(reason.text));
    flags.erase("");
    std::string text;
    for (const std::string_view flag : flags) text += " --ignore-difference " + std::string(flag);
    if (text.empty()) return {};
    return "\nRoot skips copies that other users have more rights to; to act on them, add" + text +
           ".\n";
  }

  std::uint64_t all_ = 0;
  std::map<std::string, std::size_t> places_{};  // in the list, by reason
  std::vector<Reason> list_{};
};

}  // namespace

std::string text_of(const PlanTotals& totals, Action action) {
  if (totals.steps == 0) return std::string(kNothingToAct);
  const std::uint64_t steps = totals.steps - totals.declined;
  std::string text = "Plan: " + text::counted(steps, "step");
  if (totals.reclaimable > 0)
    text += ", " + text::bytes_text({totals.reclaimable}) + " reclaimable";
  text += ", " + count_text(totals.declined) + " skipped. Nothing was changed";
  text += steps > 0 ? "; add --apply to make the changes." : ".";
  if (totals.unsure > 0) {
    text += "\nCannot tell whether " + text::counted(totals.unsure, "file") +
            " can share blocks: no write permission.";
  }
  if (action == Action::hardlink && totals.declined > 0) {
    text +=
        "\nTo link files that differ in their times, modes, owners or attributes, add "
        "--ignore-difference.";
  }
  return text;
}

std::string text_of(const ActReport& report, const std::string& id) {
  std::string text = "Run " + id + ": " + count_text(report.done) + " done";
  if (report.reclaimed > 0) text += " (" + text::bytes_text({report.reclaimed}) + " reclaimed)";
  text += ", " + count_text(report.declined) + " skipped, " + count_text(report.failed) + " failed";
  if (report.pending > 0) text += ", " + count_text(report.pending) + " pending";
  return text + ".";
}

std::string next_steps(const ActReport& report, const std::string& id) {
  std::string text;
  if (report.pending > 0) text += "\n  resume:   tidemill resume " + id;
  if (report.done > 0) text += "\n  undo:     tidemill undo " + id;
  if (report.declined + report.failed > 0) {
    text += "\n  details:  tidemill show " + id + " --tasks";
  }
  return text;
}

Result<std::string> reasons_text(const journal::SqliteJournal& journal,
                                 std::optional<std::size_t> width) {
  Reasons reasons;
  for (const TaskState state : {TaskState::dead, TaskState::skipped}) {
    for (engine::TaskId after = 0;;) {
      LET(const auto page, journal.tasks(after, kPage, state));
      if (page.empty()) break;
      for (const TaskRecord& task : page) reasons.add(task);
      after = page.back().id;
    }
  }
  return reasons.table(width);
}

std::string json_of(const ActReport& report, const std::string& id) {
  std::string line;
  text::JsonWriter json(line);
  json.begin_object().key("v").value(1).key("event").value("summary").key("job").value("dupes");
  if (!id.empty()) json.key("run").value(id);
  json.key("found").value(report.found).key("done").value(report.done);
  json.key("skipped").value(report.declined).key("failed").value(report.failed);
  json.key("pending").value(report.pending).key("reclaimed").value(report.reclaimed).end_object();
  return line + "\n";
}

std::string json_of(const UndoReport& report, const std::string& run) {
  std::string line;
  text::JsonWriter json(line);
  json.begin_object().key("v").value(1).key("event").value("undo").key("job").value("dupes");
  json.key("run").value(run);
  json.key("undone").value(report.undone).key("before").value(report.before);
  json.key("skipped").value(report.declined).key("failed").value(report.failed);
  json.key("pending").value(report.pending).end_object();
  return line + "\n";
}

std::string text_of(const UndoReport& report, const std::string& id) {
  std::string text = "Run " + id + ": " + count_text(report.undone) + " undone";
  if (report.before > 0) text += ", " + count_text(report.before) + " already undone";
  text += ", " + count_text(report.declined) + " skipped, " + count_text(report.failed) + " failed";
  if (report.pending > 0) text += ", " + count_text(report.pending) + " pending";
  text += '.';
  if (report.pending > 0) text += "\nTo continue: tidemill undo " + id;
  if (report.pending == 0 && report.declined + report.failed > 0) {
    text += "\nTo try these again when the cause is fixed: tidemill undo " + id;
  }
  return text;
}

std::vector<std::string> undo_description() {
  return {
      "A hard link that the run made becomes a separate file again, a deleted file is recreated "
      "from the file that was kept, and a moved file is moved back, each with the contents, owner, "
      "mode, modification time and extended attributes it had before. Names that were hard links "
      "to one file are hard links to one file again. Folders that the run created for moved files "
      "are removed if they are empty by then. A reflink needs no undo.",
      "Only files that are still as the run left them are restored. A name that now belongs to "
      "another file, or contents that have changed since, are skipped and listed. Undone steps are "
      "recorded: a second undo does nothing, and an interrupted one continues. Steps that the run "
      "had planned but not done are dropped."};
}

}  // namespace tidemill::dupes
