#include "tidemill/ui/command/help/man.h"

#include <algorithm>
#include <chrono>
#include <ranges>
#include <string>
#include <vector>

#include "tidemill/app/program/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/io/files/new_file.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/run_text.h"
#include "tidemill/ui/command/help/flag_table.h"
#include "tidemill/ui/command/kinds.h"
#include "tidemill/ui/command/lookup.h"
#include "tidemill/ui/command/nearest.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::app {
namespace {

// SOURCE_DATE_EPOCH makes package builds reproducible.
Result<std::string> date_of(const Clock& clock) {
  const auto epoch = cli::variable("SOURCE_DATE_EPOCH");
  if (!epoch || epoch->empty()) return cli::utc_date(clock.wall());
  const auto seconds = command::parse_count(*epoch);
  constexpr std::uint64_t kMost = 9'000'000'000;  // WallTime cannot represent later times
  if (!seconds || *seconds > kMost) {
    return fail(Cure::give_up, "man",
                "SOURCE_DATE_EPOCH is not a number of seconds: " + command::in_quotes(*epoch));
  }
  return cli::utc_date(WallTime(std::chrono::seconds(*seconds)));
}

// Accepts "books check", "books-check" and "tidemill-books-check", as in man(1) and the shell.
const command::Verb* verb_named(const command::Program& program, std::string name) {
  std::ranges::replace(name, ' ', '-');
  for (const command::Verb* const verb : command::all_verbs(program)) {
    std::string page = verb->name;
    std::ranges::replace(page, ' ', '-');
    if (name == page || name == program.name + "-" + page) return verb;
  }
  return command::find_verb(program, name);  // by an alias
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : " ") + word;
  return all;
}

Result<int> write_pages(const std::string& folder, const std::string& date, cli::CliContext& cli) {
  LET(const auto place, files::HeldFolder::make(folder));
  const auto pages = command::man_pages(cli.program, date);
  for (const command::ManPage& page : pages) {
    LET(auto file, files::NewFile::begin(place, page.file, files::kAsTheUmaskSays));
    TRY(file.write(page.text));
    TRY(file.put(files::Sync::later));
  }
  cli.console->say(command::Tone::plain,
                   std::to_string(pages.size()) + " pages written to " + text::printable(folder));
  return cli::kDone;
}

std::unexpected<Failure> no_page(const std::string& name, const command::Program& program) {
  std::vector<std::string> names;
  for (const command::Verb* const verb : command::all_verbs(program)) names.push_back(verb->name);
  std::string hint = command::did_you_mean(command::nearest(name, names)) + "the verbs are";
  for (const std::string& known : names) hint += (&known == &names.front() ? " " : ", ") + known;
  return command::misuse("no such verb: " + command::in_quotes(name), hint);
}

// The verbs in the examples of the help text: a job, and a subverb of a job if there is one.
struct ExamplePages {
  std::string words{};   // "books check"
  std::string dashed{};  // "books-check"
  std::string calls{};   // how an installed page is called
};

ExamplePages example_pages(const App& app) {
  std::string first = "man";
  std::string second;
  for (const jobs::Job* job : app.jobs | std::views::reverse) {
    const command::Verb verb = job->verb();
    first = verb.name;
    if (!verb.below.empty()) second = verb.below.front().name;
  }
  ExamplePages pages{.words = second.empty() ? first : second};
  pages.dashed = pages.words;
  std::ranges::replace(pages.dashed, ' ', '-');
  const bool has_two = !second.empty();
  pages.calls = "Installed pages are named after the verb, with dashes: man %program-" + first +
                (has_two ? ", man %program-" + pages.dashed : "") +
                ". man-db also accepts two words: man %program " + first +
                (has_two ? ", man %program " + pages.dashed : "") + ".";
  return pages;
}

}  // namespace

command::Verb describe_man(const App& app) {
  const ExamplePages pages = example_pages(app);
  return {.name = "man",
          .summary = "print a manual page",
          .usage = {"%program man [VERB...]", "%program man --folder DIR", "%program man --flags"},
          .examples = {{"%program man " + pages.words + " | man -l -", "read the page of a verb"},
                       {"man %program-" + pages.dashed, "the same page, once it is installed"},
                       {"%program man --folder ~/.local/share/man/man1",
                        "install all pages where man finds them"}},
          .description =
              {"Prints the page of a verb, or of the program, as man(7) source. The page carries "
               "today's date, or SOURCE_DATE_EPOCH (seconds since 1970) if it is set.",
               pages.calls},
          .arguments = {{.name = "VERB",
                         .help = "a verb; without one, the page of the program",
                         .kind = command::ValueKind::text,
                         .is_list = true}},
          .flags = {{.name = "folder",
                     .kind = command::ValueKind::path,
                     .metavar = "DIR",
                     .help = "write all pages to files in DIR",
                     .is_configurable = false},
                    {.name = "flags",
                     .help = "print one table of the flags of all verbs, in Markdown",
                     .is_configurable = false}}};
}

Result<int> run_man(cli::CliContext& cli) {
  LET(const std::string date, date_of(cli.clock));
  const auto& names = cli.values.argument("VERB");
  if (cli.values.has("folder")) {
    if (!names.empty()) return command::misuse("VERB cannot be used with --folder");
    return write_pages(cli.values.text("folder"), date, cli);
  }
  if (cli.values.is_on("flags")) {
    if (!names.empty()) return command::misuse("VERB cannot be used with --flags");
    TRY(cli.console->out(command::flag_table(cli.program)));
    return cli::kDone;
  }
  const command::Verb* verb = nullptr;
  if (!names.empty()) {
    verb = verb_named(cli.program, joined(names));
    if (verb == nullptr) return no_page(joined(names), cli.program);
  }
  TRY(cli.console->out(command::man_page(cli.program, verb, date).text));
  return cli::kDone;
}

}  // namespace tidemill::app
