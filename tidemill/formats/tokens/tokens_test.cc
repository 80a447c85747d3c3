#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/dice.h"
#include "tidemill/formats/tokens/characters.h"
#include "tidemill/formats/tokens/long_piece.h"
#include "tidemill/formats/tokens/piece_counter.h"
#include "tidemill/formats/tokens/piece_finder.h"
#include "tidemill/formats/tokens/plain_count.h"
#include "tidemill/formats/tokens/test_folders.h"
#include "tidemill/formats/tokens/text_counter.h"
#include "tidemill/formats/tokens/tokenizer.h"
#include "tidemill/formats/tokens/unicode.h"
#include "tidemill/formats/tokens/vocabulary/vocabulary.h"

namespace tidemill::tokens {
namespace {

const std::string kTables = kTablesFolder;
const std::string kRanks = kRanksFolder;

// Both encodings, opened once for all tests.
struct Encoding {
  std::string name;
  SplitRules rules;
  Result<Vocabulary> vocabulary = Vocabulary::open(kTables + "/" + name + ".tokens");
  PlainCount plain{kRanks + "/" + name + ".tiktoken"};
};

std::vector<Encoding*> encodings() {
  static std::array<Encoding, 2> both{Encoding{.name = "cl100k_base", .rules = SplitRules::cl100k},
                                      Encoding{.name = "o200k_base", .rules = SplitRules::o200k}};
  std::vector<Encoding*> ready;
  for (Encoding& encoding : both) {
    if (encoding.vocabulary && !encoding.plain.is_empty()) ready.push_back(&encoding);
  }
  return ready;
}

#define NEEDS_TABLES()                                                                   \
  if (encodings().size() != 2) {                                                         \
    GTEST_SKIP() << "NO TABLES OF TOKENS WERE BUILT: nothing here is tested. The build " \
                    "needs a network once, or -DTIDEMILL_RANKS=FOLDER";                  \
  }                                                                                      \
  static_assert(true)

std::string bytes_of(std::string_view base64) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  unsigned held = 0;
  for (const char letter : base64) {
    if (letter == '=') break;
    bits = bits << 6U | static_cast<unsigned>(kDigits.find(letter));
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes.push_back(static_cast<char>(bits >> held & 0xffU));
  }
  return bytes;
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

std::size_t below(SeededDice& dice, std::size_t end) { return dice.next() % end; }

// Text composed of parts that matter to patterns and merges.
std::string tricky_text(SeededDice& dice, std::size_t parts) {
  static constexpr std::array<std::string_view, 48> kParts{
      " ",    "  ",       "\n",       "\r\n",   "\t",     "'",      "'s",     "'S",
      "'re",  "'Ve",      "'lL",      "'x",     "/",      "//",     "\n/",    "a",
      "the",  " of",      "ABC",      "Camel",  "x1",     "1",      "12",     "1234567",
      ";",    "{}",       "\xc3\xa9", "中文",   "\u0301", "\u00a0", "\u0085", "\u3000",
      "\xff", "\xe4\xb8", "'\u017f",  "ǅ",      "ʰ",      "Ω",      "я",      "\ufeff",
      "😀",   "٣",        "²",        "\u2028", "__",     "\x00",   "\v",     "ing"};
  std::string text;
  for (std::size_t i = 0; i < parts; ++i) text += kParts[below(dice, kParts.size())];
  return text;
}

std::uint64_t count_in_parts(TokenCounter& counter, std::string_view text, SeededDice& dice,
                             std::size_t most) {
  while (!text.empty()) {
    const std::size_t part = std::min(text.size(), below(dice, most) + 1);
    counter.feed(text.substr(0, part));
    text.remove_prefix(part);
  }
  return counter.finish();
}

TEST(Tokens, MatchTiktoken) {
  NEEDS_TABLES();
  std::ifstream file(kVectorsFile);
  auto cl100k = make_counter(*encodings()[0]->vocabulary, SplitRules::cl100k);
  auto o200k = make_counter(*encodings()[1]->vocabulary, SplitRules::o200k);
  std::size_t vectors = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::uint64_t in_cl100k = 0;
    std::uint64_t in_o200k = 0;
    std::string text;
    words >> in_cl100k >> in_o200k >> text;
    text = bytes_of(text == "-" ? "" : text);
    ASSERT_EQ(cl100k->count(text), in_cl100k) << line;
    ASSERT_EQ(o200k->count(text), in_o200k) << line;
    ++vectors;
  }
  EXPECT_GE(vectors, 5400U);
}

TEST(Tokens, OfTrickyTextsMatchTheReferenceCount) {
  NEEDS_TABLES();
  SeededDice dice(1);
  for (const Encoding* encoding : encodings()) {
    auto counter = make_counter(*encoding->vocabulary, encoding->rules);
    for (int i = 0; i < 3000; ++i) {
      const std::string text = tricky_text(dice, 1 + below(dice, 60));
      ASSERT_EQ(counter->count(text), encoding->plain.of_text(text, encoding->rules)) << text;
    }
  }
}

// Pieces of many lengths: random bytes, random letters, adjacent tokens, and one repeated letter.
TEST(Tokens, OfPiecesMatchTheReferenceCount) {
  NEEDS_TABLES();
  SeededDice dice(2);
  for (const Encoding* encoding : encodings()) {
    PieceCounter counter(*encoding->vocabulary);
    std::string text;
    std::vector<std::uint32_t> begins{0};
    std::uint64_t wanted = 0;
    for (int i = 0; i < 6000; ++i) {
      std::string piece;
      const std::size_t size = 1 + below(dice, below(dice, 10) == 0 ? 150 : 24);
      const auto kind = below(dice, 4);
      const char letter = static_cast<char>('a' + below(dice, 26));
      while (piece.size() < size) {
        if (kind == 0) piece.push_back(static_cast<char>(dice.next()));
        if (kind == 1) piece.push_back(static_cast<char>('a' + below(dice, 26)));
        if (kind == 2)
          piece += encoding->plain.tokens()[below(dice, encoding->plain.tokens().size())];
        if (kind == 3) piece.push_back(letter);
      }
      const std::size_t tokens = encoding->plain.of_piece(piece);
      ASSERT_EQ(counter.count(piece), tokens) << piece;
      if (!encoding->vocabulary->has_long(piece) && tokens > 1) {
        ASSERT_EQ(counter.encoder().encode(piece).size(), tokens) << piece;
      }
      wanted += tokens;
      text += piece;
      begins.push_back(static_cast<std::uint32_t>(text.size()));
    }
    text += std::string(64, '!');
    ASSERT_EQ(counter.count_all(text.data(), begins), wanted);
    ASSERT_EQ(counter.count_all(text.data(), begins), wanted);  // now from the cache
  }
}

RC_GTEST_PROP(Tokens, DoNotDependOnHowTheTextIsSplit,
              (const std::string& bytes, std::uint64_t seed)) {
  SeededDice dice(seed);
  const std::string text = tricky_text(dice, 40) + bytes + tricky_text(dice, 40);
  for (const Encoding* encoding : encodings()) {
    auto counter = make_counter(*encoding->vocabulary, encoding->rules);
    const std::uint64_t wanted = counter->count(text);
    RC_ASSERT(count_in_parts(*counter, text, dice, 9) == wanted);
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      counter->feed(std::string_view(text).substr(0, cut));
      counter->feed(std::string_view(text).substr(cut));
      RC_ASSERT(counter->finish() == wanted);
    }
  }
}

// Many pieces per call must equal one after the other.
TEST(Pieces, FoundInBlocksMatchThePattern) {
  SeededDice dice(3);
  for (const SplitRules rules : {SplitRules::cl100k, SplitRules::qwen, SplitRules::o200k}) {
    for (int i = 0; i < 4000; ++i) {
      std::string text = PlainCount::cleaned(tricky_text(dice, 1 + below(dice, 120)));
      const std::size_t size = text.size();
      text += std::string(64, 'x');  // after the text: must not affect the result
      const std::string_view known(text.data(), size);
      for (const bool is_whole : {false, true}) {
        Pieces pieces;
        std::size_t at = 0;
        while ((at = finder_of(rules)(known, at, is_whole, pieces), pieces.count > 0)) {
          for (std::size_t k = 0; k < pieces.count; ++k) {
            ASSERT_EQ(piece_end(rules, known, pieces.begins[k], is_whole), pieces.begins[k + 1])
                << known;
          }
        }
        ASSERT_TRUE(at == size || (!is_whole && piece_end(rules, known, at, false) == kUncertain));
      }
    }
  }
}

std::string pieces_of(SplitRules rules, std::string_view text) {
  std::string all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = piece_end(rules, text, at, true);
    all += std::string(text.substr(at, end - at)) + "|";
    at = end;
  }
  return all;
}

TEST(Pieces, MatchThePatterns) {
  const auto cl100k = [](std::string_view text) { return pieces_of(SplitRules::cl100k, text); };
  const auto o200k = [](std::string_view text) { return pieces_of(SplitRules::o200k, text); };
  EXPECT_EQ(cl100k("don't 'sx I'LL x'\u017fy"), "don|'t| '|sx| I|'LL| x|'\u017f|y|");
  EXPECT_EQ(o200k("don't 'sx I'LL x'\u017fy"), "don't| '|sx| I'LL| x'\u017f|y|");
  EXPECT_EQ(cl100k("a  \n  b\n\n c"), "a|  \n| | b|\n\n| c|");
  EXPECT_EQ(cl100k("};\r\n\r\n\tx"), "};\r\n\r\n|\tx|");
  EXPECT_EQ(o200k("};\n//x /\n/y"), "};\n//|x| /\n/|y|");
  EXPECT_EQ(o200k("HTTPServer getURLNow"), "HTTPServer| get|URLNow|");
  EXPECT_EQ(cl100k("1234567 89"), "123|456|7| |89|");
  EXPECT_EQ(pieces_of(SplitRules::qwen, "123"), "1|2|3|");
  EXPECT_EQ(o200k("中文ABC 中文ABC中Def"), "中文|ABC| 中文ABC中Def|");
  EXPECT_EQ(o200k("\u0301ABC \u0301abc"), "\u0301|ABC| \u0301abc|");  // a mark is not a prefix here
  EXPECT_EQ(cl100k("\ufeffint"), "\ufeffint|");
  EXPECT_EQ(cl100k("x\u0085\u3000y  "), "x|\u0085|\u3000y|  |");
}

TEST(Characters, MatchUnicode16) {
  EXPECT_EQ(kind_of(U'ǅ'), kUpper);
  EXPECT_EQ(kind_of(U'ʰ'), kCaseless);
  EXPECT_EQ(kind_of(0x301), kMark);
  EXPECT_EQ(kind_of(U'²'), kNumber);
  EXPECT_EQ(kind_of(0x85), kSpace);
  EXPECT_EQ(kind_of(0x200b), 0);
  EXPECT_EQ(kind_of(0x1c89), kUpper);  // new in 16
  EXPECT_EQ(kind_of(0x323b0), 0);      // new in 17
  EXPECT_EQ(kind_of(0x110000), 0);
  for (char32_t code = 0; code < 128; ++code) EXPECT_EQ(kind_of(code), kAsciiKinds[code]);
}

TEST(Cleaner, ReplacesEachMaximalSubpartWithOneReplacementCharacter) {
  const std::string mark = "\ufffd";
  EXPECT_EQ(PlainCount::cleaned("a\xff\xc0z"), "a" + mark + mark + "z");
  EXPECT_EQ(PlainCount::cleaned("\xf0\x9f\x98z\xe4\xb8"), mark + "z" + mark);
  EXPECT_EQ(PlainCount::cleaned("\xed\xa0\x80\xf4\x90"), repeated(mark, 5));
  EXPECT_EQ(PlainCount::cleaned("\xe0\x80\xf0\x80"), repeated(mark, 4));
  EXPECT_EQ(PlainCount::cleaned("\ufeff\U0010ffff"), "\ufeff\U0010ffff");
}

// Pieces longer than any buffer: the count in parts must equal the count of the complete text.
TEST(LongPieces, AreCountedAsIfTheyWereInMemory) {
  NEEDS_TABLES();
  SeededDice dice(4);
  std::string letters;
  for (int i = 0; i < 200'000; ++i) letters.push_back(static_cast<char>('a' + below(dice, 26)));
  std::string bytes_of_signs;
  for (int i = 0; i < 150'000; ++i)
    bytes_of_signs.push_back("!#$%&()*+,-.;:<=>?@"[below(dice, 19)]);
  const std::vector<std::string> texts{
      repeated("a", 300'000),
      " " + letters + "'re",
      "x" + repeated(" ", 300'000) + "y",
      "x" + repeated(" ", 150'000),
      repeated(" \n", 70'000) + repeated(" ", 150'000) + "\t(",
      repeated("\n", 150'000) + "x",
      repeated(" ", 150'000) + "\n",
      repeated("\u3000", 100'000) + "\r\n" + repeated("\u00a0", 70'000) + "z",
      repeated("中文字", 60'000),
      repeated("中", 60'000) + repeated("A", 100'000) + "'s",
      repeated("中", 60'000) + repeated("A", 100'000) + "bc'll9",
      repeated("A", 200'000) + "\u0301'd",
      repeated("Ab\u0301", 90'000),
      " " + bytes_of_signs + repeated("\r\n", 70'000) + "/",
      repeated("=", 200'000) + "\n/x",
  };
  for (const Encoding* encoding : encodings()) {
    auto counter = make_counter(*encoding->vocabulary, encoding->rules);
    PieceCounter pieces(*encoding->vocabulary);
    for (const std::string& text : texts) {
      const std::uint64_t wanted = PlainCount::of_text(
          text, encoding->rules, [&](std::string_view piece) { return pieces.count(piece); });
      EXPECT_EQ(counter->count(text), wanted) << text.substr(0, 20);
      EXPECT_EQ(count_in_parts(*counter, text, dice, 100'000), wanted) << text.substr(0, 20);
    }
    EXPECT_EQ(counter->count("Hello, world"), 3U);  // no state is left
  }
}

TEST(LongPieces, AreCountedTheSameWithAndWithoutSeams) {
  NEEDS_TABLES();
  SeededDice dice(5);
  for (const Encoding* encoding : encodings()) {
    Encoder encoder(*encoding->vocabulary);
    for (int kind = 0; kind < 4; ++kind) {
      std::string text;
      while (text.size() < 140'000) {
        if (kind == 0)
          text += encoding->plain.tokens()[below(dice, encoding->plain.tokens().size())];
        if (kind == 1) text.push_back(static_cast<char>(dice.next()));
        if (kind == 2) text += repeated("ab", 1 + below(dice, 40));
        if (kind == 3) text.push_back(' ');
      }
      LongPiece seams(encoder);
      LongPiece prefixes(encoder);
      prefixes.count_every_prefix();
      seams.feed(text);
      prefixes.feed(text);
      const std::size_t wanted = encoder.encode(text).size();
      EXPECT_EQ(seams.count(), wanted) << kind;
      EXPECT_EQ(prefixes.count(), wanted) << kind;
    }
  }
}

// Each letter prefers to merge with the next one: whether a z follows decides all merges before it,
// so the text before it must not be counted too early.
TEST(LongPieces, AreNotCutWhileLaterInputCanChangeTheCount) {
  VocabularyPlan plan;
  for (char left = 'y'; left >= 'a'; --left) {
    plan.merges.push_back({.left = {left}, .right = {static_cast<char>(left + 1)}});
  }
  const auto vocabulary = Vocabulary::of_image(*image_of(plan));
  ASSERT_TRUE(vocabulary);
  Encoder encoder(*vocabulary);
  for (std::size_t before = 131'072 - 30; before < 131'072; ++before) {
    LongPiece piece(encoder);
    piece.feed(std::string(before, 'X') + "abcdefghijklmnopqrstuvwxy");
    EXPECT_EQ(piece.count(), before + 13);
    piece.feed("z");
    ASSERT_EQ(piece.count(), before + 13) << before;
    piece.feed("!");
    ASSERT_EQ(piece.count(), before + 14) << before;
  }
}

TEST(LongPieces, TakeLinearWork) {
  NEEDS_TABLES();
  SeededDice dice(6);
  for (const Encoding* encoding : encodings()) {
    std::string letters;
    for (int i = 0; i < 300'000; ++i) letters.push_back(static_cast<char>('a' + below(dice, 26)));
    for (const std::string& text : {repeated("a", 300'000), repeated(" ", 300'000),
                                    repeated("ab", 150'000), repeated("中文", 50'000), letters}) {
      Encoder encoder(*encoding->vocabulary);
      const std::size_t tokens = encoder.encode(text).size();
      EXPECT_GT(tokens, 0U);
      EXPECT_LT(encoder.tries(), 8 * text.size()) << text.substr(0, 10);
    }
  }
}

TEST(Table, IsRejectedWhenDamaged) {
  const std::string sound = *image_of({.merges = {{.left = "a", .right = "b"}}});
  ASSERT_TRUE(Vocabulary::of_image(sound));
  SeededDice dice(7);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{100}, sound.size() / 2, sound.size() - 1}) {
    EXPECT_FALSE(Vocabulary::of_image(sound.substr(0, size))) << size;
  }
  EXPECT_FALSE(Vocabulary::of_image(sound + "x"));
  const std::string path = ::testing::TempDir() + "/tokens_" + std::to_string(::getpid());
  std::ofstream(path, std::ios::binary) << sound.substr(0, sound.size() - 8);
  EXPECT_FALSE(Vocabulary::open(path));
  std::ofstream(path, std::ios::binary) << sound;
  EXPECT_TRUE(Vocabulary::open(path));
  std::remove(path.c_str());
  EXPECT_FALSE(Vocabulary::open(path));
  std::string damaged = sound;
  for (std::size_t i = 0; i < 280; ++i) {
    const std::size_t at = i < sizeof(ImageHeader) ? i : below(dice, sound.size());
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << below(dice, 8)));
    const auto opened = Vocabulary::of_image(damaged);
    ASSERT_FALSE(opened) << at;
    EXPECT_EQ(opened.error().step, "tokenizer");
    damaged[at] = sound[at];
  }
}

TEST(Tokenizer, IsOpenedByItsName) {
  const auto estimate = open_tokenizer("bytes/4", "/nowhere");
  ASSERT_TRUE(estimate);
  EXPECT_FALSE((*estimate)->is_exact());
  EXPECT_EQ((*estimate)->counter()->count("12345"), 2U);
  const auto missing = open_tokenizer("cl100k_base", "/nowhere");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().step, "tokenizer");
  EXPECT_FALSE(open_tokenizer("p50k_base", kTables));
  NEEDS_TABLES();
  const auto cl100k = open_tokenizer("cl100k_base", kTables);
  const auto o200k = open_tokenizer("o200k_base", kTables);
  ASSERT_TRUE(cl100k && o200k);
  EXPECT_TRUE((*cl100k)->is_exact());
  EXPECT_EQ((*cl100k)->name(), "cl100k_base");
  EXPECT_NE((*cl100k)->fingerprint(), (*o200k)->fingerprint());
  EXPECT_EQ((*o200k)->counter()->count("Hello, world"), 3U);
}

TEST(RankFile, IsRejectedWhenInvalid) {
  EXPECT_FALSE(plan_of_ranks(""));
  EXPECT_FALSE(plan_of_ranks("IQ== 0\n"));
  EXPECT_FALSE(plan_of_ranks("IQ==\n"));
  EXPECT_FALSE(plan_of_ranks("IQ== 1\n"));
  EXPECT_FALSE(plan_of_ranks("I*== 0\n"));
}

// "ab" is merged first, so "b" and "c" merge only without an "a" before them, and "abc", from "a"
// and "bc", is never made.
TEST(Plan, OmitsMergesThatCanNeverHappen) {
  const VocabularyPlan plan{.merges = {{.left = "a", .right = "b"},
                                       {.left = "b", .right = "c"},
                                       {.left = "a", .right = "bc"}}};
  const auto image = image_of(plan);
  ASSERT_TRUE(image);
  const auto vocabulary = Vocabulary::of_image(*image);
  ASSERT_TRUE(vocabulary);
  EXPECT_EQ(vocabulary->size(), 258U);
  PieceCounter counter(*vocabulary);
  EXPECT_EQ(counter.count("abc"), 2U);
  EXPECT_EQ(counter.count("xbc"), 2U);
  EXPECT_FALSE(image_of({.merges = {{.left = "ab", .right = "c"}}}));
}

}  // namespace
}  // namespace tidemill::tokens
