// parallel_loop: a loop over an array on several threads, with one sum per thread.
//
//   indices  0 ········ 999 │ 1000 ····· 1999 │ 2000 ····· …      slices of `grain` indices; a free
//             thread A          thread B           thread A        thread takes the next slice
//
// parallel_for starts its own threads and returns when all of them have ended. `worker` is the
// number of the calling thread, and two calls with the same number never overlap: each thread has
// its own sum, and no lock is needed. The first failure ends the loop, and parallel_for returns it.
#include <cstddef>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include "tidemill/engine/parallel_for.h"

using namespace tidemill;
using namespace tidemill::engine;

int main() {
  std::vector<int> numbers(100'000);
  std::iota(numbers.begin(), numbers.end(), 1);

  const ParallelOptions options{.grain = 1'000};
  std::vector<long> sums(options.most);
  const auto added = parallel_for(
      0, numbers.size(), [&](std::size_t worker, std::size_t i) { sums[worker] += numbers[i]; },
      options);
  if (!added) {
    std::cerr << text_of(added.error()) << '\n';
    return 1;
  }
  std::cout << "sum " << std::accumulate(sums.begin(), sums.end(), 0L) << '\n';

  numbers[77'777] = -1;
  const auto checked = parallel_for(0, numbers.size(), [&](std::size_t i) -> Result<void> {
    if (numbers[i] > 0) return {};
    return fail(Cure::give_up, "check", "number " + std::to_string(i) + " is negative");
  });
  std::cout << (checked ? "all positive" : text_of(checked.error())) << '\n';
}
