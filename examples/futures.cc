// futures: submit calls, wait for their values, and use the same pool again.
//
//   main ── async × 3 ──► [ queue ] ──► workers ──┐
//     ▲                                           │ a value, or the failure
//     └────── get() ◄── Future ◄──────────────────┘
//   main ── submit × 10 ──► … ── wait_idle() ──► all settled; the pool stays open
//
// A call returns a value, a Result or nothing. get() returns a Failure if the call fails or throws,
// or if the pool is stopped first: every Future gets an answer. The pool retries a call like any
// other task: the second one here succeeds in its third attempt.
#include <atomic>
#include <chrono>
#include <iostream>
#include <stdexcept>
#include <string>

#include "tidemill/base/try.h"
#include "tidemill/engine/pool.h"

using namespace tidemill;
using namespace tidemill::engine;

namespace {

Result<std::string> fetch(const TaskContext& context) {
  if (context.attempt() < 3) return fail(Cure::retry, "connect", "the server is busy");
  return "fetched in attempt " + std::to_string(context.attempt());
}

Result<void> run() {
  std::atomic<int> sum = 0;  // declared before the pool, because tasks use it
  const RetryPolicy retry{.max_attempts = 3, .first_delay = std::chrono::milliseconds(1)};
  LET(auto pool, Pool::start({.workers = 2, .retry = retry}));

  auto product = pool.async([] { return 6 * 7; });
  auto text = pool.async(fetch);
  auto broken = pool.async([]() -> int { throw std::runtime_error("bad input"); });

  LET(const int number, product.get());
  LET(const std::string fetched, text.get());
  std::cout << number << '\n' << fetched << '\n';
  if (const auto none = broken.get(); !none) std::cout << text_of(none.error()) << '\n';

  for (int round = 1; round <= 2; ++round) {
    for (int i = 1; i <= 10; ++i) {
      if (pool.submit([&sum, i] { sum += i; }) != Admission::accepted) break;
    }
    TRY(pool.wait_idle());
    std::cout << "round " << round << ": " << sum << '\n';
  }
  return {};
}

}  // namespace

int main() {
  const auto ran = run();
  if (!ran) std::cerr << text_of(ran.error()) << '\n';
  return ran ? 0 : 1;
}
