#include "tidemill/ui/command/help/help.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>

#include "tidemill/formats/text/columns.h"
#include "tidemill/ui/command/sample_program.h"

namespace tidemill::command {
namespace {

constexpr std::string_view kLong = R"HELP(mill each: run a command for every file

USAGE
  mill each [ROOT…] [OPTIONS] -- COMMAND [ARGS…]

EXAMPLES
  $ mill each src -j4 -- wc -l
      count lines
  $ mill each --exclude '*.o' -- sh -c 'echo \\ "$1"'

DESCRIPTION
  Walks the folders and runs the command once for each file it finds there.
  Files that are gone by then are skipped.

  .starts with a dot, 'and a quote, and has a back\slash.

ARGUMENTS
  [ROOT…]      folders to walk
  -- COMMAND…  the command and its arguments

SPEED
  -j, --jobs=N            parallel commands [all CPUs] (also --workers, -w)
      --timeout=DURATION  time limit per command [5m]

OPTIONS
      --memory=SIZE   memory limit
  -r, --rate=RATE     starts per second
  -x, --exclude=GLOB  skip names like [a-z] (repeatable)
      --state=PATH    state folder
  -k, --keep-going    continue after a failure (also --continue)
      --dry-run       print what would be done

GLOBAL OPTIONS
      --color=auto|always|never
                      colours [auto]
  -q, --quiet         say less
  -h, --help          print help; -h prints a summary
  -V, --version       print the version; with --verbose, the libraries too
      --verbose       with --version: list the libraries
      --print-config  print the value of each option and where it comes from

ENVIRONMENT
  A value in brackets is the default of an option. The variable MILL_NAME and
  the key NAME in mill.toml set the option --NAME, too: the command line comes
  first, then the environment, then the file. --print-config prints the result.

EXIT STATUS
  0  done
  1  failed
  2  wrong usage
)HELP";

constexpr std::string_view kShort = R"HELP(mill each: run a command for every file

USAGE
  mill each [ROOT…] [OPTIONS] -- COMMAND [ARGS…]

EXAMPLES
  $ mill each src -j4 -- wc -l
      count lines
  $ mill each --exclude '*.o' -- sh -c 'echo \\ "$1"'

OPTIONS
  -k, --keep-going  continue after a failure
      --dry-run     print what would be done

All options: mill each --help
)HELP";

TEST(Help, LongHelpListsEverythingWithExamplesFirstAndExitStatusLast) {
  const auto program = sample::program();
  EXPECT_EQ(long_help(program, &program.verbs.front(), {}), kLong);
}

TEST(Help, ShortHelpListsTheBasicFlags) {
  const auto program = sample::program();
  EXPECT_EQ(short_help(program, &program.verbs.front(), {}), kShort);
}

TEST(Help, ShortHelpListsAllFlagsIfNoneIsBasicAndAtMostThreeExamples) {
  auto program = sample::program();
  Verb& verb = program.verbs.front();
  for (Flag& flag : verb.flags) flag.is_basic = false;
  verb.examples = {{"one", ""}, {"two", ""}, {"three", ""}, {"four", ""}};
  const auto help = short_help(program, &verb, {});
  for (const std::string text : {"--memory=SIZE", "--rate=RATE", "$ three\n"}) {
    EXPECT_NE(help.find(text), std::string::npos) << help;
  }
  EXPECT_EQ(help.find("four"), std::string::npos) << help;
}

TEST(Help, ProgramHelpListsTheVerbs) {
  const auto brief = short_help(sample::program(), nullptr, {});
  EXPECT_NE(brief.find("  each     run a command for every file\n"), std::string::npos) << brief;
  EXPECT_EQ(brief.find("letters retry"), std::string::npos) << brief;
  const auto help = long_help(sample::program(), nullptr, {});
  EXPECT_NE(help.find("  letters retry  try again what failed\n"), std::string::npos) << help;
}

TEST(Help, WrapsToTheWidth) {
  const auto program = sample::program();
  auto verb = program.verbs.front();
  verb.usage.clear();
  verb.examples.clear();
  for (const std::size_t width : {60U, 80U, 120U}) {
    std::istringstream brief(short_help(program, &verb, {.width = width}));
    for (std::string line; std::getline(brief, line);) EXPECT_LE(text::columns(line), width);
    std::istringstream lines(long_help(program, &verb, {.width = width}));
    std::size_t widest = 0;
    for (std::string line; std::getline(lines, line);) {
      widest = std::max(widest, text::columns(line));
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
    EXPECT_LE(widest, width);
    EXPECT_GT(widest, width - 20);
  }
  EXPECT_EQ(long_help(program, &verb, {.width = 0}), long_help(program, &verb, {.width = 40}));
}

TEST(Help, IsBoldOnlyWhenAsked) {
  const auto program = sample::program();
  EXPECT_EQ(long_help(program, nullptr, {}).find('\x1b'), std::string::npos);
  const auto bold = long_help(program, nullptr, {.is_bold = true});
  EXPECT_NE(bold.find("\n\x1b[1mEXIT STATUS\x1b[0m\n"), std::string::npos);
}

}  // namespace
}  // namespace tidemill::command
