#include "tidemill/formats/text/json.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <nlohmann/json.hpp>

#include "tidemill/formats/text/utf8.h"

namespace tidemill::text {
namespace {

using nlohmann::json;

std::string any_text() {
  const auto codes = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::oneOf(
      rc::gen::inRange<std::uint32_t>(0, 0x90), rc::gen::inRange<std::uint32_t>(0x90, 0xd800),
      rc::gen::inRange<std::uint32_t>(0xe000, 0x110000)));
  std::string text;
  for (const auto code : codes) {
    const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
    const std::uint32_t low = 0x80 | (code & 0x3f);
    if (code < 0x80) {
      put(code);
    } else if (code < 0x800) {
      put(0xc0 | code >> 6), put(low);
    } else if (code < 0x10000) {
      put(0xe0 | code >> 12), put(0x80 | (code >> 6 & 0x3f)), put(low);
    } else {
      put(0xf0 | code >> 18), put(0x80 | (code >> 12 & 0x3f)), put(0x80 | (code >> 6 & 0x3f));
      put(low);
    }
  }
  return text;
}

double any_double() {
  const auto bits = *rc::gen::arbitrary<std::uint64_t>();
  const auto scaled = static_cast<double>(bits) * std::pow(10.0, *rc::gen::inRange(-300, 280));
  return *rc::gen::element(scaled, -scaled, static_cast<double>(bits),
                           0.1 * static_cast<double>(bits), 0.0, 5e-324,
                           std::numeric_limits<double>::max());
}

json any_value(int depth) {
  switch (*rc::gen::inRange(0, depth > 0 ? 8 : 6)) {
    case 0:
      return nullptr;
    case 1:
      return *rc::gen::arbitrary<bool>();
    case 2:
      return *rc::gen::arbitrary<std::int64_t>();
    case 3:
      return *rc::gen::arbitrary<std::uint64_t>();
    case 4:
      return any_double();
    case 5:
      return any_text();
    case 6: {
      json array = json::array();
      for (int i = *rc::gen::inRange(0, 5); i > 0; --i) array.push_back(any_value(depth - 1));
      return array;
    }
    default: {
      json object = json::object();
      for (int i = *rc::gen::inRange(0, 5); i > 0; --i) object[any_text()] = any_value(depth - 1);
      return object;
    }
  }
}

void write(JsonWriter& writer, const json& value) {
  if (value.is_object()) {
    writer.begin_object();
    for (const auto& [name, member] : value.items()) write(writer.key(name), member);
    writer.end_object();
  } else if (value.is_array()) {
    writer.begin_array();
    for (const auto& element : value) write(writer, element);
    writer.end_array();
  } else if (value.is_string()) {
    writer.value(value.get<std::string>());
  } else if (value.is_boolean()) {
    writer.value(value.get<bool>());
  } else if (value.is_number_float()) {
    writer.value(value.get<double>());
  } else if (value.is_number_unsigned()) {
    writer.value(value.get<std::uint64_t>());
  } else if (value.is_number()) {
    writer.value(value.get<std::int64_t>());
  } else {
    writer.value(nullptr);
  }
}

RC_GTEST_PROP(Json, RoundTripsThroughAnotherLibrary, ()) {
  const json value = any_value(3);
  std::string text;
  JsonWriter writer(text);
  write(writer, value);
  RC_ASSERT(writer.is_complete());
  const json back = json::parse(text);  // throws if it is invalid
  RC_ASSERT(back == value);
  for (const char c : text) RC_ASSERT(c < 0 || (c >= 0x20 && c != 0x7f));  // one line
}

RC_GTEST_PROP(Json, WritesAnyBytesAsTextOrBase64, (const std::string& bytes)) {
  std::string text;
  JsonWriter(text).begin_object().bytes("path", bytes).end_object();
  const json back = json::parse(text);
  RC_ASSERT(back.size() == 1U);
  RC_ASSERT(back.contains(is_utf8(bytes) ? "path" : "pathBase64"));
  if (is_utf8(bytes)) RC_ASSERT(back["path"] == bytes);
}

TEST(Json, WritesOneLine) {
  std::string text = "x ";
  JsonWriter writer(text);
  EXPECT_FALSE(writer.is_complete());
  writer.begin_object().key("a").value(1).key("b").begin_array().value(-2).value(0.1).value(true);
  writer.value(nullptr).value("q\"\\\n\x1b").end_array().key("c").begin_object().end_object();
  EXPECT_FALSE(writer.is_complete());
  writer.bytes("path", "a\xff").end_object();
  EXPECT_TRUE(writer.is_complete());
  EXPECT_EQ(text, R"(x {"a":1,"b":[-2,0.1,true,null,"q\"\\\n\u001b"],"c":{},"pathBase64":"Yf8="})");
}

#ifdef NDEBUG
TEST(Json, StaysValidWhenMisused) {
  std::string text;
  JsonWriter(text).begin_array().value(std::nan("")).value("a\xff").end_array();
  EXPECT_EQ(text, "[null,\"a\xEF\xBF\xBD\"]");
}
#else
TEST(JsonDeathTest, AssertsOnMisuse) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  std::string text;
  EXPECT_DEATH(JsonWriter(text).begin_object().value(1), "without a key");
  EXPECT_DEATH(JsonWriter(text).begin_array().key("a"), "outside of an object");
  EXPECT_DEATH(JsonWriter(text).begin_object().key("a").key("b"), "two keys");
  EXPECT_DEATH(JsonWriter(text).begin_object().key("a").end_object(), "without a value");
  EXPECT_DEATH(JsonWriter(text).begin_object().end_array(), "without a beginning");
  EXPECT_DEATH(JsonWriter(text).end_array(), "without a beginning");
  EXPECT_DEATH(JsonWriter(text).value(1).value(2), "second value");
  EXPECT_DEATH(JsonWriter(text).value(std::nan("")), "not finite");
  EXPECT_DEATH(JsonWriter(text).value("\xff"), "no UTF-8");
}
#endif

}  // namespace
}  // namespace tidemill::text
