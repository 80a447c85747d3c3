// Starting a thread, and what its function throws: both are Failures.
//
// std::jthread's constructor throws when the machine has no thread left (ulimit -u) or no room for
// a stack (ulimit -v), and what leaves a thread's function ends the process. So every thread of
// this program is started here: start_thread() answers with a Failure instead of throwing, and
// calls `on_failure` on the new thread when its function throws, which means out of memory. An
// owner's on_failure tells whoever waits for the thread: it ends the run in good order.
//
// An object that owns a thread asks it to end before it joins it, in its destructor and on every
// way out: not only after everything went well.
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

// Its texts are short, so that they need no memory of their own.
[[nodiscard]] inline Failure out_of_memory(Cure cure = Cure::retry) {
  return {.cure = cure, .step = "memory", .reason = "out of memory"};
}

// What the call throws as a Failure. The call returns a Result<void> or nothing.
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

// The machine is out of threads, and perhaps out of memory for saying so.
[[nodiscard]] inline Failure no_thread(std::string_view what, const std::error_code& why) try {
  return {.cure = Cure::retry,
          .step = "threads",
          .reason = "cannot start a thread for " + std::string(what) + ": " + why.message(),
          .hint = "raise the limits on processes (ulimit -u) and on memory (ulimit -v)"};
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

// `what` names the thread for people: "the progress". Body: with or without a stop_token.
// OnFailure: takes a Failure, on the new thread, must not throw. Never throws itself.
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
