#include <filesystem>

#include "tidemill/base/try.h"
#include "tidemill/cli/batch_work.h"
#include "tidemill/cli/docs_work.h"
#include "tidemill/cli/dupes_act.h"
#include "tidemill/cli/verbs.h"
#include "tidemill/cli/work.h"

namespace tidemill::cli {
namespace {

using command::Kind;

// The flags of `each` that may be different this time.
constexpr std::string_view kOver[] = {"files-from", "workers", "rate", "timeout", "attempts"};

std::vector<std::string> flags_over(const command::Values& values) {
  std::vector<std::string> words;
  for (const std::string_view name : kOver) {
    for (const std::string& text : values.texts(name)) {
      words.push_back("--" + std::string(name) + "=" + text);
    }
  }
  for (const char* name : {"json", "jsonl"}) {
    if (values.is_on(name)) words.push_back(std::string("--") + name);
  }
  return words;
}

// A list that came through a pipe (also as <(...) of a shell) cannot be read again.
bool is_gone(const std::string& list) {
  std::error_code ignored;
  return list == "-" || (!list.empty() && !std::filesystem::is_regular_file(list, ignored));
}

}  // namespace

command::Verb describe_resume() {
  return {.name = "resume",
          .summary = "go on with a run that did not come to its end",
          .usage = {"tidemill resume RUN [OPTIONS]"},
          .examples = {{"tidemill resume last", "the newest run"},
                       {"tidemill resume 20261115-0431 -w 1", "another one, with one worker"}},
          .description =
              {"Runs every task that is not done, with the options the run was started with and in "
               "the folder it was started in. What is done stays done; what was running when the "
               "run ended is run again; what failed for good stays with the letters. A search for "
               "files that was cut short goes on where it was.",
               "If the process before was killed, what its commands have left running is ended "
               "first, so that no command runs twice at the same time. A task that was running at "
               "three crashes becomes a letter: it may be the cause."},
          .arguments = {{.name = "RUN",
                         .help = "an id, the beginning of one, or last",
                         .kind = Kind::text,
                         .is_required = true}},
          .flags = {
              {.name = "files-from",
               .kind = Kind::path,
               .metavar = "FILE",
               .help = "the list again, if it came from standard input and was not read to "
                       "its end; names already read are passed over",
               .is_configurable = false},
              {.name = "workers",
               .letter = 'w',
               .kind = Kind::count,
               .metavar = "N",
               .help = "commands that run at the same time",
               .is_configurable = false},
              {.name = "rate",
               .kind = Kind::rate,
               .metavar = "N/s",
               .help = "start at most so many",
               .is_configurable = false},
              {.name = "timeout",
               .letter = 't',
               .kind = Kind::duration,
               .metavar = "TIME",
               .help = "end a command that runs longer",
               .is_configurable = false},
              {.name = "attempts",
               .letter = 'a',
               .kind = Kind::count,
               .metavar = "N",
               .help = "try so often what may pass by itself",
               .is_configurable = false},
              {.name = "json", .help = "print the summary as one object", .is_configurable = false},
              {.name = "jsonl",
               .help = "print an object a line for every event",
               .is_configurable = false}}};
}

Result<int> run_resume(Desk& desk) {
  LET(const auto folder, desk.state.find(desk.values.argument("RUN").front()));
  TRY(log_for(desk));  // before a crash is taken note of
  Vigil vigil(desk);
  LET(const auto run, durable::Run::open(folder, desk.clock));
  if (run->card().job == "dupes") return resume_dupes(*run, desk, vigil);
  if (run->card().job == "batch") return resume_batch(*run, desk, vigil);
  if (run->card().job == "docs") return resume_docs(*run, {}, desk, vigil);
  LET(const auto options, options_of_run(run->card(), flags_over(desk.values), desk.program));
  const bool is_list_lost = !desk.values.has("files-from") && is_gone(options.files_from);
  return work_on(*run, options, {.is_list_lost = is_list_lost}, desk, vigil);
}

}  // namespace tidemill::cli
