// TaskSearch: looks for tasks in slices, because names and most states have no index: who asks says
// how long it may take, and gets to know how far it came.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/engine/journal.h"
#include "tidemill/io/store/db.h"

namespace tidemill::journal {

// A value.
struct TaskSearch {
  engine::TaskId after = 0;
  std::size_t limit = 100;
  std::optional<engine::TaskState> state{};
  std::string text{};  // is in the subject, ASCII letters in either case; empty: in all
};

struct FoundTasks {
  std::vector<engine::TaskRecord> tasks{};
  engine::TaskId searched_to = 0;  // go on behind it
  bool is_over = false;            // no task is behind it
};

struct FoundIds {
  std::vector<engine::TaskId> ids{};
  engine::TaskId searched_to = 0;
  bool is_over = false;
};

// Asks `may_go_on` every few hundred tasks.
[[nodiscard]] Result<FoundIds> search_ids(store::Db& db, const TaskSearch& search,
                                          const std::function<bool()>& may_go_on);

}  // namespace tidemill::journal
