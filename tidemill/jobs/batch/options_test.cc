#include "tidemill/jobs/batch/options.h"

#include <chrono>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/ui/command/parse.h"

namespace tidemill::batch {
namespace {

Result<BatchOptions> options_from(std::vector<std::string> words) {
  words.insert(words.begin(), "batch");
  const command::Program program{.name = "tidemill", .verbs = {verb()}};
  auto parsed = command::parse(program, words, {});
  if (!parsed) return std::unexpected(parsed.error());
  return options_of(std::get<command::Values>(*parsed));
}

TEST(BatchOptions, HaveTheDocumentedDefaults) {
  const auto options = options_from({"src", "-m", "65000"});
  ASSERT_TRUE(options) << text_of(options.error());
  EXPECT_EQ(options->roots, std::vector<std::string>{"src"});
  EXPECT_EQ(options->max_tokens, 65'000U);
  EXPECT_EQ(options->overhead, 0U);
  EXPECT_EQ(options->max_files, 1'000U);
  EXPECT_EQ(options->max_size, mib(16));
  EXPECT_EQ(options->tokenizer, "o200k_base");
  EXPECT_FALSE(options->margin);
  EXPECT_TRUE(options->hidden);
  EXPECT_EQ(options->sink, Destination{});
  EXPECT_EQ(options->max_queued, 10'000U);
  EXPECT_EQ(options->lease, std::chrono::seconds(30)) << "a crashed producer is soon replaced";
  EXPECT_EQ(options->patience, std::chrono::minutes(5));
  EXPECT_EQ(options->settle, std::chrono::seconds(2));
  EXPECT_EQ(options->if_held, IfHeld::leave);
  EXPECT_EQ(options->bull_prefix, "bull");
  EXPECT_EQ(options->workers, 0U);
}

TEST(BatchOptions, AcceptValidValues) {
  const auto options = options_from({"a",
                                     "b",
                                     "-m",
                                     "100",
                                     "--overhead",
                                     "99",
                                     "--margin",
                                     "0.5",
                                     "--max-files",
                                     "7",
                                     "--max-size",
                                     "3K",
                                     "--inline",
                                     "--paths",
                                     "relative",
                                     "--to",
                                     "bullmq:q:x",
                                     "--max-queued",
                                     "0",
                                     "--lease",
                                     "1m",
                                     "--redis-timeout",
                                     "0",
                                     "--settle",
                                     "0",
                                     "--if-held",
                                     "wait",
                                     "--restart",
                                     "--no-hidden",
                                     "--ignore-files",
                                     "-g",
                                     "*.c",
                                     "-g",
                                     "*.h",
                                     "--exclude",
                                     "t/",
                                     "-j",
                                     "3",
                                     "--json",
                                     "--name",
                                     "j",
                                     "--tokenizer",
                                     "bytes/4",
                                     "--redis",
                                     "redis://h:1/2"});
  ASSERT_TRUE(options) << text_of(options.error());
  EXPECT_EQ(options->roots, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(options->overhead, 99U);
  EXPECT_EQ(options->margin, 0.5);
  EXPECT_EQ(options->max_files, 7U);
  EXPECT_EQ(options->max_size, kib(3));
  EXPECT_TRUE(options->is_inline);
  EXPECT_EQ(options->paths, Paths::relative);
  EXPECT_EQ(options->sink, (Destination{.kind = Destination::Kind::bull, .name = "q:x"}));
  EXPECT_EQ(options->max_queued, 0U);
  EXPECT_EQ(options->lease, std::chrono::minutes(1));
  EXPECT_EQ(options->patience.count(), 0);
  EXPECT_EQ(options->settle.count(), 0);
  EXPECT_EQ(options->if_held, IfHeld::wait);
  EXPECT_TRUE(options->restart);
  EXPECT_FALSE(options->hidden);
  EXPECT_TRUE(options->gitignore);
  EXPECT_EQ(options->globs, (std::vector<std::string>{"*.c", "*.h"}));
  EXPECT_EQ(options->excludes, std::vector<std::string>{"t/"});
  EXPECT_EQ(options->workers, 3U);
  EXPECT_EQ(options->report, BatchOutput::json);
  EXPECT_EQ(options->job, "j");
  EXPECT_EQ(options->tokenizer, "bytes/4");
  EXPECT_EQ(options->redis, "redis://h:1/2");
}

TEST(BatchOptions, RejectInvalidValuesAsUsageErrors) {
  using Words = std::vector<std::string>;
  for (const Words& words : {Words{"src"},
                             Words{"-m", "5"},
                             Words{"src", "-m", "0"},
                             Words{"src", "-m", "-1"},
                             Words{"src", "-m", "5", "--overhead", "5"},
                             Words{"src", "-m", "5", "--margin", "0"},
                             Words{"src", "-m", "5", "--margin", "1.01"},
                             Words{"src", "-m", "5", "--margin", "-0.5"},
                             Words{"src", "-m", "5", "--margin", "nan"},
                             Words{"src", "-m", "5", "--margin", "inf"},
                             Words{"src", "-m", "5", "--margin", "0.5x"},
                             Words{"src", "-m", "5", "--margin", " 0.5"},
                             Words{"src", "-m", "5", "--margin", "98%"},
                             Words{"src", "-m", "5", "--margin", "5e-1"},
                             Words{"src", "-m", "5", "--max-files", "0"},
                             Words{"src", "-m", "5", "--max-size", "0"},
                             Words{"src", "-m", "5", "--to", "kafka:q"},
                             Words{"src", "-m", "5", "--to", "redis:"},
                             Words{"src", "-m", "5", "--to", "bullmq:"},
                             Words{"src", "-m", "5", "--to", "-x"},
                             Words{"src", "-m", "5", "--lease", "1ms"},
                             Words{"src", "-m", "5", "--if-held", "steal"},
                             Words{"src", "-m", "5", "--json"},
                             Words{"src", "-m", "5", "--paths", "short"}}) {
    const auto options = options_from(words);
    ASSERT_FALSE(options) << ::testing::PrintToString(words);
    EXPECT_EQ(options.error().step, "usage") << ::testing::PrintToString(words);
  }
  for (const Words& words :
       {Words{"src", "-m", "5", "--margin", "1"}, Words{"src", "-m", "5", "--margin", "0.0001"},
        Words{"src", "-m", "5", "--json", "--dry-run"},
        Words{"src", "-m", "5", "--json", "--to", "redis:s"}, Words{"src", "-m1"}}) {
    EXPECT_TRUE(options_from(words)) << ::testing::PrintToString(words);
  }
}

TEST(BatchOptions, AcceptFlagNamesFromEarlierVersions) {
  const auto options = options_from({"src", "--max-tokens=5", "--workers=3", "--gitignore",
                                     "--patience=0", "--job=j", "--to=redis:s"});
  ASSERT_TRUE(options) << text_of(options.error());
  EXPECT_EQ(options->workers, 3U);
  EXPECT_TRUE(options->gitignore);
  EXPECT_EQ(options->patience.count(), 0);
  EXPECT_EQ(options->job, "j");
}

TEST(BatchOptions, AListCannotBeCombinedWithFoldersOrFilters) {
  const auto options = options_from({"--files-from", "-", "-0", "-m", "5"});
  ASSERT_TRUE(options) << text_of(options.error());
  EXPECT_EQ(options->list.files_from, "-");
  EXPECT_TRUE(options->list.is_nul_separated);
  using Words = std::vector<std::string>;
  for (const Words& more : {Words{"src"}, Words{"-g", "*.c"}, Words{"--exclude", "t/"},
                            Words{"--no-hidden"}, Words{"--ignore-files"}}) {
    Words words = {"--files-from", "list", "-m", "5"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_FALSE(options_from(words)) << more.front();
  }
  EXPECT_FALSE(options_from({"src", "-0", "-m", "5"}));
}

TEST(BatchOptions, ASinkWithoutANameUsesTheDefaultQueue) {
  EXPECT_EQ(sink_of("redis")->name, "file-analysis-queue");
  EXPECT_EQ(sink_of("bullmq")->name, "file-analysis-queue");
  EXPECT_EQ(sink_of("redis:a:b")->name, "a:b");
  EXPECT_EQ(sink_of("-")->kind, Destination::Kind::lines);
  EXPECT_FALSE(sink_of(""));
}

}  // namespace
}  // namespace tidemill::batch
