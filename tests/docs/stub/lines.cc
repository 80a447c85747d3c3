#include "tests/docs/stub/lines.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <regex>

#include "tests/docs/stub/letters.h"

namespace tidemill::docs_stub {

std::size_t indent_of(const std::string& line) {
  std::size_t column = 0;
  for (const char c : line) {
    if (c == ' ') {
      ++column;
    } else if (c == '\t') {
      column += 4 - column % 4;
    } else {
      break;
    }
  }
  return column;
}

std::string outdented(const std::string& line, std::size_t columns) {
  std::size_t column = 0;
  std::size_t at = 0;
  while (at < line.size() && column < columns && (line[at] == ' ' || line[at] == '\t')) {
    column += line[at] == '\t' ? 4 - column % 4 : 1;
    ++at;
  }
  return std::string(column > columns ? column - columns : 0, ' ') + line.substr(at);
}

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t") == std::string::npos;
}

std::string stripped(const std::string& line) {
  const auto first = line.find_first_not_of(" \t");
  return first == std::string::npos ? std::string() : line.substr(first);
}

std::optional<Marker> marker_of(const std::string& line) {
  const std::size_t indent = indent_of(line);
  if (indent >= kCode) return std::nullopt;
  const std::string text = stripped(line);
  std::size_t length = 0;
  Marker marker;
  while (length < text.size() && std::isdigit(static_cast<unsigned char>(text[length])) != 0) {
    ++length;
  }
  marker.is_ordered = length > 0;
  if (length > 9 || length >= text.size()) return std::nullopt;
  marker.letter = text[length];
  const std::string_view letters = marker.is_ordered ? ".)" : "*-+";
  if (letters.find(marker.letter) == std::string_view::npos) return std::nullopt;
  if (marker.is_ordered) std::from_chars(text.data(), text.data() + length, marker.number);
  ++length;
  if (length < text.size() && text[length] != ' ' && text[length] != '\t') return std::nullopt;
  marker.end = indent + length;
  const std::string rest = text.substr(length);
  const std::size_t blanks =
      is_blank(rest) ? 1 : indent_of(std::string(marker.end, ' ') + rest) - marker.end;
  const std::size_t taken = blanks > 4 ? 1 : blanks;
  marker.content = marker.end + taken;
  marker.rest = is_blank(rest) ? std::string() : outdented(rest, taken);
  return marker;
}

std::optional<Fence> fence_of(const std::string& line, std::string_view letters) {
  if (indent_of(line) >= kCode) return std::nullopt;
  const std::string text = stripped(line);
  if (text.empty() || letters.find(text[0]) == std::string_view::npos) return std::nullopt;
  const auto length = std::min(text.find_first_not_of(text[0]), text.size());
  if (length < 3) return std::nullopt;
  if (text[0] == '`' && text.find('`', length) != std::string::npos) return std::nullopt;
  return Fence{.letter = text[0], .length = length, .info = text.substr(length)};
}

bool closes(const std::string& line, const Fence& fence) {
  const auto other = fence_of(line, std::string_view(&fence.letter, 1));
  return other && other->length >= fence.length && is_blank(other->info);
}

std::optional<std::string> rule_of(const std::string& line) {
  if (indent_of(line) >= kCode) return std::nullopt;
  std::string letters;
  for (const char c : line) {
    if (c != ' ' && c != '\t') letters += c;
  }
  if (letters.size() < 3 || std::string_view("*-_").find(letters[0]) == std::string_view::npos ||
      letters.find_first_not_of(letters[0]) != std::string::npos) {
    return std::nullopt;
  }
  return letters;
}

std::optional<Node> heading_of(const std::string& line) {
  if (indent_of(line) >= kCode) return std::nullopt;
  const std::string whole = stripped(line);
  const auto level = std::min(whole.find_first_not_of('#'), whole.size());
  if (level < 1 || level > 6) return std::nullopt;
  if (level < whole.size() && whole[level] != ' ' && whole[level] != '\t') return std::nullopt;
  std::string text = ascii_trimmed(whole.substr(level));
  const auto last = text.find_last_not_of('#');
  if (last == std::string::npos) {
    text.clear();
  } else if (last + 1 < text.size() && (text[last] == ' ' || text[last] == '\t')) {
    text = ascii_trimmed(text.substr(0, last));
  }
  return Node{.kind = Node::Kind::heading, .number = static_cast<int>(level), .raw = text};
}

int underline_of(const std::string& line) {
  const std::string text = ascii_trimmed(line);
  if (indent_of(line) >= kCode || text.empty() || (text[0] != '=' && text[0] != '-')) return 0;
  if (text.find_first_not_of(text[0]) != std::string::npos) return 0;
  return text[0] == '=' ? 1 : 2;
}

bool is_quote(const std::string& line) {
  return indent_of(line) < kCode && stripped(line).starts_with('>');
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  const std::string text = ascii_trimmed(line);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '|') {
      cells.back() += text[++i];
    } else if (text[i] == '|') {
      cells.emplace_back();
    } else {
      cells.back() += text[i];
    }
  }
  if (cells.front().empty()) cells.erase(cells.begin());
  if (!cells.empty() && cells.back().empty()) cells.pop_back();
  for (auto& cell : cells) cell = ascii_trimmed(cell);
  return cells;
}

std::vector<std::string> table_at(const Lines& lines, std::size_t at) {
  static const std::regex kLine(R"([ \t]*\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*)");
  if (at + 1 >= lines.size() || lines[at].text.find('|') == std::string::npos) return {};
  const std::string& line = lines[at + 1].text;
  if (indent_of(lines[at].text) >= kCode || indent_of(line) >= kCode) return {};
  if (line.size() < 2 || !std::regex_match(line, kLine)) return {};
  std::vector<std::string> result;
  for (const auto& cell : cells_of(line)) {
    const bool left = cell.front() == ':';
    const bool right = cell.back() == ':';
    result.emplace_back(left && right ? "center" : right ? "right" : left ? "left" : "");
  }
  if (result.size() != cells_of(lines[at].text).size()) return {};
  return result;
}

}  // namespace tidemill::docs_stub
