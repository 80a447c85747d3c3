// PartBuilder: makes a part of a history from numbers that it sums by label while a job works.
//
// Its size is bounded: numbers of labels beyond the first kMostLabels share one row, so sums stay
// right. Nothing can fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/state/history/history.h"

namespace tidemill::history {

// One thread.
class PartBuilder {
 public:
  static constexpr std::size_t kMostLabels = 10'000;
  static constexpr std::string_view kOthers = "(others)";

  // `part`: its rows, of an earlier process for example, are the first ones.
  explicit PartBuilder(HistoryPart part);

  // Adds to the row with this label; missing columns get nothing. The row keeps the first detail
  // that is not empty.
  void add(std::string_view label, std::initializer_list<std::uint64_t> numbers,
           std::string_view detail = {});

  [[nodiscard]] std::size_t size() const { return part_.rows.size(); }

  // In the order in which the labels were first added.
  [[nodiscard]] const HistoryPart& in_order() const { return part_; }
  // The rows with the largest numbers in the first column, largest first.
  [[nodiscard]] HistoryPart largest(std::size_t most = kMostRows) const;

 private:
  HistoryPart part_;
  std::map<std::string, std::size_t, std::less<>> rows_;  // by label
};

// Stores the parts that have rows. `store` may be null. A history is a statistic, so a failure is
// not reported.
void keep_parts(Store* store, std::vector<HistoryPart> parts);

}  // namespace tidemill::history
