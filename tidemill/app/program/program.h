// Program: a command line made of jobs and other verbs. Which there are is said by whoever starts
// it: one explicit list, no registration (app/jobs.cc has that of tidemill).
#pragma once

#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/jobs/job.h"
#include "tidemill/ui/cli/desk.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::app {

struct App;

// A verb that is not a job. Answers an exit code (ui/cli/exit_code.h); a Failure is said by the
// caller.
struct VerbEntry {
  command::Verb (*describe)(const App& app);
  Result<int> (*run)(cli::Desk& desk, const App& app);
};

// For verbs that need not know which jobs and verbs there are.
template <command::Verb (*Describe)(), Result<int> (*Run)(cli::Desk& desk)>
[[nodiscard]] constexpr VerbEntry verb_entry() {
  return {.describe = [](const App&) { return Describe(); },
          .run = [](cli::Desk& desk, const App&) { return Run(desk); }};
}

// What a program consists of. Immutable once it is made.
struct App {
  std::string name{};
  std::string version{};
  std::string summary{};
  std::vector<std::string> description{};
  std::vector<command::Example> examples{};
  std::vector<const jobs::Job*> jobs{};  // each lives as long as the program
  std::vector<VerbEntry> verbs{};
  std::string without_journal{};  // for texts: the commands that keep none; empty: all keep one
  std::string (*about_build)() = nullptr;  // more lines for --version
};

// The verbs that every program has: completion and man.
[[nodiscard]] std::vector<VerbEntry> program_verbs();

[[nodiscard]] command::Program describe(const App& app);

// `words` is without the program's name. Answers the exit code.
[[nodiscard]] int run(const App& app, const std::vector<std::string>& words);

// The verb of this name, job or not, with these values. Fails when there is none.
[[nodiscard]] Result<int> run_verb(const App& app, const std::string& name, cli::Desk& desk);

}  // namespace tidemill::app
