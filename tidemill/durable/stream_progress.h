// How far a job has come, as the bytes that Redis keeps: "<run> <number> <0 or 1: complete>
// <cursor>". The cursor is the rest, whatever is in it.
#pragma once

#include <string>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/durable/outlet.h"

namespace tidemill::durable {

[[nodiscard]] std::string progress_text(const Standing& standing);

// Step "progress": somebody else has written there.
[[nodiscard]] Result<Standing> parse_progress(std::string_view text);

}  // namespace tidemill::durable
