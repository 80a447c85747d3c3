// MergeBook: the merges of a vocabulary while it is built, and the simple algorithm to apply them.
// Tokens are numbered as in an image: first the bytes by value, then one for each merge. Nothing
// here can fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tidemill/formats/tokens/vocabulary/image_layout.h"
#include "tidemill/formats/tokens/vocabulary/vocabulary_plan.h"

namespace tidemill::tokens {

// One thread.
class MergeBook {
 public:
  MergeBook();

  // False: the merge can never happen and was not added. Both sides must be tokens.
  bool add(const Merge& merge);

  [[nodiscard]] bool has(const std::string& token) const { return ids_.contains(token); }
  [[nodiscard]] std::vector<TokenId> encode(std::string_view bytes) const;

  [[nodiscard]] std::size_t size() const { return tokens_.size(); }
  [[nodiscard]] const std::string& bytes_of(TokenId token) const { return tokens_[token]; }
  [[nodiscard]] TokenId left_of(TokenId token) const { return splits_[token].left; }
  [[nodiscard]] TokenId right_of(TokenId token) const { return splits_[token].right; }

 private:
  struct Split {
    TokenId left = 0;
    TokenId right = 0;
  };
  std::vector<std::string> tokens_{};
  std::vector<Split> splits_{};
  std::unordered_map<std::string, TokenId> ids_{};
  std::unordered_map<std::uint64_t, TokenId> pairs_{};
};

}  // namespace tidemill::tokens
