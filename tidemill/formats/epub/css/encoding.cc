#include "tidemill/formats/epub/css/encoding.h"

#include <array>
#include <cstdint>
#include <utility>

#include "tidemill/formats/epub/words.h"
#include "tidemill/formats/text/utf8.h"

namespace tidemill::epub {
namespace {

using Mark = std::pair<std::string_view, std::string_view>;
constexpr std::array kMarks = {
    Mark{"utf-32be", std::string_view("\0\0\xFE\xFF", 4)},
    Mark{"utf-32le", std::string_view("\xFF\xFE\0\0", 4)},
    Mark{"utf-8", std::string_view("\xEF\xBB\xBF", 3)},
    Mark{"utf-16be", std::string_view("\xFE\xFF", 2)},
    Mark{"utf-16le", std::string_view("\xFF\xFE", 2)},
};

bool is_character(std::uint32_t point) {
  return point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
}

std::uint32_t unit_at(std::string_view bytes, std::size_t at, std::size_t width, bool is_big) {
  std::uint32_t unit = 0;
  for (std::size_t i = 0; i < width; ++i) {
    const std::size_t place = is_big ? at + i : at + width - 1 - i;
    unit = unit << 8U | static_cast<unsigned char>(bytes[place]);
  }
  return unit;
}

std::string transcoded(std::string_view bytes, std::size_t width, bool is_big) {
  std::string out;
  for (std::size_t at = 0; at + width <= bytes.size(); at += width) {
    std::uint32_t point = unit_at(bytes, at, width, is_big);
    const bool is_high = width == 2 && point >= 0xD800 && point < 0xDC00;
    if (is_high && at + 4 <= bytes.size()) {
      const std::uint32_t low = unit_at(bytes, at + 2, 2, is_big);
      if (low >= 0xDC00 && low < 0xE000) {
        point = 0x10000 + ((point - 0xD800) << 10U) + (low - 0xDC00);
        at += 2;
      }
    }
    text::append_utf8(is_character(point) ? point : 0xFFFD, out);
  }
  return out;
}

}  // namespace

CssEncoding encoding_of_css(std::string_view bytes) {
  for (const auto& [name, mark] : kMarks) {
    if (bytes.starts_with(mark)) return {.name = std::string(name), .mark = mark.size()};
  }
  constexpr std::string_view kRule = "@charset";
  if (!bytes.starts_with(kRule)) return {};
  const std::string_view head = bytes.substr(0, 256);
  const auto open = head.find_first_of("\"'", kRule.size());
  const auto stop = head.find_first_of(";{}", kRule.size());
  if (open == std::string_view::npos || stop < open) return {};
  const auto close = head.find_first_of("\"'", open + 1);
  if (close == std::string_view::npos || close == open + 1) return {};
  return {.name = lowered(head.substr(open + 1, close - open - 1))};
}

std::string utf8_of_css(std::string_view bytes, const CssEncoding& encoding) {
  const std::string_view text = bytes.substr(encoding.mark);
  if (encoding.mark == 2) return transcoded(text, 2, encoding.name == "utf-16be");
  if (encoding.mark == 4) return transcoded(text, 4, encoding.name == "utf-32be");
  return std::string(text);
}

}  // namespace tidemill::epub
