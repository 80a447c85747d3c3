// Markdown as the server reads and writes it. It is no whole CommonMark: README.md says what is
// missing, pairs.json what is proven.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/docs/stub/rows.h"
#include "tests/docs/stub/tree.h"

namespace tidemill::docs_stub {

[[nodiscard]] Node read_markdown(const std::string& text, const Rows& rows);

// Where a block of the document stands in the text, with the newlines in front of it.
struct Range {
  std::size_t from = 0;
  std::size_t to = 0;
};

struct Written {
  std::string text{};
  std::vector<Range> blocks{};
};

// As the server keeps it: an empty paragraph is a backslash and a newline.
[[nodiscard]] Written write_markdown(const Node& document, const Rows& rows);

// As the API gives it.
[[nodiscard]] std::string shown(const std::string& written);

}  // namespace tidemill::docs_stub
