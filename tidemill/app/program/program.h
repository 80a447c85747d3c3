// App: a command-line program made of jobs and other verbs. The caller passes them in as one
// explicit list, without registration (app/jobs.cc has that of tidemill).
#pragma once

#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/jobs/job.h"
#include "tidemill/ui/cli/cli_context.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::app {

struct App;

// A verb that is not a job. Returns an exit code (ui/cli/exit_code.h); the caller prints a Failure.
struct VerbEntry {
  command::Verb (*describe)(const App& app);
  Result<int> (*run)(cli::CliContext& cli, const App& app);
};

// For verbs that do not need the App.
template <command::Verb (*Describe)(), Result<int> (*Run)(cli::CliContext& cli)>
[[nodiscard]] constexpr VerbEntry verb_entry() {
  return {.describe = [](const App&) { return Describe(); },
          .run = [](cli::CliContext& cli, const App&) { return Run(cli); }};
}

// The parts of a program. Immutable once constructed.
struct App {
  std::string name{};
  std::string version{};
  std::string summary{};
  std::vector<std::string> description{};
  std::vector<command::Example> examples{};
  std::vector<const jobs::Job*> jobs{};  // each lives as long as the program
  std::vector<VerbEntry> verbs{};
  std::string without_journal{};           // for texts: the commands without a journal; empty: none
  std::string (*about_build)() = nullptr;  // more lines for --version
};

// The verbs of every program: completion and man.
[[nodiscard]] std::vector<VerbEntry> program_verbs();

[[nodiscard]] command::Program describe(const App& app);

// `words` excludes the program's name. Returns the exit code.
[[nodiscard]] int run(const App& app, const std::vector<std::string>& words);

// Runs the verb of this name, a job or not, with the values of `cli`. Fails if it does not exist.
[[nodiscard]] Result<int> run_verb(const App& app, const std::string& name, cli::CliContext& cli);

}  // namespace tidemill::app
