#include "tidemill/formats/text/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace tidemill::text {
namespace {

TEST(Utf8, WrittenCharactersReadBackUnchanged) {
  for (const char32_t code : {U'\0', U'\x7f', U'\x80', U'\u07ff', U'\u0800', U'\ud7ff', U'\ue000',
                              U'\uffff', U'\U00010000', U'\U0010ffff'}) {
    std::string text;
    append_utf8(code, text);
    const Character read = front_character(text);
    EXPECT_EQ(read.code, code);
    EXPECT_EQ(read.length, text.size());
  }
}

TEST(Utf8, AppendsToTheText) {
  std::string text = "a";
  append_utf8(U'é', text);
  EXPECT_EQ(text, "a\xc3\xa9");
}

}  // namespace
}  // namespace tidemill::text
