// Names: one after the other, from the folders or the list that the user gave. The same for a real
// run and for --dry-run.
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

struct Name {
  std::string subject{};
  std::uint64_t weight = 0;          // its size, when the order needs it
  std::string position{};            // of the source, right behind this name
  std::optional<Failure> trouble{};  // why it is no name of a file that can be used
  bool is_folder = false;            // of a trouble: it can be looked into again
};

// Answering false ends it.
using OnName = std::function<bool(Name&&)>;

// Goes on behind `position`, which an earlier call has given. Cure::resume: it was stopped, there
// is more.
[[nodiscard]] Result<void> each_name(const FileSource& source, std::string_view position,
                                     const std::stop_token& stop, const OnName& on_name);

// One folder, whatever the source says about where names come from.
[[nodiscard]] Result<void> each_name_below(const std::string& root, const FileSource& source,
                                           const std::stop_token& stop, const OnName& on_name);

}  // namespace tidemill::jobs
