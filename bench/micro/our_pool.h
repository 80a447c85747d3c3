// OurPool: engine::Pool as a contestant; see contestants.h.
//
// As in production: bounded, four priorities, counters and execution times, a timeout and the stall
// watch, containment of exceptions.
#pragma once

#include <chrono>
#include <cstddef>
#include <utility>

#include "bench/micro/measure.h"
#include "tidemill/engine/pool.h"

namespace tidemill::bench {

inline constexpr std::size_t kWorkers = 2;

class OurPool {
 public:
  static constexpr const char* kName = "tidemill";

  explicit OurPool(std::size_t capacity)
      : pool_(engine::Pool::start({
            .workers = kWorkers,
            .capacity = capacity,
            .types = {{.name = "bench", .timeout = std::chrono::minutes(5)}},
            .watchdog = {.stall_after = std::chrono::seconds(60)},
        })) {
    if (!pool_) broken(pool_.error().reason);
  }

  template <class Body>
  void submit(Body body) {
    if (pool_->submit(std::move(body)) != engine::Admission::accepted)
      broken("tidemill did not accept a task");
  }
  void finish() {
    pool_->close();
    (void)pool_->wait();
  }
  void cancel() {
    pool_->stop();
    (void)pool_->wait();
  }

 private:
  Result<engine::Pool> pool_;
};

}  // namespace tidemill::bench
