#include "tidemill/formats/tokens/vocabulary/vocabulary_plan.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/tokens/vocabulary/merge_book.h"

namespace tidemill::tokens {
namespace {

std::unexpected<Failure> bad_line(std::size_t line, const char* why) {
  return fail(Cure::give_up, "tokenizer",
              "rank file, line " + std::to_string(line) + ": " + std::string(why));
}

std::optional<std::string> bytes_of_base64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char letter : text) {
    const std::size_t digit = kDigits.find(letter);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6U | static_cast<std::uint32_t>(digit);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes.push_back(static_cast<char>(bits >> held & 0xffU));
  }
  return bytes;
}

// The tokens in rank order.
Result<std::vector<std::string>> tokens_of(std::string_view rank_file) {
  std::vector<std::string> tokens;
  for (std::size_t number = 1; !rank_file.empty(); ++number) {
    const std::size_t end = rank_file.find('\n');
    const std::string_view line = rank_file.substr(0, end);
    rank_file.remove_prefix(end == std::string_view::npos ? rank_file.size() : end + 1);
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos) return bad_line(number, "the rank is missing");
    std::size_t rank = 0;
    const auto read = std::from_chars(line.data() + blank + 1, line.data() + line.size(), rank);
    if (read.ec != std::errc{} || read.ptr != line.data() + line.size() || rank != tokens.size()) {
      return bad_line(number, "ranks must count up from 0");
    }
    auto token = bytes_of_base64(line.substr(0, blank));
    if (!token || token->empty()) return bad_line(number, "not a base64 token");
    tokens.push_back(std::move(*token));
  }
  const auto bytes = std::ranges::count_if(tokens, [](auto& token) { return token.size() == 1; });
  if (bytes != 256) return fail(Cure::give_up, "tokenizer", "rank file: a byte has no token");
  return tokens;
}

}  // namespace

Result<VocabularyPlan> plan_of_ranks(std::string_view rank_file) {
  LET(auto tokens, tokens_of(rank_file));
  VocabularyPlan plan;
  MergeBook book;
  for (const std::string& token : tokens) {
    if (token.size() == 1) continue;
    // The earlier merges reduce the token to the two sides of its own merge. If there are not
    // exactly two parts, no merge makes it, and it occurs only as a complete piece.
    const auto parts = book.encode(token);
    if (parts.size() != 2) continue;
    const std::size_t cut = book.bytes_of(parts[0]).size();
    Merge merge{.left = token.substr(0, cut), .right = token.substr(cut)};
    book.add(merge);
    plan.merges.push_back(std::move(merge));
  }
  plan.whole_pieces = std::move(tokens);
  return plan;
}

}  // namespace tidemill::tokens
