#include "tidemill/formats/jsonl/grammar.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <simdjson.h>

namespace tidemill::jsonl {
namespace {

TEST(Grammar, AcceptsValidJson) {
  for (const std::string_view json :
       {"{}", "[]", " [ ] ", "\"\"", "0", "-0", "1.5e+3", "10E-2", "true", "false", "null",
        "\t{ \"a\" : [ 1 , {\"b\":null} , \"\\u00e9\\ud83d\\ude00\\/\\\"\" ] }\r\n",
        "{\"\":{\"\":[[],{}]}}", "[{\"a\":1},[[],2]]", "{\"a\":[],\"b\":{\"c\":{},\"d\":1}}",
        "123456789012345678901234567890", "1e999",
        "\"sixteen bytes of text and then some more, so that all ways are gone\""}) {
    EXPECT_EQ(check(json), Flaw::none) << json;
  }
}

TEST(Grammar, ReportsTheKindOfFlaw) {
  const std::vector<std::pair<std::string_view, Flaw>> all{
      {"", Flaw::malformed},
      {" ", Flaw::malformed},
      {"{\"a\":[1 2,tru]}", Flaw::malformed},
      {"[1,]", Flaw::malformed},
      {"[,1]", Flaw::malformed},
      {"{\"a\":1,}", Flaw::malformed},
      {"{\"a\"}", Flaw::malformed},
      {"{\"a\" 1}", Flaw::malformed},
      {"{a:1}", Flaw::malformed},
      {"{1:1}", Flaw::malformed},
      {"[1}", Flaw::malformed},
      {"{\"a\":1]", Flaw::malformed},
      {"[[1]", Flaw::malformed},
      {"}", Flaw::malformed},
      {"tru", Flaw::malformed},
      {"nulll", Flaw::malformed},
      {"'a'", Flaw::malformed},
      {"\"abc", Flaw::malformed},
      {"\"a\tb\"", Flaw::malformed},
      {"\"seventeen bytes \t and more of them\"", Flaw::malformed},
      {"// x\n1", Flaw::malformed},
      {"\"\\x\"", Flaw::bad_escape},
      {"\"\\u12g4\"", Flaw::bad_escape},
      {"\"\\u123\"", Flaw::bad_escape},
      {"\"\\", Flaw::bad_escape},
      {"{\"\\'\":1}", Flaw::bad_escape},
      {"\"\\ud83d\\uzzzz\"", Flaw::bad_escape},
      {"\"\\ud83d\"", Flaw::lone_surrogate},
      {"\"\\ude00\"", Flaw::lone_surrogate},
      {"\"\\ude00\\ude00\"", Flaw::lone_surrogate},
      {"\"\\ud83d\\u0041\"", Flaw::lone_surrogate},
      {"\"\\ud83d\\ud83d\\ude00\"", Flaw::lone_surrogate},
      {"[01]", Flaw::bad_number},
      {"[-01]", Flaw::bad_number},
      {"1.", Flaw::bad_number},
      {"1.e5", Flaw::bad_number},
      {".5", Flaw::bad_number},
      {"+1", Flaw::bad_number},
      {"-", Flaw::bad_number},
      {"1e", Flaw::bad_number},
      {"1e+", Flaw::bad_number},
      {"0x10", Flaw::bad_number},
      {"1_000", Flaw::bad_number},
      {"NaN", Flaw::bad_number},
      {"[-Infinity]", Flaw::bad_number},
      {"{} {}", Flaw::trailing},
      {"1 2", Flaw::trailing},
      {"[1]]", Flaw::trailing},
      {"\"a\",", Flaw::trailing},
  };
  for (const auto& [json, flaw] : all) EXPECT_EQ(name_of(check(json)), name_of(flaw)) << json;
}

TEST(Grammar, ChecksStringContents) {
  EXPECT_EQ(check_string(""), Flaw::none);
  EXPECT_EQ(check_string("a\\n\\ud83d\\ude00"), Flaw::none);
  EXPECT_EQ(check_string("a\"b"), Flaw::malformed);
  EXPECT_EQ(check_string("a\\"), Flaw::bad_escape);
  EXPECT_EQ(check_string("\\ud83d"), Flaw::lone_surrogate);
}

std::string nested(std::size_t levels, std::string_view opening, std::string_view closing) {
  std::string json;
  for (std::size_t i = 0; i < levels; ++i) json += opening;
  json += "1";
  for (std::size_t i = 0; i < levels; ++i) json += closing;
  return json;
}

TEST(Grammar, LimitsTheNestingDepthIncludingOuterLevels) {
  for (const auto& [opening, closing] :
       {std::pair("[", "]"), std::pair("{\"a\":", "}"), std::pair("[{\"a\":[2,", "]}]")}) {
    const std::size_t levels = std::string_view(closing).size();
    const std::size_t most = kDeepest / levels;
    EXPECT_EQ(check(nested(most, opening, closing)), Flaw::none);
    EXPECT_EQ(check(nested(most + 1, opening, closing)), Flaw::too_deep);
  }
  EXPECT_EQ(check("[[]]", kDeepest - 2), Flaw::none);
  EXPECT_EQ(check("[[]]", kDeepest - 1), Flaw::too_deep);
  EXPECT_EQ(check("1", kDeepest), Flaw::none);
  EXPECT_EQ(check("[]", kDeepest + 1), Flaw::too_deep);
  EXPECT_EQ(check(std::string(1'000'000, '[')), Flaw::too_deep);
}

// Generates JSON from any bytes.
class Author {
 public:
  explicit Author(std::span<const std::uint8_t> dice) : dice_(dice) {}

  void write_value(std::string& out, int depth = 0) {
    const unsigned kind = roll(depth < 6 ? 12U : 8U);
    if (kind >= 8) {
      write_many(out, depth, kind >= 10);
    } else if (kind >= 6) {
      write_string(out);
    } else {
      static constexpr std::string_view kScalars[] = {"true", "null", "-0.5e3",
                                                      "12",   "0",    "1234567.25"};
      out += kScalars[kind];
    }
    blank(out);
  }

 private:
  unsigned roll(unsigned sides) {
    if (at_ == dice_.size()) return 0;
    return dice_[at_++] % sides;
  }
  void blank(std::string& out) {
    if (roll(4) == 3) out += " \t\n\r"[roll(4)];
  }
  void write_string(std::string& out) {
    static constexpr std::string_view kParts[] = {
        "a",       "twenty bytes of text", "\\n",     "\\\"", "\\\\",
        "\\u00e9", "\\ud83d\\ude00",       "\xc3\xa9"};
    out += '"';
    for (unsigned parts = roll(5); parts > 0; --parts) out += kParts[roll(8)];
    out += '"';
  }
  void write_many(std::string& out, int depth, bool is_object) {
    out += is_object ? '{' : '[';
    blank(out);
    const unsigned many = roll(4);
    for (unsigned i = 0; i < many; ++i) {
      if (i > 0) out += ',';
      blank(out);
      if (is_object) {
        write_string(out);
        blank(out);
        out += ':';
      }
      write_value(out, depth + 1);
    }
    out += is_object ? '}' : ']';
  }

  std::span<const std::uint8_t> dice_;
  std::size_t at_ = 0;
};

// simdjson rejects numbers that fit none of its types, although they are valid JSON.
bool has_big_number(std::string_view json) {
  std::size_t digits = 0;
  for (const char c : json) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > 18 || c == 'e' || c == 'E') return true;
  }
  return false;
}

// simdjson's DOM parser checks everything, including UTF-8, which grammar does not check.
RC_GTEST_PROP(Grammar, AgreesWithSimdjsonOnJsonLikeInput, ()) {
  const auto bytes = rc::gen::scale(
      3, rc::gen::container<std::vector<std::uint8_t>>(rc::gen::arbitrary<std::uint8_t>()));
  const std::vector<std::uint8_t> dice = *bytes;
  std::string json;
  Author(dice).write_value(json);
  RC_ASSERT(check(json) == Flaw::none);
  static const std::string signs = "{}[],:\"\\/ \n\t01-+.eEuabdtrfn\x1f\xc3";
  for (int changes = *rc::gen::inRange(0, 4); changes > 0; --changes) {
    const auto at = *rc::gen::inRange<std::size_t>(0, json.size() + 1);
    const std::size_t removed = *rc::gen::inRange<std::size_t>(0, 3);
    const std::string added =
        *rc::gen::resize(2, rc::gen::container<std::string>(rc::gen::elementOf(signs)));
    json.replace(at, removed, added);
  }
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  const simdjson::error_code error = parser.parse(json).get(root);
  const Flaw flaw = check(json);
  RC_LOG() << json << "\nours: " << name_of(flaw)
           << "\nsimdjson: " << simdjson::error_message(error) << '\n';
  RC_CLASSIFY(flaw == Flaw::none, "JSON");
  RC_PRE(error != simdjson::UTF8_ERROR);
  if (error == simdjson::NUMBER_ERROR && has_big_number(json)) return;
  RC_ASSERT((flaw == Flaw::none) == (error == simdjson::SUCCESS));
}

}  // namespace
}  // namespace tidemill::jsonl
