#include "tidemill/state/journal/rows.h"

#include <chrono>

#include "tidemill/base/micros.h"
#include "tidemill/base/try.h"
#include "tidemill/state/journal/checksum.h"
#include "tidemill/state/journal/schema.h"
#include "tidemill/state/journal/warnings.h"

namespace tidemill::journal {

using namespace engine;

namespace {

std::unexpected<Failure> damaged(std::int64_t id, std::string_view what) {
  return std::unexpected(
      Failure{.cure = Cure::give_up,
              .step = "journal",
              .reason = "the file is damaged: task " + std::to_string(id) + " " + std::string(what),
              .hint = std::string(kDamageHint)});
}

// Finished tasks that version 1 wrote have no checksum. They never run again.
bool is_over(std::int64_t state) {
  return state == static_cast<std::int64_t>(TaskState::done) ||
         state == static_cast<std::int64_t>(TaskState::skipped) ||
         state == static_cast<std::int64_t>(TaskState::abandoned);
}

template <class Row>
Result<void> check_task(const Row& row) {
  const auto& kept = std::get<18>(row);
  const auto id = std::get<0>(row);
  const TaskSum task{.id = id,
                     .type = std::get<4>(row),
                     .folder = std::get<5>(row),
                     .name = std::get<6>(row),
                     .weight = std::get<7>(row),
                     .state = std::get<1>(row),
                     .attempts = std::get<2>(row),
                     .crashes = std::get<3>(row),
                     .outcome = std::get<8>(row)};
  const bool is_old = !kept && is_over(task.state);
  if (!is_old && kept != sum_of(task)) return damaged(id, "has a wrong checksum");
  const auto& until = std::get<9>(row);
  if (until && std::get<19>(row) != store::checksum_of(id, *until)) {
    return damaged(id, "has a wait with a wrong checksum");
  }
  return {};
}

template <class Row>
Result<std::optional<TaskFailures>> failure_of(Row& row) {
  const std::optional<std::int64_t> cure = std::get<10>(row);
  if (!cure) return std::nullopt;
  if (*cure < 0 || *cure > static_cast<std::int64_t>(Cure::later)) {
    return damaged(std::get<0>(row), "has an unknown cure");
  }
  return TaskFailures{.failure = {.cure = static_cast<Cure>(*cure),
                                  .step = std::move(std::get<11>(row)),
                                  .reason = std::move(std::get<12>(row)),
                                  .hint = std::move(std::get<13>(row)),
                                  .not_before = std::chrono::milliseconds(std::get<14>(row))},
                      .first = time_of_micros(std::get<15>(row)),
                      .last = time_of_micros(std::get<16>(row))};
}

}  // namespace

Result<TaskRecord> record_of(TaskRow row, bool has_checksums) {
  const auto id = std::get<0>(row);
  const auto state = std::get<1>(row);
  if (state < 0 || state >= static_cast<std::int64_t>(kTaskStates)) {
    return damaged(id, "has an unknown state");
  }
  if (has_checksums) TRY(check_task(row));
  LET(auto failure, failure_of(row));
  return TaskRecord{.id = static_cast<TaskId>(id),
                    .type = std::move(std::get<4>(row)),
                    .subject = std::move(std::get<5>(row)) + std::get<6>(row),
                    .weight = static_cast<std::uint64_t>(std::get<7>(row)),
                    .state = static_cast<TaskState>(state),
                    .attempts = static_cast<int>(std::get<2>(row)),
                    .crashes = static_cast<int>(std::get<3>(row)),
                    .not_before = time_of_micros(std::get<9>(row).value_or(0)),
                    .failures = std::move(failure),
                    .has_checkpoint = std::get<17>(row).has_value(),
                    .outcome = std::move(std::get<8>(row))};
}

Result<Letter> record_of(LetterRow row, bool has_checksums) {
  if (has_checksums) TRY(check_task(row));
  LET(auto failure, failure_of(row));
  std::optional<Checkpoint> checkpoint;
  if (const auto steps = std::get<17>(row)) {
    LET(checkpoint, record_of(CheckpointRow(std::get<0>(row), *steps, std::move(std::get<20>(row)),
                                            std::move(std::get<21>(row)),
                                            std::move(std::get<22>(row)), std::get<23>(row)),
                              has_checksums));
  }
  return Letter{.id = static_cast<TaskId>(std::get<0>(row)),
                .type = std::move(std::get<4>(row)),
                .subject = std::move(std::get<5>(row)) + std::get<6>(row),
                .weight = static_cast<std::uint64_t>(std::get<7>(row)),
                .attempts = static_cast<int>(std::get<2>(row)),
                .crashes = static_cast<int>(std::get<3>(row)),
                .failures = failure.value_or(TaskFailures{}),
                .checkpoint = std::move(checkpoint)};
}

Result<Checkpoint> record_of(CheckpointRow row, bool has_checksums) {
  auto& [task, steps, last_step, data, warnings, kept] = row;
  if (has_checksums && kept != store::checksum_of(task, steps, last_step, data, warnings)) {
    return damaged(task, "has a checkpoint with a wrong checksum");
  }
  auto list = unpacked(warnings);
  if (!list) return damaged(task, "has a checkpoint with unreadable warnings");
  return Checkpoint{.steps_done = static_cast<std::size_t>(steps),
                    .last_step = std::move(last_step),
                    .data = std::move(data),
                    .warnings = *std::move(list)};
}

}  // namespace tidemill::journal
