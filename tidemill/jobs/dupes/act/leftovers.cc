#include "tidemill/jobs/dupes/act/leftovers.h"

#include <optional>
#include <set>
#include <string_view>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/io/walk/entries.h"
#include "tidemill/jobs/dupes/act/pair/pair.h"

namespace tidemill::dupes {
namespace {

using engine::TaskRecord;
using engine::TaskState;

constexpr std::size_t kPage = 1'000;

// Reads each folder once.
class FolderReader {
 public:
  FolderReader(PairPlaces places, const std::string& mark)
      : places_(std::move(places)), prefix_(".tidemill-" + mark + "-") {}

  void read(const Site& site) {
    const std::string path = site.path.substr(0, site.path.size() - site.name().size());
    if (!seen_.insert(path).second) return;
    const auto folder = places_.folder_of(site);
    if (!folder) {
      if (folder.error().kind == Refusal::Kind::failed)
        found_.unread.push_back(folder.error().reason);
      return;  // declined: the folder no longer exists
    }
    const int error = entries_.read((*folder)->number(), {});
    if (error != 0) {
      found_.unread.push_back("cannot read the folder " + path + ": " + system_text(error));
      return;
    }
    for (const walk::FolderEntry& entry : entries_.all()) add(path, entry.view());
  }
  void add(const std::string& path, std::string_view name) {
    if (!name.starts_with(prefix_)) return;
    ++found_.count;
    if (found_.paths.size() < Leftovers::kMost) found_.paths.push_back(path + std::string(name));
  }
  [[nodiscard]] Leftovers take() { return std::move(found_); }

 private:
  PairPlaces places_;
  walk::Entries entries_;
  const std::string prefix_;
  std::set<std::string> seen_;
  Leftovers found_;
};

Result<std::optional<PlanStep>> step_of_task(const TaskRecord& record,
                                             const journal::SqliteJournal& journal) {
  if (record.state == TaskState::done) return step_of(record.outcome);
  if (!record.has_checkpoint) return std::nullopt;
  LET(const auto checkpoint, journal.checkpoint(record.id));
  return checkpoint ? step_of(checkpoint->data) : std::nullopt;
}

}  // namespace

Result<Leftovers> leftovers_of(const journal::SqliteJournal& journal, const run::RunCard& card) {
  LET(auto places, PairPlaces::from(card.directory));
  FolderReader reader(std::move(places), card.mark);
  for (engine::TaskId after = 0;;) {
    LET(const auto page, journal.tasks(after, kPage));
    if (page.empty()) return reader.take();
    after = page.back().id;
    for (const TaskRecord& record : page) {
      LET(const auto step, step_of_task(record, journal));
      reader.read(step ? step->duplicate : site_of(record.subject, ""));
      if (step && step->action == Action::move) reader.read(step->target);
    }
  }
}

}  // namespace tidemill::dupes
