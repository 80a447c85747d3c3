// priorities: urgent tasks start first, and a low one is still not left for ever.
//
//   urgent  ▸ 4 ▸ 5 ▸ 6 ▸ …  ──┐
//   normal  ▸ 2 ▸ 3          ──┼──► one worker     a list that was passed over `ageing` times in
//   low     ▸ 1              ──┘                   a row gets the next start
//
// The queue is filled by a task of the only worker: nothing else can start before it returns, so
// the order is the queue's choice alone, and the same in every run. The lowest are submitted first,
// to show that this does not decide. A worker that submits to its own pool never waits for room, so
// the pool cannot lock up. In the second run lists age so slowly that only priorities count.
#include <iostream>
#include <string>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/engine/pool.h"

using namespace tidemill;
using namespace tidemill::engine;

namespace {

constexpr Priority kSubmitted[] = {
    Priority::low,    Priority::normal, Priority::normal, Priority::urgent, Priority::urgent,
    Priority::urgent, Priority::urgent, Priority::urgent, Priority::urgent,
};

// The tasks in the order in which they started, each with its place in the order above.
Result<std::vector<std::string>> starts(unsigned ageing) {
  std::vector<std::string> names;  // no lock: one worker writes, and we read after wait()
  LET(auto pool, Pool::start({.workers = 1, .ageing = ageing}));

  const auto fill = [&names, &pool]() -> Result<void> {
    for (int place = 0; const Priority priority : kSubmitted) {
      const std::string name = std::string(name_of(priority)) + '-' + std::to_string(++place);
      const auto body = [&names, name] { names.push_back(name); };
      if (pool.submit({body, {.priority = priority}}) != Admission::accepted) {
        return fail(Cure::give_up, "submit", name + " was not accepted");
      }
    }
    return {};
  };
  if (pool.submit(fill) != Admission::accepted) {
    return fail(Cure::give_up, "submit", "the pool takes no tasks");
  }
  pool.close();  // nothing more from outside; what the tasks themselves submit is still taken
  const PoolReport report = pool.wait();
  if (!report.errors.empty()) return std::unexpected(report.errors.front().failure);
  return names;
}

}  // namespace

int main() {
  for (const unsigned ageing : {3U, 1'000U}) {
    const auto names = starts(ageing);
    if (!names) {
      std::cerr << text_of(names.error()) << '\n';
      return 1;
    }
    std::cout << "ageing " << ageing << ":";
    for (const std::string& name : *names) std::cout << ' ' << name;
    std::cout << '\n';
  }
}
