// VocabularyPlan: the merges and pieces that a vocabulary is built from, and how to build its
// image.
//
// Tokens are numbered in the order of merging: first the 256 bytes, then the product of each merge.
// A merge that can never happen, because earlier merges always prevent it, is omitted; so is a
// merge whose product is already made by an earlier one. See image_layout.h for the contents of an
// image.
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
  std::vector<Merge> merges{};  // in order of priority
  // Pieces that are one token without any merging: tiktoken, and Hugging Face files with
  // `ignore_merges`, look up the complete piece first.
  std::vector<std::string> whole_pieces{};
};

// Reads a rank file of tiktoken: on each line a token in base64, a blank and its rank. Fails (step
// "tokenizer") if the file is not valid, or if a byte has no token.
[[nodiscard]] Result<VocabularyPlan> plan_of_ranks(std::string_view rank_file);

// Fails (step "tokenizer") if a token is longer than kMaxTokenBytes, if there are too many tokens
// (kMaxTokens) or trie nodes, or if a merge joins something that is not a token.
[[nodiscard]] Result<std::string> image_of(const VocabularyPlan& plan);

}  // namespace tidemill::tokens
