// For tests: counts tokens the simple way, directly from a rank file, without any of the tables. A
// piece that has a rank is one token; otherwise the two neighbours whose joined bytes have the
// lowest rank are merged, until no pair has a rank.
#pragma once

#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/formats/tokens/split.h"
#include "tidemill/formats/tokens/utf8_cleaner.h"
#include "tidemill/formats/tokens/vocabulary/vocabulary_plan.h"

namespace tidemill::tokens {

// Immutable.
class PlainCount {
 public:
  // If the file cannot be read, nothing has a rank: is_empty().
  explicit PlainCount(const std::string& rank_file) {
    std::ifstream input(rank_file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(input), {}};
    if (const auto plan = plan_of_ranks(text)) {
      tokens_ = plan->whole_pieces;
      for (std::size_t rank = 0; rank < tokens_.size(); ++rank) ranks_.emplace(tokens_[rank], rank);
    }
  }

  [[nodiscard]] bool is_empty() const { return ranks_.empty(); }
  [[nodiscard]] const std::vector<std::string>& tokens() const { return tokens_; }

  [[nodiscard]] std::size_t of_piece(std::string_view piece) const {
    if (piece.empty()) return 0;
    if (ranks_.contains(std::string(piece))) return 1;
    std::vector<std::string> parts;
    for (const char byte : piece) parts.emplace_back(1, byte);
    for (;;) {
      std::size_t best = ranks_.size();
      std::size_t place = 0;
      for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        const auto found = ranks_.find(parts[i] + parts[i + 1]);
        if (found == ranks_.end() || found->second >= best) continue;
        best = found->second;
        place = i;
      }
      if (best == ranks_.size()) return parts.size();
      parts[place] += parts[place + 1];
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(place) + 1);
    }
  }

  // The tokens of any bytes. `count` counts one piece.
  template <class Count>
  [[nodiscard]] static std::size_t of_text(std::string_view text, SplitRules rules, Count count) {
    const std::string clean = cleaned(text);
    std::size_t tokens = 0;
    for (std::size_t at = 0; at < clean.size();) {
      const std::size_t end = piece_end(rules, clean, at, true);
      tokens += count(std::string_view(clean).substr(at, end - at));
      at = end;
    }
    return tokens;
  }
  [[nodiscard]] std::size_t of_text(std::string_view text, SplitRules rules) const {
    return of_text(text, rules, [&](std::string_view piece) { return of_piece(piece); });
  }

  [[nodiscard]] static std::string cleaned(std::string_view text) {
    std::string clean(3 * text.size() + 2 * Utf8Cleaner::kMinRoom, '\0');
    Utf8Cleaner cleaner;
    std::size_t size = cleaner.clean(text, clean.data(), clean.size());
    size += cleaner.finish(clean.data() + size);
    clean.resize(size);
    return clean;
  }

 private:
  std::unordered_map<std::string, std::size_t> ranks_{};
  std::vector<std::string> tokens_{};
};

}  // namespace tidemill::tokens
