#include "tidemill/formats/text/columns.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "tidemill/formats/text/column_ranges.h"
#include "tidemill/formats/text/utf8.h"

namespace tidemill::text {
namespace {

bool is_in(std::span<const ColumnRange> ranges, char32_t code) {
  const auto range =
      std::ranges::lower_bound(ranges, std::uint32_t{code}, {}, &ColumnRange::second);
  return range != ranges.end() && code >= range->first;
}

// The unit that shorten() keeps or removes: it is never split.
struct Cluster {
  std::string_view text;
  std::size_t columns = 0;
};

// The length of an escape of printable() at the front; 0: there is none.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2 || text[0] != '\\') return 0;
  if (text[1] == 'x') return std::min<std::size_t>(text.size(), 4);
  if (!text.starts_with("\\u{")) return 2;
  const std::size_t end = text.substr(0, 10).find('}');
  return end == std::string_view::npos ? 2 : end + 1;
}

std::vector<Cluster> clusters_of(std::string_view text) {
  std::vector<Cluster> clusters;
  while (!text.empty()) {
    const auto [code, length] = front_character(text);
    const std::size_t escape = escape_length(text);
    const std::size_t bytes = std::max({escape, length, std::size_t{1}});
    const std::size_t wide = escape != 0 ? columns(text.substr(0, escape)) : columns(code);
    const bool is_mark = length > 1 && (wide == 0 || code == 0xfe0f);
    if (is_mark && !clusters.empty()) {
      Cluster& last = clusters.back();
      last.text = {last.text.data(), last.text.size() + bytes};
      last.columns += wide;
    } else {
      clusters.push_back({.text = text.substr(0, bytes), .columns = wide});
    }
    text.remove_prefix(bytes);
  }
  return clusters;
}

}  // namespace

std::size_t columns(char32_t character) {
  if (character < 0x300) return 1;
  if (is_in(kNoColumn, character)) return 0;
  return is_in(kTwoColumns, character) ? 2 : 1;
}

std::size_t columns(std::string_view text) {
  std::size_t sum = 0;
  while (!text.empty()) {
    const auto [code, length] = front_character(text);
    sum += length == 0 ? 1 : columns(code);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return sum;
}

std::string shorten(std::string_view text, std::size_t width) {
  if (columns(text) <= width) return std::string(text);
  if (width == 0) return {};
  const auto clusters = clusters_of(text);
  // The end of a name says more than its start, so it gets the odd column.
  std::size_t room = width - 1;
  std::size_t head = 0;
  for (std::size_t head_room = room / 2; clusters[head].columns <= head_room; ++head) {
    head_room -= clusters[head].columns;
    room -= clusters[head].columns;
  }
  std::size_t tail = clusters.size();
  for (; tail > head && clusters[tail - 1].columns <= room; --tail) {
    room -= clusters[tail - 1].columns;
  }
  std::string out;
  for (std::size_t i = 0; i < head; ++i) out += clusters[i].text;
  out += "…";
  for (std::size_t i = tail; i < clusters.size(); ++i) out += clusters[i].text;
  return out;
}

}  // namespace tidemill::text
