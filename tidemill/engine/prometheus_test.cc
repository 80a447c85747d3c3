#include "tidemill/engine/prometheus.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <locale>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/engine/pool.h"
#include "tidemill/testing/pools.h"

namespace tidemill::engine {
namespace {

using testing::pool_of;
using namespace std::chrono_literals;
using std::chrono::nanoseconds;

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The value of one series; "none" if it is missing, "twice" if it occurs more than once.
std::string value_of(const std::string& text, const std::string& series) {
  std::string value = "none";
  for (const auto& line : lines_of(text)) {
    if (!line.starts_with(series + " ")) continue;
    value = value == "none" ? line.substr(series.size() + 1) : "twice";
  }
  return value;
}

// What promtool does not check: families are contiguous, series are unique, buckets never decrease.
void expect_well_formed(const std::string& text) {
  std::set<std::string> families;
  std::set<std::string> series;
  std::map<std::string, std::uint64_t> buckets;
  std::string family;
  for (const auto& line : lines_of(text)) {
    if (line.starts_with("# HELP ")) {
      family = line.substr(7, line.find(' ', 7) - 7);
      EXPECT_TRUE(families.insert(family).second) << family << " has come before";
      continue;
    }
    if (line.starts_with("# TYPE ")) {
      EXPECT_TRUE(line.starts_with("# TYPE " + family + " ")) << line;
      continue;
    }
    EXPECT_TRUE(line.starts_with(family)) << line << " in " << family;
    const auto end = line.rfind(' ');
    EXPECT_TRUE(series.insert(line.substr(0, end)).second) << line << " has come before";
    if (const auto le = line.find("le=\""); le != std::string::npos) {
      const std::uint64_t count = std::stoull(line.substr(end));
      EXPECT_GE(count, buckets[line.substr(0, le)]) << line;
      buckets[line.substr(0, le)] = count;
    }
  }
}

struct Verdict {
  int status = -1;
  std::string words;
};

Verdict output_of(const std::string& command) {
  Verdict verdict;
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return verdict;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    verdict.words += static_cast<char>(c);
  }
  const int status = ::pclose(pipe);
  verdict.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return verdict;
}

Verdict promtool_on(const std::string& text) {
  std::string path = ::testing::TempDir() + "tidemill_metrics_XXXXXX";
  const int file = ::mkstemp(path.data());
  if (file < 0) return {};
  ::close(file);
  std::ofstream(path, std::ios::binary) << text;
  Verdict verdict = output_of("promtool check metrics < '" + path + "'");
  std::remove(path.c_str());
  return verdict;
}

bool has_promtool() { return output_of("promtool --version").status == 0; }

PoolStats two_workers() {
  PoolStats stats;
  stats.capacity = 20;
  stats.queued = 3;
  stats.queue_high_water = 17;
  stats.waiting = 2;
  stats.waiting_submits = 1;
  stats.active = 1;
  stats.accepted = 18'446'744'073'709'551'615U;
  stats.dropped = 4;
  stats.retried = 5;
  stats.deferred = 6;
  stats.inline_runs = 7;
  stats.types = {{.name = "hash", .completed = 8, .failed = 9}};
  auto& times = stats.types[0].lifetime;
  times.counts[HistogramScale::bucket_of(100ns)] = 1;
  times.counts[HistogramScale::bucket_of(1ms)] = 2;
  times.counts[HistogramScale::bucket_of(1h)] = 1;
  times.sum = 1h + 2ms + 100ns;
  stats.workers = {{.tasks = 10, .busy = 1500ms, .idle = 1ns}, {.tasks = 7, .busy = 2h}};
  return stats;
}

constexpr const char* kGolden = R"(# HELP tidemill_tasks_total Tasks settled, by outcome.
# TYPE tidemill_tasks_total counter
tidemill_tasks_total{pool="files",type="hash",outcome="completed"} 8
tidemill_tasks_total{pool="files",type="hash",outcome="failed"} 9
# HELP tidemill_tasks_accepted_total Tasks accepted into the queue.
# TYPE tidemill_tasks_accepted_total counter
tidemill_tasks_accepted_total{pool="files"} 18446744073709551615
# HELP tidemill_tasks_dropped_total Accepted tasks dropped unfinished by a stop.
# TYPE tidemill_tasks_dropped_total counter
tidemill_tasks_dropped_total{pool="files"} 4
# HELP tidemill_task_retries_total Attempts after the first.
# TYPE tidemill_task_retries_total counter
tidemill_task_retries_total{pool="files"} 5
# HELP tidemill_task_deferrals_total Tasks deferred without counting an attempt.
# TYPE tidemill_task_deferrals_total counter
tidemill_task_deferrals_total{pool="files"} 6
# HELP tidemill_tasks_inline_total Tasks run inside the one that submitted them.
# TYPE tidemill_tasks_inline_total counter
tidemill_tasks_inline_total{pool="files"} 7
# HELP tidemill_queue_tasks Tasks in the queue.
# TYPE tidemill_queue_tasks gauge
tidemill_queue_tasks{pool="files"} 3
# HELP tidemill_queue_capacity_tasks Capacity of the queue.
# TYPE tidemill_queue_capacity_tasks gauge
tidemill_queue_capacity_tasks{pool="files"} 20
# HELP tidemill_queue_high_water_tasks Most tasks the queue has held.
# TYPE tidemill_queue_high_water_tasks gauge
tidemill_queue_high_water_tasks{pool="files"} 17
# HELP tidemill_submits_waiting Producers waiting for room in the queue.
# TYPE tidemill_submits_waiting gauge
tidemill_submits_waiting{pool="files"} 1
# HELP tidemill_tasks_waiting Tasks waiting for a retry or a deferral.
# TYPE tidemill_tasks_waiting gauge
tidemill_tasks_waiting{pool="files"} 2
# HELP tidemill_workers_busy Workers running a task.
# TYPE tidemill_workers_busy gauge
tidemill_workers_busy{pool="files"} 1
# HELP tidemill_workers Workers in the pool.
# TYPE tidemill_workers gauge
tidemill_workers{pool="files"} 2
# HELP tidemill_worker_tasks_total Tasks settled by a worker.
# TYPE tidemill_worker_tasks_total counter
tidemill_worker_tasks_total{pool="files",worker="0"} 10
tidemill_worker_tasks_total{pool="files",worker="1"} 7
# HELP tidemill_worker_busy_seconds_total Time a worker spent in tasks.
# TYPE tidemill_worker_busy_seconds_total counter
tidemill_worker_busy_seconds_total{pool="files",worker="0"} 1.5
tidemill_worker_busy_seconds_total{pool="files",worker="1"} 7200
# HELP tidemill_worker_idle_seconds_total Time a worker spent waiting for tasks.
# TYPE tidemill_worker_idle_seconds_total counter
tidemill_worker_idle_seconds_total{pool="files",worker="0"} 1e-09
tidemill_worker_idle_seconds_total{pool="files",worker="1"} 0
# HELP tidemill_task_duration_seconds Duration of task attempts.
# TYPE tidemill_task_duration_seconds histogram
)";

TEST(Prometheus, WritesEachFamilyOnceWithHelpTypeAndBaseUnits) {
  const std::string text = prometheus_text(two_workers(), "files");
  EXPECT_EQ(text.substr(0, std::string_view(kGolden).size()), kGolden);
  expect_well_formed(text);
}

TEST(Prometheus, TheHistogramIsCumulativeAndEndsInTheCount) {
  const std::string text = prometheus_text(two_workers(), "files");
  const auto bucket = [&](const std::string& le) {
    return value_of(text, R"(tidemill_task_duration_seconds_bucket{pool="files",type="hash",le=")" +
                              le + "\"}");
  };
  EXPECT_EQ(bucket("1.6383e-05"), "1");
  EXPECT_EQ(bucket("0.000524287"), "1");
  EXPECT_EQ(bucket("0.001048575"), "3");
  EXPECT_EQ(bucket("1099.511627775"), "3");
  EXPECT_EQ(bucket("+Inf"), "4");
  const std::string labels = R"({pool="files",type="hash"})";
  EXPECT_EQ(value_of(text, "tidemill_task_duration_seconds_count" + labels), "4");
  EXPECT_EQ(value_of(text, "tidemill_task_duration_seconds_sum" + labels), "3600.0020001");
}

// `le` means "not longer than": checked at the bound and one nanosecond to either side.
TEST(Prometheus, EveryBoundIsExactToTheNanosecond) {
  int bounds = 0;
  for (const auto& line : lines_of(prometheus_text(two_workers(), "files"))) {
    const auto le = line.find("le=\"");
    if (le == std::string::npos || line.find("+Inf") != std::string::npos) continue;
    ++bounds;
    const std::string series = line.substr(0, line.rfind(' '));
    const nanoseconds bound(std::llround(std::stod(line.substr(le + 4)) * 1e9));
    for (const auto duration : {bound - 1ns, bound, bound + 1ns}) {
      PoolStats stats;
      stats.types = {{.name = "hash"}};
      stats.types[0].lifetime.counts[HistogramScale::bucket_of(duration)] = 1;
      EXPECT_EQ(value_of(prometheus_text(stats, "files"), series), duration <= bound ? "1" : "0")
          << duration.count() << " ns";
    }
  }
  EXPECT_EQ(bounds, 27);
}

TEST(Prometheus, HostileNamesAreEscapedAndMadeUtf8) {
  const auto label = [](std::string_view name) {
    PoolStats stats;
    stats.queued = 1;
    const std::string text = prometheus_text(stats, name);
    const std::string start = "\ntidemill_queue_tasks{pool=";
    const auto from = text.find(start) + start.size();
    return text.substr(from, text.find("} 1\n", from) - from);
  };
  EXPECT_EQ(label("a\"} 1\nevil_total 9\\"), R"("a\"} 1\nevil_total 9\\")");
  EXPECT_EQ(label(""), "\"\"");
  EXPECT_EQ(label("Ärger €uro 😀"), "\"Ärger €uro 😀\"");
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(label("a\xff"
                  "b"),
            "\"a" + bad + "b\"");
  EXPECT_EQ(label("\xe2\x82"), "\"" + bad + bad + "\"");            // cut off
  EXPECT_EQ(label("\xc0\xaf"), "\"" + bad + bad + "\"");            // overlong
  EXPECT_EQ(label("\xe0\x80\xaf"), "\"" + bad + bad + bad + "\"");  // the same
  EXPECT_EQ(label("\xed\xa0\x80"), "\"" + bad + bad + bad + "\"");  // half a surrogate pair
  EXPECT_EQ(label("\xf4\x90\x80\x80"), "\"" + bad + bad + bad + bad + "\"");  // above U+10FFFF
  EXPECT_EQ(label("\xc3\""), "\"" + bad + "\\\"\"");  // the quote is not swallowed
}

TEST(Prometheus, SeveralPoolsAndAFlowShareOnePage) {
  PoolStats other = two_workers();
  other.queued = 5;
  const std::vector<PoolReading> pools = {{"read", two_workers()}, {"write", other}};
  const FlowCounts flow{.found = 100,
                        .done = 50,
                        .skipped = 20,
                        .failed = 3,
                        .found_bytes = mib(3),
                        .settled_bytes = mib(2)};
  const std::string text = prometheus_text(pools, flow);
  expect_well_formed(text);
  EXPECT_EQ(value_of(text, R"(tidemill_queue_tasks{pool="read"})"), "3");
  EXPECT_EQ(value_of(text, R"(tidemill_queue_tasks{pool="write"})"), "5");
  EXPECT_TRUE(text.ends_with(R"(# HELP tidemill_items_total Items settled, by outcome.
# TYPE tidemill_items_total counter
tidemill_items_total{outcome="done"} 50
tidemill_items_total{outcome="skipped"} 20
tidemill_items_total{outcome="failed"} 3
# HELP tidemill_items_found_total Items found so far.
# TYPE tidemill_items_found_total counter
tidemill_items_found_total 100
# HELP tidemill_items_found_bytes_total Size of the items found so far.
# TYPE tidemill_items_found_bytes_total counter
tidemill_items_found_bytes_total 3145728
# HELP tidemill_items_settled_bytes_total Size of the items settled.
# TYPE tidemill_items_settled_bytes_total counter
tidemill_items_settled_bytes_total 2097152
)")) << text;
  EXPECT_TRUE(text.ends_with(prometheus_text(flow)));
}

TEST(Prometheus, SumsSeriesWithEqualNames) {
  PoolStats stats = two_workers();
  stats.types.push_back(stats.types[0]);
  const std::vector<PoolReading> pools = {{"a\xfe", stats}, {"a\xff", stats}};  // equal as UTF-8
  const std::string text = prometheus_text(pools);
  expect_well_formed(text);
  const std::string pool = "{pool=\"a\xEF\xBF\xBD\"";
  EXPECT_EQ(value_of(text, "tidemill_queue_tasks" + pool + "}"), "6");
  EXPECT_EQ(value_of(text, "tidemill_worker_busy_seconds_total" + pool + ",worker=\"0\"}"), "3");
  EXPECT_EQ(value_of(text, "tidemill_task_duration_seconds_count" + pool + ",type=\"hash\"}"),
            "16");
}

TEST(Prometheus, WritesAnEmptyPageWithoutPools) {
  EXPECT_EQ(prometheus_text(std::vector<PoolReading>{}), "");
}

struct CommaAndDots final : std::numpunct<char> {
  [[nodiscard]] char do_decimal_point() const override { return ','; }
  [[nodiscard]] char do_thousands_sep() const override { return '.'; }
  [[nodiscard]] std::string do_grouping() const override { return "\3"; }
};

TEST(Prometheus, TheLocaleDoesNotChangeNumbers) {
  const std::string before = prometheus_text(two_workers(), "files");
  const std::locale old =
      std::locale::global(std::locale(std::locale::classic(), new CommaAndDots));
  const std::string after = prometheus_text(two_workers(), "files");
  std::locale::global(old);
  EXPECT_EQ(after, before);
}

// A pool with everything that it counts: completed, failed, retried, two types, hostile names.
PoolStats stats_of_a_real_pool() {
  auto pool = pool_of({.workers = 2,
                       .types = {{"hash \"n\\\n\xff"}, {"copy"}},
                       .retry = {.max_attempts = 2, .first_delay = 0ms}});
  for (std::uint8_t i = 0; i < 100; ++i) {
    const auto admission = pool.submit({[i]() -> Result<void> {
                                          if (i % 10 != 0) return {};
                                          return fail(Cure::retry, "read", "made to fail");
                                        },
                                        {.type = static_cast<TaskType>(i % 2)}});
    EXPECT_EQ(admission, Admission::accepted);
  }
  pool.close();
  EXPECT_EQ(pool.wait().failed, 10U);
  return pool.stats();
}

TEST(Prometheus, PromtoolAcceptsThePageOfARealPool) {
  if (!has_promtool()) {
    GTEST_SKIP() << "SKIPPED: promtool was not found, so NOTHING has checked the format. "
                    "Install it (Debian: prometheus).";
  }
  const PoolStats stats = stats_of_a_real_pool();
  const std::vector<PoolReading> pools = {{"first", stats}, {"sec\"ond\\\n\xff", stats}};
  const std::string text = prometheus_text(pools, FlowCounts{.found = 3, .done = 2});
  expect_well_formed(text);
  const Verdict verdict = promtool_on(text);
  EXPECT_EQ(verdict.status, 0) << verdict.words << text;
  EXPECT_EQ(verdict.words, "");
}

// Otherwise the test above would prove nothing.
TEST(Prometheus, PromtoolRefusesBrokenPages) {
  if (!has_promtool()) GTEST_SKIP() << "SKIPPED: promtool was not found (Debian: prometheus)";
  const std::string good = "# HELP a_total x\n# TYPE a_total counter\na_total{b=\"c\"} 1\n";
  EXPECT_EQ(promtool_on(good).status, 0);
  EXPECT_NE(promtool_on(good + good).status, 0);                            // a family twice
  EXPECT_NE(promtool_on("# HELP a x\n# TYPE a counter\na 1\n").status, 0);  // no _total
  EXPECT_NE(promtool_on("# HELP a_total x\n# TYPE a_total counter\na_total{b=\"\"\"} 1\n").status,
            0);  // not escaped
  EXPECT_NE(promtool_on("# HELP a_milliseconds x\n# TYPE a_milliseconds gauge\n"
                        "a_milliseconds 1\n")
                .status,
            0);  // not a base unit
}

}  // namespace
}  // namespace tidemill::engine
