// Pipeline: source → stage → sink, for jobs whose items are independent.
//
//   source ──► budget ──► pool of workers: stage ──► results ──► sink
//   your       items      retry, deadlines,          bounded     one thread, in batches
//   thread     bytes      priorities                 channel     of ≤ 1,000 or ≤ 50 ms
//
// The source feeds items, and waits while too many are in flight. The stage turns an item into a
// result, a Skip, or a Failure; the pool's retry policy decides which failures are final. The sink
// gets every final outcome exactly once, in batches that suit one transaction each: when it
// returns, the batch counts as settled. A full channel makes workers wait; it never drops an
// outcome.
//
// The failure of one item is a row for the sink, and the run continues. A failure of the source or
// the sink, or a stage that returns context.fatal(…), fails the run: everything stops with that
// cause. stop() drops queued items, lets running stages end, and still delivers what they finished.
//
// At the end found = done + skipped + failed, or the report says how many items are left and why.
// The sums are checked against the pool's, and a difference is reported as a failure of the run.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "tidemill/base/bytes.h"
#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/base/thread.h"
#include "tidemill/engine/budget.h"
#include "tidemill/engine/channel.h"
#include "tidemill/engine/flow.h"
#include "tidemill/engine/pool.h"

namespace tidemill::engine {

// The item was examined, and there was nothing to do. Not a failure.
struct Skip {
  std::string reason{};
};

// What a stage returns if it does not fail.
template <class Out>
using Verdict = std::variant<Out, Skip>;

// An item and its final outcome.
template <class In, class Out>
struct Settled {
  TaskId id = 0;
  In item;
  int attempts = 0;
  std::variant<Out, Skip, Failure> outcome;

  [[nodiscard]] const Out* done() const { return std::get_if<Out>(&outcome); }
  [[nodiscard]] const Skip* skipped() const { return std::get_if<Skip>(&outcome); }
  [[nodiscard]] const Failure* failed() const { return std::get_if<Failure>(&outcome); }
};

struct PipelineOptions {
  PoolOptions pool = {};         // its capacity is set from `in_flight`
  BudgetOptions in_flight = {};  // fed, but not yet taken by the sink
  Bytes results = {std::numeric_limits<std::uint64_t>::max()};  // waiting for the sink
  std::size_t batch_items = 1'000;                              // maximum per call of the sink
  std::chrono::milliseconds batch_time{50};                     // maximum wait for a batch to fill
};

// The running sums of a pipeline, and the check that they balance. Thread-safe.
class PipelineCounts {
 public:
  void find(Bytes size);                   // an item was fed
  void skip(std::uint64_t items);          // found and skipped by the source itself
  void settle(const FlowCounts& settled);  // the sink has stored a batch
  void discard(std::uint64_t items);       // no row: the run stopped, or the sink failed

  [[nodiscard]] FlowCounts now() const;

  // At the end every found item must be settled, dropped by the pool, or discarded.
  [[nodiscard]] FlowReport report(const PoolReport& pool, bool was_stopped,
                                  std::optional<Failure> fatal) const;

 private:
  std::atomic<std::uint64_t> found_ = 0;
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<std::uint64_t> skipped_ = 0;
  std::atomic<std::uint64_t> failed_ = 0;
  std::atomic<std::uint64_t> found_bytes_ = 0;
  std::atomic<std::uint64_t> settled_bytes_ = 0;
  std::atomic<std::uint64_t> discarded_ = 0;
};

// Thread-safe: run() once, by one thread; stop(), counts() and stats() by any thread.
template <class In, class Out>
class Pipeline {
 public:
  using Item = Settled<In, Out>;
  using Stage = std::function<Result<Verdict<Out>>(In&, TaskContext&)>;  // called by many threads
  using Sink = std::function<Result<void>(std::span<Item>)>;             // called by one thread
  using SizeOf = std::function<Bytes(const Out&)>;

  // The source's interface to the pipeline. Thread-safe.
  class Intake {
   public:
    // Waits for room. False: the run stops, and the source should return. `attempts` is the number
    // of attempts in earlier processes: they count towards the retry policy.
    [[nodiscard]] bool feed(In item, Bytes size = {sizeof(In)}, TaskTraits traits = {},
                            int attempts = 0) {
      return pipeline_.feed(std::move(item), size, traits, attempts);
    }
    // Counts items as found and skipped, without the stage and without a row for the sink.
    void skip(std::uint64_t items) { pipeline_.counts_.skip(items); }
    [[nodiscard]] bool is_stopped() const { return pipeline_.stops_.load(); }

   private:
    friend Pipeline;
    explicit Intake(Pipeline& pipeline) : pipeline_(pipeline) {}
    Pipeline& pipeline_;
  };
  using Source = std::function<Result<void>(Intake&)>;

  [[nodiscard]] static Result<std::unique_ptr<Pipeline>> make(PipelineOptions options, Stage stage,
                                                              Sink sink, SizeOf size_of = {}) {
    if (options.batch_items < 1) {
      return fail(Cure::give_up, "pipeline options", "batch_items must be at least 1");
    }
    std::unique_ptr<Pipeline> pipeline(
        new Pipeline(std::move(options), std::move(stage), std::move(sink), std::move(size_of)));
    PoolOptions pool = pipeline->options_.pool;
    pool.capacity =
        pipeline->options_.in_flight.items;  // the budget is the bound: the queue is never full
    auto started = Pool::start(std::move(pool));
    if (!started) return std::unexpected(std::move(started).error());
    pipeline->pool_.emplace(*std::move(started));
    return pipeline;
  }

  // Runs the source on this thread, and returns when the sink has stored the last batch.
  [[nodiscard]] FlowReport run(const Source& source) {
    Drain drain{results_, {}};
    auto draining = start_thread(
        "the results", [this] { drain_results(); },
        [this](Failure cause) {
          counts_.discard(results_.cancel());
          stop_because(std::move(cause));
        });
    if (draining) {
      drain.thread = *std::move(draining);
      Intake intake(*this);
      if (auto fed = contained([&] { return source(intake); }); !fed) {
        stop_because(std::move(fed).error());
      }
    } else {
      stop_because(std::move(draining).error());
    }
    source_has_ended_.store(true);
    running_pool().close();
    const PoolReport pool = running_pool().wait();
    if (pool.fatal) stop_because(*pool.fatal);
    results_.close();
    if (drain.thread.joinable()) drain.thread.join();
    return counts_.report(pool, stops_.load(), *cause_.lock());
  }

  void stop() {
    stops_.store(true);
    budget_.end();
    running_pool().stop();
  }

  [[nodiscard]] FlowCounts counts() const { return counts_.now(); }
  // If so, `found` is the total.
  [[nodiscard]] bool source_has_ended() const { return source_has_ended_.load(); }
  [[nodiscard]] PoolStats stats() const { return running_pool().stats(); }
  [[nodiscard]] std::vector<SlowAttempt> slowest() const { return running_pool().slowest(); }
  [[nodiscard]] std::size_t waiting_feeds() { return budget_.waiting(); }

 private:
  // One item in flight. Holds the verdict until the pool has settled the task.
  struct Flight {
    In item;
    Bytes size{};
    Verdict<Out> verdict = Skip{};  // what the stage returned if it did not fail
  };

  // The body of the pool's task.
  struct Carrier {
    Pipeline* pipeline;
    std::unique_ptr<Flight> flight;

    Result<void> operator()(TaskContext& context) {
      auto verdict = pipeline->stage_(flight->item, context);
      if (!verdict) return std::unexpected(std::move(verdict).error());
      flight->verdict = *std::move(verdict);
      return {};
    }
    void settled(const Settlement& settlement) { pipeline->deliver(std::move(flight), settlement); }
  };

  struct Parcelled {
    Item item;
    Bytes size{};
  };

  // Ends the sink's thread on every exit path.
  struct Drain {
    Channel<Parcelled>& results;
    std::jthread thread;
    ~Drain() { results.close(); }
  };

  Pipeline(PipelineOptions options, Stage stage, Sink sink, SizeOf size_of)
      : options_(std::move(options)),
        stage_(std::move(stage)),
        sink_(std::move(sink)),
        size_of_(std::move(size_of)),
        clock_(options_.pool.clock != nullptr ? *options_.pool.clock : system_clock_),
        budget_(options_.in_flight),
        results_({.items = options_.in_flight.items, .bytes = options_.results}) {}

  [[nodiscard]] bool feed(In&& item, Bytes size, TaskTraits traits, int attempts) {
    if (!budget_.take(size)) return false;
    counts_.find(size);
    auto flight = std::make_unique<Flight>(Flight{std::move(item), size});
    Task task{Carrier{this, std::move(flight)}, traits};
    task.attempt = static_cast<std::uint16_t>(std::clamp(attempts, 0, 0xfffe) + 1);
    const auto answer = running_pool().submit(std::move(task));
    if (answer == Admission::accepted) return true;
    counts_.discard(1);  // stopped in between: found, but not settled
    return false;
  }

  // On a worker's thread: waits while the results channel is full.
  void deliver(std::unique_ptr<Flight> flight, const Settlement& settlement) {
    const Bytes size = flight->size;
    Bytes weight{sizeof(Item)};
    Item item{settlement.id, std::move(flight->item), settlement.attempts, Skip{}};
    if (!settlement.ok()) {
      item.outcome = settlement.outcome->error();
    } else if (auto* out = std::get_if<Out>(&flight->verdict)) {
      if (size_of_) weight = size_of_(*out);
      item.outcome = std::move(*out);
    } else {
      item.outcome = std::get<Skip>(std::move(flight->verdict));
    }
    if (results_.push({std::move(item), size}, weight) != Push::sent) counts_.discard(1);
  }

  // On the sink's thread.
  void drain_results() {
    std::vector<Parcelled> taken;
    std::vector<Item> batch;
    Bytes bytes{};
    while (results_.pop_some(taken, options_.batch_items) > 0) {
      const Instant until = clock_.now() + options_.batch_time;
      do {
        Bytes portion{};
        for (Parcelled& result : taken) {
          portion += result.size;
          batch.push_back(std::move(result.item));
        }
        budget_.give_back(taken.size(), portion);
        bytes += portion;
        taken.clear();
        if (batch.size() < options_.batch_items) {
          results_.gather(options_.batch_items - batch.size(), clock_, until);
        }
      } while (batch.size() < options_.batch_items &&
               results_.pop_some_until(taken, options_.batch_items - batch.size(), clock_, until) >
                   0);
      commit(batch, bytes);
      batch.clear();
      bytes = {};
    }
  }

  void commit(std::vector<Item>& batch, Bytes bytes) {
    FlowCounts settled{.settled_bytes = bytes};
    for (const Item& item : batch) {
      ++(item.done() != nullptr      ? settled.done
         : item.skipped() != nullptr ? settled.skipped
                                     : settled.failed);
    }
    if (auto kept = sink_(std::span(batch)); !kept) {
      counts_.discard(batch.size() + results_.cancel());
      stop_because(std::move(kept).error());
      return;
    }
    counts_.settle(settled);
  }

  void stop_because(Failure cause) {
    {
      auto first = cause_.lock();
      if (!*first) *first = std::move(cause);
    }
    stop();
  }

  const PipelineOptions options_;
  const Stage stage_;
  const Sink sink_;
  const SizeOf size_of_;
  const SystemClock system_clock_;
  const Clock& clock_;

  PipelineCounts counts_;
  Budget budget_;
  Channel<Parcelled> results_;
  std::atomic<bool> stops_ = false;
  std::atomic<bool> source_has_ended_ = false;
  Guarded<std::optional<Failure>> cause_;
  // make() has started it.
  Pool& running_pool() { return *pool_; }  // NOLINT(bugprone-unchecked-optional-access)
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access)
  [[nodiscard]] const Pool& running_pool() const { return *pool_; }

  std::optional<Pool> pool_;  // last: its workers use everything above
};

}  // namespace tidemill::engine
