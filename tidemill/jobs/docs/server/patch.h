// Patch: a change as Outline accepts it: the first occurrence of `find` in the document's markdown
// is replaced by `text`. The rest of the document is not touched, so that the anchors of comments,
// empty paragraphs and concurrent edits are preserved.
//
// Outline searches for `find` in a text that differs slightly from the one it returns: an empty
// paragraph, which we receive as one extra newline, is a line with a backslash there. A blank line
// belongs to the paragraph after it. So a place is identified by its own words or, if these occur
// earlier as well, by the blank line or the empty paragraph before it and its words; never by what
// follows, because Outline would then parse the next paragraph again.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tidemill::docs {

// A range of a text, [start, end).
struct Range {
  std::size_t start = 0;
  std::size_t end = 0;
  [[nodiscard]] bool holds(std::size_t at) const { return start <= at && at < end; }
  [[nodiscard]] std::string_view of(std::string_view text) const {
    return text.substr(start, end - start);
  }
  bool operator==(const Range&) const = default;
};

struct Patch {
  std::string find{};
  std::string text{};
  bool operator==(const Patch&) const = default;
};

// The patch that replaces `range` by `by`. Empty if the server would find another place first.
[[nodiscard]] std::optional<Patch> patch_of(std::string_view text, const Range& range,
                                            std::string_view by);

}  // namespace tidemill::docs
