#include "tidemill/app/runs/verbs.h"

#include <algorithm>
#include <iterator>

namespace tidemill::app {
namespace {

// For a verb whose description does not depend on the App.
template <command::Verb (*Describe)()>
command::Verb described(const App& /*app*/) {
  return Describe();
}

}  // namespace

std::vector<VerbEntry> run_verbs(jobs::Jobs jobs) {
  std::vector<VerbEntry> all = {{.describe = describe_runs, .run = run_runs},
                                {.describe = described<describe_show>, .run = run_show},
                                {.describe = described<describe_report>, .run = run_report},
                                {.describe = describe_resume, .run = run_resume}};
  if (!undoable_jobs(jobs).empty()) all.push_back({.describe = describe_undo, .run = run_undo});
  all.push_back({.describe = describe_failures, .run = run_failures});
  all.push_back({.describe = describe_check, .run = run_check});
  all.push_back({.describe = described<describe_forget>, .run = run_forget});
  return all;
}

std::vector<VerbEntry> standard_verbs(jobs::Jobs jobs) {
  std::vector<VerbEntry> all = run_verbs(jobs);
  std::ranges::copy(program_verbs(), std::back_inserter(all));
  return all;
}

}  // namespace tidemill::app
