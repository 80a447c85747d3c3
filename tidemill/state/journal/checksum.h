// The checksums of a journal's rows: what is read back to be worked on is what was written, or the
// row is refused. The sum of a task covers all that its work depends on, also what stands in other
// tables:
//
//   sum = checksum(id, type, folder, name, weight)                                 never changes
//       + state · kState + attempts · kAttempts + crashes · kCrashes + outcome     modulo 2^31
//
// An update adds the difference. So a row that was damaged before stays wrong after it, and a
// commit need not know the name of the task. The factors are odd: another state is another sum.
// Pure; nothing can fail.
#pragma once

#include <cstdint>
#include <string_view>

#include "tidemill/io/store/checksum.h"

namespace tidemill::journal {

// The same numbers are in journal/schema.cc and docs/formats/journal.md, and in files.
inline constexpr std::int64_t kState = 1'640'531'527;
inline constexpr std::int64_t kAttempts = 1'103'515'245;
inline constexpr std::int64_t kCrashes = 2'147'483'629;
inline constexpr std::int64_t kSumMask = 2'147'483'647;

struct TaskSum {
  std::int64_t id = 0;
  std::string_view type{};
  std::string_view folder{};
  std::string_view name{};
  std::int64_t weight = 0;
  std::int64_t state = 0;
  std::int64_t attempts = 0;
  std::int64_t crashes = 0;
  std::string_view outcome{};
};

// What an outcome adds; nothing when it is empty.
[[nodiscard]] inline std::int64_t sum_of_outcome(std::string_view outcome) {
  return outcome.empty() ? 0 : store::checksum_of(outcome);
}

[[nodiscard]] inline std::int64_t sum_of(const TaskSum& task) {
  // Unsigned: the numbers of a damaged row may be as large as they like.
  const auto times = [](std::int64_t factor, std::int64_t number) {
    return static_cast<std::uint64_t>(factor) * static_cast<std::uint64_t>(number);
  };
  const auto fixed = store::checksum_of(task.id, task.type, task.folder, task.name, task.weight);
  const std::uint64_t sum = static_cast<std::uint64_t>(fixed) + times(kState, task.state) +
                            times(kAttempts, task.attempts) + times(kCrashes, task.crashes) +
                            static_cast<std::uint64_t>(sum_of_outcome(task.outcome));
  return static_cast<std::int64_t>(sum & static_cast<std::uint64_t>(kSumMask));
}

}  // namespace tidemill::journal
