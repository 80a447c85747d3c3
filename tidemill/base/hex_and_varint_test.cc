#include <cstdint>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tidemill/base/hex.h"
#include "tidemill/base/varint.h"

namespace tidemill {
namespace {

TEST(Hex, EveryByteIsTwoDigits) {
  EXPECT_EQ(hex_of(std::string_view("\0\x0f\xf0\xff", 4)), "000ff0ff");
  EXPECT_EQ(hex_of(std::string_view()), "");
}

TEST(Hex, ParsesDigitsOfEitherCaseAndNothingElse) {
  for (unsigned value = 0; value < 16; ++value) EXPECT_EQ(hex_value(kHexDigits[value]), value);
  EXPECT_EQ(hex_value('F'), 15U);
  for (const char other : {'/', ':', '@', 'G', '`', 'g', '\0', '\xff'})
    EXPECT_FALSE(hex_value(other));
}

RC_GTEST_PROP(Varint, TakesExactlyTheAppendedNumber,
              (std::uint64_t number, const std::string& rest)) {
  std::string bytes;
  append_varint(bytes, number);
  const std::size_t length = bytes.size();
  bytes += rest;
  std::string_view left = bytes;
  RC_ASSERT(take_varint(left) == number);
  RC_ASSERT(left == rest);
  std::string_view cut = std::string_view(bytes).substr(0, length - 1);
  RC_ASSERT(!take_varint(cut).has_value());
}

TEST(Varint, RejectsAnUnterminatedNumber) {
  const std::string bytes(11, '\x80');
  std::string_view left = bytes;
  EXPECT_FALSE(take_varint(left).has_value());
}

TEST(Varint, TheLargestNumberTakesTenBytes) {
  std::string bytes;
  append_varint(bytes, UINT64_MAX);
  EXPECT_EQ(bytes.size(), 10U);
}

}  // namespace
}  // namespace tidemill
