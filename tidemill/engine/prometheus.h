// Prometheus: the numbers of pools and of a run as text that a Prometheus server can scrape.
//
// The text is in the exposition format 0.0.4: every family stands once, with its HELP and TYPE and
// all its samples together; times are in seconds; numbers are the shortest that read back as the
// same value, whatever the locale. Nothing can fail: a name may hold anything. Quotes, backslashes
// and line ends are escaped, and bytes that are no UTF-8 become U+FFFD, because a server refuses a
// whole page for one of them. Names that come out equal would be one series twice, which a server
// refuses too: their numbers are added.
//
// Labels are the names of pools and types, the index of a worker and an outcome. A path or the id
// of a task is never one: each value of a label is a series that the server keeps for ever.
//
// The durations of tasks are counted in steps of a factor of two, from 16 µs to 18 minutes. A bound
// is the longest duration below a border of HistogramScale (2^k - 1 ns), so `le`, which means "not
// longer", is exact to the nanosecond. The +Inf bucket equals the count.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tidemill/engine/flow.h"
#include "tidemill/engine/pool_stats.h"

namespace tidemill::engine {

// What to send with the text as its Content-Type.
inline constexpr std::string_view kPrometheusContentType =
    "text/plain; version=0.0.4; charset=utf-8";

struct PoolReading {
  std::string pool{};  // its name
  PoolStats stats{};
};

[[nodiscard]] std::string prometheus_text(const PoolStats& stats, std::string_view pool,
                                          const std::optional<FlowCounts>& flow = std::nullopt);
[[nodiscard]] std::string prometheus_text(const FlowCounts& flow);
// One page must be one call: two texts one after the other would repeat families.
[[nodiscard]] std::string prometheus_text(std::span<const PoolReading> pools,
                                          const std::optional<FlowCounts>& flow = std::nullopt);

}  // namespace tidemill::engine
