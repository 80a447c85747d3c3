#include "tidemill/jobs/tasks/feeder.h"

#include <algorithm>
#include <utility>

#include "tidemill/base/try.h"

namespace tidemill::jobs {
namespace {

constexpr std::size_t kPage = 1'000;

using IdOrder = journal::ListOrder;

}  // namespace

Result<void> Feeder::feed(const Intake& intake) {
  if (!plan_.only.empty()) {
    TRY(feed_ids(intake, plan_.only));
    TRY(feed_as_found(intake, plan_.first_new - 1));
  } else if (plan_.order == FileOrder::found) {
    TRY(feed_as_found(intake, 0));
  } else {
    (void)finder_.wait_for_the_end();
    LET(const auto ids, journal_.pending_ids(plan_.order == FileOrder::size ? IdOrder::by_weight
                                                                            : IdOrder::by_name));
    TRY(feed_ids(intake, ids));
  }
  return feed_suspects(intake);
}

// Feeds the pending tasks after `after`, until the finder has ended and none is left.
Result<void> Feeder::feed_as_found(const Intake& intake, engine::TaskId after) {
  for (;;) {
    const Finder::State state = finder_.wait_beyond(after);
    LET(const auto page, journal_.pending(after, kPage));
    for (const engine::TaskRecord& task : page) {
      if (!offer(intake, task)) return {};
      after = task.id;
    }
    if (page.size() == kPage) continue;
    // No pending task is left up to state.last; one above it may have been added meanwhile.
    after = std::max(after, state.last);
    if (state.has_ended) return {};
  }
}

Result<void> Feeder::feed_ids(const Intake& intake, const std::vector<engine::TaskId>& ids) {
  for (const engine::TaskId id : ids) {
    LET(const auto task, journal_.task(id));
    if (!task || task->state != engine::TaskState::pending) continue;
    if (!offer(intake, *task)) return {};
  }
  return {};
}

bool Feeder::offer(const Intake& intake, const engine::TaskRecord& task) {
  if (task.type != plan_.task_type) return !intake.is_stopped();  // belongs to the finder
  const std::uint64_t sequence = sequence_++;
  if (task.crashes == 0) return put(intake, task, sequence);
  suspects_.push_back({.task = task, .sequence = sequence});
  return !intake.is_stopped();
}

Result<void> Feeder::feed_suspects(const Intake& intake) {
  std::ranges::sort(suspects_, {}, [](const Suspect& suspect) {
    return std::pair(suspect.task.crashes, suspect.task.id);
  });
  for (const Suspect& suspect : suspects_) {
    if (!settled_(fed_) || !put(intake, suspect.task, suspect.sequence)) return {};
  }
  return {};
}

bool Feeder::put(const Intake& intake, const engine::TaskRecord& task, std::uint64_t sequence) {
  if (!intake.put(task, sequence)) return false;
  ++fed_;
  return true;
}

}  // namespace tidemill::jobs
