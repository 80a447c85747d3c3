#include "tidemill/app/jobs.h"

#include <algorithm>
#include <iterator>

#include "tidemill/app/runs/verbs.h"
#include "tidemill/app/verbs.h"
#include "tidemill/app/version.h"
#include "tidemill/jobs/batch/job.h"
#include "tidemill/jobs/books/job.h"
#include "tidemill/jobs/docs/job.h"
#include "tidemill/jobs/dupes/job.h"
#include "tidemill/jobs/each/job.h"
#include "tidemill/jobs/import/job.h"

namespace tidemill::app {
namespace {

std::vector<const jobs::Job*> all_jobs() {
  return {
      &each::job(),    // a command for each file
      &dupes::job(),   // files with the same contents
      &import::job(),  // JSON lines into SQLite
      &batch::job(),   // a tree in batches of tokens
      &books::job(),   // e-books
      &docs::job(),    // documents over an HTTP API
  };
}

std::vector<VerbEntry> all_verbs() {
  std::vector<VerbEntry> all = {
      verb_entry<describe_tokens, run_tokens>(), verb_entry<describe_queue, run_queue>(),
      verb_entry<describe_worker, run_worker>(), verb_entry<describe_fleet, run_fleet>(),
      verb_entry<describe_catalogue, run_catalogue>()};
  std::ranges::copy(run_verbs(all_jobs()), std::back_inserter(all));
  all.push_back({.describe = describe_serve, .run = run_serve});
  all.push_back(verb_entry<describe_doctor, run_doctor>());
  std::ranges::copy(program_verbs(), std::back_inserter(all));
  return all;
}

}  // namespace

const App& tidemill_app() {
  static const App kApp{
      .name = "tidemill",
      .version = TIDEMILL_VERSION,
      .summary = "run big file jobs that survive crashes",
      .description =
          {"Every run keeps a journal on disk. After Ctrl-C, a crash or a power cut, "
           "tidemill resume continues where the run stopped. Every failed item is listed by name "
           "and can be retried on its own."},
      .examples = {{"tidemill each photos -g '*.jpg' -- jpegoptim {}",
                    "run a command for each file"},
                   {"tidemill dupes photos old-laptop", "find duplicate files"},
                   {"tidemill runs", "list the runs and their states"},
                   {"tidemill resume last", "resume the latest run"},
                   {"tidemill failures last", "list what failed in it"}},
      .jobs = all_jobs(),
      .verbs = all_verbs(),
      .without_journal = "import, books, tokens, a scan of dupes or catalogue",
      .about_build = about_this_build};
  return kApp;
}

}  // namespace tidemill::app
