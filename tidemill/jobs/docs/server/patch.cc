#include "tidemill/jobs/docs/server/patch.h"

#include <algorithm>
#include <array>

namespace tidemill::docs {
namespace {

constexpr std::string_view kBlankLine = "\n\n";
constexpr std::string_view kEmptyParagraph = "\\\n";  // in the text that the server searches

// A range of several paragraphs as in the text that the server searches.
std::string as_kept(std::string_view text) {
  std::string kept;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at).starts_with("\n\n\n")) {
      kept.append("\n\n").append(kEmptyParagraph);
      at += 3;
    } else {
      kept += text[at++];
    }
  }
  return kept;
}

// What can separate two paragraphs: as we receive it, and as in the text that the server searches.
struct Gap {
  std::string_view given;
  std::string_view kept;
};
constexpr std::array<Gap, 3> kGaps{{
    {.given = "\n\n\n", .kept = kEmptyParagraph},         // one empty paragraph
    {.given = kEmptyParagraph, .kept = kEmptyParagraph},  // the last of several
    {.given = kBlankLine, .kept = kBlankLine},
}};

// Whether `range` is the first place where these words follow such a gap.
bool is_first(std::string_view text, const Range& range, std::string_view kept) {
  return std::ranges::none_of(kGaps, [&](const Gap& gap) {
    if (gap.kept != kept) return false;
    std::string found(gap.given);
    found += range.of(text);
    const std::size_t at = text.find(found);
    return at != std::string_view::npos && at + gap.given.size() < range.start;
  });
}

}  // namespace

std::optional<Patch> patch_of(std::string_view text, const Range& range, std::string_view by) {
  const std::string_view words = range.of(text);
  if (words.empty()) return std::nullopt;
  if (text.find(words) == range.start) {
    return Patch{.find = as_kept(words), .text = std::string(by)};
  }
  const std::string_view before = text.substr(0, range.start);
  // The server turns three newlines into an empty paragraph; one or two more are a blank line.
  const std::size_t line_ends = before.size() - (before.find_last_not_of('\n') + 1);
  const auto gap = std::ranges::find_if(kGaps, [&](const Gap& each) {
    return before.ends_with(each.given) && (each.given != "\n\n\n" || line_ends % 3 == 0);
  });
  // Our text has every gap that the server's has, so the first match is the same in both.
  if (gap == kGaps.end() || !is_first(text, range, gap->kept)) return std::nullopt;
  Patch patch{.find = std::string(gap->kept) + as_kept(words), .text = std::string(by)};
  if (by.empty()) return patch;  // an empty paragraph stays
  patch.text.insert(0, gap->kept == kBlankLine ? "\n\n" : "\\\n\n");
  return patch;
}

}  // namespace tidemill::docs
