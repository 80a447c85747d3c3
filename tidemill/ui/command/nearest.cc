#include "tidemill/ui/command/nearest.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace tidemill::command {
namespace {

constexpr std::size_t kLongestName = 64;  // the time grows with the product of both lengths

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last;
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({change, last[j] + 1, row[j - 1] + 1});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string nearest(std::string_view typed, std::span<const std::string> names) {
  if (typed.empty() || typed.size() > kLongestName) return "";
  std::string best;
  std::size_t best_distance = std::numeric_limits<std::size_t>::max();
  for (const auto& name : names) {
    const auto distance = edit_distance(typed, name);
    const auto allowed = std::max<std::size_t>(1, std::max(typed.size(), name.size()) / 3);
    if (distance > allowed || distance >= best_distance || distance >= name.size()) continue;
    best = name;
    best_distance = distance;
  }
  return best;
}

}  // namespace tidemill::command
