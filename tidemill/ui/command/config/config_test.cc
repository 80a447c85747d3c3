#include "tidemill/ui/command/config/config.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "tidemill/ui/command/sample_program.h"

namespace tidemill::command {
namespace {

using namespace std::chrono_literals;
using namespace sample;

const Words kEach{"each", "--", "c"};

ParseContext with(std::map<std::string, std::string> variables,
                  std::map<std::string, std::string> files) {
  ParseContext context;
  for (const auto& [path, text] : files) context.config_paths.push_back(path);
  context.config_paths.emplace_back("/not/there");
  context.environment = [variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
  context.read = [files](const std::string& path) -> Result<std::optional<std::string>> {
    const auto found = files.find(path);
    return found == files.end() ? std::nullopt : std::optional(found->second);
  };
  return context;
}

std::string config_failure(const std::string& text, const Words& words = kEach) {
  return failure_of(words, with({}, {{"/c", text}}));
}

TEST(Config, PrefersCommandLineThenEnvironmentThenLaterFileThenDefault) {
  const std::map<std::string, std::string> files{{"/1", "timeout = '1s'\n"},
                                                 {"/2", "\ntimeout = '2s'\n"}};
  const std::map<std::string, std::string> variables{{"MILL_TIMEOUT", "3s"}};
  const Words typed{"each", "--timeout=4s", "--", "c"};
  EXPECT_EQ(values_of(typed, with(variables, files)).duration("timeout"), 4s);
  EXPECT_EQ(values_of(kEach, with(variables, files)).duration("timeout"), 3s);
  EXPECT_EQ(values_of(kEach, with({}, files)).duration("timeout"), 2s);
  EXPECT_EQ(values_of(kEach, with({}, {{"/1", "timeout = '1s'"}})).duration("timeout"), 1s);
  EXPECT_EQ(values_of(kEach).duration("timeout"), 5min);

  const auto from_file = values_of(kEach, with({}, files)).flags.at("timeout");
  EXPECT_EQ(from_file.origin, ValueSource::config);
  EXPECT_EQ(from_file.place, "/2:2");
  const auto from_variable = values_of(kEach, with(variables, files)).flags.at("timeout");
  EXPECT_EQ(from_variable.origin, ValueSource::environment);
  EXPECT_EQ(from_variable.place, "MILL_TIMEOUT");
}

TEST(Config, ATableAppliesToItsVerbAndOverridesTopLevelKeys) {
  const auto context = with({}, {{"/c",
                                  "quiet = true\ntimeout = 10\njobs = 2\n"
                                  "[each]\njobs = 3\n[letters]\nlimit = 4\nquiet = false\n"
                                  "[letters.retry]\nforce = true\n"}});
  const auto each = values_of(kEach, context);
  EXPECT_TRUE(each.is_on("quiet"));
  EXPECT_EQ(each.duration("timeout"), 10s);
  EXPECT_EQ(each.count("jobs"), 3U);
  const auto letters = values_of({"letters"}, context);
  EXPECT_EQ(letters.count("limit"), 4U);
  EXPECT_FALSE(letters.is_on("quiet"));
  const auto retry = values_of({"letters", "retry", "r"}, context);
  EXPECT_TRUE(retry.is_on("force"));
  EXPECT_TRUE(retry.is_on("quiet"));
}

TEST(Config, TopLevelKeysOfALaterFileOverrideATableOfAnEarlierFile) {
  const auto context = with({}, {{"/1", "[each]\njobs = 3\n"}, {"/2", "jobs = 4\n"}});
  EXPECT_EQ(values_of(kEach, context).count("jobs"), 4U);
}

TEST(Config, ReadsEveryKindFromAFile) {
  const auto values = values_of(
      kEach, with({}, {{"/c",
                        "[each]\nworkers=2\ntimeout='90s'\nmemory='64K'\nrate='5/s'\n"
                        "exclude=['a','b']\nstate='/s'\nkeep-going=true\ncolor='never'\n"}}));
  EXPECT_EQ(values.count("jobs"), 2U);
  EXPECT_EQ(values.duration("timeout"), 90s);
  EXPECT_EQ(values.size("memory"), kib(64));
  EXPECT_EQ(values.rate("rate"), 5.0);
  EXPECT_EQ(values.texts("exclude"), (Words{"a", "b"}));
  EXPECT_EQ(values.text("state"), "/s");
  EXPECT_TRUE(values.is_on("keep-going"));
  EXPECT_EQ(values.text("color"), "never");
}

TEST(Config, TheCommandLineTurnsOffAToggleSetInAFileOrVariable) {
  const auto context = with({{"MILL_QUIET", "true"}}, {{"/c", "keep-going = true"}});
  EXPECT_TRUE(values_of(kEach, context).is_on("quiet"));
  const auto values = values_of({"each", "--no-quiet", "--no-keep-going", "--", "c"}, context);
  EXPECT_FALSE(values.is_on("quiet"));
  EXPECT_FALSE(values.is_on("keep-going"));
}

TEST(Config, AnUnknownKeyIsRefusedWithItsLineWhateverTheVerb) {
  EXPECT_EQ(config_failure("\njob = 3\n"),
            "usage: /c:2: unknown key 'job' (did you mean jobs? see 'mill --help')");
  EXPECT_EQ(config_failure("[each]\n\ntimeuot = 3\n"),
            "usage: /c:3: unknown key 'timeuot' (did you mean timeout? see 'mill each --help')");
  EXPECT_EQ(config_failure("[eahc]\njobs = 3\n"),
            "usage: /c:1: unknown key 'eahc' (did you mean each? see 'mill --help')");
  EXPECT_EQ(config_failure("[letters.retyr]\n"),
            "usage: /c:1: unknown key 'retyr' (did you mean retry? see 'mill letters --help')");
  EXPECT_EQ(config_failure("[letters]\njobs = 3\n"),
            "usage: /c:2: unknown key 'jobs' (see 'mill letters --help')");
  EXPECT_EQ(config_failure("dry-run = true"),
            "usage: /c:1: --dry-run can only be given on the command line");
}

TEST(Config, RejectsAnInvalidValueWithItsPosition) {
  EXPECT_EQ(config_failure("[each]\n  jobs = \"3\"\n"),
            "usage: /c:2:10: jobs must be a whole number");
  EXPECT_EQ(config_failure("quiet = 1"), "usage: /c:1:9: quiet must be true or false");
  EXPECT_EQ(config_failure("state = 1"), "usage: /c:1:9: state must be a string");
  EXPECT_EQ(config_failure("jobs = [1]"), "usage: /c:1:8: jobs must be a whole number");
  EXPECT_EQ(config_failure("exclude = ['a', 1]"), "usage: /c:1:17: exclude must be a string");
  EXPECT_EQ(config_failure("exclude = []"), "usage: /c:1:11: the list is empty");
  EXPECT_EQ(config_failure("jobs = 0"), "usage: /c:1:8: jobs: '0' is below the minimum of 1");
  EXPECT_EQ(config_failure("jobs = -1"),
            "usage: /c:1:8: jobs: '-1' is not a whole number such as 8");
  EXPECT_EQ(config_failure("state = \"a\\u0000b\""),
            "usage: /c:1:9: state: 'a\\x00b' contains a NUL byte");
  EXPECT_TRUE(config_failure("jobs = ").starts_with("usage: /c:1:"));
  EXPECT_TRUE(config_failure("jobs = 1\njobs = 2").starts_with("usage: /c:2:"));
  EXPECT_TRUE(config_failure("state = '\xff'").starts_with("usage: /c:1:"));
  EXPECT_TRUE(config_failure(std::string(100'000, '[')).starts_with("usage: /c:1:"));
}

TEST(Config, ABadFileDoesNotHideTheHelp) {
  EXPECT_EQ(printout_of({"each", "--help"}, with({}, {{"/c", "bogus"}})).status, 0);
}

TEST(Config, IgnoresEmptyVariablesAndVariablesThatSetNoFlag) {
  const auto values = values_of(
      kEach, with({{"MILL_BOGUS", "1"}, {"MILL_DRY_RUN", "true"}, {"MILL_JOBS", ""}}, {}));
  EXPECT_EQ(values.verb, "each");
  EXPECT_FALSE(values.is_on("dry-run"));
  EXPECT_FALSE(values.has("jobs"));
  EXPECT_TRUE(values_of(kEach, with({{"MILL_KEEP_GOING", "true"}}, {})).is_on("keep-going"));
  EXPECT_EQ(failure_of(kEach, with({{"MILL_JOBS", "x"}}, {})),
            "usage: MILL_JOBS: 'x' is not a whole number such as 8");
}

TEST(Config, PrintConfigShowsEachValueAndWhereItCameFrom) {
  const auto context = with({{"MILL_RATE", "5/s"}}, {{"/c", "exclude = [\"a\\u001b\", 'b']"}});
  EXPECT_EQ(printout_of({"each", "--print-config", "-j12"}, context).text,
            "jobs        12     command line\n"
            "timeout     5m     default\n"
            "memory      -      default\n"
            "rate        5/s    MILL_RATE\n"
            "exclude     a\\x1b  /c:1\n"
            "exclude     b      /c:1\n"
            "state       -      default\n"
            "keep-going  false  default\n"
            "dry-run     false  default\n"
            "color       auto   default\n"
            "quiet       false  default\n");
  EXPECT_NE(printout_of({"each", "--print-config"}, context).text.find("all CPUs"),
            std::string::npos);
}

TEST(Config, UsesTheSystemAndUserFilesButNoneInTheCurrentFolder) {
  const auto paths = [](std::map<std::string, std::string> variables) {
    return config_paths(sample::program(), with(std::move(variables), {}).environment);
  };
  const std::string system = "/etc/mill/mill.toml";
  EXPECT_EQ(paths({}), Words{system});
  EXPECT_EQ(paths({{"HOME", "/h"}}), (Words{system, "/h/.config/mill/mill.toml"}));
  EXPECT_EQ(paths({{"HOME", "/h"}, {"XDG_CONFIG_HOME", "/x"}}),
            (Words{system, "/x/mill/mill.toml"}));
  EXPECT_EQ(paths({{"HOME", "/h"}, {"XDG_CONFIG_HOME", "relative"}}),
            (Words{system, "/h/.config/mill/mill.toml"}));
}

TEST(Config, IgnoresAMissingFileAndFailsOnAFolder) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "tidemill_config_test";
  std::filesystem::create_directories(folder);
  const auto path = (folder / "mill.toml").string();
  std::filesystem::remove(path);
  EXPECT_EQ(read_config_file(path).value(), std::optional<std::string>());
  EXPECT_EQ(read_config_file(path + "/below").value(), std::optional<std::string>());
  const std::string text(10'000, '#');
  std::ofstream(path) << text;
  EXPECT_EQ(read_config_file(path).value(), std::optional(text));
  EXPECT_FALSE(read_config_file(folder.string()));
  std::filesystem::remove_all(folder);
}

TEST(Config, AFileThatCannotBeReadStopsTheRun) {
  auto context = with({}, {});
  context.read = [](const std::string& path) -> Result<std::optional<std::string>> {
    return fail(Cure::give_up, "read config", path + ": no permission");
  };
  EXPECT_EQ(failure_of(kEach, context), "read config: /not/there: no permission");
}

}  // namespace
}  // namespace tidemill::command
