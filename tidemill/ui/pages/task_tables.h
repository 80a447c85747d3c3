// Lists of tasks and of reasons, and a task by itself. Pure, except for the time zone of local
// times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/engine/journal.h"
#include "tidemill/formats/html/html.h"
#include "tidemill/state/history/history.h"
#include "tidemill/ui/pages/run_links.h"

namespace tidemill::pages {

// A task and its texts, which its job knows.
struct ShownTask {
  engine::TaskRecord task{};
  std::string state{};  // "failed"
  std::string name{};
  std::string outcome{};  // how long it took, why it failed
};

[[nodiscard]] html::SafeHtml task_table(const std::string& caption,
                                        const std::vector<ShownTask>& tasks, const RunLinks& links);

struct TaskPage {
  ShownTask shown{};
  std::string output{};  // the end of what its command wrote; empty: none
  std::optional<engine::Checkpoint> checkpoint{};
  std::vector<history::SlowTask> slow{};     // its attempts that are among the slowest of the run
  std::vector<std::string> by_hand{};        // lines for a shell
  std::vector<std::string> next_commands{};  // likewise
};

[[nodiscard]] html::SafeHtml task_body(const TaskPage& page, const std::string& run,
                                       const RunLinks& links);

}  // namespace tidemill::pages
