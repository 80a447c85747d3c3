// Starts threads. A thread that cannot start and a thread function that throws both become
// Failures.
//
// std::jthread's constructor throws when the machine is out of threads (ulimit -u) or of memory for
// a stack (ulimit -v), and an exception that leaves a thread's function ends the process. So all
// threads are started here (but those of io/redis/resolver.h, which nobody joins): start_thread()
// returns a Failure instead of throwing, and calls `on_failure` on the new thread if its function
// throws, which means out of memory. The owner's on_failure wakes the threads that wait for this
// one, so that the run ends cleanly.
//
// An object that owns a thread requests its end before it joins it: in the destructor and on every
// other exit path, not only on success.
#pragma once

#include <exception>
#include <new>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include "tidemill/base/result.h"

namespace tidemill {

// Its texts are short enough to fit into the strings themselves: nothing is allocated.
[[nodiscard]] inline Failure out_of_memory(Cure cure = Cure::retry) {
  return {.cure = cure, .step = "memory", .reason = "out of memory"};
}

// Runs the call and turns an exception into a Failure. The call returns a Result<void> or nothing.
template <class Call>
[[nodiscard]] Result<void> contained(Call&& call) {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Call>>) {
      std::forward<Call>(call)();
      return {};
    } else {
      return std::forward<Call>(call)();
    }
  } catch (const std::bad_alloc&) {
    return std::unexpected(out_of_memory());
  } catch (const std::exception& wrong) {
    return fail(Cure::give_up, "uncaught", wrong.what());
  } catch (...) {
    return fail(Cure::give_up, "uncaught", "an exception that is not a std::exception");
  }
}

// The machine is out of threads, and perhaps out of memory for the message too.
[[nodiscard]] inline Failure no_thread(std::string_view what, const std::error_code& why) try {
  return {.cure = Cure::retry,
          .step = "threads",
          .reason = "cannot start a thread for " + std::string(what) + ": " + why.message(),
          .hint = "raise the limits on processes (ulimit -u) and on memory (ulimit -v)"};
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

// `what` names the thread in messages: "the progress". `body` takes a stop_token or nothing.
// `on_failure` takes a Failure, runs on the new thread and must not throw. Never throws itself.
template <class Body, class OnFailure>
[[nodiscard]] Result<std::jthread> start_thread(std::string_view what, Body body,
                                                OnFailure on_failure) {
  try {
    return std::jthread([body = std::move(body), on_failure = std::move(on_failure)](
                            [[maybe_unused]] const std::stop_token& stop) mutable {
      auto done = contained([&] {
        if constexpr (std::is_invocable_v<Body&, const std::stop_token&>) {
          body(stop);
        } else {
          body();
        }
      });
      if (!done) on_failure(std::move(done).error());
    });
  } catch (const std::system_error& wrong) {
    return std::unexpected(no_thread(what, wrong.code()));
  } catch (...) {
    return std::unexpected(out_of_memory());
  }
}

}  // namespace tidemill
