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
  $ mill each src -w4 -- wc -l
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
  -w, --workers=N         how many commands run at once [default: all CPUs]
      --timeout=DURATION  end a command after this time [default: 5m]

OPTIONS
      --memory=SIZE   how much to hold
  -r, --rate=RATE     starts a second
  -x, --exclude=GLOB  leave out names like this: [a-z] [may be repeated]
      --state=PATH    where to remember
  -k, --keep-going    go on after a failure
      --dry-run       only say what would be done

OPTIONS OF EVERY VERB
      --color=auto|always|never
                      colours [default: auto]
  -q, --quiet         say less
  -h, --help          show this text; -h shows less of it
      --version       show the version
      --print-config  show the value of each option and where it came from

ENVIRONMENT
  An option --NAME can also be set by the variable MILL_NAME or in the file
  mill.toml; the command line wins, then the variable. --print-config shows the
  outcome.

EXIT STATUS
  0  done
  1  failed
  2  wrong usage
)HELP";

constexpr std::string_view kShort = R"HELP(mill each: run a command for every file

USAGE
  mill each [ROOT…] [OPTIONS] -- COMMAND [ARGS…]

EXAMPLES
  $ mill each src -w4 -- wc -l
      count lines
  $ mill each --exclude '*.o' -- sh -c 'echo \\ "$1"'

SPEED
  -w, --workers=N         how many commands run at once
      --timeout=DURATION  end a command after this time

OPTIONS
      --memory=SIZE   how much to hold
  -r, --rate=RATE     starts a second
  -x, --exclude=GLOB  leave out names like this: [a-z]
      --state=PATH    where to remember
  -k, --keep-going    go on after a failure
      --dry-run       only say what would be done

OPTIONS OF EVERY VERB
      --color=auto|always|never
                      colours
  -q, --quiet         say less
  -h, --help          show this text; -h shows less of it
      --version       show the version
      --print-config  show the value of each option and where it came from

More: mill each --help
)HELP";

TEST(Help, TheLongOneHasEverythingWithExamplesFirstAndTheExitStatusLast) {
  const auto program = sample::program();
  EXPECT_EQ(long_help(program, &program.verbs.front(), {}), kLong);
}

TEST(Help, TheShortOneHasTheFlagsWithoutTheirDetails) {
  const auto program = sample::program();
  EXPECT_EQ(short_help(program, &program.verbs.front(), {}), kShort);
}

TEST(Help, TheProgramsNamesTheVerbs) {
  const auto help = short_help(sample::program(), nullptr, {});
  for (const std::string line : {"  each           run a command for every file\n",
                                 "  letters retry  try again what failed\n"}) {
    EXPECT_NE(help.find(line), std::string::npos) << help;
  }
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
