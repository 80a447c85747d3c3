#include "tidemill/jobs/job.h"

#include <algorithm>
#include <utility>

namespace tidemill::jobs {
namespace {

std::unexpected<Failure> no_journal(const Job& job) {
  return fail(Cure::give_up, "resume", "a run of " + job.verb().name + " has no journal");
}

}  // namespace

Result<Continuation> Job::resume(const command::Values& /*values*/,
                                 cli::CliContext& /*cli*/) const {
  return no_journal(*this);
}

Result<Continuation> Job::retry(const command::Values& values, cli::CliContext& cli) const {
  return resume(values, cli);
}

bool Job::takes(std::string_view /*flag*/) const { return true; }

std::vector<command::Flag> Job::call_flags() const { return {}; }

bool Job::has_lost_input(const run::RunCard& /*card*/) const { return false; }

std::optional<UndoHelp> Job::undo_help() const { return std::nullopt; }

Result<int> Job::undo(run::Run& /*run*/, cli::CliContext& /*cli*/,
                      cli::SignalScope& /*signal_scope*/) const {
  return fail(Cure::give_up, "undo", "a run of " + verb().name + " cannot be undone");
}

Result<std::vector<engine::TaskId>> Job::undoable(const journal::SqliteJournal& /*journal*/) const {
  return {};
}

std::string Job::subject_text(const engine::TaskRecord& task) const { return task.subject; }

std::string Job::outcome_text(const engine::TaskRecord& task) const { return task.outcome; }

std::vector<std::string> Job::by_hand(const run::RunCard& /*card*/,
                                      const engine::TaskRecord& /*task*/) const {
  return {};
}

Result<std::vector<std::string>> Job::leftovers(const cli::RunStatus& /*run_status*/) const {
  return {};
}

std::vector<command::Flag> call_flags(Jobs jobs) {
  std::vector<command::Flag> all;
  for (const Job* job : jobs) {
    for (command::Flag& flag : job->call_flags()) {
      const bool is_known = std::ranges::find(all, flag.name, &command::Flag::name) != all.end();
      if (!is_known) all.push_back(std::move(flag));
    }
  }
  return all;
}

const Job* find_job(Jobs jobs, std::string_view name) {
  const auto found =
      std::ranges::find_if(jobs, [&](const Job* job) { return job->verb().name == name; });
  return found == jobs.end() ? nullptr : *found;
}

}  // namespace tidemill::jobs
