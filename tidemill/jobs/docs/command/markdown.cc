#include "tidemill/jobs/docs/command/markdown.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace tidemill::docs {
namespace {

struct Word {
  std::string_view text;
  MarkedBlock block;
  bool is_start;
};
constexpr std::array<Word, 4> kMarkers{{
    {.text = "<!-- AI-SUMMARY-START -->", .block = MarkedBlock::summary, .is_start = true},
    {.text = "<!-- AI-SUMMARY-END -->", .block = MarkedBlock::summary, .is_start = false},
    {.text = "<!-- AI-SEARCH-TERMS-START -->", .block = MarkedBlock::terms, .is_start = true},
    {.text = "<!-- AI-SEARCH-TERMS-END -->", .block = MarkedBlock::terms, .is_start = false},
}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The position after a list bullet ("- ", "12. ") and its blanks; `at` itself if there is none.
std::size_t behind_bullet(std::string_view line, std::size_t at) {
  std::size_t end = at;
  while (end < line.size() && end - at < 9 && is_digit(line[end])) ++end;
  if (end == line.size()) return at;
  const std::string_view bullets = end == at ? "-*+" : ".)";
  if (!bullets.contains(line[end])) return at;
  const std::size_t text = line.find_first_not_of(" \t", end + 1);
  return text == std::string_view::npos || text == end + 1 ? at : text;
}

// The position after the code span that opens with the run of ` at `at`; after the run if it opens
// none.
std::size_t behind_code(std::string_view line, std::size_t at) {
  const std::size_t start = std::min(line.find_first_not_of('`', at), line.size());
  std::size_t run = line.find('`', start);
  while (run != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_not_of('`', run), line.size());
    if (end - run == start - at) return end;
    run = line.find('`', end);
  }
  return start;
}

void find_markers(const MarkdownLine& line, std::vector<Marker>& markers) {
  if (!margin_of(line.body)) return;
  for (std::size_t at = line.body.find("<!--"); at != std::string_view::npos;
       at = line.body.find("<!--", at + 1)) {
    if (at > 0 && line.body[at - 1] == '`') continue;  // quoted: the user is writing about it
    for (const Word& word : kMarkers) {
      if (!line.body.substr(at).starts_with(word.text)) continue;
      const std::size_t start = line.start + at;
      markers.push_back({.block = word.block,
                         .is_start = word.is_start,
                         .range = {.start = start, .end = start + word.text.size()}});
    }
  }
}

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

std::vector<LinePart> parts_of(const MarkdownLine& line) {
  std::vector<LinePart> parts;
  const std::string_view body = line.body;
  std::size_t from = 0;
  for (std::size_t at = body.find_first_of("\\`"); at != std::string_view::npos;
       at = body.find_first_of("\\`", at)) {
    if (body[at] == '`') {
      at = behind_code(body, at);
      continue;
    }
    if (!body.substr(at).starts_with(kHardBreak)) {
      at = std::min(at + 2, body.size());  // an escape: "\\n" is a backslash and an n
      continue;
    }
    parts.push_back({.start = line.start + from,
                     .body = body.substr(from, at - from),
                     .follows_break = from > 0,
                     .precedes_break = true});
    from = at + kHardBreak.size();
    at = from;
  }
  parts.push_back({.start = line.start + from,
                   .body = body.substr(from),
                   .follows_break = from > 0,
                   .precedes_break = false});
  return parts;
}

std::string unescaped(std::string_view markdown) {
  std::string text;
  text.reserve(markdown.size());
  for (std::size_t i = 0; i < markdown.size(); ++i) {
    const bool is_escape = markdown[i] == '\\' && i + 1 < markdown.size() &&
                           std::ispunct(static_cast<unsigned char>(markdown[i + 1])) != 0;
    if (is_escape) ++i;
    text += markdown[i];
  }
  return text;
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
  if (kind == '`' && info.contains('`')) return std::nullopt;  // inline code
  return Fence{.kind = kind,
               .at = at,
               .length = end - at,
               .is_bare = at == *margin && trimmed(info).empty()};
}

bool LineReader::takes_fence(const MarkdownLine& line) {
  if (!open_) {
    open_ = fence_of(line.body);
    return open_.has_value();
  }
  // In a list, the closing fence is indented by the width of the bullet.
  const std::size_t blanks =
      std::min({line.body.find_first_not_of(' '), line.body.size(), open_->at});
  const auto fence = fence_of(line.body.substr(blanks));
  if (fence && fence->is_bare && fence->kind == open_->kind && fence->length >= open_->length) {
    open_.reset();
  }
  return true;
}

std::optional<MarkdownLine> LineReader::next() {
  if (at_ >= text_.size()) return std::nullopt;
  const std::size_t newline = text_.find('\n', at_);
  std::size_t end = std::min(newline, text_.size());
  const std::size_t next = newline == std::string_view::npos ? end : end + 1;
  if (next != end && end > at_ && text_[end - 1] == '\r') --end;
  MarkdownLine line{.start = at_,
                    .body = text_.substr(at_, end - at_),
                    .end = text_.substr(end, next - end),
                    .is_code = false};
  at_ = next;
  line.is_code = takes_fence(line);
  return line;
}

std::string_view text_of(MarkedBlock block, bool is_start) {
  const auto found = std::ranges::find_if(
      kMarkers, [&](const Word& word) { return word.block == block && word.is_start == is_start; });
  return found->text;
}

std::vector<Marker> markers_in(std::string_view text) {
  std::vector<Marker> markers;
  LineReader reader(text);
  while (const auto line = reader.next()) {
    if (!line->is_code) find_markers(*line, markers);
  }
  return markers;
}

}  // namespace tidemill::docs
