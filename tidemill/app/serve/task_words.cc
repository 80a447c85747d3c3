#include "tidemill/app/serve/task_words.h"

#include <utility>

#include "tidemill/app/runs/failure_text.h"
#include "tidemill/base/try.h"
#include "tidemill/jobs/job.h"
#include "tidemill/ui/command/kinds.h"

namespace tidemill::app {

engine::TaskId after_in(const web::Form& query) {
  return command::parse_count(text_in(query, "after")).value_or(0);
}

std::string text_in(const web::Form& query, std::string_view name) {
  const std::string* value = query.value(name);
  return value == nullptr ? std::string() : *value;
}

Result<TaskWords> TaskWords::of(const journal::SqliteJournal& journal, const App& app) {
  LET(auto card, run::card_of(journal));
  const jobs::Job* job = jobs::find_job(app.jobs, card.job);
  return TaskWords(std::move(card), job);
}

pages::ShownTask TaskWords::shown(engine::TaskRecord task) const {
  pages::ShownTask one{.state = std::string(state_word(task.state)),
                       .name = job_ != nullptr ? job_->subject_text(task) : task.subject,
                       .outcome = outcome_text(task, job_)};
  one.task = std::move(task);
  return one;
}

std::vector<pages::ShownTask> TaskWords::shown(std::vector<engine::TaskRecord> tasks) const {
  std::vector<pages::ShownTask> all;
  all.reserve(tasks.size());
  for (engine::TaskRecord& one : tasks) all.push_back(shown(std::move(one)));
  return all;
}

std::vector<std::string> TaskWords::by_hand(const engine::TaskRecord& task) const {
  return job_ != nullptr ? job_->by_hand(card_, task) : std::vector<std::string>();
}

}  // namespace tidemill::app
