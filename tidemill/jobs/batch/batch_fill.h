// BatchFill: how full the batches of a run are. A value, kept in a note of the run beside its
// totals, and in the same commits as the batches, so that it is exact after a kill too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/jobs/batch/cut/cutter.h"
#include "tidemill/state/history/history.h"

namespace tidemill::batch {

struct BatchTotals;

struct BatchFill {
  struct Class {
    std::uint64_t batches = 0;
    std::uint64_t tokens = 0;
    bool operator==(const Class&) const = default;
  };
  // By tenths of the limit that the batch is nearest to; the last one is above it.
  std::array<Class, 11> classes{};

  void add(const Batch& batch, const BatchLimits& limits);
  [[nodiscard]] std::uint64_t batches() const;

  bool operator==(const BatchFill&) const = default;
};
// "batches=tokens;batches=tokens;…", in the order of the classes. What is not like that is zero.
[[nodiscard]] std::string text_of(const BatchFill& fill);
[[nodiscard]] BatchFill fill_of(std::string_view text);

// The parts of the history of a run. `failed`: files and folders that could not be read.
[[nodiscard]] std::vector<history::HistoryPart> parts_of(const BatchTotals& totals,
                                                         const BatchFill& fill,
                                                         std::uint64_t failed);

}  // namespace tidemill::batch
