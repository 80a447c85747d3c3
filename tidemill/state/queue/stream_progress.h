// How far a job has come, as the bytes that Redis keeps: "<run> <number> <0 or 1: complete>
// <cursor>". The cursor is the rest, whatever is in it.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/io/redis/client.h"
#include "tidemill/state/queue/outlet.h"

namespace tidemill::queue {

[[nodiscard]] std::string progress_text(const Standing& standing);

// Step "progress": somebody else has written there.
[[nodiscard]] Result<Standing> parse_progress(std::string_view text);

// That of a job in the hash `key`; nothing: the job is new there.
[[nodiscard]] Result<std::optional<Standing>> read_progress(redis::Client& client,
                                                            std::string_view key,
                                                            std::string_view job,
                                                            const std::stop_token& stop);

}  // namespace tidemill::queue
