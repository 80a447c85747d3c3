// History: what is kept of a run for its report and its pages: how its counts grew, how long its
// tasks took, which were slowest, and tables that its job made.
//
// Its size is bounded, whatever the number of tasks: kMostSessions, kMostSamples of the run,
// kMostHosts hosts with kMostHostSamples, a histogram per host and type of task, 100 slow attempts,
// kMostRows rows in a part. It is a statistic: no decision is made from it, and losing the end of
// it in a power cut loses no work.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/pool_stats.h"

namespace tidemill::history {

inline constexpr std::size_t kMostSamples = 2'000;    // of the whole run
inline constexpr std::size_t kMostHostSamples = 250;  // of one host of a fleet
inline constexpr std::size_t kMostHosts = 64;         // further ones are not kept apart
inline constexpr std::size_t kMostSessions = 100;     // the latest ones
inline constexpr std::size_t kMostSlow = 100;         // attempts
inline constexpr std::size_t kMostRows = 200;

// A process that worked on the run, and its machine.
struct RunSession {
  std::uint64_t number = 0;  // 1 for the first
  WallTime began{};
  std::string host{};
  std::string system{};  // "Debian GNU/Linux 12 (bookworm), Linux 6.1.0"
  std::uint64_t cores = 0;
  std::uint64_t memory = 0;  // bytes

  bool operator==(const RunSession&) const = default;
};

// The counts at one moment, and the means since the sample before it.
struct Sample {
  WallTime at{};
  std::uint64_t session = 0;  // the number of its RunSession
  std::uint64_t found = 0;    // this and the next three: since the run began
  std::uint64_t done = 0;
  std::uint64_t failed = 0;
  std::uint64_t skipped = 0;
  double busy = 0;     // places
  double waiting = 0;  // tasks
  std::uint64_t places = 0;
  std::uint64_t bytes = 0;  // of settled items, in this session

  bool operator==(const Sample&) const = default;
};

// The samples of one host, in the order in which they were taken.
struct SampleSeries {
  std::string host{};                       // empty: the whole run
  std::chrono::milliseconds interval{500};  // between samples of a session
  std::vector<Sample> samples{};

  bool operator==(const SampleSeries&) const = default;
};

// How long the attempts of a type of task took on a host.
struct Durations {
  std::string host{};  // empty: this process
  std::string type{};
  engine::HistogramSnapshot times{};

  bool operator==(const Durations&) const = default;
};

struct SlowTask {
  engine::SlowAttempt attempt{};
  std::string host{};

  bool operator==(const SlowTask&) const = default;
};

// What the numbers of a column count.
enum class HistoryUnit : std::uint8_t { count, bytes, milliseconds };

struct HistoryColumn {
  std::string name{};
  HistoryUnit unit = HistoryUnit::count;

  bool operator==(const HistoryColumn&) const = default;
};

struct HistoryRow {
  std::string label{};
  std::vector<std::int64_t> numbers{};  // one per column
  std::string detail{};                 // such as an example

  bool operator==(const HistoryRow&) const = default;
};

enum class PartForm : std::uint8_t {
  table,
  bars,     // of the first column
  treemap,  // areas by the first column
};

// A table that only this job can make: duplicates by folder, rejected lines by reason.
struct HistoryPart {
  std::string name{};  // identifies it in its run
  std::string title{};
  std::string label{};  // the heading of the labels
  PartForm form = PartForm::table;
  std::vector<HistoryColumn> columns{};  // at most three
  std::vector<HistoryRow> rows{};
  std::uint64_t left_out = 0;  // rows that were not kept

  bool operator==(const HistoryPart&) const = default;
};

struct RunHistory {
  std::vector<RunSession> sessions{};  // in their order
  std::vector<SampleSeries> series{};  // the first is that of the whole run, if there is any
  std::vector<Durations> durations{};
  std::vector<SlowTask> slowest{};  // slowest first
  std::vector<HistoryPart> parts{};

  bool operator==(const RunHistory&) const = default;
};

// What changed since the last write.
struct HistoryChange {
  std::optional<RunSession> session{};  // a new one
  struct NewSamples {
    SampleSeries series{};
    bool replaces_all = false;  // there are no others of this host
  };
  std::vector<NewSamples> samples{};
  std::vector<Durations> durations{};              // the complete histograms of those that changed
  std::optional<std::vector<SlowTask>> slowest{};  // all
  std::vector<HistoryPart> parts{};                // each replaces the one with its name
};

// Where a history is kept. Thread-safe.
class Store {
 public:
  virtual ~Store() = default;
  [[nodiscard]] virtual Result<RunHistory> history() const = 0;
  [[nodiscard]] virtual Result<void> keep(const HistoryChange& change) = 0;  // all or nothing
};

}  // namespace tidemill::history
