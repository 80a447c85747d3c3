// minimal_pool: the smallest complete program on the engine.
//
//   main ── submit × 100 ──► [ queue ] ──► workers, one per CPU ──► report
//
// Starts a pool with the default options, submits a hundred tasks, closes the pool to new tasks,
// and waits until all have finished. submit() waits while the queue is full; it fails only if the
// pool was closed or stopped. `sum` is declared before the pool because the tasks use it: the
// pool's destructor waits for running tasks.
#include <atomic>
#include <iostream>

#include "tidemill/engine/pool.h"

int main() {
  using tidemill::engine::Admission, tidemill::engine::Pool, tidemill::engine::PoolReport;

  std::atomic<int> sum = 0;
  auto pool = Pool::start({});
  if (!pool) {
    std::cerr << tidemill::text_of(pool.error()) << '\n';
    return 1;
  }

  for (int number = 1; number <= 100; ++number) {
    if (pool->submit([&sum, number] { sum += number; }) != Admission::accepted) {
      std::cerr << "the pool does not accept more tasks\n";
      return 1;
    }
  }
  pool->close();
  const PoolReport report = pool->wait();

  std::cout << "accepted  " << report.accepted << "\ncompleted " << report.completed
            << "\nfailed    " << report.failed << "\ndropped   " << report.dropped << "\nsum       "
            << sum << '\n';
  return report.completed == report.accepted ? 0 : 1;
}
