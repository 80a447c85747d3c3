// Hugging Face files: which are accepted or refused, and that counts follow the merges.
// tests/tokens/compare.py compares the counts of published files with the original program.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/formats/tokens/hf/file.h"
#include "tidemill/formats/tokens/hf/merges.h"
#include "tidemill/formats/tokens/hf/tokenizer.h"
#include "tidemill/formats/tokens/piece_counter.h"
#include "tidemill/formats/tokens/vocabulary/vocabulary.h"
#include "tidemill/testing/own_folder.h"

namespace tidemill::tokens {
namespace {

using Strings = std::vector<std::string>;
using Pair = std::pair<std::string, std::string>;

constexpr std::string_view kBytesOnly =
    R"({"type":"ByteLevel","add_prefix_space":false,"use_regex":false})";
constexpr std::string_view kGpt2 = R"({"type":"ByteLevel","add_prefix_space":false})";

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  if (at != std::string::npos) text.replace(at, what.size(), by);
  return text;
}

std::string quoted_json(std::string_view text) {
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') quoted += '\\';
    quoted += letter;
  }
  return quoted + '"';
}

std::string character_of(unsigned code) {
  if (code < 0x80) return {static_cast<char>(code)};
  return {static_cast<char>(0xc0U | code >> 6U), static_cast<char>(0x80U | (code & 0x3fU))};
}

// The alphabet, from its definition.
Strings alphabet() {
  Strings letters(0x100);
  unsigned next = 0x100;
  for (unsigned byte = 0; byte < 0x100; ++byte) {
    const bool is_shown = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte != 0xad);
    letters[byte] = character_of(is_shown ? byte : next++);
  }
  return letters;
}

// A file with these merges. The token numbers descend, so that code cannot rely on their order.
std::string file_of(const std::vector<Pair>& merges, std::string_view pre_tokenizer = kGpt2) {
  Strings tokens = alphabet();
  std::string list;
  for (const auto& [left, right] : merges) {
    if (std::ranges::find(tokens, left + right) == tokens.end()) tokens.push_back(left + right);
    list += (list.empty() ? "" : ",") + quoted_json(left + ' ' + right);
  }
  std::string vocabulary;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    vocabulary +=
        (i == 0 ? "" : ",") + quoted_json(tokens[i]) + ':' + std::to_string(tokens.size() - i);
  }
  return R"({"version":"1.0","normalizer":null,"added_tokens":[{"id":0,"content":"<s>"}],)"
         R"("pre_tokenizer":)" +
         std::string(pre_tokenizer) + R"(,"model":{"type":"BPE","dropout":null,"vocab":{)" +
         vocabulary + R"(},"merges":[)" + list + "]}}";
}

std::string refusal(const std::string& json) {
  auto file = read_hf_file(json);
  if (!file) return file.error().step + ": " + file.error().reason;
  const auto plan = plan_of(*std::move(file));
  return plan ? "accepted" : plan.error().step + ": " + plan.error().reason;
}

Vocabulary vocabulary_of(const std::string& json) {
  auto file = read_hf_file(json);
  EXPECT_TRUE(file) << text_of(file.error());
  const auto plan = plan_of(*std::move(file));
  EXPECT_TRUE(plan) << text_of(plan.error());
  const auto image = image_of(*plan);
  EXPECT_TRUE(image) << text_of(image.error());
  return *Vocabulary::of_image(*image);
}

// The reference algorithm: the first merge of the list that applies, at its leftmost position.
std::size_t merged_by_list(std::string_view text, const std::vector<Pair>& merges) {
  Strings parts;
  for (const char letter : text) parts.emplace_back(1, letter);
  for (bool is_done = false; !is_done;) {
    is_done = true;
    for (const Pair& merge : merges) {
      const auto at = std::ranges::adjacent_find(parts, [&](const auto& left, const auto& right) {
        return left == merge.first && right == merge.second;
      });
      if (at == parts.end()) continue;
      *at += *(at + 1);
      parts.erase(at + 1);
      is_done = false;
      break;
    }
  }
  return parts.size();
}

TEST(HfFile, MergesInListOrderRegardlessOfTokenNumbers) {
  const std::vector<Pair> merges = {{"b", "c"}, {"a", "b"}, {"ab", "c"}, {"a", "bc"}};
  const Vocabulary vocabulary = vocabulary_of(file_of(merges));
  PieceCounter counter(vocabulary);
  EXPECT_EQ(counter.count("abc"), 1U);
  EXPECT_EQ(counter.count("abd"), 2U);
  EXPECT_EQ(counter.count("bcbc"), 2U);
}

TEST(HfFile, ReadsTheNewerMergeSyntax) {
  const std::string older = file_of({{"a", "b"}});
  EXPECT_EQ(refusal(replaced(older, R"("a b")", R"(["a","b"])")), "accepted");
  EXPECT_NE(refusal(replaced(older, R"("a b")", R"(["a"])")), "accepted");
}

TEST(HfFile, LooksUpCompletePiecesFirstOnlyWithIgnoreMerges) {
  const std::string merging =
      replaced(file_of({{"a", "b"}}), R"("vocab":{)", R"("vocab":{"xyz":9999,)");
  const std::string looking = replaced(merging, R"("dropout":null)", R"("ignore_merges":true)");
  const Vocabulary merges = vocabulary_of(merging);
  const Vocabulary looks = vocabulary_of(looking);
  EXPECT_EQ(PieceCounter(merges).count("xyz"), 3U);
  EXPECT_EQ(PieceCounter(looks).count("xyz"), 1U);
  EXPECT_EQ(PieceCounter(looks).count("xyzx"), 4U);
}

// Lists that no training produces: several ways to one token, merges before those they need.
TEST(HfFile, FollowsAnyMergeListExactlyOrRejectsIt) {
  std::mt19937 dice(77);  // NOLINT: the same in every run
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(dice);
  };
  int accepted = 0;
  int refused = 0;
  for (int round = 0; round < 1500; ++round) {
    Strings tokens = {"a", "b", "c"};
    std::vector<Pair> merges;
    for (std::size_t i = 3 + below(10); i > 0; --i) {
      const Pair merge(tokens[below(tokens.size())], tokens[below(tokens.size())]);
      if (std::ranges::find(merges, merge) != merges.end()) continue;
      merges.push_back(merge);
      const std::string product = merge.first + merge.second;
      if (std::ranges::find(tokens, product) == tokens.end()) tokens.push_back(product);
    }
    if (round % 2 == 1) std::ranges::shuffle(merges, dice);
    const std::string json = file_of(merges);
    if (refusal(json) != "accepted") {
      ++refused;
      continue;
    }
    ++accepted;
    const Vocabulary vocabulary = vocabulary_of(json);
    PieceCounter counter(vocabulary);
    for (int i = 0; i < 20; ++i) {
      std::string text;
      for (std::size_t left = 1 + below(24); left > 0; --left) {
        text += below(3) == 0 ? tokens[below(tokens.size())] : std::string(1, "abc"[below(3)]);
      }
      ASSERT_EQ(counter.count(text), merged_by_list(text, merges)) << text << '\n' << json;
    }
  }
  EXPECT_GT(accepted, 1000);
  EXPECT_GT(refused, 5);
}

TEST(HfFile, RejectsUnsupportedFeaturesByName) {
  const std::string good = file_of({{"a", "b"}});
  ASSERT_EQ(refusal(good), "accepted");
  const auto with = [&](std::string_view what, std::string_view by) {
    return refusal(replaced(good, what, by));
  };
  const std::string split = R"({"type":"Sequence","pretokenizers":[{"type":"Split","behavior":")";
  const auto splitting = [&](const std::string& behavior, const std::string& rest) {
    return with(kGpt2, split + behavior + R"(","pattern":{"Regex":"\\p{N}"}})" + rest + "]}");
  };
  const std::string bytes = "," + std::string(kBytesOnly);
  EXPECT_EQ(with(R"("BPE")", R"("Unigram")"), "tokenizer: model \"Unigram\" is not supported");
  EXPECT_EQ(with(R"("dropout":null)", R"("dropout":0.1)"),
            "tokenizer: \"dropout\" is not supported");
  EXPECT_EQ(with(R"("normalizer":null)", R"("normalizer":{"type":"NFC"})"),
            "tokenizer: normalizer \"NFC\" is not supported");
  EXPECT_EQ(with("<s>", "  "), "tokenizer: an added token of white space is not supported");
  EXPECT_EQ(with(kGpt2, R"({"type":"Metaspace"})"),
            "tokenizer: pre_tokenizer \"Metaspace\" is not supported");
  EXPECT_EQ(with(kGpt2, R"({"type":"ByteLevel"})"),
            "tokenizer: ByteLevel with add_prefix_space is not supported");
  EXPECT_EQ(with(kGpt2, kBytesOnly),
            "tokenizer: a pre_tokenizer that does not split is not supported");
  EXPECT_EQ(splitting("Isolated", bytes), "tokenizer: unknown pattern \"\\\\p{N}\"");
  EXPECT_EQ(splitting("Isolated", ""),
            "tokenizer: a pre_tokenizer without ByteLevel is not supported");
  EXPECT_EQ(splitting("MergedWithNext", bytes),
            "tokenizer: Split with behavior \"MergedWithNext\" is not supported");
}

TEST(HfFile, RejectsContradictoryFiles) {
  const std::string good = file_of({{"a", "b"}, {"ab", "c"}});
  const auto with = [&](std::string_view what, std::string_view by) {
    return refusal(replaced(good, what, by));
  };
  EXPECT_EQ(with(R"("a b")", R"("a z")"),
            "tokenizer: the merge \"a z\" does not join two tokens into a token");
  EXPECT_EQ(with(R"("a b")", R"("ab")"), "tokenizer: the merge \"ab\" has only one side");
  EXPECT_EQ(with(R"("a b")", R"("ab c")"),
            "tokenizer: the merge of \"ab\" and \"c\" is listed twice");
  EXPECT_EQ(with(R"("vocab":{)", R"("vocab":{"a":77777,)"),
            "tokenizer: the token \"a\" is listed twice");
  EXPECT_EQ(with(R"("vocab":{)", R"("vocab":{"xx":1,)"),
            "tokenizer: two tokens have the same number");
  EXPECT_EQ(with(R"("!":)", R"("!!":)"), "tokenizer: a byte has no token");
  EXPECT_EQ(with(R"("type":"BPE")", R"("vocab":{},"type":"BPE")"),
            "tokenizer: \"vocab\" is given twice");
  EXPECT_EQ(with(R"("vocab":{)", R"("vocab":{"x":-1,)"), "tokenizer: \"x\" is not a token number");
}

// Replaces each value in turn by one of another type, and truncates the text at every position.
TEST(HfFile, SurvivesHostileFiles) {
  const std::string good =
      replaced(file_of({{"a", "b"}}), R"("vocab":{)", R"("vocab":{"zz":9999,)");
  for (const char* other : {"null", "true", "-7", "1.5", "\"x\"", "[]", "{}", "[[\"a\",1]]", ""}) {
    for (std::size_t at = good.find(':'); at != std::string::npos; at = good.find(':', at + 1)) {
      const std::size_t end = good.find_first_of(",}]", at + 1);
      std::string changed = good;
      changed.replace(at + 1, end - at - 1, other);
      static_cast<void>(refusal(changed));
    }
  }
  for (std::size_t size = 0; size < good.size(); size += 7) {
    EXPECT_NE(refusal(good.substr(0, size)), "accepted");
  }
  EXPECT_NE(refusal(std::string(100'000, '[')), "accepted");
  const std::string longest(1025, 'a');
  EXPECT_EQ(refusal(replaced(good, "zz", longest)).substr(0, 21), "tokenizer: the token ");
}

class HfTokenizerTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + name, std::ios::binary) << text;
    return folder_ + name;
  }
  testing::OwnFolder own_;
  const std::string& folder_ = own_.path();
};

TEST_F(HfTokenizerTest, HasTheSameFingerprintUnderAnyName) {
  const std::string json = file_of({{"a", "b"}});
  const auto one = open_tokenizer(write("/tokenizer.json", json), "");
  const auto same = open_tokenizer(write("/copy", json + "\n"), "");
  const auto other = open_tokenizer(write("/other", file_of({{"a", "c"}})), "");
  ASSERT_TRUE(one && same && other);
  EXPECT_EQ((*one)->name(), folder_ + "/tokenizer.json");
  EXPECT_EQ((*one)->fingerprint(), (*same)->fingerprint());
  EXPECT_NE((*one)->fingerprint(), (*other)->fingerprint());
  EXPECT_TRUE((*one)->is_exact());
  EXPECT_EQ((*one)->counter()->count("ab <s>ab\xff"), 9U);  // U+FFFD is three bytes
}

TEST_F(HfTokenizerTest, FailsOnMissingIrregularOrOversizedFiles) {
  ASSERT_EQ(::mkfifo((folder_ + "/pipe").c_str(), 0600), 0);
  const std::string huge = write("/huge", "{}");
  ASSERT_EQ(::truncate(huge.c_str(), (64 << 20) + 1), 0);
  const auto reason = [&](const std::string& name) {
    const auto opened = open_tokenizer(folder_ + name, "");
    return opened ? "opened" : replaced(text_of(opened.error()), folder_, "");
  };
  EXPECT_EQ(reason("/missing"), "tokenizer: /missing: No such file or directory");
  EXPECT_EQ(reason("/pipe"), "tokenizer: /pipe: not a regular file");
  EXPECT_EQ(reason("/huge"), "tokenizer: /huge: larger than 64 MiB");
  EXPECT_EQ(reason(""), "tokenizer: : not a regular file");
}

}  // namespace
}  // namespace tidemill::tokens
