// Lines of markdown: what a line can begin. Each question is about a line whose enclosing prefixes
// are off.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/docs/stub/tree.h"

namespace tidemill::docs_stub {

struct Line {
  std::string text{};
  std::size_t number = 0;
};
using Lines = std::vector<Line>;

constexpr std::size_t kCode = 4;  // so many columns and more make code
constexpr std::string_view kFences = "`~";
constexpr std::string_view kContainers = ":";

struct Marker {
  bool is_ordered = false;
  char letter = 0;
  int number = 1;
  std::size_t end = 0;      // column behind it
  std::size_t content = 0;  // column where the item's text begins
  std::string rest{};
};

struct Fence {
  char letter = 0;
  std::size_t length = 0;
  std::string info{};
};

[[nodiscard]] bool is_blank(const std::string& line);
[[nodiscard]] std::size_t indent_of(const std::string& line);  // in columns
// Without so many columns of blanks, as far as there are any.
[[nodiscard]] std::string outdented(const std::string& line, std::size_t columns);
[[nodiscard]] std::string stripped(const std::string& line);  // without its indent

[[nodiscard]] std::optional<Marker> marker_of(const std::string& line);  // of a list's item
// A run of at least three of one of the letters.
[[nodiscard]] std::optional<Fence> fence_of(const std::string& line, std::string_view letters);
[[nodiscard]] bool closes(const std::string& line, const Fence& fence);
[[nodiscard]] std::optional<std::string> rule_of(const std::string& line);
[[nodiscard]] std::optional<Node> heading_of(const std::string& line);
[[nodiscard]] int underline_of(const std::string& line);  // the heading's level; 0: it is none
[[nodiscard]] bool is_quote(const std::string& line);
[[nodiscard]] std::vector<std::string> cells_of(const std::string& line);
// The alignments of a table that begins here; empty: none does.
[[nodiscard]] std::vector<std::string> table_at(const Lines& lines, std::size_t at);

}  // namespace tidemill::docs_stub
