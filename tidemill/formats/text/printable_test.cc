#include "tidemill/formats/text/printable.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tidemill/formats/text/columns.h"
#include "tidemill/formats/text/utf8.h"

namespace tidemill::text {
namespace {

// Favours difficult input: control characters, parts of characters, existing escapes.
std::string any_name() {
  static const std::vector<std::string> parts = {"a",
                                                 "/",
                                                 "\\",
                                                 "x",
                                                 "u{",
                                                 "}",
                                                 "1b",
                                                 "n",
                                                 "\n",
                                                 "\t",
                                                 "\r",
                                                 "\x1b",
                                                 "\x7f",
                                                 "\x80",
                                                 "\xff",
                                                 "\xc3",
                                                 "\xa9",
                                                 "é",
                                                 "e\u0301",
                                                 "漢",
                                                 "😀",
                                                 "❤\uFE0F",
                                                 "\u202e",
                                                 "\u2066",
                                                 "\u200e",
                                                 "\u061c",
                                                 "\u2028",
                                                 "\u200d",
                                                 "\uFEFF",
                                                 "\u0085",
                                                 "\u009b",
                                                 "\u0301",
                                                 "\\x1b",
                                                 "\\n",
                                                 "\\u{202e}",
                                                 "\xed\xa0\x80",
                                                 "\xf4\x90\x80\x80",
                                                 "\xc0\xaf",
                                                 "\U000E0041",
                                                 "…"};
  auto name = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(parts));
  std::string joined;
  for (const auto& part : name) joined += part;
  joined += *rc::gen::arbitrary<std::string>();
  return joined;
}

// Reverses printable(), written from the specification in the header.
std::string unescaped(std::string_view text) {
  std::string out;
  const auto utf8 = [&](unsigned long code) {
    if (code < 0x800) {
      out += static_cast<char>(0xc0 | code >> 6);
    } else if (code < 0x10000) {
      out += static_cast<char>(0xe0 | code >> 12);
      out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    } else {
      out += static_cast<char>(0xf0 | code >> 18);
      out += static_cast<char>(0x80 | (code >> 12 & 0x3f));
      out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    }
    out += static_cast<char>(0x80 | (code & 0x3f));
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    const char kind = text[++i];
    if (kind == 'x') {
      out += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else if (kind == 'u') {
      const auto end = text.find('}', i);
      utf8(std::stoul(std::string(text.substr(i + 2, end - i - 2)), nullptr, 16));
      i = end;
    } else {
      out += kind == 'n' ? '\n' : kind == 't' ? '\t' : kind == 'r' ? '\r' : kind;
    }
  }
  return out;
}

bool is_harmless(std::string_view text) {
  return is_utf8(text) &&
         std::ranges::none_of(text, [](char c) { return (c >= 0 && c < 0x20) || c == 0x7f; });
}

TEST(Printable, LeavesReadableTextUnchanged) {
  for (const std::string name : {"", "a b.txt", "Ünïcödé", "e\u0301", "漢字", "😀", "…", "\"'$*"}) {
    EXPECT_EQ(printable(name), name);
  }
}

TEST(Printable, EscapesControlsAndTheBackslash) {
  EXPECT_EQ(printable("a\nb\tc\rd\\e"), "a\\nb\\tc\\rd\\\\e");
  EXPECT_EQ(printable("\x1b[2J\x7f\x01"), "\\x1b[2J\\x7f\\x01");
  EXPECT_EQ(printable(std::string(1, '\0')), "\\x00");
  EXPECT_EQ(printable("\u0085\u009b"), "\\u{85}\\u{9b}");
}

TEST(Printable, EscapesInvalidUtf8) {
  EXPECT_EQ(printable("\xff|\xc3|\x80"), "\\xff|\\xc3|\\x80");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // half a surrogate pair
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");                    // an overlong slash
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
}

TEST(Printable, EscapesInvisibleCharacters) {
  EXPECT_EQ(printable("\u202e\u202a\u2066\u2069"), "\\u{202e}\\u{202a}\\u{2066}\\u{2069}");
  EXPECT_EQ(printable("\u200e\u200f\u061c"), "\\u{200e}\\u{200f}\\u{61c}");
  EXPECT_EQ(printable("\u2028\u2029\u200d\u200b"), "\\u{2028}\\u{2029}\\u{200d}\\u{200b}");
  EXPECT_EQ(printable("\uFEFF\U000E0041"), "\\u{feff}\\u{e0041}");
}

RC_GTEST_PROP(Printable, IsOneLineOfUtf8WithoutControls, ()) {
  RC_ASSERT(is_harmless(printable(any_name())));
}

RC_GTEST_PROP(Printable, IsReversibleSoDistinctNamesNeverLookTheSame, ()) {
  const auto name = any_name();
  RC_ASSERT(unescaped(printable(name)) == name);
}

TEST(Fit, KeepsShortNamesAndShortensLongNamesInTheMiddle) {
  EXPECT_EQ(fit("short.txt", 9), "short.txt");
  EXPECT_EQ(fit("0123456789", 9), "0123…6789");
  EXPECT_EQ(fit("0123456789", 8), "012…6789");
  EXPECT_EQ(fit("0123456789", 2), "…9");
  EXPECT_EQ(fit("0123456789", 1), "…");
  EXPECT_EQ(fit("0123456789", 0), "");
}

TEST(Fit, CountsColumnsAndNotBytes) {
  EXPECT_EQ(fit("ééééé", 5), "ééééé");
  EXPECT_EQ(fit("漢字漢字", 8), "漢字漢字");
  EXPECT_EQ(fit("漢字漢字", 7), "漢…漢字");
}

TEST(Fit, DoesNotSplitEscapesOrCombiningMarks) {
  EXPECT_EQ(fit("abc\x1b\x1b\x1bxyz", 10), "abc…xyz");
  EXPECT_EQ(fit("aaae\u0301bbbbb", 4), "a…bb");
  EXPECT_EQ(fit("abe\u0301cdefg", 7), "abe\u0301…efg");
  EXPECT_EQ(fit("abcdefge\u0301", 3), "a…e\u0301");
}

RC_GTEST_PROP(Fit, NeverExceedsTheWidth, ()) {
  const auto name = any_name();
  const auto width = *rc::gen::inRange<std::size_t>(0, 60);
  const auto text = fit(name, width);
  RC_ASSERT(columns(text) <= width);
  RC_ASSERT(is_harmless(text));
  const auto whole = printable(name);
  if (columns(whole) <= width) RC_ASSERT(text == whole);
  // At most the width of one cluster stays unused: no cluster is wider than an escape.
  if (columns(whole) > width) RC_ASSERT(columns(text) + 20 > width);
}

TEST(Columns, CountsCombiningMarksAndWideCharacters) {
  EXPECT_EQ(columns(U'a'), 1U);
  EXPECT_EQ(columns(U'\u0301'), 0U);
  EXPECT_EQ(columns(U'漢'), 2U);
  EXPECT_EQ(columns(U'Ａ'), 2U);
  EXPECT_EQ(columns(U'한'), 2U);
  EXPECT_EQ(columns(U'😀'), 2U);
  EXPECT_EQ(columns(U'\U00020000'), 2U);
  EXPECT_EQ(columns(U'…'), 1U);
  EXPECT_EQ(columns("a\xff漢"), 4U);
}

}  // namespace
}  // namespace tidemill::text
