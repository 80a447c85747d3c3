// The progress of a job as stored in Redis: "<run> <number> <0 or 1: complete> <cursor>". The
// cursor is the rest of the value and may contain any bytes.
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

// Fails with step "progress" if the text is invalid: another program has written it.
[[nodiscard]] Result<Standing> parse_progress(std::string_view text);

// Reads the progress of a job from the hash `key`; nullopt: the job is new.
[[nodiscard]] Result<std::optional<Standing>> read_progress(redis::Client& client,
                                                            std::string_view key,
                                                            std::string_view job,
                                                            const std::stop_token& stop);

}  // namespace tidemill::queue
