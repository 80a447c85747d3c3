#include "tidemill/formats/jsonl/tree.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace tidemill::jsonl {
namespace {

using namespace std::string_literals;  // NOLINT: strings that hold a NUL

Json parsed(std::string_view text) {
  auto json = Json::parse(text);
  EXPECT_TRUE(json.has_value()) << (json ? "" : json.error().reason);
  return json.value_or(Json());
}

bool is_refused(std::string_view text) {
  const auto json = Json::parse(text);
  return !json && json.error().step == "json" && json.error().cure == Cure::give_up &&
         !json.error().reason.empty();
}

TEST(Json, ReturnsValuesOfTheRequestedTypeOnly) {
  const Json json = parsed(R"({"a": [1, "two", true, null, 3.5, {}], "b": {"c": "d"}})");
  ASSERT_TRUE(json.is_object());
  const auto items = json["a"].items();
  ASSERT_EQ(items.size(), 6U);
  EXPECT_EQ(items[0].whole(), 1);
  EXPECT_EQ(items[0].number(), 1.0);
  EXPECT_EQ(items[1].text(), "two");
  EXPECT_TRUE(items[1].is_text());
  EXPECT_EQ(items[2].truth(), true);
  EXPECT_TRUE(items[3].is_null());
  EXPECT_EQ(items[4].number(), 3.5);
  EXPECT_EQ(items[4].whole(), std::nullopt);
  EXPECT_TRUE(items[5].is_object());
  EXPECT_EQ(json["b"]["c"].text(), "d");

  EXPECT_TRUE(json["none"]["of"]["this"].is_null());
  EXPECT_TRUE(json.items().empty());
  EXPECT_EQ(json.text(), "");
  EXPECT_EQ(json["b"].number(), std::nullopt);
  EXPECT_EQ(items[1].whole(), std::nullopt);
  EXPECT_EQ(items[0].truth(), std::nullopt);
  EXPECT_TRUE(items[1]["key"].is_null());
}

TEST(Json, UsesTheFirstValueOfADuplicateKey) {
  EXPECT_EQ(parsed(R"({"a": 1, "a": 2})")["a"].whole(), 1);
}

TEST(Json, StringsMayHoldAnyCharacter) {
  const Json json = parsed(R"({"a\u0000b": "x\u0000\ud83d\ude00\n"})");
  EXPECT_EQ(json["a\0b"s].text(), "x\0\xf0\x9f\x98\x80\n"s);
}

TEST(Json, IntegersBeyondInt64AreDoubles) {
  EXPECT_EQ(parsed("9223372036854775807").whole(), INT64_MAX);
  EXPECT_EQ(parsed("-9223372036854775808").whole(), INT64_MIN);
  for (const char* const text :
       {"9223372036854775808", "18446744073709551615", "123456789012345678901234567890"}) {
    EXPECT_EQ(parsed(text).whole(), std::nullopt) << text;
    EXPECT_EQ(parsed(text).number(), std::stod(text));
  }
  const Json json = parsed(R"({"\"99999999999999999999": [-99999999999999999999, 1.5e1]})");
  const auto items = json["\"99999999999999999999"].items();
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].number(), -1e20);
  EXPECT_EQ(items[1].whole(), 15);
  EXPECT_EQ(parsed("3.0").whole(), 3);
  EXPECT_EQ(parsed("1e300").whole(), std::nullopt);
}

TEST(Json, RejectsInvalidJson) {
  for (const std::string_view text :
       {"", " ", "{", "[1,]", "{\"a\":1,}", "1 2", "{} {}", "nul", "'a'", "\"a", "01", "1e999",
        "<html>", "\"\xff\"", "\"a\nb\"", "00000000000000000000000", "99999999999999999999x"}) {
    EXPECT_TRUE(is_refused(text)) << text;
  }
}

TEST(Json, LimitsTheNestingDepth) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  Json json = parsed(nested(512));
  for (int i = 0; i < 511; ++i) {
    ASSERT_EQ(json.items().size(), 1U) << i;
    json = Json(json.items()[0]);
  }
  EXPECT_TRUE(json.is_array());
  EXPECT_TRUE(is_refused(nested(513)));
  EXPECT_TRUE(is_refused(std::string(1 << 20, '[')));
}

TEST(Json, RejectsTooManyValues) {
  std::string text = "[1";
  for (int i = 1; i < 499'999; ++i) text += ",1";
  EXPECT_EQ(parsed(text + "]").items().size(), 499'999U);
  EXPECT_TRUE(is_refused(text + ",1]"));
}

TEST(Json, CopiesDeeplyAndMoves) {
  Json json = parsed(R"({"a": ["b"]})");
  const Json copy = json;
  const Json moved = std::move(json);
  EXPECT_EQ(copy["a"].items()[0].text(), "b");
  EXPECT_EQ(moved["a"].items()[0].text(), "b");
}

}  // namespace
}  // namespace tidemill::jsonl
