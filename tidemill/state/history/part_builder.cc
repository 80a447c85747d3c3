#include "tidemill/state/history/part_builder.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace tidemill::history {
namespace {

std::int64_t first_number(const HistoryRow& row) {
  return row.numbers.empty() ? 0 : row.numbers.front();
}

}  // namespace

PartBuilder::PartBuilder(HistoryPart part) : part_(std::move(part)) {
  for (std::size_t i = 0; i < part_.rows.size(); ++i) rows_.emplace(part_.rows[i].label, i);
}

void PartBuilder::add(std::string_view label, std::initializer_list<std::uint64_t> numbers,
                      std::string_view detail) {
  auto known = rows_.find(label);
  if (known == rows_.end()) {
    const std::string_view name = rows_.size() < kMostLabels ? label : kOthers;
    bool is_new = false;
    std::tie(known, is_new) = rows_.try_emplace(std::string(name), part_.rows.size());
    if (is_new) part_.rows.push_back({.label = std::string(name)});
  }
  HistoryRow& row = part_.rows[known->second];
  row.numbers.resize(part_.columns.size());
  std::size_t at = 0;
  for (const std::uint64_t number : numbers) {
    if (at < row.numbers.size()) row.numbers[at++] += static_cast<std::int64_t>(number);
  }
  if (row.detail.empty()) row.detail = detail;
}

HistoryPart PartBuilder::largest(std::size_t most) const {
  HistoryPart part = part_;
  // By hand: clang calls the stable sort of the library of g++ 12 deprecated.
  std::vector<std::size_t> order(part.rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const auto left = first_number(part_.rows[a]);
    const auto right = first_number(part_.rows[b]);
    return left != right ? left > right : a < b;  // of equal ones the earlier is first
  });
  for (std::size_t i = 0; i < order.size(); ++i) part.rows[i] = part_.rows[order[i]];
  if (part.rows.size() > most) {
    part.left_out += part.rows.size() - most;
    part.rows.resize(most);
  }
  return part;
}

void keep_parts(Store* store, std::vector<HistoryPart> parts) {
  std::erase_if(parts, [](const HistoryPart& part) { return part.rows.empty(); });
  if (store != nullptr && !parts.empty()) (void)store->keep({.parts = std::move(parts)});
}

}  // namespace tidemill::history
