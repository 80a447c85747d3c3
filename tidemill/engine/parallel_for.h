// Crew: goes through numbered slices of work on as many threads as the disk needs.
//
// It starts with one thread a core. A thread that reads from a disk mostly waits, and then more of
// them are worth having; a thread that reads from memory never waits, and more of them would only
// push each other off the cores. So the crew asks the kernel every 25 ms how long each of its
// threads was on a core or wanted one (/proc/self/task/*/schedstat); the rest it slept. When cores
// are left idle, threads are added; when more want to run than there are cores, some are sent to
// rest. The kind of disk is not asked for: what the system says about it is often wrong.
//
// Between slices a thread takes one number from a counter: no lock, no memory. A machine out of
// threads makes do with those it gave; without any, the caller works alone.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>

#include "tidemill/base/result.h"

namespace tidemill::engine {

struct CrewOptions {
  std::size_t fewest = default_fewest();  // threads at the beginning, and cores to be kept busy
  std::size_t most = default_most();      // not below fewest; the same: nothing is measured

  [[nodiscard]] static std::size_t default_fewest();  // the cores this process may use
  [[nodiscard]] static std::size_t default_most();    // 4 a core, and 8 at least
};

struct CrewReport {
  bool is_complete = true;  // every slice was worked on
  std::size_t most_threads = 0;
  std::optional<Failure> failure{};  // what a slice threw; no further slice was begun
};

// How many threads there should be next, when so many of them were asleep on average.
[[nodiscard]] std::size_t crew_size(std::size_t threads, double asleep, const CrewOptions& options);

// Calls work(worker, slice) once for each slice below `slices`, in their order as they are taken.
// `worker` is below options.most, and no two calls with the same one overlap. After a stop no slice
// is begun; work must look at the token itself to end early. A slice that throws (out of memory)
// ends it the same way, with the failure in the report. Returns when all threads have ended.
[[nodiscard]] CrewReport run_crew(const CrewOptions& options, std::size_t slices,
                                  const std::function<void(std::size_t, std::size_t)>& work,
                                  const std::stop_token& stop);

}  // namespace tidemill::engine
