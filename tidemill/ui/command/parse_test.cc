#include "tidemill/ui/command/parse.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tidemill/ui/command/sample_program.h"

namespace tidemill::command {
namespace {

using namespace std::chrono_literals;
using namespace sample;

TEST(Parse, ReadsFlagsInAllTheirSpellings) {
  for (const Words& typed : {Words{"--jobs=4"},
                             {"--jobs", "4"},
                             {"-j4"},
                             {"-j", "4"},
                             {"-kj4"},
                             {"-qkj", "4"},
                             {"--jobs=9", "-j4"}}) {
    Words words{"each"};
    words.insert(words.end(), typed.begin(), typed.end());
    words.insert(words.end(), {"--", "true"});
    EXPECT_EQ(values_of(words).texts("jobs"), Words{"4"}) << typed.front();
    EXPECT_EQ(values_of(words).count("jobs"), 4U) << typed.front();
  }
}

TEST(Parse, ReadsEveryKind) {
  const auto values =
      values_of({"each", "--timeout=1.5s", "--memory", "64K", "-r", "600/m", "-xa", "--exclude=b",
                 "--state=/s", "-k", "--dry-run", "--color", "never", "src", "--", "wc"});
  EXPECT_EQ(values.verb, "each");
  EXPECT_EQ(values.duration("timeout"), 1500ms);
  EXPECT_EQ(values.size("memory"), Bytes{65536});
  EXPECT_EQ(values.rate("rate"), 10.0);
  EXPECT_EQ(values.texts("exclude"), (Words{"a", "b"}));
  EXPECT_EQ(values.text("state"), "/s");
  EXPECT_TRUE(values.is_on("keep-going"));
  EXPECT_TRUE(values.is_on("dry-run"));
  EXPECT_FALSE(values.is_on("quiet"));
  EXPECT_EQ(values.text("color"), "never");
  EXPECT_FALSE(values.has("jobs"));
  EXPECT_EQ(values.count("jobs"), std::nullopt);
  EXPECT_EQ(values.argument("ROOT"), Words{"src"});
  EXPECT_EQ(values.flags.at("rate").origin, ValueSource::command_line);
  EXPECT_EQ(values.flags.at("timeout").texts, Words{"1.5s"});
}

TEST(Parse, AcceptsFlagsAroundArgumentsAndGlobalFlagsBeforeTheVerb) {
  const auto values = values_of({"-q", "--color=never", "each", "a", "-j2", "b", "-k", "--", "c"});
  EXPECT_TRUE(values.is_on("quiet"));
  EXPECT_TRUE(values.is_on("keep-going"));
  EXPECT_EQ(values.count("jobs"), 2U);
  EXPECT_EQ(values.argument("ROOT"), (Words{"a", "b"}));
  EXPECT_TRUE(values_of({"each", "-q", "--", "c"}).is_on("quiet"));
  EXPECT_TRUE(values_of({"letters", "retry", "r", "-q"}).is_on("quiet"));
}

TEST(Parse, LeavesEverythingAfterDoubleDashUnchanged) {
  const Words command{"sh", "-c", "--jobs=1", "--", "-x", "--help", "", "++", "each", "\xff"};
  Words words{"each", "-j3", "--"};
  words.insert(words.end(), command.begin(), command.end());
  const auto values = values_of(words);
  EXPECT_EQ(values.argument("COMMAND"), command);
  EXPECT_EQ(values.count("jobs"), 3U);
  EXPECT_EQ(values.argument("ROOT"), Words{});
}

TEST(Parse, DoubleDashProtectsNamesWhenTheVerbTakesNoCommand) {
  const auto values = values_of({"copy", "a", "--", "-b", "--help", "--"});
  EXPECT_EQ(values.argument("SOURCE"), (Words{"a", "-b", "--help"}));
  EXPECT_EQ(values.argument("TARGET"), Words{"--"});
}

TEST(Parse, AcceptsAnyBytesAsANameAndTreatsNoNameSpecially) {
  const Words names{"\xff\xfe", "a\nb", "[x,y]", "++", "each", "letters", "copy",
                    "a=b",      "-",    "%%",    "{}", "/w",   " ",       "\x1b[31m"};
  Words words{"copy"};
  words.insert(words.end(), names.begin(), names.end());
  words.emplace_back("target");
  EXPECT_EQ(values_of(words).argument("SOURCE"), names);
  for (const auto& name : names) {
    EXPECT_EQ(values_of({"each", "--state=" + name, "--", "c"}).text("state"), name);
    EXPECT_EQ(values_of({"each", "-x", name, "--", "c"}).text("exclude"), name);
    EXPECT_EQ(values_of({"each", "-x" + name, "--", "c"}).text("exclude"), name);
  }
  EXPECT_EQ(values_of({"each", "-x", "--jobs=", "--", "c"}).text("exclude"), "--jobs=");
}

TEST(Parse, AcceptsAnEmptyValueWithoutConsumingTheNextWord) {
  const auto values = values_of({"each", "--exclude=", "src", "--exclude", "", "--", "c"});
  EXPECT_EQ(values.texts("exclude"), (Words{"", ""}));
  EXPECT_EQ(values.argument("ROOT"), Words{"src"});
  EXPECT_EQ(failure_of({"each", "--jobs=", "4", "--", "c"}),
            "usage: --jobs: '' is not a whole number such as 8 (see 'mill each --help')");
}

TEST(Parse, AListLeavesWordsForTheArgumentsAfterIt) {
  const auto values = values_of({"copy", "a", "b", "c"});
  EXPECT_EQ(values.argument("SOURCE"), (Words{"a", "b"}));
  EXPECT_EQ(values.argument("TARGET"), Words{"c"});
}

TEST(Parse, ReportsTheFirstMissingArgument) {
  EXPECT_EQ(failure_of({"copy"}), "usage: missing SOURCE: what to copy (see 'mill copy --help')");
  EXPECT_EQ(failure_of({"copy", "a"}), "usage: missing TARGET (see 'mill copy --help')");
}

TEST(Parse, AcceptsNestedVerbsAndTheParentVerbAlone) {
  const auto below = values_of({"letters", "retry", "run-1", "3", "4"});
  EXPECT_EQ(below.verb, "letters retry");
  EXPECT_EQ(below.argument("RUN"), Words{"run-1"});
  EXPECT_EQ(below.argument("ID"), (Words{"3", "4"}));
  const auto upper = values_of({"letters", "--limit=3"});
  EXPECT_EQ(upper.verb, "letters");
  EXPECT_EQ(upper.count("limit"), 3U);
  EXPECT_EQ(failure_of({"letters", "retry", "run-1", "x"}),
            "usage: ID: 'x' is not a whole number such as 8 (see 'mill letters retry --help')");
}

TEST(Parse, ReportsUnknownVerbsAndFlagsWithASuggestion) {
  EXPECT_EQ(failure_of({"eahc"}),
            "usage: unknown verb 'eahc' (did you mean mill each? see 'mill --help')");
  EXPECT_EQ(failure_of({"letters", "retyr"}),
            "usage: unknown verb 'retyr' (did you mean mill letters retry? see 'mill letters "
            "--help')");
  EXPECT_EQ(failure_of({"each", "--job", "4", "--", "c"}),
            "usage: unknown flag '--job' (did you mean --jobs? see 'mill each --help')");
  EXPECT_EQ(failure_of({"each", "--jbos=4", "--", "c"}),
            "usage: unknown flag '--jbos' (did you mean --jobs? see 'mill each --help')");
  EXPECT_EQ(failure_of({"each", "--colour=never", "--", "c"}),
            "usage: unknown flag '--colour' (did you mean --color? see 'mill each --help')");
  EXPECT_EQ(failure_of({"each", "--no-quite", "--", "c"}),
            "usage: unknown flag '--no-quite' (did you mean --no-quiet? see 'mill each --help')");
  for (const std::string flag : {"-Z", "-5", "---x", "--\x1b[31m", "-\xff"}) {
    EXPECT_TRUE(failure_of({"each", flag, "--", "c"}).starts_with("usage: unknown flag '")) << flag;
  }
  EXPECT_EQ(failure_of({"zebra\x1b"}), "usage: unknown verb 'zebra\\x1b' (see 'mill --help')");
  EXPECT_EQ(failure_of({"-q"}), "usage: no verb given (see 'mill --help')");
  EXPECT_EQ(failure_of({"--", "each"}), "usage: no verb given (see 'mill --help')");
  // `help` is only recognised as the first word.
  EXPECT_EQ(failure_of({"-q", "help", "each"}),
            "usage: unknown verb 'help' (did you mean mill each --help? it is a flag)");
  // A word before the verb is not one of its arguments.
  EXPECT_EQ(failure_of({"src", "each", "--", "c"}),
            "usage: unknown verb 'src' (see 'mill --help')");
  EXPECT_EQ(failure_of({"src", "letters", "retry", "r"}),
            "usage: unknown verb 'src' (see 'mill --help')");
  // A flag of one verb is unknown to another.
  EXPECT_TRUE(failure_of({"copy", "-j4", "a", "b"}).starts_with("usage: unknown flag '-j4'"));
}

TEST(Parse, RejectsHelpForAnUnknownVerb) {
  for (const std::string flag : {"--help", "-h", "--version"}) {
    EXPECT_EQ(failure_of({"eahc", flag}),
              "usage: unknown verb 'eahc' (did you mean mill each? see 'mill --help')");
    EXPECT_EQ(failure_of({"letters", "retyr", flag}),
              "usage: unknown verb 'retyr' (did you mean mill letters retry? see 'mill letters "
              "--help')");
  }
  // Arguments of a verb are not verbs, and --help comes before errors about flags.
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"each", "src", "--help"}, {"each", "--nosuch", "--help"}, {"--nosuch", "--help"}}) {
    EXPECT_EQ(failure_of(words), "no failure");
  }
}

TEST(Parse, ReportsMissingAndUnexpectedArguments) {
  EXPECT_EQ(failure_of({"each", "src"}),
            "usage: missing COMMAND: it goes after -- (see 'mill each --help')");
  EXPECT_EQ(failure_of({"letters", "retry"}),
            "usage: missing RUN (see 'mill letters retry --help')");
  EXPECT_EQ(failure_of({"each", "--jobs"}),
            "usage: --jobs needs a value: a whole number such as 8 (see 'mill each --help')");
  EXPECT_EQ(failure_of({"each", "-kj"}),
            "usage: --jobs needs a value: a whole number such as 8 (see 'mill each --help')");
  EXPECT_EQ(failure_of({"each", "--timeout", "--", "c"}),
            "usage: --timeout needs a value: a duration such as 30s, 5m (see 'mill each --help')");
  EXPECT_EQ(failure_of({"--color"}),
            "usage: --color needs a value: one of auto, always, never (see 'mill --help')");
  EXPECT_EQ(failure_of({"letters", "drop", "x"}),
            "usage: unexpected argument 'x' (see 'mill letters drop --help')");
}

TEST(Parse, SaysWhatAValueMustBe) {
  EXPECT_EQ(failure_of({"each", "--timeout=soon", "--", "c"}),
            "usage: --timeout: 'soon' is not a duration such as 30s, 5m (see 'mill each --help')");
  EXPECT_EQ(failure_of({"each", "-j0", "--", "c"}),
            "usage: --jobs: '0' is below the minimum of 1 (see 'mill each --help')");
  EXPECT_EQ(failure_of({"each", "-j1001", "--", "c"}),
            "usage: --jobs: '1001' is above the maximum of 1000 (see 'mill each --help')");
  EXPECT_EQ(failure_of({"each", "--color=red", "--", "c"}),
            "usage: --color: 'red' is not one of auto, always, never (see 'mill each --help')");
  EXPECT_EQ(failure_of({"each", "--quiet=maybe", "--", "c"}),
            "usage: --quiet: 'maybe' is not true or false (see 'mill each --help')");
}

TEST(Parse, TheLastOfAToggleAndItsNegationWins) {
  EXPECT_FALSE(values_of({"each", "-k", "--no-keep-going", "--", "c"}).is_on("keep-going"));
  EXPECT_TRUE(values_of({"each", "--no-keep-going", "-k", "--", "c"}).is_on("keep-going"));
  EXPECT_FALSE(values_of({"each", "--keep-going=false", "--", "c"}).is_on("keep-going"));
  EXPECT_FALSE(values_of({"--quiet", "each", "--no-quiet", "--", "c"}).is_on("quiet"));
}

TEST(Parse, HelpAndVersionWorkWhateverElseIsTyped) {
  EXPECT_EQ(printout_of({"--version"}).text, "mill 1.2.3\n");
  EXPECT_EQ(printout_of({"each", "--version"}).text, "mill 1.2.3\n");
  const auto program = sample::program();
  const auto& each = program.verbs.front();
  EXPECT_EQ(printout_of({"each", "--help"}).text, long_help(program, &each, {}));
  EXPECT_EQ(printout_of({"each", "-h"}).text, short_help(program, &each, {}));
  EXPECT_EQ(printout_of({"--help", "each", "--bogus", "-j0"}).text, long_help(program, &each, {}));
  EXPECT_EQ(printout_of({"--help"}).text, long_help(program, nullptr, {}));
  EXPECT_EQ(printout_of({"--help"}).status, 0);
  EXPECT_EQ(printout_of({"letters", "retry", "-h"}).text,
            short_help(program, &program.verbs[1].below[0], {}));
}

TEST(Parse, HelpIsAVerbToo) {
  const auto program = sample::program();
  EXPECT_EQ(printout_of({"help"}).text, long_help(program, nullptr, {}));
  EXPECT_EQ(printout_of({"help", "help"}).text, long_help(program, nullptr, {}));
  EXPECT_EQ(printout_of({"help", "-h"}).text, short_help(program, nullptr, {}));
  EXPECT_EQ(printout_of({"help", "each"}).text, long_help(program, program.verbs.data(), {}));
  EXPECT_EQ(printout_of({"help", "letters", "retry"}).text,
            long_help(program, &program.verbs[1].below[0], {}));
  EXPECT_EQ(failure_of({"help", "eahc"}),
            "usage: unknown verb 'eahc' (did you mean mill each? see 'mill --help')");
}

TEST(Parse, VersionIsOneLineUnlessVerbose) {
  ParseContext context;
  context.about = [] { return std::string("sqlite 3\n"); };
  EXPECT_EQ(printout_of({"-V"}, context).text, "mill 1.2.3\n");
  EXPECT_EQ(printout_of({"--version"}, context).text, "mill 1.2.3\n");
  EXPECT_EQ(printout_of({"--version", "--verbose"}, context).text, "mill 1.2.3\nsqlite 3\n");
  EXPECT_EQ(failure_of({"each", "--verbose", "--", "c"}),
            "usage: --verbose is only for --version (see 'mill each --help')");
}

TEST(Parse, AnAliasIsTheFlagItself) {
  for (const Words& typed : {Words{"--workers=4"}, {"-w4"}, {"-w", "4"}, {"-j9", "-w4"}}) {
    Words words{"each"};
    words.insert(words.end(), typed.begin(), typed.end());
    words.insert(words.end(), {"--", "true"});
    EXPECT_EQ(values_of(words).texts("jobs"), Words{"4"}) << typed.front();
  }
  EXPECT_TRUE(values_of({"each", "--continue", "--", "c"}).is_on("keep-going"));
  EXPECT_FALSE(values_of({"each", "-k", "--no-continue", "--", "c"}).is_on("keep-going"));
  EXPECT_EQ(failure_of({"each", "--workers"}),
            "usage: --jobs needs a value: a whole number such as 8 (see 'mill each --help')");
  // Stored command lines get the current names.
  EXPECT_EQ(values_of({"each", "-w4", "--", "c"}).as_arguments().front(), "--jobs=4");
  ParseContext context;
  context.environment = [](const std::string& name) {
    return name == "MILL_WORKERS" ? std::optional<std::string>("7") : std::nullopt;
  };
  EXPECT_EQ(values_of({"each", "--", "c"}, context).count("jobs"), 7U);
}

TEST(Parse, AnAliasIsTheVerbItself) {
  EXPECT_EQ(values_of({"look", "run-1"}).verb, "show");
  EXPECT_EQ(printout_of({"look", "--help"}).text, printout_of({"show", "--help"}).text);
}

TEST(Parse, AnArgumentCanBeAChoice) {
  EXPECT_EQ(values_of({"show", "run-1", "long"}).argument("HOW"), Words{"long"});
  EXPECT_EQ(failure_of({"show", "run-1", "wide"}),
            "usage: HOW: 'wide' is not one of short, long, lines (see 'mill show --help')");
}

TEST(Parse, PrintsShortHelpWithStatus2WithoutArguments) {
  const auto printout = printout_of({});
  EXPECT_EQ(printout.status, 2);
  EXPECT_EQ(printout.text, short_help(sample::program(), nullptr, {}));
}

TEST(Parse, FailsWithoutThrowingOnADuplicateNameInTheDescription) {
  auto program = sample::program();
  program.flags.push_back(program.flags.front());
  const auto parsed = parse(program, {"each"}, {});
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().step, "describe");
}

}  // namespace
}  // namespace tidemill::command
