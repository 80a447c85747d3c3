#include "tidemill/formats/tokens/long_piece.h"

#include <algorithm>
#include <span>

namespace tidemill::tokens {

void LongPiece::feed(std::string_view part) {
  while (!part.empty()) {
    const std::size_t taken = std::min(part.size(), kWindow - window_.size());
    window_.append(part.substr(0, taken));
    part.remove_prefix(taken);
    if (window_.size() == kWindow) drop_counted();
  }
}

std::uint64_t LongPiece::count() {
  if (window_.empty()) return counted_;
  if (prefixes_.empty()) return counted_ + encoder_->encode(window_).size();
  auto prefixes = prefixes_;
  prefixes.resize(window_.size() + 1);
  for (std::size_t at = 0; at < window_.size(); ++at) extend(window_, at, prefixes);
  return prefixes.back().count;
}

void LongPiece::reset() {
  window_.clear();
  counted_ = 0;
  prefixes_.clear();
}

void LongPiece::drop_counted() {
  if (prefixes_.empty() && seams_wanted_) {
    const std::span<const TokenId> tokens = encoder_->encode(window_);
    std::size_t place = window_.size();
    std::size_t wanted = 2 * encoder_->vocabulary().longest();
    for (std::size_t kept = tokens.size(); kept > 1; --kept) {
      place -= encoder_->vocabulary().length_of(tokens[kept - 1]);
      if (window_.size() - place < wanted) continue;
      if (is_seam(place, tokens[kept - 2])) {
        counted_ += kept - 1;
        window_.erase(0, place);
        return;
      }
      wanted *= 2;
    }
  }
  drop_prefixes();
}

// Whether each of the last positions is reachable from `place`.
bool LongPiece::is_seam(std::size_t place, TokenId before) const {
  const std::string_view text = std::string_view(window_).substr(place);
  std::vector<Prefix> prefixes(text.size() + 1);
  prefixes[0] = {.last = before, .count = 1};
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (prefixes[at].count > 0) extend(text, at, prefixes);
  }
  const auto last = std::span(prefixes).last(encoder_->vocabulary().longest());
  return std::ranges::all_of(last, [](const Prefix& prefix) { return prefix.count > 0; });
}

// Extends the prefix by every token that may follow it.
void LongPiece::extend(std::string_view text, std::size_t place,
                       std::vector<Prefix>& prefixes) const {
  const Vocabulary& vocabulary = encoder_->vocabulary();
  const Prefix from = prefixes[place];
  vocabulary.tokens_at(text.substr(place), [&](TokenId token, std::size_t length) {
    Prefix& to = prefixes[place + length];
    if (to.count > 0) return;
    if (from.last != kNoToken && !vocabulary.may_follow(from.last, token)) return;
    to = {.last = token, .count = from.count + 1};
  });
}

// Counts every prefix, and keeps only those where a token may reach into the following text.
void LongPiece::drop_prefixes() {
  if (prefixes_.empty()) prefixes_.push_back({.last = kNoToken, .count = counted_});
  prefixes_.resize(window_.size() + 1);
  const std::size_t kept = encoder_->vocabulary().longest();
  const std::size_t end = window_.size() - kept;
  for (std::size_t at = 0; at < end; ++at) extend(window_, at, prefixes_);
  window_.erase(0, end);
  prefixes_.erase(prefixes_.begin(), prefixes_.begin() + static_cast<std::ptrdiff_t>(end));
}

}  // namespace tidemill::tokens
