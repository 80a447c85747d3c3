#include "tidemill/jobs/import/options.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace tidemill::import {
namespace {

using Flags = std::vector<std::pair<std::string, std::vector<std::string>>>;

Result<ImportOptions> parsed(const Flags& flags, std::vector<std::string> sources = {"in"}) {
  command::Values values;
  for (const command::Flag& flag : verb().flags) {
    if (!flag.fallback.empty()) values.flags[flag.name] = {.texts = {flag.fallback}};
  }
  values.flags["into"] = {.texts = {"db"}};
  for (const auto& [name, texts] : flags) values.flags[name] = {.texts = texts};
  values.arguments["SOURCE"] = std::move(sources);
  return options_of(values);
}

TEST(ImportOptions, AreReadFromTheCommandLine) {
  const auto options = parsed({{"nested", {"tables"}},
                               {"languages", {"en,de-ch", "fr"}},
                               {"index", {"a,b", "c"}},
                               {"types", {"a=integer,b=Real", "c=d=TEXT"}},
                               {"max-rejects", {"0.5%"}},
                               {"key", {"id"}},
                               {"jobs", {"3"}},
                               {"page-size", {"8K"}},
                               {"no-verify", {"true"}},
                               {"json", {"true"}}});
  ASSERT_TRUE(options) << text_of(options.error());
  EXPECT_EQ(options->nested, Nested::tables);
  EXPECT_EQ(options->languages, (std::vector<std::string>{"en", "de-ch", "fr"}));
  EXPECT_EQ(options->indices, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(options->types.size(), 3U);
  EXPECT_EQ(options->types.at("b"), ColumnType::real);
  EXPECT_EQ(options->types.at("c=d"), ColumnType::text);
  EXPECT_EQ(options->most_rejects.share, 0.005);
  EXPECT_EQ(options->workers, 3U);
  EXPECT_EQ(options->page_size, 8192U);
  EXPECT_FALSE(options->verify);
  EXPECT_EQ(options->report, ImportOutput::json);
  EXPECT_EQ(options->writing, Writing::pages);
  EXPECT_EQ(options->mode, Mode::fresh);
  EXPECT_EQ(parsed({{"append", {"true"}}})->writing, Writing::sql);
  EXPECT_EQ(parsed({{"max-rejects", {"18446744073709551615"}}})->most_rejects.count, UINT64_MAX);
}

TEST(ImportOptions, RejectInvalidValuesAndCombinations) {
  for (const Flags& flags : std::vector<Flags>{{{"replace", {"true"}}, {"append", {"true"}}},
                                               {{"upsert", {"true"}}, {"incremental", {"true"}}},
                                               {{"append", {"true"}}, {"writer", {"pages"}}},
                                               {{"incremental", {"true"}}, {"table", {"t"}}},
                                               {{"upsert", {"true"}}, {"no-key", {"true"}}},
                                               {{"key", {"k"}}, {"no-key", {"true"}}},
                                               {{"languages", {"xx"}}},
                                               {{"types", {"a"}}},
                                               {{"types", {"a=blob"}}},
                                               {{"max-rejects", {"x"}}},
                                               {{"max-rejects", {"-1"}}},
                                               {{"max-rejects", {"101%"}}},
                                               {{"max-rejects", {"1.5"}}},
                                               {{"max-rejects", {"%"}}},
                                               {{"page-size", {"5000"}}},
                                               {{"table", {"sqlite_x"}}},
                                               {{"table", {"_Tidemill_x"}}},
                                               {{"table", {"_rejects"}}},
                                               {{"table", {"_REJECTS"}}},
                                               {{"into", {""}}}}) {
    const auto options = parsed(flags);
    EXPECT_FALSE(options) << flags.back().first << ' ' << flags.back().second.front();
    EXPECT_TRUE(options || options.error().step == "usage");
  }
  EXPECT_FALSE(parsed({}, {}));
  EXPECT_FALSE(parsed({{"null", {"true"}}}));
  EXPECT_FALSE(parsed({{"files-from", {"list"}}}));
  EXPECT_FALSE(parsed({{"files-from", {"list"}}, {"glob", {"*"}}}, {}));
  EXPECT_EQ(parsed({{"files-from", {"list"}}}, {})->list.files_from, "list");
  EXPECT_FALSE(parsed({}, {"-", "-"}));
}

TEST(ImportOptions, TheRejectLimitIsInclusive) {
  EXPECT_FALSE(RejectLimit{}.is_exceeded(9, 9));
  EXPECT_FALSE(RejectLimit{.count = 2}.is_exceeded(2, 2));
  EXPECT_TRUE(RejectLimit{.count = 0}.is_exceeded(1, 100));
  EXPECT_FALSE(RejectLimit{.share = 0.01}.is_exceeded(1, 100));
  EXPECT_TRUE(RejectLimit{.share = 0.01}.is_exceeded(2, 100));
  EXPECT_FALSE(RejectLimit{.share = 0}.is_exceeded(0, 0));
}

}  // namespace
}  // namespace tidemill::import
