// Formats the status and the dead letters of a queue for people and for programs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/state/queue/view.h"

namespace tidemill::app {

[[nodiscard]] std::string text_of(const queue::QueueStanding& standing,
                                  std::optional<std::size_t> width);
[[nodiscard]] std::string json_of(const queue::QueueStanding& standing, const std::string& stream);
// Without a width (a pipe) nothing is shortened.
[[nodiscard]] std::string table_of(const std::vector<queue::DeadBatch>& dead, bool has_heading,
                                   std::optional<std::size_t> width);
[[nodiscard]] std::string json_of(const queue::DeadBatch& dead);

}  // namespace tidemill::app
