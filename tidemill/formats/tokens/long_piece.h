// LongPiece: the tokens of one piece that may be longer than memory, exact, fed in parts.
//
// Only a window of the piece is kept. When it is full, its first part is counted for good and
// dropped, up to a place where every possible end of the piece must have a seam between tokens:
//
//      counted │ x ─────────────── every place here ───▶ │ end of the window
//              seam          can be reached from x
//
// A token is at most `longest` bytes, so any encoding of the piece has a seam among the last
// `longest` places of the window. A row of tokens in which each may follow the one before is the
// only encoding of its bytes. So if each of those places can be reached from x by such a row, every
// encoding of the whole, whatever comes, goes through x. One such x is found near the end of the
// window in all vocabularies we know. Where there is none, the piece is counted from there on by
// keeping the last token of every prefix: slower, but as exact, and bounded too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/formats/tokens/encoder.h"

namespace tidemill::tokens {

// One thread. The encoder is the owner's and must outlive it.
class LongPiece {
 public:
  explicit LongPiece(Encoder& encoder) : encoder_(&encoder) {}

  void feed(std::string_view part);
  [[nodiscard]] std::uint64_t count();  // of all that was fed; more may follow
  void reset();

  [[nodiscard]] bool is_empty() const { return window_.empty() && counted_ == 0; }
  // For tests: from now on never look for a seam.
  void count_every_prefix() { seams_wanted_ = false; }

 private:
  static constexpr std::size_t kWindow = std::size_t{128} << 10U;

  // Of the prefix that ends at a place: its last token, and how many it has.
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
  std::vector<Prefix> prefixes_{};  // of the window's places, once every prefix is counted
};

}  // namespace tidemill::tokens
