// The text of a report on a task of `each`: how its command ended and its output, as the worker
// packs them and the coordinator unpacks them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tidemill/base/bytes.h"
#include "tidemill/base/result.h"
#include "tidemill/io/proc/runner.h"

namespace tidemill::each {

// A fleet carries so much output of a task, per stream.
inline constexpr Bytes kMostOutput = mib(1);

struct CommandReport {
  std::string result{};  // of a task that is done, as in EachResult
  proc::Finished last{};
};

// Reads the spill files of a stream if all of its bytes are `wanted`; otherwise only the bytes that
// are in memory are sent. Kind over_limit: there are more than kMostOutput.
[[nodiscard]] Result<std::string> pack(const CommandReport& report, bool wants_all);

// Everything is in memory afterwards. nullopt: not a report of this version.
[[nodiscard]] std::optional<CommandReport> unpack_report(std::string_view bytes);

}  // namespace tidemill::each
