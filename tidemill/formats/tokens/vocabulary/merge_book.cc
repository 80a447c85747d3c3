#include "tidemill/formats/tokens/vocabulary/merge_book.h"

namespace tidemill::tokens {

MergeBook::MergeBook() {
  for (TokenId byte = 0; byte < 256; ++byte) {
    tokens_.emplace_back(1, static_cast<char>(byte));
    splits_.push_back({.left = byte, .right = byte});
    ids_.emplace(tokens_.back(), byte);
  }
}

bool MergeBook::add(const Merge& merge) {
  const TokenId left = ids_.at(merge.left);
  const TokenId right = ids_.at(merge.right);
  // Merges inside two neighbours do not depend on the surrounding text: if their bytes alone are
  // not encoded as these two, they are never adjacent.
  if (encode(merge.left + merge.right) != std::vector{left, right}) return false;
  const auto token = static_cast<TokenId>(tokens_.size());
  tokens_.push_back(merge.left + merge.right);
  splits_.push_back({.left = left, .right = right});
  ids_.emplace(tokens_.back(), token);
  pairs_.emplace(pack_pair(left, right), token);
  return true;
}

std::vector<TokenId> MergeBook::encode(std::string_view bytes) const {
  std::vector<TokenId> parts;
  for (const char byte : bytes) parts.push_back(static_cast<unsigned char>(byte));
  for (;;) {
    TokenId best = kNoToken;
    std::size_t place = 0;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto found = pairs_.find(pack_pair(parts[i], parts[i + 1]));
      if (found == pairs_.end() || found->second >= best) continue;
      best = found->second;
      place = i;
    }
    if (best == kNoToken) return parts;
    parts[place] = best;
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(place) + 1);
  }
}

}  // namespace tidemill::tokens
