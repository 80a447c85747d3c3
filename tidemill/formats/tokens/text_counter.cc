#include "tidemill/formats/tokens/text_counter.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/formats/tokens/endless_piece.h"
#include "tidemill/formats/tokens/piece_counter.h"
#include "tidemill/formats/tokens/piece_finder.h"
#include "tidemill/formats/tokens/utf8_cleaner.h"

namespace tidemill::tokens {
namespace {

class TextCounter final : public TokenCounter {
 public:
  TextCounter(const Vocabulary& vocabulary, std::optional<SplitRules> rules, Cutting cutting)
      : rules_(rules), cutting_(cutting), counter_(vocabulary), buffer_(kBuffer + kPadding) {}

  void feed(std::string_view part) override {
    while (!part.empty()) {
      end_ += cleaner_.clean(part, buffer_.data() + end_, kBuffer - end_);
      if (kBuffer - end_ < Utf8Cleaner::kMinRoom) work(false);
    }
  }

  std::uint64_t finish() override {
    end_ += cleaner_.finish(buffer_.data() + end_);
    work(true);
    end_ = 0;
    return std::exchange(count_, 0);
  }

 private:
  static constexpr std::size_t kBuffer = std::size_t{64} << 10U;
  static constexpr std::size_t kPadding = 64;  // readable bytes after the end
  // A piece that fills this much of the buffer is counted as an endless one.
  static constexpr std::size_t kLong = kBuffer / 2;

  void work(bool is_whole) {
    const std::string_view text(buffer_.data(), end_);
    std::size_t at = 0;
    for (;;) {
      if (endless_) {
        const auto step = endless_->follow(text.substr(at), is_whole);
        at += step.taken;
        if (!step.is_over) break;
        count_ += endless_->count();
        endless_.reset();
      }
      at = count_pieces(text, at, is_whole);
      if (text.size() - at < kLong || is_whole) break;
      endless_ = rules_ ? endless_piece(*rules_, counter_.encoder(), text.substr(at))
                        : cutting_.endless_piece(counter_.encoder(), text.substr(at));
    }
    std::memmove(buffer_.data(), buffer_.data() + at, end_ - at);
    end_ -= at;
  }

  // Counts the pieces whose ends are certain.
  std::size_t count_pieces(std::string_view text, std::size_t at, bool is_whole) {
    do {
      at = rules_ ? find_(text, at, is_whole, pieces_) : find_by_cutting(text, at, is_whole);
      count_ += counter_.count_all(text.data(), std::span(pieces_.begins).first(pieces_.count + 1));
    } while (pieces_.count > 0);
    return at;
  }

  std::size_t find_by_cutting(std::string_view text, std::size_t at, bool is_whole) {
    for (pieces_.count = 0; at < text.size() && pieces_.count < Pieces::kMost; ++pieces_.count) {
      pieces_.begins[pieces_.count] = static_cast<std::uint32_t>(at);
      const std::size_t end = cutting_.piece_end(text, at, is_whole);
      if (end == kUncertain) return at;
      at = end;
    }
    pieces_.begins[pieces_.count] = static_cast<std::uint32_t>(at);
    return at;
  }

  std::optional<SplitRules> rules_;  // nullopt: use cutting_
  FindPieces find_ = finder_of(rules_.value_or(SplitRules::cl100k));
  Cutting cutting_;
  PieceCounter counter_;
  Pieces pieces_{};
  Utf8Cleaner cleaner_{};
  std::vector<char> buffer_;
  std::size_t end_ = 0;
  std::unique_ptr<EndlessPiece> endless_{};
  std::uint64_t count_ = 0;
};

}  // namespace

std::unique_ptr<TokenCounter> make_counter(const Vocabulary& vocabulary, SplitRules rules) {
  return std::make_unique<TextCounter>(vocabulary, rules, Cutting{});
}

std::unique_ptr<TokenCounter> make_counter(const Vocabulary& vocabulary, Cutting cutting) {
  return std::make_unique<TextCounter>(vocabulary, std::nullopt, cutting);
}

}  // namespace tidemill::tokens
