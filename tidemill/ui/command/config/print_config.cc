#include "tidemill/ui/command/config/print_config.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <vector>

#include "tidemill/formats/text/columns.h"
#include "tidemill/formats/text/printable.h"

namespace tidemill::command {
namespace {

using Row = std::array<std::string, 3>;

std::string source_of(const Value& value) {
  return value.origin == Origin::fallback ? "default" : text::printable(value.place);
}

std::vector<Row> rows_of(const Values& values) {
  std::vector<Row> rows;
  for (const auto& flag : values.described->flags) {
    const auto found = values.flags.find(flag.name);
    if (found == values.flags.end()) {
      const bool is_off = flag.kind == Kind::toggle;
      const auto& computed = flag.fallback_text;
      rows.push_back({flag.name, is_off ? "false" : computed.empty() ? "-" : computed, "default"});
      continue;
    }
    for (const auto& text : found->second.texts) {
      rows.push_back({flag.name, text::printable(text), source_of(found->second)});
    }
  }
  return rows;
}

}  // namespace

std::string print_config(const Values& values) {
  assert(values.described);
  const auto rows = rows_of(values);
  std::array<std::size_t, 2> widths{};
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], text::columns(row[i]));
    }
  }
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      out += row[i] + std::string(widths[i] - text::columns(row[i]) + 2, ' ');
    }
    out += row[2] + "\n";
  }
  return out;
}

}  // namespace tidemill::command
