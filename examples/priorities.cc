// priorities: urgent tasks start first, and ageing keeps a low one from starving.
//
//   urgent  ▸ 4 ▸ 5 ▸ 6 ▸ …  ──┐
//   normal  ▸ 2 ▸ 3          ──┼──► one worker     a list that was skipped `ageing` times in a
//   low     ▸ 1              ──┘                   row gets the next start
//
// A task on the only worker fills the queue: no other task can start before it returns, so the
// queue alone decides the order, which is the same in every run. The low task is submitted first,
// to show that the order of submission does not matter. A worker that submits to its own pool never
// waits for room, so the pool cannot deadlock. The second run ages too slowly to make a difference.
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

// The tasks in the order in which they started, numbered in the order above.
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
    return fail(Cure::give_up, "submit", "the pool does not accept tasks");
  }
  pool.close();  // accepts no more tasks from outside; its own tasks can still submit
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
