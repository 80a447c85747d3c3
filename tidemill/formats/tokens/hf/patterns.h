// The patterns of published files, letter by letter, and what cuts a text as they do. A pattern
// that is not here is not understood: nothing in this program runs a regular expression over texts.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "tidemill/formats/tokens/hf/file.h"

namespace tidemill::tokens {

// What ByteLevel splits by when nobody else does.
inline constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

// `patterns`: of the steps that split, in their order. Each is what a step isolates.
[[nodiscard]] std::optional<HfSplit> split_of(std::span<const std::string_view> patterns);

}  // namespace tidemill::tokens
