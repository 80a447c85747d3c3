// How a queue stands, for people and for programs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/durable/queue_view.h"

namespace tidemill::cli {

[[nodiscard]] std::string text_of(const durable::QueueStanding& standing,
                                  std::optional<std::size_t> width);
[[nodiscard]] std::string json_of(const durable::QueueStanding& standing,
                                  const std::string& stream);
// No width: nothing is shortened (a pipe).
[[nodiscard]] std::string table_of(const std::vector<durable::DeadBatch>& dead, bool has_heading,
                                   std::optional<std::size_t> width);
[[nodiscard]] std::string json_of(const durable::DeadBatch& dead);

}  // namespace tidemill::cli
