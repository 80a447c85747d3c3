#include "tidemill/formats/tokens/encoder.h"

namespace tidemill::tokens {

void Encoder::count(std::span<const std::string_view> pieces, std::span<std::uint32_t> counts) {
  constexpr std::size_t kShort = MergeLane<16>::kLongest;
  constexpr std::size_t kMiddle = MergeLane<64>::kLongest;
  merge(short_lanes_, pieces, 0, counts);
  merge(long_lanes_, pieces, kShort, counts);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].size() <= kMiddle) continue;
    counts[i] = static_cast<std::uint32_t>(encode(pieces[i]).size());
  }
}

// Handles the pieces that are longer than `shorter` and fit a lane. A lane whose piece is done gets
// the next piece; when none are left, the last busy lane moves to its place.
template <std::size_t Places>
void Encoder::merge(std::array<MergeLane<Places>, kLanes>& lanes,
                    std::span<const std::string_view> pieces, std::size_t shorter,
                    std::span<std::uint32_t> counts) {
  std::array<std::size_t, kLanes> owners{};
  std::size_t next = 0;
  const auto start = [&](std::size_t lane) {
    while (next < pieces.size() &&
           (pieces[next].size() <= shorter || pieces[next].size() > MergeLane<Places>::kLongest)) {
      ++next;
    }
    if (next == pieces.size()) return false;
    lanes[lane].begin(*vocabulary_, pieces[next]);
    owners[lane] = next++;
    return true;
  };
  std::size_t busy = 0;
  while (busy < kLanes && start(busy)) ++busy;
  while (busy > 0) {
    for (std::size_t lane = 0; lane < busy;) {
      if (lanes[lane].aim(*vocabulary_)) {
        ++lane;
        continue;
      }
      counts[owners[lane]] = static_cast<std::uint32_t>(lanes[lane].count());
      if (start(lane)) continue;
      --busy;
      lanes[lane] = lanes[busy];
      owners[lane] = owners[busy];
    }
    for (std::size_t lane = 0; lane < busy; ++lane) lanes[lane].land();
  }
}

// Runs of one repeated character are common, and there the longest token is rarely right, so the
// previous token is tried first. If that fails, all tokens are tried from the longest down; the
// dead ends record which of them have failed.
std::span<const TokenId> Encoder::encode(std::string_view piece) {
  tokens_.clear();
  dead_ends_.assign(piece.size() / 64 + 1, 0);
  std::size_t at = 0;
  while (at < piece.size()) {
    const TokenId last = tokens_.empty() ? kNoToken : tokens_.back();
    const std::string_view rest = piece.substr(at);
    TokenId next = kNoToken;
    if (last != kNoToken && repeats(piece, at, last) && may_end(at + length_of(last))) next = last;
    if (next == kNoToken || !vocabulary_->may_follow(last, next)) next = fitting(rest, at, last);
    if (next == kNoToken) {  // nothing can follow here: the last token was wrong
      dead_ends_[at / 64] |= std::uint64_t{1} << (at % 64);
      tokens_.pop_back();
      at -= length_of(last);
    } else {
      tokens_.push_back(next);
      at += length_of(next);
    }
  }
  return tokens_;
}

// The longest token that may follow here and does not lead to a known dead end.
TokenId Encoder::fitting(std::string_view rest, std::size_t at, TokenId last) {
  TokenId next = vocabulary_->longest_at(rest);
  for (; next != kNoToken; next = vocabulary_->prefix_of(next)) {
    ++tries_;
    if (!may_end(at + length_of(next))) continue;
    if (last == kNoToken || vocabulary_->may_follow(last, next)) break;
  }
  return next;
}

// Whether the bytes of the last token occur again at `at`.
bool Encoder::repeats(std::string_view piece, std::size_t at, TokenId last) const {
  const std::size_t length = length_of(last);
  return piece.substr(at).starts_with(piece.substr(at - length, length));
}

}  // namespace tidemill::tokens
