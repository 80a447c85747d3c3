// How texts are split for Hugging Face files, and endless pieces.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/tokens/hf/split.h"
#include "tidemill/formats/tokens/piece_counter.h"
#include "tidemill/formats/tokens/text_counter.h"
#include "tidemill/formats/tokens/vocabulary/vocabulary.h"
#include "tidemill/formats/tokens/vocabulary/vocabulary_plan.h"

namespace tidemill::tokens {
namespace {

using Strings = std::vector<std::string>;

Strings pieces_of(const std::string& text, decltype(&deepseek_piece_end) piece_end) {
  Strings pieces;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end) {
    end = piece_end(text, at, true);
    pieces.push_back(text.substr(at, end - at));
  }
  return pieces;
}

// The expected results are from npm `tokenizers`.
TEST(HfSplit, SplitsLikeDeepSeek) {
  const auto cut = [](const std::string& text) { return pieces_of(text, deepseek_piece_end); };
  EXPECT_EQ(cut("don't 'S"), (Strings{"don", "'t", " '", "S"}));
  EXPECT_EQ(cut("a   123 45678"), (Strings{"a", "   ", "123", " ", "456", "78"}));
  EXPECT_EQ(cut("日本語テスト・カナ。x"), (Strings{"日本語テスト", "・", "カナ", "。", "x"}));
  EXPECT_EQ(cut("foo.bar(1)\n\n  y"), (Strings{"foo", ".bar", "(", "1", ")\n\n", " ", " y"}));
  EXPECT_EQ(cut("\1\1a\1 \1"), (Strings{"\1", "\1a", "\1", " ", "\1"}));
  EXPECT_EQ(cut("  \n  \n  x"), (Strings{"  \n  \n", " ", " x"}));
  EXPECT_EQ(cut("a\u3000\u3000b"), (Strings{"a", "\u3000", "\u3000b"}));
  EXPECT_EQ(cut("a  漢"), (Strings{"a", "  ", "漢"}));
}

TEST(HfSplit, SplitsLikeGpt2) {
  const auto cut = [](const std::string& text) { return pieces_of(text, gpt2_piece_end); };
  EXPECT_EQ(cut("don't 'S"), (Strings{"don", "'t", " '", "S"}));
  EXPECT_EQ(cut("a   1234 45"), (Strings{"a", "  ", " 1234", " 45"}));
  EXPECT_EQ(cut("--\r\n\r\nx"), (Strings{"--", "\r\n\r", "\n", "x"}));
  EXPECT_EQ(cut("'llama 're"), (Strings{"'ll", "ama", " '", "re"}));
}

std::uint64_t count_by_pieces(const std::string& text, const Vocabulary& vocabulary,
                              const Cutting& cutting) {
  PieceCounter pieces(vocabulary);
  std::uint64_t count = 0;
  for (const std::string& piece : pieces_of(text, cutting.piece_end)) count += pieces.count(piece);
  return count;
}

std::uint64_t count_in_parts(std::string_view text, const Vocabulary& vocabulary,
                             const Cutting& cutting, std::mt19937& dice) {
  const auto counter = make_counter(vocabulary, cutting);
  while (!text.empty()) {
    const std::size_t size = std::min<std::size_t>(text.size(), 1 + dice() % 40'000);
    counter->feed(text.substr(0, size));
    text.remove_prefix(size);
  }
  return counter->finish();
}

// Runs longer than any buffer, with various text before, between and after them.
TEST(HfSplit, CountsPiecesLongerThanAnyBuffer) {
  const VocabularyPlan plan{.merges = {{"a", "a"},
                                       {"aa", "aa"},
                                       {" ", " "},
                                       {"\n", " "},
                                       {"  ", "\n"},
                                       {"!", "!"},
                                       {"!!", "\n"},
                                       {"  ", "  "}}};
  const Vocabulary vocabulary = *Vocabulary::of_image(*image_of(plan));
  const Strings fillings = {"a",  " ", "!",      "\n", " \n", "漢",
                            "\1", "7", "\u3000", "é",  "・",  "\r\n  "};
  const Strings others = {"", " ", "a", "!", "\n", "漢", "1", "\1", " a", " !", "\n!", "x\n  y"};
  std::mt19937 dice(2);  // NOLINT: the same in every run
  const auto other = [&] { return others[dice() % others.size()]; };
  for (const std::string& filling : fillings) {
    std::string run;
    while (run.size() < 80'000) run += filling;
    for (const std::string& between : others) {
      const std::string before = other();
      const std::string behind = other();
      const std::string text = before + run + between + run + behind;
      for (const Cutting& cutting : {Cutting{deepseek_piece_end, deepseek_endless_piece},
                                     Cutting{gpt2_piece_end, gpt2_endless_piece}}) {
        ASSERT_EQ(count_in_parts(text, vocabulary, cutting, dice),
                  count_by_pieces(text, vocabulary, cutting))
            << text::printable(before + '|' + filling + '|' + between + '|' + behind);
      }
    }
  }
}

}  // namespace
}  // namespace tidemill::tokens
