#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/app/runs/letter_actions.h"
#include "tidemill/app/runs/letter_choice.h"
#include "tidemill/app/runs/letter_text.h"
#include "tidemill/app/runs/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/glance.h"
#include "tidemill/ui/cli/pages.h"
#include "tidemill/ui/cli/run_text.h"
#include "tidemill/ui/command/nearest.h"
#include "tidemill/ui/command/usage.h"
#include "tidemill/ui/term/table.h"

namespace tidemill::app {
namespace {

using command::Kind;
using engine::Letter;
using journal::SqliteJournal;
using run::RunFolder;

// Those that match, a page at a time.
template <class Visit>
Result<void> each_matching(const SqliteJournal& journal, const LetterChoice& choice,
                           const Visit& visit) {
  return cli::each_page([&](auto after, auto limit) { return journal.letters(after, limit); },
                        [&](std::vector<Letter>& page) -> Result<void> {
                          std::erase_if(
                              page, [&](const Letter& letter) { return !choice.matches(letter); });
                          return page.empty() ? Result<void>() : visit(page);
                        });
}

std::string table_of(const std::vector<Letter>& page, bool is_first) {
  constexpr auto kRight = term::Align::right;
  term::Table table({{.heading = "TASK", .align = kRight},
                     {.heading = "ATTEMPTS", .align = kRight},
                     {.heading = "LAST FAILED", .align = kRight},
                     {.heading = "BECAUSE"},
                     {.heading = "NAME"}});
  for (const Letter& letter : page) {
    const engine::Trouble& trouble = letter.trouble;
    table.add({std::to_string(letter.id), std::to_string(letter.attempts),
               cli::local_minute(trouble.last),
               trouble.failure.step + ": " + trouble.failure.reason, letter.subject});
  }
  return cli::rows_of(table, is_first);
}

Result<int> export_letters(const SqliteJournal& journal, const LetterChoice& choice,
                           cli::Desk& desk) {
  TRY(each_matching(journal, choice, [&](const std::vector<Letter>& page) -> Result<void> {
    std::string lines;
    for (const Letter& letter : page) lines += json_of(letter) + "\n";
    return desk.console->out(lines);
  }));
  return cli::kDone;
}

// One object, but never in memory as a whole.
Result<int> list_as_json(const RunFolder& folder, const SqliteJournal& journal,
                         const LetterChoice& choice, cli::Desk& desk) {
  std::string head;
  text::JsonWriter json(head);
  json.begin_object().key("v").value(1).key("run").value(folder.id()).key("letters");
  TRY(desk.console->out(head + "["));
  bool is_first = true;
  TRY(each_matching(journal, choice, [&](const std::vector<Letter>& page) -> Result<void> {
    std::string part;
    for (const Letter& letter : page) {
      part += (std::exchange(is_first, false) ? "" : ",") + json_of(letter);
    }
    return desk.console->out(part);
  }));
  TRY(desk.console->out("]}\n"));
  return cli::kDone;
}

Result<int> list_letters(const RunFolder& folder, const SqliteJournal& journal,
                         const LetterChoice& choice, cli::Desk& desk) {
  if (desk.values.is_on("jsonl")) return export_letters(journal, choice, desk);
  if (desk.values.is_on("json")) return list_as_json(folder, journal, choice, desk);
  bool is_first = true;
  TRY(each_matching(journal, choice, [&](const std::vector<Letter>& page) {
    return desk.console->out(table_of(page, std::exchange(is_first, false)));
  }));
  if (is_first) desk.console->say(command::Tone::plain, "There are no letters.");
  return cli::kDone;
}

Result<int> show_letters(const SqliteJournal& journal, const LetterChoice& choice,
                         cli::Desk& desk) {
  LET(const auto ids, chosen_letters(choice, journal));
  const bool is_json = desk.values.is_on("json") || desk.values.is_on("jsonl");
  bool is_first = true;
  for (const engine::TaskId id : ids) {
    LET(const auto letter, journal.letter(id));
    if (!letter) continue;  // taken back since it was chosen
    const std::string gap = std::exchange(is_first, false) ? "" : "\n";
    TRY(desk.console->out(is_json ? json_of(*letter) + "\n" : gap + text_of(*letter)));
  }
  if (ids.empty()) desk.console->say(command::Tone::plain, "There is no such letter.");
  return cli::kDone;
}

std::unexpected<Failure> unknown_action(const std::string& typed) {
  static const std::array<std::string, 5> kActions = {"list", "show", "retry", "drop", "export"};
  return command::misuse(command::in_quotes(typed) + " is nothing to do with letters",
                         command::did_you_mean(command::nearest(typed, kActions)) +
                             "there are list, show, retry, drop and export");
}

Result<void> demand_choice(const LetterChoice& choice, const std::string& action,
                           const command::Program& program) {
  if (!choice.is_empty()) return {};
  return command::misuse("which letters?", program.name + " letters RUN " + action +
                                               " TASK..., or --all, or --reason TEXT");
}

Result<void> refuse_tasks(const LetterChoice& choice, const std::string& action,
                          const command::Program& program) {
  if (choice.tasks.empty()) return {};
  return command::misuse(action + " takes no tasks by number",
                         "one letter in full: " + program.name + " letters RUN show TASK");
}

// A flag that an action would not look at is refused.
Result<void> check_report(const cli::Desk& desk, const std::string& action) {
  const command::Values& values = desk.values;
  const bool is_json = values.is_on("json");
  const bool is_jsonl = values.is_on("jsonl");
  if (is_json && is_jsonl) return command::misuse("--json and --jsonl exclude each other");
  if (action == "drop" && (is_json || is_jsonl)) {
    return command::misuse(std::string(is_json ? "--json" : "--jsonl") +
                           ": drop prints nothing to read");
  }
  if (action == "export" && is_json) {
    return command::misuse("--json: export prints an object a line",
                           "one object: " + desk.program.name + " letters RUN list --json");
  }
  return {};
}

}  // namespace

command::Verb describe_letters() {
  return {
      .name = "letters",
      .summary = "look at what failed for good, try it again or drop it",
      .usage = {"%program letters RUN [list|export] [--reason TEXT] [OPTIONS]",
                "%program letters RUN show|retry|drop TASK... [OPTIONS]",
                "%program letters RUN show|retry|drop --all|--reason TEXT [OPTIONS]"},
      .examples = {{"%program letters last", "what failed in the newest run, and why"},
                   {"%program letters last show 17", "one of them, with the end of its output"},
                   {"%program letters last retry --all", "run again all that failed"},
                   {"%program letters last retry --reason 'status 75'", "only some of it"},
                   {"%program letters last drop 17 21", "give these up"}},
      .description =
          {"A task that failed for good leaves a letter: what it was, how often it was tried, why "
           "it failed, and the end of what the command wrote.",
           "list: a line a letter; this is what is done without an ACTION. show: everything about "
           "some of them. export: everything about all of them, an object a line.",
           "retry: takes the letters back and runs exactly their tasks, with the options the run "
           "was started with and in its folder. If that is cut short, what has not run yet is "
           "pending, and %program resume runs it. drop: the letters are gone and the tasks count "
           "as failed for ever. Both change nothing if one of the tasks has no letter.",
           "The exit status of retry is that of a run; of the others it is 0, whether or not "
           "there are letters."},
      .arguments =
          {{.name = "RUN",
            .help = "an id, the beginning of one, or last",
            .kind = Kind::text,
            .is_required = true},
           {.name = "ACTION", .help = "list, show, retry, drop or export", .kind = Kind::text},
           {.name = "TASK", .help = "numbers of tasks", .kind = Kind::count, .is_list = true}},
      .flags = {{.name = "all", .help = "all letters of the run", .is_configurable = false},
                {.name = "reason",
                 .kind = Kind::text,
                 .metavar = "TEXT",
                 .help = "only letters whose reason contains this, as list shows it",
                 .is_configurable = false},
                {.name = "json",
                 .help = "print the list as one object; of retry the report of the run",
                 .is_configurable = false},
                {.name = "jsonl",
                 .help = "print the list as an object a line, as export does; of retry the report",
                 .is_configurable = false}},
      .works = true,
      .prints_meanwhile = [](const command::Values& values) { return !values.is_on("json"); }};
}

Result<int> run_letters(cli::Desk& desk, const App& app) {
  const auto& actions = desk.values.argument("ACTION");
  const std::string action = actions.empty() ? "list" : actions.front();
  LET(const LetterChoice choice, choice_of(desk.values));
  const bool is_for_some = action == "show" || action == "retry" || action == "drop";
  if (!is_for_some && action != "list" && action != "export") return unknown_action(action);
  if (action != "retry") TRY(cli::refuse_work_flags(desk, "letters retry"));
  TRY(is_for_some ? demand_choice(choice, action, desk.program)
                  : refuse_tasks(choice, action, desk.program));
  TRY(check_report(desk, action));
  LET(const auto folder, desk.state.find(desk.values.argument("RUN").front()));
  TRY(cli::demand_journal(folder, "letters", "it has no letters"));
  if (action == "retry") return retry_letters(folder, choice, desk, app);
  if (action == "drop") return drop_letters(folder, choice, desk);
  LET(const auto journal, cli::open_to_read(folder));
  if (action == "show") return show_letters(*journal, choice, desk);
  if (action == "export") return export_letters(*journal, choice, desk);
  return list_letters(folder, *journal, choice, desk);
}

}  // namespace tidemill::app
