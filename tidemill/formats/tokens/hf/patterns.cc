#include "tidemill/formats/tokens/hf/patterns.h"

#include <algorithm>
#include <array>

namespace tidemill::tokens {
namespace {

constexpr std::string_view kCl100k =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)";

constexpr std::string_view kQwen =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)";

constexpr std::string_view kO200k =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

// The published file has line ends themselves where others have \r and \n.
constexpr std::array<std::string_view, 3> kDeepseek = {
    R"(\p{N}{1,3})", "[一-龥\u3040-ゟ゠-ヿ]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|"
    "[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|"
    "\\s*[\r\n]+|\\s+(?!\\S)|\\s+"};

}  // namespace

std::string_view name_of(HfSplit split) {
  switch (split) {
    case HfSplit::cl100k:
      return "cl100k";
    case HfSplit::qwen:
      return "qwen";
    case HfSplit::o200k:
      return "o200k";
    case HfSplit::gpt2:
      return "gpt2";
    case HfSplit::deepseek:
      return "deepseek";
  }
  return "unknown";
}

std::optional<HfSplit> split_of(std::span<const std::string_view> patterns) {
  if (std::ranges::equal(patterns, kDeepseek)) return HfSplit::deepseek;
  if (patterns.size() != 1) return std::nullopt;
  if (patterns[0] == kCl100k) return HfSplit::cl100k;
  if (patterns[0] == kQwen) return HfSplit::qwen;
  if (patterns[0] == kO200k) return HfSplit::o200k;
  if (patterns[0] == kGpt2Pattern) return HfSplit::gpt2;
  return std::nullopt;
}

}  // namespace tidemill::tokens
