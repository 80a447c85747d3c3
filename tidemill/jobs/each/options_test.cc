#include "tidemill/jobs/each/options.h"

#include <algorithm>
#include <thread>
#include <variant>

#include <gtest/gtest.h>

#include "tidemill/ui/command/parse.h"

namespace tidemill::each {
namespace {

using namespace std::chrono_literals;

Result<EachOptions> options_from(std::vector<std::string> words) {
  const command::Program program{.name = "tidemill", .verbs = {verb()}};
  words.insert(words.begin(), "each");
  auto parsed = command::parse(program, words, {});
  if (!parsed) return std::unexpected(parsed.error());
  return options_of(std::get<command::Values>(*parsed));
}

TEST(EachOptions, HaveDefaultsThatMakeSense) {
  const auto options = options_from({"--", "true"});
  ASSERT_TRUE(options) << text_of(options.error());
  EXPECT_EQ(options->files.roots, std::vector<std::string>{"."});
  EXPECT_GE(options->workers, 1U);
  EXPECT_EQ(options->retry.max_attempts, 3);
  EXPECT_EQ(options->timeout, 0ms);
  EXPECT_EQ(options->grace, 2s);
  EXPECT_EQ(options->halt, HaltRule{});
  EXPECT_EQ(options->keep_output, kib(64));
  EXPECT_FALSE(options->rate);
}

TEST(EachOptions, AreReadFromTheCommandLine) {
  const auto options = options_from({"a",
                                     "b",
                                     "-j3",
                                     "-t",
                                     "1.5s",
                                     "--grace=100ms",
                                     "-a5",
                                     "--backoff=1s",
                                     "--retry-on",
                                     "1,2",
                                     "--retry-on=KILL",
                                     "--permanent-on=2",
                                     "--halt=now,fail=3",
                                     "--max-failures=9",
                                     "--rate=60/m",
                                     "--order=size",
                                     "-k",
                                     "--tag",
                                     "--keep-output=1K",
                                     "--jsonl",
                                     "-g",
                                     "*.x",
                                     "-x",
                                     "y",
                                     "--",
                                     "cmd",
                                     "--tag",
                                     "--",
                                     "{}"});
  ASSERT_TRUE(options) << text_of(options.error());
  EXPECT_EQ(options->files.roots, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(options->command, (std::vector<std::string>{"cmd", "--tag", "--", "{}"}));
  EXPECT_EQ(options->workers, 3U);
  EXPECT_EQ(options->timeout, 1500ms);
  EXPECT_EQ(options->verdict.timeout, 1500ms);
  EXPECT_EQ(options->grace, 100ms);
  EXPECT_EQ(options->retry.max_attempts, 5);
  EXPECT_EQ(options->retry.first_delay, 1s);
  EXPECT_EQ(options->verdict.retry_on.size(), 3U);
  EXPECT_EQ(options->verdict.permanent_on.size(), 1U);
  EXPECT_EQ(options->halt,
            (HaltRule{.manner = HaltRule::Manner::now, .failures = 3, .max_letters = 9}));
  EXPECT_DOUBLE_EQ(options->rate.value_or(0), 1.0);
  EXPECT_EQ(options->files.order, FileOrder::size);
  EXPECT_TRUE(options->keep_order && options->tag);
  EXPECT_EQ(options->keep_output, kib(1));
  EXPECT_EQ(options->report, EachOutput::jsonl);
}

TEST(EachOptions, FlagsOfEarlierVersionsAreStillRead) {
  const auto options = options_from({"-w3", "--max-letters=9", "--", "true"});
  ASSERT_TRUE(options) << text_of(options.error());
  EXPECT_EQ(options->workers, 3U);
  EXPECT_EQ(options->halt.max_letters, 9U);
  EXPECT_EQ(options_from({"--workers=5", "--", "true"})->workers, 5U);
}

TEST(EachOptions, ZeroJobsMeansOnePerCore) {
  const auto all = options_from({"-j0", "--", "true"});
  ASSERT_TRUE(all) << text_of(all.error());
  EXPECT_EQ(all->workers, std::max(1U, std::thread::hardware_concurrency()));
}

TEST(EachOptions, RejectInvalidCommandLinesWithAUsageFailure) {
  const std::vector<std::vector<std::string>> all = {
      {},
      {"--"},
      {"-j1025", "--", "true"},
      {"-a0", "--", "true"},
      {"-0", "--", "true"},
      {"--files-from=x", "root", "--", "true"},
      {"--files-from=x", "-g", "*.c", "--", "true"},
      {"--shell", "--", "echo", "two"},
      {"--halt=later", "--", "true"},
      {"--retry-on=0", "--", "true"},
  };
  for (const auto& words : all) {
    const auto options = options_from(words);
    ASSERT_FALSE(options) << ::testing::PrintToString(words);
    EXPECT_EQ(options.error().step, "usage");
  }
}

}  // namespace
}  // namespace tidemill::each
