// Lease: a lock in Redis that expires, renewed by a thread of its own.
//
//   acquire ──► held until sent + 9/10 term ──► renewed every third of the term ──► … ──► release
//                 │ local clock, counted from BEFORE the call was sent: always before the key
//                 ▼ expires on the server
//               lost: the server reports another holder or no key, or does not reply in time
//
// The thread has its own connection, so that no other traffic can delay a renewal. When the lease
// is lost, the token of `lost()` fires at once and renewals stop. A lost lease alone does not
// fence: a stopped process does not check tokens, and the clock does not advance while the machine
// sleeps. So the server also checks every write made under a lease (outlet_scripts.h).
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

// When to renew a lease and when it ends, as a value. No clock, no thread.
//
//   sent      +1/3              +9/10    +1: the earliest expiry on the server
//    ├──────────┼─── … ──────────┼────────┤
//             renew; fails?    ends_at: no writes under the lease from here on
//             again +1/15
//
// One thread.
class LeaseTerm {
 public:
  // The lease was acquired by a call sent at `sent`.
  LeaseTerm(Instant sent, std::chrono::milliseconds term);

  [[nodiscard]] Instant renew_at() const { return renew_at_; }
  [[nodiscard]] Instant ends_at() const { return ends_at_; }
  [[nodiscard]] bool has_ended(Instant now) const { return now >= ends_at_; }
  // The timeout of a renewal; several of them fit before the end.
  [[nodiscard]] std::chrono::milliseconds patience() const;
  // When the thread must act next: to renew, or, if a renewal could time out after the end, at the
  // end itself.
  [[nodiscard]] Instant wakes_at() const {
    return renew_at_ + patience() <= ends_at_ ? renew_at_ : ends_at_;
  }

  void renewed(Instant sent);
  void failed(Instant now);  // no reply: retry soon

 private:
  std::chrono::milliseconds term_;
  Instant renew_at_;
  Instant ends_at_;
};

struct LeaseOptions {
  redis::ClientOptions client{};
  std::string key{};
  std::string value{};  // unique to this holder
  std::chrono::milliseconds term{30'000};
};

// Thread-safe.
class Lease {
 public:
  // Keeps a lease that was acquired by a call sent at `sent`. Clock and log must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<Lease>> keep(LeaseOptions options, Instant sent,
                                                           const Clock& clock, Log& log);
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease();  // stops renewing; does not release

  [[nodiscard]] bool is_held();
  [[nodiscard]] std::stop_token lost() const { return lost_.get_token(); }
  // Why it was lost; nullopt: it was not. Kind superseded, Cure::give_up: another holder has it.
  // Kind held, Cure::retry: it is free or the server does not reply; it may be acquired again.
  [[nodiscard]] std::optional<Failure> loss();

  // Stops renewing, and releases the lease if it is still ours. If that fails, it expires.
  void release();

 private:
  struct State {
    LeaseTerm term;
    bool is_ended = false;
    std::string failure{};  // why the last renewal failed; empty: it succeeded
    std::optional<Failure> loss{};
  };
  enum class Turn { renew, end, stop };

  Lease(LeaseOptions options, std::unique_ptr<redis::Client> client, Instant sent,
        const Clock& clock, Log& log);
  void serve(const std::stop_token& stop);
  [[nodiscard]] Turn wait_for_turn(const std::stop_token& stop);
  // False: the lease is lost.
  [[nodiscard]] bool settle(Instant sent, const Result<redis::Reply>& answer);
  void lose(Failure why);
  void lose_by_time();
  [[nodiscard]] Failure end_of(const State& state) const;

  const LeaseOptions options_;
  std::unique_ptr<redis::Client> client_;  // used by the thread only while it runs
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

// SET key value NX PX term. nullopt: it is ours now, or was already (then its term restarts).
// Otherwise returns the holder. A lease acquired like this does not fence: writes under it must
// check the key in the same script.
[[nodiscard]] Result<std::optional<LeaseHolder>> acquire_plain(redis::Client& client,
                                                               const std::string& key,
                                                               const std::string& value,
                                                               std::chrono::milliseconds term,
                                                               const std::stop_token& stop = {});

}  // namespace tidemill::queue
