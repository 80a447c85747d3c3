// LongPiece: counts the tokens of one piece that may be larger than memory, exactly, fed in parts.
//
// Only a window of the piece is kept. When it is full, its first part is counted and dropped, up to
// a position where every possible continuation of the piece must have a seam between tokens:
//
//      counted │ x ───────────── every position here ──▶ │ end of the window
//              seam         is reachable from x
//
// A token has at most `longest` bytes, so any encoding of the piece has a seam among the last
// `longest` positions of the window. A sequence of tokens in which each may follow the one before
// is the only encoding of its bytes. So if each of those positions is reachable from x by such a
// sequence, every encoding of the complete piece, whatever follows, goes through x. In all known
// vocabularies such an x exists near the end of the window. Where there is none, the piece is
// counted from there on by keeping the last token of every prefix: slower, but also exact and
// bounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/formats/tokens/encoder.h"

namespace tidemill::tokens {

// One thread. Does not own the encoder, which must outlive the LongPiece.
class LongPiece {
 public:
  explicit LongPiece(Encoder& encoder) : encoder_(&encoder) {}

  void feed(std::string_view part);
  [[nodiscard]] std::uint64_t count();  // of everything fed so far; more may follow
  void reset();

  [[nodiscard]] bool is_empty() const { return window_.empty() && counted_ == 0; }
  // For tests: never search for a seam from now on.
  void count_every_prefix() { seams_wanted_ = false; }

 private:
  static constexpr std::size_t kWindow = std::size_t{128} << 10U;

  // The prefix that ends at a position: its last token and its number of tokens.
  struct Prefix {
    TokenId last = kNoToken;
    std::uint64_t count = 0;
  };

  void drop_counted();
  [[nodiscard]] bool is_seam(std::size_t place, TokenId before) const;
  void extend(std::string_view text, std::size_t place, std::vector<Prefix>& prefixes) const;
  void drop_prefixes();

  Encoder* encoder_;
  std::string window_{};
  std::uint64_t counted_ = 0;  // tokens before the window
  bool seams_wanted_ = true;
  std::vector<Prefix> prefixes_{};  // by position in the window, once every prefix is counted
};

}  // namespace tidemill::tokens
