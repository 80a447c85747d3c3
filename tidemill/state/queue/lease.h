// Lease: a lock in Redis with an end, kept alive by a thread of its own.
//
//   acquire ──► held until sent + term ──► renewed every third of the term ──► … ──► release
//                 │ local clock, counted from BEFORE the call was sent: never later than the
//                 ▼ server's end
//               lost: the server says that it is not ours, or the end has come without an answer
//
// The thread has a connection of its own, so that nothing else can keep it from renewing. When the
// lease is lost, `lost()` is a token that fires at once, and nothing renews any more. Being lost is
// one thing, being fenced another: a process that was stopped does not look at tokens, and the
// clock stands still in a machine that sleeps; that is why what is written under a lease is checked
// by the server too (outlet_scripts.h).
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/log.h"
#include "tidemill/base/result.h"
#include "tidemill/io/redis/client.h"

namespace tidemill::queue {

// When to renew and when it is over: the decisions of a lease as a value. No clock, no thread.
//
//   sent      +1/3              +9/10    +1: never later than the server's end
//    ├──────────┼─── … ──────────┼────────┤
//             renew; fails?    ends_at: nobody may act under it any more
//             again +1/15
//
// One thread.
class LeaseTerm {
 public:
  // Held since an answer to a call that was sent at `sent`.
  LeaseTerm(Instant sent, std::chrono::milliseconds term);

  [[nodiscard]] Instant renew_at() const { return renew_at_; }
  [[nodiscard]] Instant ends_at() const { return ends_at_; }
  [[nodiscard]] bool has_ended(Instant now) const { return now >= ends_at_; }
  // The longest a renewal may take: several of them have room before the end.
  [[nodiscard]] std::chrono::milliseconds patience() const;
  // When there is something to do: to renew, or, when a renewal might come back after the end only,
  // to see the end in time.
  [[nodiscard]] Instant wakes_at() const {
    return renew_at_ + patience() <= ends_at_ ? renew_at_ : ends_at_;
  }

  void renewed(Instant sent);
  void failed(Instant now);  // no answer: again soon

 private:
  std::chrono::milliseconds term_;
  Instant renew_at_;
  Instant ends_at_;
};

struct LeaseOptions {
  redis::ClientOptions client{};
  std::string key{};
  std::string value{};  // ours, and nobody else's
  std::chrono::milliseconds term{30'000};
};

// Thread-safe.
class Lease {
 public:
  // It was acquired by a call sent at `sent`; from here on it is kept. Clock and log must outlive
  // it.
  [[nodiscard]] static Result<std::unique_ptr<Lease>> keep(LeaseOptions options, Instant sent,
                                                           const Clock& clock, Log& log);
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease();  // stops renewing; does not release

  [[nodiscard]] bool is_held();
  [[nodiscard]] std::stop_token lost() const { return lost_.get_token(); }
  // Why it was lost; nothing: it was not. Kind superseded, Cure::give_up: somebody else has it.
  // Held, Cure::retry: nobody has it, or nobody answers; it may be acquired again.
  [[nodiscard]] std::optional<Failure> loss();

  // Stops renewing and gives it back, if it is still ours. What fails here, its end will do.
  void release();

 private:
  struct State {
    LeaseTerm term;
    bool is_ended = false;
    std::string trouble{};  // why the last renewal failed; empty: it did not
    std::optional<Failure> loss{};
  };
  enum class Turn { renew, end, stop };

  Lease(LeaseOptions options, std::unique_ptr<redis::Client> client, Instant sent,
        const Clock& clock, Log& log);
  void serve(const std::stop_token& stop);
  [[nodiscard]] Turn wait_for_turn(const std::stop_token& stop);
  // False: it is lost.
  [[nodiscard]] bool settle(Instant sent, const Result<redis::Reply>& answer);
  void lose(Failure why);
  void lose_by_time();
  [[nodiscard]] Failure end_of(const State& state) const;

  const LeaseOptions options_;
  std::unique_ptr<redis::Client> client_;  // the thread's alone while it runs
  const Clock& clock_;
  Log& log_;
  std::stop_source lost_;
  Guarded<State> state_;
  std::jthread thread_;
};

struct LeaseHolder {
  std::string value{};                // of the key
  std::chrono::milliseconds left{0};  // until its end, unless it is renewed
};

// SET key value NX PX term. Nothing: it is ours now, or it was (then its term begins anew). Else
// who holds it. A lease that is acquired like this is no fence: what is written under it must check
// the key in the same script.
[[nodiscard]] Result<std::optional<LeaseHolder>> acquire_plain(redis::Client& client,
                                                               const std::string& key,
                                                               const std::string& value,
                                                               std::chrono::milliseconds term,
                                                               const std::stop_token& stop = {});

}  // namespace tidemill::queue
