// Result<T>: a value, or the Failure that explains why there is none.
//
// Every function of this project that can fail for a reason outside the program (a file, a
// database, a peer, the user) returns a Result. Failures are data here: they are counted,
// classified, stored and retried, so they travel as values and never as exceptions.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace tidemill {

// What the engine may do about a failure: transient, partial and permanent in the words of the
// contracts. Code branches on the cure and on nothing else.
enum class Cure : std::uint8_t {
  retry,    // may pass by itself: a busy database, a lost connection
  resume,   // some steps are done and checkpointed: go on from the failed one
  give_up,  // will fail again the same way: bad input, no permission
  later,    // nothing was tried: come back after not_before, and this attempt does not count
};

[[nodiscard]] constexpr std::string_view name_of(Cure cure) {
  switch (cure) {
    case Cure::retry:
      return "retry";
    case Cure::resume:
      return "resume";
    case Cure::give_up:
      return "give_up";
    case Cure::later:
      return "later";
  }
  return "unknown";
}

struct [[nodiscard]] Failure {
  Cure cure = Cure::give_up;
  std::string step{};    // the step that failed, in the words of a job: "open", "hash", "insert"
  std::string reason{};  // for a person; names the path or key concerned
  std::string hint{};    // what the person can do about it; empty when nothing is known
  std::chrono::milliseconds not_before{0};  // the peer's own wish, as in Retry-After

  bool operator==(const Failure&) const = default;
};

template <class T>
using Result = std::expected<T, Failure>;

[[nodiscard]] inline std::unexpected<Failure> fail(Cure cure, std::string step,
                                                   std::string reason) {
  return std::unexpected(
      Failure{.cure = cure, .step = std::move(step), .reason = std::move(reason)});
}

// "open: no permission (give the program read access)": for people.
[[nodiscard]] inline std::string text_of(const Failure& failure) {
  std::string text = failure.step + ": " + failure.reason;
  if (!failure.hint.empty()) text += " (" + failure.hint + ")";
  return text;
}

}  // namespace tidemill
