#include "tidemill/engine/prometheus.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemill::engine {
namespace {

using std::chrono::nanoseconds;

constexpr int kFirstBound = 14;  // 2^14 ns = 16 µs
constexpr int kLastBound = 40;   // 2^40 ns = 18 minutes
static_assert(kFirstBound >= HistogramScale::kFirstOctave);
static_assert(kLastBound <= HistogramScale::kLastOctave);

template <class Number>
std::string text_of(Number number) {
  std::array<char, 32> digits;  // the longest double has 24
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  return {digits.data(), end};
}

std::string seconds_of(std::uint64_t ns) { return text_of(static_cast<double>(ns) / 1e9); }

// The length of the UTF-8 character at the front; 0 if it is invalid.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (length == 0 || first > 0xf4 || text.size() < length) return 0;
  // Overlong forms, surrogates, and code points above U+10FFFF.
  const unsigned lowest = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned highest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < lowest || byte(1) > highest) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
  }
  return length;
}

void append_escaped(std::string& out, std::string_view value) {
  while (!value.empty()) {
    const std::size_t length = character_length(value);
    const std::string_view character = value.substr(0, length);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else if (character == "\n") {
      out += "\\n";
    } else {
      if (character == "\\" || character == "\"") out += '\\';
      out += character;
    }
    value.remove_prefix(length == 0 ? 1 : length);
  }
}

using Label = std::pair<std::string_view, std::string_view>;  // name, value
using Labels = std::vector<Label>;

struct FamilyHead {
  std::string_view name;
  std::string_view type;
  std::string_view help;
};

constexpr FamilyHead counter(std::string_view name, std::string_view help) {
  return {.name = name, .type = "counter", .help = help};
}
constexpr FamilyHead gauge(std::string_view name, std::string_view help) {
  return {.name = name, .type = "gauge", .help = help};
}
constexpr FamilyHead histogram(std::string_view name, std::string_view help) {
  return {.name = name, .type = "histogram", .help = help};
}

// All samples of one name, in the order in which they were added. One thread.
class Family {
 public:
  explicit Family(const FamilyHead& head) : head_(head) {}

  void add(const Labels& labels, std::uint64_t value, std::string_view suffix = "") {
    sample(labels, suffix).value += value;
  }
  void add(const Labels& labels, nanoseconds value, std::string_view suffix = "") {
    Sample& found = sample(labels, suffix);
    found.is_time = true;
    found.value += static_cast<std::uint64_t>(value.count() > 0 ? value.count() : 0);
  }

  void append_to(std::string& out) const {
    if (samples_.empty()) return;
    for (const auto& [comment, text] : {std::pair(" HELP ", head_.help), {" TYPE ", head_.type}}) {
      out.append("#").append(comment).append(head_.name).append(" ").append(text).append("\n");
    }
    for (const auto& [series, value, is_time] : samples_) {
      out.append(series).append(" ");
      out.append(is_time ? seconds_of(value) : text_of(value)).append("\n");
    }
  }

 private:
  struct Sample {
    std::string series;
    std::uint64_t value = 0;  // nanoseconds if it is a time: integers add up exactly
    bool is_time = false;
  };

  Sample& sample(const Labels& labels, std::string_view suffix) {
    std::string series(head_.name);
    series += suffix;
    for (char opening = '{'; const auto& [name, value] : labels) {
      series.append(1, std::exchange(opening, ',')).append(name).append("=\"");
      append_escaped(series, value);
      series += '"';
    }
    if (!labels.empty()) series += '}';
    const auto [place, is_new] = places_.try_emplace(series, samples_.size());
    if (is_new) samples_.push_back({.series = std::move(series)});
    return samples_[place->second];
  }

  FamilyHead head_;
  std::vector<Sample> samples_;
  std::unordered_map<std::string, std::size_t> places_;
};

using Pools = std::span<const PoolReading>;

// Families with one sample per pool. std::size_t and std::uint64_t need not be the same type.
constexpr std::pair<std::uint64_t PoolStats::*, FamilyHead> kPoolCounters[] = {
    {&PoolStats::accepted,
     counter("tidemill_tasks_accepted_total", "Tasks accepted into the queue.")},
    {&PoolStats::dropped,
     counter("tidemill_tasks_dropped_total", "Accepted tasks dropped unfinished by a stop.")},
    {&PoolStats::retried, counter("tidemill_task_retries_total", "Attempts after the first.")},
    {&PoolStats::deferred,
     counter("tidemill_task_deferrals_total", "Tasks deferred without counting an attempt.")},
    {&PoolStats::inline_runs,
     counter("tidemill_tasks_inline_total", "Tasks run inside the one that submitted them.")},
};
constexpr std::pair<std::size_t PoolStats::*, FamilyHead> kPoolGauges[] = {
    {&PoolStats::queued, gauge("tidemill_queue_tasks", "Tasks in the queue.")},
    {&PoolStats::capacity, gauge("tidemill_queue_capacity_tasks", "Capacity of the queue.")},
    {&PoolStats::queue_high_water,
     gauge("tidemill_queue_high_water_tasks", "Most tasks the queue has held.")},
    {&PoolStats::waiting_submits,
     gauge("tidemill_submits_waiting", "Producers waiting for room in the queue.")},
    {&PoolStats::waiting,
     gauge("tidemill_tasks_waiting", "Tasks waiting for a retry or a deferral.")},
    {&PoolStats::active, gauge("tidemill_workers_busy", "Workers running a task.")},
};
constexpr FamilyHead kTasks = counter("tidemill_tasks_total", "Tasks settled, by outcome.");
constexpr FamilyHead kWorkers = gauge("tidemill_workers", "Workers in the pool.");
constexpr FamilyHead kWorkerTasks =
    counter("tidemill_worker_tasks_total", "Tasks settled by a worker.");
constexpr FamilyHead kBusy =
    counter("tidemill_worker_busy_seconds_total", "Time a worker spent in tasks.");
constexpr FamilyHead kIdle =
    counter("tidemill_worker_idle_seconds_total", "Time a worker spent waiting for tasks.");
constexpr FamilyHead kDurations =
    histogram("tidemill_task_duration_seconds", "Duration of task attempts.");
constexpr FamilyHead kItems = counter("tidemill_items_total", "Items settled, by outcome.");
constexpr FamilyHead kItemsFound = counter("tidemill_items_found_total", "Items found so far.");
constexpr FamilyHead kBytesFound =
    counter("tidemill_items_found_bytes_total", "Size of the items found so far.");
constexpr FamilyHead kBytesSettled =
    counter("tidemill_items_settled_bytes_total", "Size of the items settled.");

void append_pool_families(std::string& out, const auto& families, Pools pools) {
  for (const auto& [field, head] : families) {
    Family family(head);
    for (const PoolReading& reading : pools) {
      family.add({{"pool", reading.pool}}, std::uint64_t{reading.stats.*field});
    }
    family.append_to(out);
  }
}

void append_tasks(std::string& out, Pools pools) {
  Family tasks(kTasks);
  for (const PoolReading& reading : pools) {
    for (const TypeStats& type : reading.stats.types) {
      const auto add = [&](std::string_view outcome, std::uint64_t n) {
        tasks.add({{"pool", reading.pool}, {"type", type.name}, {"outcome", outcome}}, n);
      };
      add("completed", type.completed);
      add("failed", type.failed);
    }
  }
  tasks.append_to(out);
}

void append_workers(std::string& out, Pools pools) {
  Family count(kWorkers);
  Family tasks(kWorkerTasks);
  Family busy(kBusy);
  Family idle(kIdle);
  for (const PoolReading& reading : pools) {
    const auto& workers = reading.stats.workers;
    count.add({{"pool", reading.pool}}, std::uint64_t{workers.size()});
    for (std::size_t i = 0; i < workers.size(); ++i) {
      const std::string index = text_of(i);
      const Labels labels{{"pool", reading.pool}, {"worker", index}};
      tasks.add(labels, workers[i].tasks);
      busy.add(labels, workers[i].busy);
      idle.add(labels, workers[i].idle);
    }
  }
  for (const Family* family : {&count, &tasks, &busy, &idle}) family->append_to(out);
}

void add_histogram(Family& family, const Labels& labels, const HistogramSnapshot& times) {
  const auto add_bucket = [&](std::string_view bound, std::uint64_t n) {
    Labels with_bound = labels;
    with_bound.emplace_back("le", bound);
    family.add(with_bound, n, "_bucket");
  };
  std::uint64_t seen = 0;
  std::size_t bucket = 0;
  for (int octave = kFirstBound; octave <= kLastBound; ++octave) {
    const std::uint64_t border = std::uint64_t{1} << octave;
    const auto end = HistogramScale::bucket_of(nanoseconds(border));
    for (; bucket < end; ++bucket) seen += times.counts[bucket];
    add_bucket(seconds_of(border - 1), seen);
  }
  const std::uint64_t all = times.count();
  add_bucket("+Inf", all);
  family.add(labels, times.sum, "_sum");
  family.add(labels, all, "_count");
}

void append_durations(std::string& out, Pools pools) {
  Family family(kDurations);
  for (const PoolReading& reading : pools) {
    for (const TypeStats& type : reading.stats.types) {
      add_histogram(family, {{"pool", reading.pool}, {"type", type.name}}, type.lifetime);
    }
  }
  family.append_to(out);
}

void append_flow(std::string& out, const FlowCounts& flow) {
  Family items(kItems);
  items.add({{"outcome", "done"}}, flow.done);
  items.add({{"outcome", "skipped"}}, flow.skipped);
  items.add({{"outcome", "failed"}}, flow.failed);
  items.append_to(out);
  const auto append_one = [&](const FamilyHead& head, std::uint64_t value) {
    Family family(head);
    family.add({}, value);
    family.append_to(out);
  };
  append_one(kItemsFound, flow.found);
  append_one(kBytesFound, flow.found_bytes.count);
  append_one(kBytesSettled, flow.settled_bytes.count);
}

}  // namespace

std::string prometheus_text(std::span<const PoolReading> pools,
                            const std::optional<FlowCounts>& flow) {
  std::string out;
  append_tasks(out, pools);
  append_pool_families(out, kPoolCounters, pools);
  append_pool_families(out, kPoolGauges, pools);
  append_workers(out, pools);
  append_durations(out, pools);
  if (flow) append_flow(out, *flow);
  return out;
}

std::string prometheus_text(const PoolStats& stats, std::string_view pool,
                            const std::optional<FlowCounts>& flow) {
  const PoolReading reading{.pool = std::string(pool), .stats = stats};
  return prometheus_text(std::span(&reading, 1), flow);
}

std::string prometheus_text(const FlowCounts& flow) {
  return prometheus_text(std::span<const PoolReading>(), flow);
}

}  // namespace tidemill::engine
