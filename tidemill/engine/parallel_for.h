// parallel_for: a loop over a range of indices, on as many threads as the work can use.
//
//   parallel_for(0, files.size(), [&](std::size_t i) { return hash(files[i]); })
//
//   indices  0 ······ grain ······ 2 grain ······ 3 grain ······        slices in order, each to
//            └─ slice 0 ─┘└── slice 1 ──┘└── slice 2 ──┘ …              the next free thread
//
// It starts its own threads, and all have ended when it returns. It begins with one thread per
// core. Threads that read from a disk mostly wait, so more of them help; threads that read from
// memory never wait, and more of them would only compete for the cores. So every 25 ms it reads
// from the kernel how long each of its threads was on a core or waited for one
// (/proc/self/task/*/schedstat); the rest of the time the thread slept. If cores are idle, it adds
// threads; if more threads want to run than there are cores, it suspends some. It does not use the
// type of the disk, because what the system reports about it is often wrong.
//
// To get a slice, a thread increments a counter: no lock, no allocation. If the machine is out of
// threads, the loop runs on those that started; without any, it runs on the caller's thread.
//
// It ends early after a stop, a failure or an exception: no further index is started, running ones
// finish, and the first failure is returned. For retries, deferrals and deadlines, use a Pool.
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
  std::size_t fewest = default_fewest();  // threads at the start, and cores to keep busy
  std::size_t most = default_most();      // at least `fewest`; if equal, nothing is measured
  std::size_t grain = 0;  // indices per slice; 0: eight slices per thread, of at most 1,024

  [[nodiscard]] static std::size_t default_fewest();  // the cores that this process may use
  [[nodiscard]] static std::size_t default_most();    // 4 per core, at least 8
};

struct SlicesReport {
  bool is_complete = true;  // every slice was processed
  std::size_t most_threads = 0;
  std::optional<Failure> failure{};  // the first; no further slice was started
};

// The next number of threads, if `asleep` of `threads` were asleep on average.
[[nodiscard]] std::size_t next_thread_count(std::size_t threads, double asleep,
                                            const ParallelOptions& options);

// Calls work(worker, slice) once for each slice below `slices`; slices start in order. `worker` is
// below options.most, and two calls with the same `worker` never overlap: it can be the index of a
// buffer. If a slice takes long, `work` must check the token itself.
[[nodiscard]] SlicesReport run_slices(
    const ParallelOptions& options, std::size_t slices,
    const std::function<Result<void>(std::size_t worker, std::size_t slice)>& work,
    const std::stop_token& stop);

// The same for `work` that returns a Result<void> or nothing.
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

// Calls body(index), or body(worker, index), once for each index from `first` to below `last`. The
// body returns a Result<void> or nothing. If a stop leaves indices undone, the result is
// Cure::retry at "stopped".
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
  std::atomic<bool> was_stopped = false;
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
        was_stopped.store(true);
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
  if (!report.is_complete || was_stopped.load()) {
    return fail(Cure::retry, "stopped", "the loop was stopped before its end");
  }
  return {};
}

}  // namespace tidemill::engine
