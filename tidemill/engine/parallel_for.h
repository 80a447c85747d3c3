// parallel_for: a loop over a range of indices, on as many threads as the work needs.
//
//   parallel_for(0, files.size(), [&](std::size_t i) { return hash(files[i]); })
//
//   indices  0 ······ grain ······ 2 grain ······ 3 grain ······        one slice after the other,
//            └─ slice 0 ─┘└── slice 1 ──┘└── slice 2 ──┘ …              to whichever thread is free
//
// The threads are its own, and have ended when it returns. It starts with one thread a core. A
// thread that reads from a disk mostly waits, and then more of them are worth having; a thread that
// reads from memory never waits, and more of them would only push each other off the cores. So it
// asks the kernel every 25 ms how long each of its threads was on a core or wanted one
// (/proc/self/task/*/schedstat); the rest it slept. When cores are left idle, threads are added;
// when more want to run than there are cores, some are sent to rest. The kind of disk is not asked
// for: what the system says about it is often wrong.
//
// Between slices a thread takes one number from a counter: no lock, no memory. A machine out of
// threads makes do with those it gave; without any, the caller works alone.
//
// It ends early after a stop, a failure, or an exception: no index is begun from then on, those
// that run come to their end, and the first failure is the answer. What must be tried again, put
// off or have a deadline belongs in a Pool.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <type_traits>

#include "tidemill/base/result.h"

namespace tidemill::engine {

struct ParallelOptions {
  std::size_t fewest = default_fewest();  // threads at the beginning, and cores to be kept busy
  std::size_t most = default_most();      // not below fewest; the same: nothing is measured
  std::size_t grain = 0;  // indices of a slice; 0: eight slices a thread, of at most 1,024

  [[nodiscard]] static std::size_t default_fewest();  // the cores this process may use
  [[nodiscard]] static std::size_t default_most();    // 4 a core, and 8 at least
};

struct SlicesReport {
  bool is_complete = true;  // every slice was worked on
  std::size_t most_threads = 0;
  std::optional<Failure> failure{};  // the first; no further slice was begun
};

// How many threads there should be next, when so many of them were asleep on average.
[[nodiscard]] std::size_t next_thread_count(std::size_t threads, double asleep,
                                            const ParallelOptions& options);

// Calls work(worker, slice) once for each slice below `slices`, in their order as they are taken.
// `worker` is below options.most, and no two calls with the same one overlap: it may be the index
// of a buffer. Work answers Result<void> or nothing, and looks at the token itself if a slice takes
// long.
[[nodiscard]] SlicesReport run_slices(
    const ParallelOptions& options, std::size_t slices,
    const std::function<Result<void>(std::size_t worker, std::size_t slice)>& work,
    const std::stop_token& stop);

template <class Work>
[[nodiscard]] SlicesReport parallel_slices(const ParallelOptions& options, std::size_t slices,
                                           Work&& work, const std::stop_token& stop) {
  const auto call = [&work](std::size_t worker, std::size_t slice) -> Result<void> {
    if constexpr (std::is_void_v<std::invoke_result_t<Work&, std::size_t, std::size_t>>) {
      work(worker, slice);
      return {};
    } else {
      return work(worker, slice);
    }
  };
  return run_slices(options, slices, call, stop);
}

// Calls body(index), or body(worker, index), once for each index from `first` to below `last`. Body
// answers Result<void> or nothing. A stop that left something undone is Cure::retry at "stopped".
template <class Body>
[[nodiscard]] Result<void> parallel_for(std::size_t first, std::size_t last, Body&& body,
                                        const ParallelOptions& options = {},
                                        const std::stop_token& stop = {}) {
  if (first >= last) return {};
  const std::size_t count = last - first;
  const std::size_t grain =
      options.grain > 0
          ? options.grain
          : std::clamp<std::size_t>(count / (8 * std::max<std::size_t>(options.most, 1)), 1, 1'024);
  std::atomic<bool> has_failed = false;
  std::atomic<bool> was_cut = false;
  const auto call = [&body](std::size_t worker, std::size_t index) {
    if constexpr (std::is_invocable_v<Body&, std::size_t, std::size_t>) {
      return body(worker, index);
    } else {
      return body(index);
    }
  };
  const auto work = [&](std::size_t worker, std::size_t slice) -> Result<void> {
    const std::size_t from = first + slice * grain;
    const std::size_t to = from + std::min(grain, last - from);
    for (std::size_t index = from; index < to; ++index) {
      if (has_failed.load(std::memory_order_relaxed) || stop.stop_requested()) {
        was_cut.store(true);
        return {};
      }
      if constexpr (std::is_void_v<decltype(call(worker, index))>) {
        call(worker, index);
      } else if (auto done = call(worker, index); !done) {
        has_failed.store(true);
        return done;
      }
    }
    return {};
  };
  SlicesReport report = run_slices(options, (count - 1) / grain + 1, work, stop);
  if (report.failure) return std::unexpected(*std::move(report.failure));
  if (!report.is_complete || was_cut.load()) {
    return fail(Cure::retry, "stopped", "the loop was stopped before its end");
  }
  return {};
}

}  // namespace tidemill::engine
