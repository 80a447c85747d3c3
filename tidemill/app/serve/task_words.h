// TaskWords: the texts of tasks as their job says them, for pages; and what lists of tasks share.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tidemill/app/program/program.h"
#include "tidemill/base/result.h"
#include "tidemill/io/web/form.h"
#include "tidemill/state/journal/sqlite_journal.h"
#include "tidemill/state/run/run_card.h"
#include "tidemill/ui/pages/task_tables.h"

namespace tidemill::app {

inline constexpr std::size_t kTasksOnPage = 100;

// The task behind which a page begins, 0 for the first page and for what is not a number.
[[nodiscard]] engine::TaskId after_in(const web::Form& query);
// The value of a field, or nothing.
[[nodiscard]] std::string text_in(const web::Form& query, std::string_view name);

// Immutable.
class TaskWords {
 public:
  [[nodiscard]] static Result<TaskWords> of(const journal::SqliteJournal& journal, const App& app);

  [[nodiscard]] pages::ShownTask shown(engine::TaskRecord task) const;
  [[nodiscard]] std::vector<pages::ShownTask> shown(std::vector<engine::TaskRecord> tasks) const;
  [[nodiscard]] std::vector<std::string> by_hand(const engine::TaskRecord& task) const;

 private:
  TaskWords(run::RunCard card, const jobs::Job* job) : card_(std::move(card)), job_(job) {}

  run::RunCard card_;
  const jobs::Job* job_;  // null: this program does not have the job
};

}  // namespace tidemill::app
