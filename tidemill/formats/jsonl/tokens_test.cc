#include "tidemill/formats/jsonl/tokens.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tidemill/formats/jsonl/blocks.h"
#include "tidemill/formats/text/utf8.h"

namespace tidemill::jsonl {
namespace {

// A line at the very end of its buffer: the sanitizers detect a read beyond the padding.
class Line {
 public:
  explicit Line(std::string_view text, char behind = '\n') : size_(text.size()) {
    EXPECT_TRUE(buffer_.reserve(size_));
    std::memcpy(buffer_.data(), text.data(), size_);
    std::memset(buffer_.data() + size_, 'x', kPadding);  // only the first of them matters
    buffer_.data()[size_] = behind;
  }
  [[nodiscard]] std::string_view text() const { return {buffer_.data(), size_}; }

 private:
  Buffer buffer_;
  std::size_t size_;
};

// The result of Tokens for a line that should be a single value.
Flaw verdict(Tokens& tokens, std::string_view line) {
  if (tokens.index(line) != Ill::none) return Flaw::malformed;
  std::size_t at = 0;
  std::string_view json;
  const Flaw flaw = tokens.take(at, 0, json);
  if (flaw != Flaw::none) return flaw;
  return at == tokens.count() ? Flaw::none : Flaw::trailing;
}

TEST(Tokens, AcceptExactlyWhatTheGrammarAccepts) {
  Tokens tokens;
  for (const std::string_view json : {"{}",
                                      "[]",
                                      " [ ] ",
                                      "\"\"",
                                      "0",
                                      "-0",
                                      "1.5e+3",
                                      "10E-2",
                                      "true",
                                      "false",
                                      "null",
                                      "{\"\":{\"\":[[],{}]}}",
                                      "[{\"a\":1},[[],2]]",
                                      "{\"a\":[],\"b\":{\"c\":{},\"d\":1}}",
                                      "1e999",
                                      "123456789012345",
                                      "1234567890123456",
                                      "-123456789.12345",
                                      "0.5",
                                      "-0.5 ",
                                      "[1,2.5,-3,0,0.0,123456789012345678901234567890]",
                                      "\t{ \"a\" : [ 1 , null ] }\r",
                                      "\"\\u00e9\\ud83d\\ude00\\/\\\"\"",
                                      "[\"\\\\\",\"a\\nb\",\"plain\",\"\\u0000\"]",
                                      "",
                                      " ",
                                      "{\"a\":[1 2,tru]}",
                                      "[1,]",
                                      "[,1]",
                                      "[,]",
                                      "{\"a\":1,}",
                                      "{,}",
                                      "{\"a\"}",
                                      "{\"a\" 1}",
                                      "{a:1}",
                                      "{1:1}",
                                      "[1}",
                                      "{\"a\":1]",
                                      "[[1]",
                                      "}",
                                      "]",
                                      ",",
                                      ":",
                                      "tru",
                                      "nulll",
                                      "truefalse",
                                      "'a'",
                                      "\"abc",
                                      "\"a\tb\"",
                                      "\"\\x\"",
                                      "\"\\u12g4\"",
                                      "\"\\",
                                      "{\"\\'\":1}",
                                      "{\"\\ud83d\":1}",
                                      "\"\\ud83d\"",
                                      "[\"a\",\"\\ude00\"]",
                                      "[01]",
                                      "-01",
                                      "1.",
                                      "1.e5",
                                      ".5",
                                      "+1",
                                      "-",
                                      "1e",
                                      "1e+",
                                      "0x10",
                                      "1_000",
                                      "NaN",
                                      "[-Infinity]",
                                      "1-",
                                      "1.5.5",
                                      "1..5",
                                      "-.5",
                                      "00",
                                      "00.5",
                                      "1234567890123456x",
                                      "123x",
                                      "{} {}",
                                      "1 2",
                                      "[1]]",
                                      "\"a\",",
                                      "\"a\"b",
                                      "\"a\"\"b\"",
                                      "1\"a\"",
                                      "[1\"a\"]",
                                      "{\"a\":1:2}",
                                      "[1:2]",
                                      "{\"a\",1}",
                                      "{\"a\"::1}",
                                      "[}",
                                      "{]",
                                      "{\"a\":}",
                                      "{:1}",
                                      "[\x0c]",
                                      "1\x0b",
                                      "[1\x1a"
                                      "2]",
                                      "\x1a",
                                      "{\"a\":[{\"b\":[{\"c\":1}]}]}",
                                      "{\"a\":[{\"b\":[{\"c\":1]}]}"}) {
    const Line line(json);
    const Flaw flaw = verdict(tokens, line.text());
    EXPECT_EQ(flaw == Flaw::none, check(json) == Flaw::none) << json << ": " << name_of(flaw);
  }
  const Line nul(std::string_view("{}\0", 3));
  EXPECT_EQ(verdict(tokens, nul.text()), Flaw::trailing);
}

TEST(Tokens, ReportWhatIsWrongWithTheBytes) {
  Tokens tokens;
  const auto ill = [&](std::string_view bytes) { return tokens.index(Line(bytes).text()); };
  EXPECT_EQ(ill("{\"a\":\"\xc3\xa9\"}"), Ill::none);
  EXPECT_EQ(ill("{\"a\":\"\xc3\"}"), Ill::not_utf8);
  EXPECT_EQ(ill("{\"a\":\"\xed\xa0\x80\"}"), Ill::not_utf8);
  EXPECT_EQ(ill("{\"a\":1}\xff"), Ill::not_utf8);
  EXPECT_EQ(ill("{\"a\":\"\x1f\"}"), Ill::control);
  EXPECT_EQ(ill(std::string_view("{\"a\":\"\0\"}", 9)), Ill::control);
  EXPECT_EQ(ill("{\"a\":\"b"), Ill::no_token);
  EXPECT_EQ(ill("{\"a\":\"b\\\""), Ill::no_token);
  EXPECT_EQ(ill(" \t"), Ill::no_token);
  EXPECT_EQ(ill(""), Ill::no_token);
  EXPECT_EQ(tokens.count(), 0U);
}

TEST(Tokens, ExcludeTrailingWhiteSpaceFromTokenText) {
  Tokens tokens;
  const Line line(" { \"a\\\" {\" : [ 12 , \"x y \"\t] ,\"b\":null\r}  ");
  ASSERT_EQ(tokens.index(line.text()), Ill::none);
  std::vector<std::string_view> all;
  for (std::size_t i = 0; i < tokens.count(); ++i) all.push_back(tokens.text(i));
  EXPECT_EQ(all, (std::vector<std::string_view>{"{", "\"a\\\" {\"", ":", "[", "12", ",", "\"x y \"",
                                                "]", ",", "\"b\"", ":", "null", "}"}));
  EXPECT_EQ(tokens.first(tokens.count()), '\n');
  EXPECT_EQ(tokens.begin(0), line.text().data() + 1);
}

TEST(Tokens, TakeOneValueAndAdvancePastIt) {
  Tokens tokens;
  const Line line(R"({"a":[1,{"b":[]},"]"] ,"c":{"d":{}},"e":"x\u0041" ,"f":-1.5e3})");
  ASSERT_EQ(tokens.index(line.text()), Ill::none);
  std::vector<std::string> values;
  for (std::size_t at = 1; at < tokens.count(); ++at) {
    at += 2;
    const std::size_t behind = tokens.behind(at);
    std::string_view json;
    ASSERT_EQ(tokens.take(at, 1, json), Flaw::none);
    EXPECT_EQ(at, behind) << json;
    values.emplace_back(json);
  }
  EXPECT_EQ(values, (std::vector<std::string>{R"([1,{"b":[]},"]"])", R"({"d":{}})", R"("x\u0041")",
                                              "-1.5e3"}));
  EXPECT_EQ(tokens.behind(0), tokens.count());
}

// From left to right; a value may be skipped, or taken again if it was valid.
TEST(Tokens, CheckTheEscapesOfEveryValueTaken) {
  Tokens tokens;
  const Line line(R"(["plain","\n",{"\u0061":"ok"},"\ud800","plain","\t",["\x"],"\u0000"])");
  const std::vector<Flaw> expected{Flaw::none, Flaw::none, Flaw::none,       Flaw::lone_surrogate,
                                   Flaw::none, Flaw::none, Flaw::bad_escape, Flaw::none};
  for (std::size_t left_out = 0; left_out <= expected.size(); ++left_out) {
    ASSERT_EQ(tokens.index(line.text()), Ill::none);
    std::size_t at = 1;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      std::size_t next = at;
      std::string_view json;
      if (i != left_out) {
        EXPECT_EQ(tokens.take(next, 1, json), expected[i]) << i;
      }
      at = tokens.behind(at) + 1;
    }
  }
}

TEST(Tokens, CountDepthFromTheOutermostLevel) {
  Tokens tokens;
  const auto nested = [&](std::size_t levels, std::uint32_t depth) {
    const Line line(std::string(levels, '[') + std::string(levels, ']'));
    EXPECT_EQ(tokens.index(line.text()), Ill::none);
    std::size_t at = 0;
    std::string_view json;
    return tokens.take(at, depth, json);
  };
  EXPECT_EQ(nested(kDeepest, 0), Flaw::none);
  EXPECT_EQ(nested(kDeepest + 1, 0), Flaw::too_deep);
  EXPECT_EQ(nested(2, kDeepest - 2), Flaw::none);
  EXPECT_EQ(nested(2, kDeepest - 1), Flaw::too_deep);
  EXPECT_EQ(nested(1, kDeepest + 5), Flaw::too_deep);
  EXPECT_EQ(verdict(tokens, Line(std::string(100'000, '[')).text()), Flaw::too_deep);
}

// From 0 to more than two vector widths, with each kind of token at the very end.
TEST(Tokens, EndAtTheLineEndWhateverFollows) {
  Tokens tokens;
  for (std::size_t blanks = 0; blanks < 140; ++blanks) {
    for (const std::string_view end : {"12", "true", "\"s\"", "{}", "1.25", "-7"}) {
      for (const char behind : {'\n', '\0'}) {
        const Line line(std::string(blanks, ' ') + std::string(end), behind);
        ASSERT_EQ(tokens.index(line.text()), Ill::none);
        EXPECT_EQ(tokens.text(tokens.count() - (end == "{}" ? 2 : 1)),
                  end.substr(0, end == "{}" ? 1 : 9));
        EXPECT_EQ(verdict(tokens, line.text()), Flaw::none) << blanks << end;
      }
    }
  }
}

TEST(Tokens, HandleLinesOfAnySizeInSequence) {
  Tokens tokens;
  for (const std::size_t size : {10U, 70'000U, 9'000'000U, 10U, 5'000'000U, 100U}) {
    std::string json = "[\"" + std::string(size, 'a') + "\"";
    while (json.size() < size + size / 8) json += ",1";
    EXPECT_EQ(verdict(tokens, Line(json + "]").text()), Flaw::none) << size;
    EXPECT_EQ(verdict(tokens, Line(json).text()), Flaw::malformed) << size;
  }
}

// A shallow index has the same marks as a full one, except inside the values of the record.
void expect_shallow_is_alike(std::string_view json) {
  const Line line(json);
  Tokens all;
  Tokens shallow;
  const bool is_json = verdict(all, line.text()) == Flaw::none;
  ASSERT_EQ(shallow.index_shallow(line.text()) == Ill::none, is_json) << json;
  if (!is_json) return;
  std::size_t i = 0;
  for (std::size_t at = 0; at < shallow.count(); ++at, ++i) {
    ASSERT_EQ(shallow.begin(at), all.begin(i)) << json;
    const char c = shallow.first(at);
    if (c != '{' && c != '[') {
      ASSERT_EQ(shallow.text(at), all.text(i)) << json;
    } else if (at > 0) {
      std::string_view text;
      std::string_view other;
      ASSERT_EQ(shallow.take(at, 1, text), Flaw::none) << json;
      ASSERT_EQ(all.take(i, 1, other), Flaw::none) << json;
      ASSERT_EQ(text, other);
      --at;
      --i;
    }
  }
  EXPECT_EQ(i, all.count());
  EXPECT_EQ(shallow.first(shallow.count()), '\n');
}

TEST(Tokens, ShallowIndexSkipsTheInsideOfValues) {
  for (const std::string_view json :
       {R"({"a":[1,{"b":"]\"}"}],"c" : {} , "d\\":[],"e":"x\\\"","f":12,"g":true })", "{}",
        " [ 1 ] ", R"({"a":"\\","b":{"c":{"d":"\\\\"}}})", "12", "\"x\"", R"({"a":1,})",
        R"({"a":"b)", "", "{\"a\":\"\xff\"}", "{\"a\":\"\x01\"}", R"({"a":[tru]})", "{} {}"}) {
    expect_shallow_is_alike(json);
  }
  Tokens tokens;
  const Line line("{\"a\":[" + std::string(1'000, '[') + std::string(1'000, ']') + "]}");
  EXPECT_EQ(tokens.index_shallow(line.text()), Ill::no_token) << "too deep";
}

RC_GTEST_PROP(Tokens, AgreeWithTheGrammarOnJsonLikeInput, ()) {
  static const std::vector<std::string> kParts{
      "{",        "}",       "[",        "]",
      ",",        ":",       "\"",       "\\",
      " ",        "\t",      "1",        "-0.5",
      "12345678", ".",       "e",        "true",
      "null",     "\"a\":",  "\"\\n\"",  "\\u0041",
      "\\ud83d",  "\\ude00", "\xc3\xa9", "\xc3",
      "a",        "{}",      "[1,2]",    "\"text of some length, without end\"",
      "\x01",     "\x0c",    "00",       "{\"k\":",
      "\"b\":[",  "0"};
  static const std::vector<std::string> kGood{
      R"({"a":1,"b":[1,2.5,{"c":"x\ny"}],"d":{"e":null},"f":"\u00e9\ud83d\ude00"})",
      R"([[],{},[{}],"\\",-1e5,true,false,12345678901234567890])",
      R"({"long key, longer than a vector's width":"and a value just as long \" \\ \/","z":0})"};
  std::string json = *rc::gen::elementOf(kGood);
  if (*rc::gen::inRange(0, 3) == 0) json.clear();
  for (int changes = *rc::gen::inRange(0, 7); changes > 0; --changes) {
    const auto at = *rc::gen::inRange<std::size_t>(0, json.size() + 1);
    json.replace(at, *rc::gen::inRange<std::size_t>(0, 4),
                 *rc::gen::inRange(0, 4) > 0 ? *rc::gen::elementOf(kParts) : "");
  }
  Tokens tokens;
  const Line line(json);
  const Flaw flaw = verdict(tokens, line.text());
  RC_LOG() << json << "\ntokens: " << name_of(flaw) << "\ncheck: " << name_of(check(json)) << '\n';
  RC_CLASSIFY(flaw == Flaw::none, "JSON");
  expect_shallow_is_alike(json);
  RC_ASSERT((flaw == Flaw::none) == (check(json) == Flaw::none && text::is_utf8(json)));
}

}  // namespace
}  // namespace tidemill::jsonl
