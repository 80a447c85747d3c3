#include "tidemill/jobs/batch/cut/prompt.h"

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tidemill/formats/tokens/test_folders.h"

namespace tidemill::batch {
namespace {

TEST(BatchPrompt, RefusesMissingDuplicateOrMisplacedMarkers) {
  for (const char* const text :
       {"{{#file}}{{content}}", "{{content}}{{/file}}", "{{/file}}{{content}}{{#file}}",
        "{{content}}", "{{path}}", "{{#file}}{{/file}}", "{{#file}}{{path}}{{/file}}",
        "{{#file}}{{content}}{{content}}{{/file}}", "{{content}}{{#file}}{{content}}{{/file}}",
        "{{#file}}{{content}}{{/file}}{{content}}", "{{#file}}{{content}}{{/file}}{{path}}",
        "{{#file}}{{content}}{{/file}}{{/file}}",
        "{{#file}}{{content}}{{/file}}{{#file}}{{content}}{{/file}}",
        "{{#file}}{{#file}}{{content}}{{/file}}"}) {
    const auto prompt = BatchPrompt::parse(text);
    ASSERT_FALSE(prompt) << text;
    EXPECT_EQ(prompt.error().step, "template");
    EXPECT_EQ(prompt.error().cure, Cure::give_up);
  }
  for (const char* const text :
       {"", "only a head", "{{#file}}{{content}}{{/file}}", "a {{b}} {{#file}} {{content}}",
        "{{#file}}{{path}}{{path}}{{content}}{{path}}{{/file}}"}) {
    EXPECT_EQ(BatchPrompt::parse(text).has_value(), !std::string_view(text).ends_with("t}}"))
        << text;
  }
}

TEST(BatchPrompt, ReadsAFileAndExplainsFailures) {
  const std::string path = ::testing::TempDir() + "prompt-" + std::to_string(::getpid());
  std::ofstream(path, std::ios::binary) << "head{{#file}}{{content}}{{/file}}";
  EXPECT_EQ(BatchPrompt::read(path)->text(), "head{{#file}}{{content}}{{/file}}");
  std::filesystem::resize_file(path, (std::size_t{4} << 20U) + 1);
  EXPECT_TRUE(BatchPrompt::read(path).error().reason.contains("too large"));
  std::filesystem::remove(path);
  EXPECT_TRUE(BatchPrompt::read(path).error().reason.contains("No such file"));
  EXPECT_TRUE(BatchPrompt::read(::testing::TempDir()).error().reason.contains("directory"));
}

// The real tables if they are installed.
std::unique_ptr<tokens::Tokenizer> tokenizer() {
  if (auto real = tokens::open_tokenizer("o200k_base", tokens::kTablesFolder)) {
    return *std::move(real);
  }
  return *tokens::open_tokenizer("bytes/4", "");
}

TEST(BatchPrompt, OverheadIsTheSumOfItsPartsAndTheirSeams) {
  constexpr std::uint64_t kSeam = 2;
  const auto table = tokenizer();
  const auto counter = table->counter();
  const auto of = [&](std::string_view text) { return counter->count(text); };
  const auto prompt = BatchPrompt::parse(
      "Review these files.\n{{#file}}\n--- {{path}} ({{path}})\n{{content}}\n# end of {{path}}\n"
      "{{/file}}\r\nAnswer in JSON.\n");
  ASSERT_TRUE(prompt);
  EXPECT_EQ(prompt->overhead(*counter),
            of("Review these files.\n") + of("Answer in JSON.\n") + kSeam);
  EXPECT_EQ(prompt->overhead(*counter, "src/main.c"),
            of("--- src/main.c (src/main.c)\n") + of("\n# end of src/main.c\n") + 3 * kSeam);
  EXPECT_EQ(BatchPrompt().overhead(*counter), 0U);
  EXPECT_EQ(BatchPrompt().overhead(*counter, "x"), 0U);
  const auto head = BatchPrompt::parse("only a head");
  EXPECT_EQ(head->overhead(*counter), of("only a head"));
  EXPECT_EQ(head->overhead(*counter, "x"), 0U);
}

// Two joined parts can have more tokens than the sum of both ("*/\r\n" and "\n"): the allowance per
// seam must cover that.
RC_GTEST_PROP(BatchPrompt, TheSumOfThePartsIsNeverBelowTheCountOfAll, ()) {
  static const auto table = tokenizer();
  const auto counter = table->counter();
  const auto piece = rc::gen::element<std::string>(
      " ", "  ", "\n", "\n\n", "\t", "\r\n", "a", "The", "ing", "don", "'t", "1234", "!", "=>",
      "/*", "*/", "\u00e9", "\u65e5\u672c", "\U0001F600", "{", "});", "\xff", "#", "_x");
  const auto words = rc::gen::map(rc::gen::container<std::vector<std::string>>(piece),
                                  [](const std::vector<std::string>& all) {
                                    return std::accumulate(all.begin(), all.end(), std::string());
                                  });
  const std::string head = *words;
  const std::string tail = *words;
  const std::string before = *words;
  const std::string behind = *words;
  const auto prompt =
      BatchPrompt::parse(head + "\n{{#file}}\n" + before + "{{path}}\n{{content}}\n" + behind +
                         "\n{{/file}}\n" + tail);
  RC_ASSERT(prompt.has_value());
  std::string rendered = head + "\n";
  std::uint64_t sum = prompt->overhead(*counter);
  for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
    const std::string path = *words;
    const std::string content = *words;
    sum += prompt->overhead(*counter, path) + counter->count(content);
    rendered += before + path + "\n" + content + "\n" + behind + "\n";
  }
  RC_ASSERT(counter->count(rendered + tail) <= sum);
}

}  // namespace
}  // namespace tidemill::batch
