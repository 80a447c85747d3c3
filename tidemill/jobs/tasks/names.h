// each_name(): the names of a run, one after another, from the folders or the list that the user
// passed. Real runs and --dry-run share it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/jobs/tasks/file_source.h"

namespace tidemill::jobs {

struct TaskName {
  std::string subject{};
  std::uint64_t weight = 0;          // the size of the file, if the order needs it
  std::string position{};            // in the source, directly after this name
  std::optional<Failure> failure{};  // why this is not a usable file name
  bool is_folder = false;            // with `failure`: a folder, which can be walked again
};

// Returns false to stop.
using OnName = std::function<bool(TaskName&&)>;

// Continues after `position`, which comes from an earlier call. Fails with Cure::resume if it was
// stopped and there are more names.
[[nodiscard]] Result<void> each_name(const FileSource& source, std::string_view position,
                                     const std::stop_token& stop, const OnName& on_name);

// The names below one folder, with the filters of `source`; its roots and list are ignored.
[[nodiscard]] Result<void> each_name_below(const std::string& root, const FileSource& source,
                                           const std::stop_token& stop, const OnName& on_name);

}  // namespace tidemill::jobs
