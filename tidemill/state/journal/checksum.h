// The checksums of a journal's rows: a row that does not read back as it was written is refused.
// The sum of a task covers everything its work depends on, including values stored in other tables:
//
//   sum = checksum(id, type, folder, name, weight)                                 never changes
//       + state · kState + attempts · kAttempts + crashes · kCrashes + outcome     modulo 2^31
//
// An update adds the difference. So a damaged row stays wrong after an update, and a commit does
// not need the name of the task. The factors are odd, so a different state gives a different sum.
// Pure; nothing can fail.
#pragma once

#include <cstdint>
#include <string_view>

#include "tidemill/io/store/checksum.h"

namespace tidemill::journal {

// Part of the file format: also in journal/schema.cc, the SQL of journal_writer.cc and check.cc,
// and docs/formats/journal.md.
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

// The summand of an outcome; 0 when it is empty.
[[nodiscard]] inline std::int64_t sum_of_outcome(std::string_view outcome) {
  return outcome.empty() ? 0 : store::checksum_of(outcome);
}

[[nodiscard]] inline std::int64_t sum_of(const TaskSum& task) {
  // Unsigned, because the numbers of a damaged row may overflow.
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
