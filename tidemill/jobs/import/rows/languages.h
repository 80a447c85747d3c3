// Languages: the codes that distinguish an object with a text in several languages from others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace tidemill::import {

inline constexpr std::string_view kLanguages[] = {"de", "en", "es", "fr", "it",
                                                  "ja", "ko", "pt", "ru", "zh"};

// "en", and with a region: "en-us", "zh-CN".
[[nodiscard]] constexpr bool is_language(std::string_view key) {
  if (key.size() != 2 && (key.size() != 5 || key[2] != '-')) return false;
  return std::ranges::find(kLanguages, key.substr(0, 2)) != std::end(kLanguages);
}

[[nodiscard]] constexpr std::uint32_t language_bit(std::string_view key) {
  const auto found = std::ranges::find(kLanguages, key.substr(0, 2));
  if (found == std::end(kLanguages)) return 0;
  return std::uint32_t{1} << static_cast<unsigned>(found - std::begin(kLanguages));
}

}  // namespace tidemill::import
