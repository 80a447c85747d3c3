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
// contracts. Code branches on the cure and on the kind, never on the text: step, reason and hint
// are for people. tools/check_failures.py checks this.
enum class Cure : std::uint8_t {
  retry,    // transient: a busy database, a lost connection
  resume,   // partial: some steps are done and checkpointed; resume at the failed one
  give_up,  // permanent, would fail again the same way: bad input, no permission
  later,    // nothing was tried: run again after not_before; this attempt does not count
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

// What happened, for code that handles it. Each kind exists because some code branches on it; most
// failures are `other`. A journal does not store the kind: a failure read back is `other`.
enum class FailureKind : std::uint8_t {
  other,
  usage,            // invalid command line, or a setting that the user has to change first
  not_found,        // something that existed before is gone
  no_match,         // nothing matches the request
  changed,          // modified while we worked on it
  held,             // a required lock or lease is held elsewhere, or was lost
  superseded,       // another owner has taken over
  busy,             // another connection uses the database
  database,         // one of our databases cannot be used
  disk_full,        // no space left, or the quota is exceeded
  shortage,         // the machine is out of processes, descriptors or threads
  unreadable,       // cannot be opened or read
  unwritable,       // output that cannot be written or stored
  closed,           // the reader of our output has closed it
  unreachable,      // no connection to the peer
  timed_out,        // the peer did not answer in time
  starting,         // the peer is up, but still loading its data
  unauthenticated,  // the peer requires a password and got none
  wrong_type,       // the peer has a value of another type under this name
  unsupported,      // the peer does not support this
  withdrawn,        // the requester has withdrawn the request
  untrusted,        // requested by someone without permission
  over_limit,       // exceeds one of our limits
  bomb,             // expands to an implausible size (decompression bomb)
  encrypted,        // unreadable without a key that we do not have
  corrupt,          // complete, but not what was written
  truncated,        // ends too early
};

[[nodiscard]] constexpr std::string_view name_of(FailureKind kind) {
  switch (kind) {
    case FailureKind::other:
      return "other";
    case FailureKind::usage:
      return "usage";
    case FailureKind::not_found:
      return "not_found";
    case FailureKind::no_match:
      return "no_match";
    case FailureKind::changed:
      return "changed";
    case FailureKind::held:
      return "held";
    case FailureKind::superseded:
      return "superseded";
    case FailureKind::busy:
      return "busy";
    case FailureKind::database:
      return "database";
    case FailureKind::disk_full:
      return "disk_full";
    case FailureKind::shortage:
      return "shortage";
    case FailureKind::unreadable:
      return "unreadable";
    case FailureKind::unwritable:
      return "unwritable";
    case FailureKind::closed:
      return "closed";
    case FailureKind::unreachable:
      return "unreachable";
    case FailureKind::timed_out:
      return "timed_out";
    case FailureKind::starting:
      return "starting";
    case FailureKind::unauthenticated:
      return "unauthenticated";
    case FailureKind::wrong_type:
      return "wrong_type";
    case FailureKind::unsupported:
      return "unsupported";
    case FailureKind::withdrawn:
      return "withdrawn";
    case FailureKind::untrusted:
      return "untrusted";
    case FailureKind::over_limit:
      return "over_limit";
    case FailureKind::bomb:
      return "bomb";
    case FailureKind::encrypted:
      return "encrypted";
    case FailureKind::corrupt:
      return "corrupt";
    case FailureKind::truncated:
      return "truncated";
  }
  return "unknown";
}

struct [[nodiscard]] Failure {
  Cure cure = Cure::give_up;
  FailureKind kind = FailureKind::other;
  std::string step{};    // the step that failed, as the job names it: "open", "hash", "insert"
  std::string reason{};  // for a person; names the path or key concerned
  std::string hint{};    // what the person can do about it; may be empty
  std::chrono::milliseconds not_before{0};  // the peer's request, as in Retry-After
  // The one name that code needs, as data: the flag of a usage failure ("workers"), the columns of
  // a constraint ("t.a"), the rule under which a broken book is reported. Usually empty.
  std::string subject{};

  bool operator==(const Failure&) const = default;
};

template <class T>
using Result = std::expected<T, Failure>;

[[nodiscard]] inline std::unexpected<Failure> fail(Cure cure, std::string step,
                                                   std::string reason) {
  return std::unexpected(
      Failure{.cure = cure, .step = std::move(step), .reason = std::move(reason)});
}

[[nodiscard]] inline std::unexpected<Failure> fail(Cure cure, FailureKind kind, std::string step,
                                                   std::string reason) {
  return std::unexpected(
      Failure{.cure = cure, .kind = kind, .step = std::move(step), .reason = std::move(reason)});
}

// The same failure, reported by the enclosing step: the failure's own step name moves to the front
// of the reason.
[[nodiscard]] inline Failure within(std::string_view step, Failure failure) {
  if (!failure.step.empty() && failure.step != step) {  // failure text: so that no name comes twice
    failure.reason = failure.step + ": " + failure.reason;
  }
  failure.step = step;
  return failure;
}

// "open: no permission (give the program read access)": for people.
[[nodiscard]] inline std::string text_of(const Failure& failure) {
  std::string text = failure.step + ": " + failure.reason;
  if (!failure.hint.empty()) text += " (" + failure.hint + ")";
  return text;
}

}  // namespace tidemill
