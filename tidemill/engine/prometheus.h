// Prometheus: the numbers of pools and of a run as text that a Prometheus server can scrape.
//
// The text is in the exposition format 0.0.4: every family appears once, with its HELP and TYPE and
// all its samples together; times are in seconds; numbers are the shortest text that reads back as
// the same value, whatever the locale. Nothing can fail: a name may hold any bytes. Quotes,
// backslashes and newlines are escaped, and invalid UTF-8 becomes U+FFFD, because one invalid byte
// makes a server reject the page. Names that become equal would be a duplicate series, which a
// server rejects too: their numbers are added.
//
// Labels are the names of pools and types, the index of a worker, and an outcome. A path or a task
// id is never a label: each value of a label is a series that the server stores.
//
// Task durations have buckets that grow by a factor of two, from 16 µs to 18 minutes. A bucket's
// bound is the longest duration below a bucket limit of HistogramScale (2^k - 1 ns), so `le`, "less
// than or equal", is exact to the nanosecond. The +Inf bucket equals the count.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tidemill/engine/flow.h"
#include "tidemill/engine/pool_stats.h"

namespace tidemill::engine {

// The Content-Type of the text.
inline constexpr std::string_view kPrometheusContentType =
    "text/plain; version=0.0.4; charset=utf-8";

struct PoolReading {
  std::string pool{};  // its name
  PoolStats stats{};
};

[[nodiscard]] std::string prometheus_text(const PoolStats& stats, std::string_view pool,
                                          const std::optional<FlowCounts>& flow = std::nullopt);
[[nodiscard]] std::string prometheus_text(const FlowCounts& flow);
// Make one page with one call: two texts in a row would repeat families.
[[nodiscard]] std::string prometheus_text(std::span<const PoolReading> pools,
                                          const std::optional<FlowCounts>& flow = std::nullopt);

}  // namespace tidemill::engine
