#include "tidemill/app/runs/verbs.h"

namespace tidemill::app {
namespace {

// Of a verb whose description does not depend on the jobs.
template <command::Verb (*Describe)()>
command::Verb described(const App& /*app*/) {
  return Describe();
}

}  // namespace

std::vector<VerbEntry> run_verbs() {
  return {verb_entry<describe_runs, run_runs>(),
          {.describe = described<describe_show>, .run = run_show},
          {.describe = described<describe_resume>, .run = run_resume},
          {.describe = describe_undo, .run = run_undo},
          {.describe = described<describe_letters>, .run = run_letters},
          {.describe = described<describe_check>, .run = run_check},
          {.describe = described<describe_forget>, .run = run_forget}};
}

}  // namespace tidemill::app
