// Patch: how a change is told to Outline: the first place in a document's markdown at which `find`
// stands is replaced by `text`. Nothing else of the document is touched, so that the anchors of
// comments, empty paragraphs and what people write meanwhile stay.
//
// Outline looks for `find` in a text that differs a little from the one it gives us: an empty
// paragraph, which we are given as one newline more, is a line with a backslash there. And a blank
// line belongs to the paragraph behind it. So a place is named by its own words; or, where these
// stand further up as well, by the blank line or the empty paragraph in front of it and its words;
// never by what is behind it, for that would have Outline parse the next paragraph anew.
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

// Puts `by` in the place of `range`. Nothing: the server would find another place first.
[[nodiscard]] std::optional<Patch> patch_of(std::string_view text, const Range& range,
                                            std::string_view by);

}  // namespace tidemill::docs
