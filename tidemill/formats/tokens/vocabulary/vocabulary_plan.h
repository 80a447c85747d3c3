// VocabularyPlan: what a vocabulary is made from, and the image of a table that it becomes.
//
// Tokens are numbered in the order of merging: first the 256 bytes, then what each merge makes. A
// merge that can never happen, because earlier ones always spoil it, is left out; so is one whose
// product an earlier merge makes already. See vocabulary.h for what is in an image.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"

namespace tidemill::tokens {

struct Merge {
  std::string left{};
  std::string right{};
};

struct VocabularyPlan {
  std::vector<Merge> merges{};  // the first one wins where several could be done
  // Pieces that are one token as they stand, without any merging: tiktoken, and Hugging Face files
  // with `ignore_merges`, look the whole piece up first.
  std::vector<std::string> whole_pieces{};
};

// Of a rank file as tiktoken has it: lines of a token in base64, a blank and its rank. Fails (step
// "tokenizer") when it is no such file, or when a byte has no token.
[[nodiscard]] Result<VocabularyPlan> plan_of_ranks(std::string_view rank_file);

// Fails (step "tokenizer") when a token is longer than 1,024 bytes, there are more than a million,
// or a merge joins what is no token.
[[nodiscard]] Result<std::string> image_of(const VocabularyPlan& plan);

}  // namespace tidemill::tokens
