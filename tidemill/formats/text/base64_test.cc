#include "tidemill/formats/text/base64.h"

#include <cstddef>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace tidemill::text {
namespace {

TEST(Base64, MatchesTheRfcTestVectors) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe\xfb"), "//77");
  EXPECT_EQ(base64(std::string(3, '\0')), "AAAA");
}

RC_GTEST_PROP(Base64, ReadsBackAsTheSameBytes, (const std::string& bytes)) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::string coded = base64(bytes);
  RC_ASSERT(coded.size() == (bytes.size() + 2) / 3 * 4);
  std::string back;
  unsigned bits = 0;
  std::size_t count = 0;
  for (const char digit : coded) {
    if (digit == '=') break;
    bits = (bits << 6U | static_cast<unsigned>(digits.find(digit))) & 0xffffU;
    count += 6;
    if (count >= 8) {
      count -= 8;
      back += static_cast<char>(bits >> count & 0xffU);
    }
  }
  RC_ASSERT(back == bytes);
}

}  // namespace
}  // namespace tidemill::text
