#include "tidemill/jobs/docs/markdown.h"

#include <algorithm>
#include <utility>

namespace tidemill::docs {
namespace {

constexpr std::array<std::pair<std::string_view, Marker>, 4> kMarkers{{
    {"<!-- AI-SUMMARY-START -->", {.block = Block::summary, .is_start = true}},
    {"<!-- AI-SUMMARY-END -->", {.block = Block::summary, .is_start = false}},
    {"<!-- AI-SEARCH-TERMS-START -->", {.block = Block::terms, .is_start = true}},
    {"<!-- AI-SEARCH-TERMS-END -->", {.block = Block::terms, .is_start = false}},
}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Behind a list's bullet ("- ", "12. ") and the blanks after it; `at` itself if there is none.
std::size_t behind_bullet(std::string_view line, std::size_t at) {
  std::size_t end = at;
  while (end < line.size() && end - at < 9 && is_digit(line[end])) ++end;
  if (end == line.size()) return at;
  const std::string_view bullets = end == at ? "-*+" : ".)";
  if (!bullets.contains(line[end])) return at;
  const std::size_t text = line.find_first_not_of(" \t", end + 1);
  return text == std::string_view::npos || text == end + 1 ? at : text;
}

// What one pass over the lines finds out about one block.
struct Found {
  std::size_t starts = 0;
  std::size_t ends = 0;
  bool has_stranger = false;  // a marker of another block between ours
  std::size_t start = 0;      // behind the line of the start marker
  std::size_t end = 0;        // before the line of the end marker

  void see(const Marker& marker, Block self, const Line& line) {
    if (marker.block != self) {
      has_stranger = has_stranger || (starts > 0 && ends == 0);
    } else if (marker.is_start) {
      ++starts;
      start = line.start + line.size();
    } else {
      ++ends;
      end = line.start;
    }
  }

  [[nodiscard]] Place place() const {
    if (starts == 0 && ends == 0) return {};
    if (starts != 1 || ends != 1 || start > end || has_stranger) {
      return {.state = BlockState::broken};
    }
    return {.state = BlockState::whole, .start = start, .end = end};
  }
};

}  // namespace

std::optional<std::size_t> margin_of(std::string_view line) {
  const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
  if (blanks > 3 || (blanks < line.size() && line[blanks] == '\t')) return std::nullopt;
  return blanks;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::optional<Fence> fence_of(std::string_view line) {
  const auto margin = margin_of(line);
  if (!margin) return std::nullopt;
  std::size_t at = *margin;
  for (std::size_t behind = behind_bullet(line, at); behind != at;) {
    at = behind;
    behind = behind_bullet(line, at);
  }
  if (at >= line.size() || (line[at] != '`' && line[at] != '~')) return std::nullopt;
  const char kind = line[at];
  const std::size_t end = std::min(line.find_first_not_of(kind, at), line.size());
  if (end - at < 3) return std::nullopt;
  const std::string_view info = line.substr(end);
  if (kind == '`' && info.contains('`')) return std::nullopt;  // code within a line
  return Fence{.kind = kind,
               .at = at,
               .length = end - at,
               .is_bare = at == *margin && trimmed(info).empty()};
}

std::optional<std::size_t> LineReader::open_fence() const {
  if (!open_) return std::nullopt;
  return opened_at_;
}

bool LineReader::takes_fence(const Line& line) {
  if (!open_) {
    open_ = fence_of(line.body);
    opened_at_ = line.start;
    return open_.has_value();
  }
  // In a list the closing fence is indented as far as the bullet was wide.
  const std::size_t blanks =
      std::min({line.body.find_first_not_of(' '), line.body.size(), open_->at});
  const auto fence = fence_of(line.body.substr(blanks));
  if (fence && fence->is_bare && fence->kind == open_->kind && fence->length >= open_->length) {
    open_.reset();
  }
  return true;
}

std::optional<Line> LineReader::next() {
  if (at_ >= text_.size()) return std::nullopt;
  const std::size_t newline = text_.find('\n', at_);
  std::size_t end = std::min(newline, text_.size());
  const std::size_t next = newline == std::string_view::npos ? end : end + 1;
  if (next != end && end > at_ && text_[end - 1] == '\r') --end;
  Line line{.start = at_,
            .body = text_.substr(at_, end - at_),
            .end = text_.substr(end, next - end),
            .is_code = false};
  at_ = next;
  line.is_code = takes_fence(line);
  return line;
}

std::optional<Marker> marker_of(std::string_view line) {
  if (!margin_of(line)) return std::nullopt;
  const std::string_view words = trimmed(line);
  for (const auto& [text, marker] : kMarkers) {
    if (words == text) return marker;
  }
  return std::nullopt;
}

std::string_view text_of(Marker marker) {
  for (const auto& [text, known] : kMarkers) {
    if (known.block == marker.block && known.is_start == marker.is_start) return text;
  }
  return {};
}

Places places_in(std::string_view text) {
  std::array<Found, 2> found;
  LineReader reader(text);
  while (const auto line = reader.next()) {
    const auto marker = line->is_code ? std::nullopt : marker_of(line->body);
    if (!marker) continue;
    found[0].see(*marker, Block::summary, *line);
    found[1].see(*marker, Block::terms, *line);
  }
  return {.blocks = {found[0].place(), found[1].place()}, .open_fence = reader.open_fence()};
}

}  // namespace tidemill::docs
