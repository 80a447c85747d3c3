// Reads the parts of a Hugging Face tokenizer.json that affect token counts.
//
// Supported are files with a byte-level BPE model, one of the known split patterns (those of GPT-2,
// GPT-4, GPT-4o, Llama 3, Qwen 2 and DeepSeek-V3) and no normalizer. Most open models are published
// like that. Any other feature is refused by name, and so is a file that contradicts itself: a
// count is either exact or refused. A file may be hostile: its size and depth, and the length and
// number of tokens, are limited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/bytes.h"
#include "tidemill/base/result.h"

namespace tidemill::tokens {

inline constexpr Bytes kLargestHfFile = mib(64);

// How a text is split into pieces.
enum class HfSplit : std::uint8_t { cl100k, qwen, o200k, gpt2, deepseek };

[[nodiscard]] std::string_view name_of(HfSplit split);

// A merge; the members are indices into HfFile::tokens.
struct HfMerge {
  std::uint32_t left = 0;
  std::uint32_t right = 0;
  std::uint32_t product = 0;
};

struct HfFile {
  HfSplit split = HfSplit::cl100k;
  // The bytes of each token, decoded from the alphabet of the file. Without tokens that cannot
  // occur in a text.
  std::vector<std::string> tokens{};
  std::vector<HfMerge> merges{};  // in order of priority
  bool ignores_merges = false;    // a piece that is a token is not merged from bytes
};

// Fails with step "tokenizer".
[[nodiscard]] Result<HfFile> read_hf_file(std::string_view json);

}  // namespace tidemill::tokens
