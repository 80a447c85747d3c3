// What a tokenizer.json of Hugging Face says, as far as it decides about counts.
//
// Read are files of one kind: a byte-level BPE model behind one of the patterns that we can cut by
// (those of GPT-2, GPT-4, GPT-4o, Llama 3, Qwen 2 and DeepSeek-V3), without a normalizer. That is
// how most open models are published. Whatever else a file asks for is refused by name, and so is
// a file that contradicts itself: a count is right, or there is none. A file may be hostile: its
// size and depth, the length of a token and the number of them are limited.
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

// How a text is cut into pieces.
enum class HfSplit : std::uint8_t { cl100k, qwen, o200k, gpt2, deepseek };

[[nodiscard]] std::string_view name_of(HfSplit split);

// A merge, as positions in HfFile::tokens.
struct HfMerge {
  std::uint32_t left = 0;
  std::uint32_t right = 0;
  std::uint32_t product = 0;
};

struct HfFile {
  HfSplit split = HfSplit::cl100k;
  // In bytes: the alphabet of the file is undone. Without those that no text can give.
  std::vector<std::string> tokens{};
  std::vector<HfMerge> merges{};  // the first one wins where several could be done
  bool ignores_merges = false;    // a piece that is a token is not taken apart
};

// Fails with step "tokenizer".
[[nodiscard]] Result<HfFile> read_hf_file(std::string_view json);

}  // namespace tidemill::tokens
