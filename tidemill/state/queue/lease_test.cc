#include "tidemill/state/queue/lease.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "tidemill/base/dice.h"
#include "tidemill/io/redis/address.h"
#include "tidemill/testing/eventually.h"
#include "tidemill/testing/fake_clock.h"
#include "tidemill/testing/recording_log.h"
#include "tidemill/testing/redis_server.h"

namespace tidemill::queue {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::FakeClock;
using testing::RecordingLog;
using testing::RedisServer;

constexpr Instant kStart{1000h};

TEST(LeaseTerm, RenewsAfterAThirdAndEndsBeforeTheServerExpiresIt) {
  LeaseTerm term(kStart, 30s);
  EXPECT_EQ(term.renew_at(), kStart + 10s);
  EXPECT_EQ(term.ends_at(), kStart + 27s);
  EXPECT_FALSE(term.has_ended(kStart + 27s - 1ns));
  EXPECT_TRUE(term.has_ended(kStart + 27s));
  term.renewed(kStart + 12s);
  EXPECT_EQ(term.renew_at(), kStart + 22s);
  EXPECT_EQ(term.ends_at(), kStart + 39s);
}

TEST(LeaseTerm, RetriesAFailedRenewalSoonButNotPastTheEnd) {
  LeaseTerm term(kStart, 30s);
  EXPECT_EQ(term.wakes_at(), kStart + 10s);
  term.failed(kStart + 15s);
  EXPECT_EQ(term.renew_at(), kStart + 17s);
  EXPECT_EQ(term.ends_at(), kStart + 27s);
  EXPECT_EQ(term.wakes_at(), kStart + 17s);
  term.failed(kStart + 20s);
  EXPECT_EQ(term.wakes_at(), kStart + 22s);
  EXPECT_EQ(term.wakes_at() + term.patience(), term.ends_at());
  term.failed(kStart + 20s + 1ms);
  EXPECT_EQ(term.wakes_at(), term.ends_at()) << "it might come back too late";
}

TEST(LeaseTerm, OnlyARenewalMovesTheEnd) {
  SeededDice dice(7);
  for (int game = 0; game < 200; ++game) {
    const std::chrono::milliseconds length(1 + dice.next() % 60'000);
    Instant now = kStart;
    Instant sent = now;
    LeaseTerm term(sent, length);
    for (int step = 0; step < 50; ++step) {
      now += std::chrono::milliseconds(dice.next() % 5'000);
      if (dice.next() % 2 == 0) {
        term.failed(now);
      } else {
        sent = now;
        term.renewed(sent);
      }
      ASSERT_LE(term.ends_at(), sent + length);
      ASSERT_GE(term.patience(), 1ms);
      if (step % 7 == 0 && length >= 100ms) {
        ASSERT_LT(term.ends_at(), sent + length);
      }
    }
  }
}

class LeaseKeeper : public ::testing::Test {
 protected:
  LeaseKeeper() {
    if (testing::has_redis()) server_.emplace(testing::RedisOptions{.on_socket = true});
  }
  void SetUp() override { TIDEMILL_NEEDS_REDIS(); }

  redis::ClientOptions client_options() const {
    return {.address = *redis::parse_address(server_->url(), redis::Origin::hidden)};
  }
  std::unique_ptr<redis::Client> client() {
    return redis::Client::make(client_options(), clock_).value();
  }
  // Takes it and keeps it.
  std::unique_ptr<Lease> keep(std::chrono::milliseconds term, const Clock& clock) {
    const Instant sent = clock.now();
    EXPECT_FALSE(acquire_plain(*client(), "k", "mine", term).value().has_value());
    return Lease::keep({.client = client_options(), .key = "k", .value = "mine", .term = term},
                       sent, clock, log_)
        .value();
  }
  std::int64_t left() { return client()->call({"PTTL", "k"}).value().number; }
  std::string holder() { return client()->call({"GET", "k"}).value().text; }

  std::optional<RedisServer> server_;
  SystemClock clock_;
  FakeClock hand_;
  RecordingLog log_;
};

TEST_F(LeaseKeeper, OnlyTheHolderCanReacquireAPlainLease) {
  const auto redis = client();
  EXPECT_FALSE(acquire_plain(*redis, "k", "mine", 1min).value().has_value());
  EXPECT_EQ(holder(), "mine");
  EXPECT_GT(left(), 0);
  EXPECT_LE(left(), 60'000);

  const auto other = acquire_plain(*redis, "k", "other", 2min).value();
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(other->value, "mine");
  EXPECT_GT(other->left, 0ms);
  EXPECT_LE(other->left, 1min);
  EXPECT_EQ(holder(), "mine");

  EXPECT_FALSE(acquire_plain(*redis, "k", "mine", 2min).value().has_value());
  EXPECT_GT(left(), 60'000) << "its term begins anew";
}

TEST_F(LeaseKeeper, RenewsInTime) {
  const auto lease = keep(1h, hand_);
  for (int turn = 0; turn < 5; ++turn) {  // longer than a term in all
    // The server has renewed it, but the thread may not have read the reply yet: to a thread that
    // is still waiting, twenty minutes without one mean a hanging server.
    ASSERT_TRUE(eventually([&] { return hand_.awaited() == hand_.now() + 20min; }));
    server_->say({"PEXPIRE", "k", "600000"});
    hand_.advance(20min - 1ms);
    EXPECT_LE(left(), 600'000);
    hand_.advance(1ms);
    EXPECT_TRUE(eventually([&] { return left() > 600'000; }));
    EXPECT_TRUE(lease->is_held());
  }
  EXPECT_FALSE(lease->lost().stop_requested());
}

// A machine that stalls for a term loses its lease, as it must; the test then tries again.
constexpr int kMostTries = 10;

TEST_F(LeaseKeeper, RenewsByTheRealClockToo) {
  std::int64_t rises = 0;
  for (int tries = 0; tries < kMostTries && rises < 3; ++tries) {
    const auto lease = keep(1s, clock_);
    std::int64_t before = left();
    rises = 0;
    EXPECT_TRUE(eventually([&] {
      const std::int64_t now = left();
      if (now > before) ++rises;
      before = now;
      return rises >= 3 || lease->lost().stop_requested();
    }));
  }
  EXPECT_GE(rises, 3) << "it was lost each time";
}

TEST_F(LeaseKeeper, IsLostWhenAnotherOwnerTakesIt) {
  const auto lease = keep(1h, hand_);
  EXPECT_FALSE(lease->loss().has_value());
  server_->say({"SET", "k", "other"});
  hand_.advance(20min);
  EXPECT_TRUE(eventually([&] { return lease->lost().stop_requested(); }));
  EXPECT_FALSE(lease->is_held());
  ASSERT_TRUE(lease->loss().has_value());
  EXPECT_EQ(lease->loss()->step, "stale");
  EXPECT_EQ(lease->loss()->kind, FailureKind::superseded);
  EXPECT_EQ(lease->loss()->cure, Cure::give_up);
  EXPECT_EQ(lease->loss()->reason, "k was taken over by other");
  EXPECT_EQ(left(), -1) << "the other's lease was left alone";
  lease->release();
  EXPECT_EQ(holder(), "other");
}

TEST_F(LeaseKeeper, IsLostButRetryableWhenTheServerHasDroppedIt) {
  const auto lease = keep(1h, hand_);
  server_->say({"DEL", "k"});
  hand_.advance(20min);
  EXPECT_TRUE(eventually([&] { return lease->lost().stop_requested(); }));
  ASSERT_TRUE(lease->loss().has_value());
  EXPECT_EQ(lease->loss()->step, "lease");
  EXPECT_EQ(lease->loss()->kind, FailureKind::held);
  EXPECT_EQ(lease->loss()->cure, Cure::retry);
  EXPECT_EQ(server_->say({"EXISTS", "k"}), ":0\r\n") << "nothing brings it back but acquiring";
}

TEST_F(LeaseKeeper, ExpiresByTheClockBeforeItsThreadNotices) {
  const auto lease = keep(1h, hand_);
  hand_.advance(54min);  // as after a SIGSTOP
  EXPECT_FALSE(lease->is_held());
  EXPECT_TRUE(lease->loss().has_value());
  EXPECT_TRUE(eventually([&] { return lease->lost().stop_requested(); }));
  EXPECT_FALSE(lease->is_held()) << "lost is lost";
}

// A clock that does not advance, except for a jump of two hours at the nth reading.
class JumpingClock final : public Clock {
 public:
  explicit JumpingClock(int jump) : until_jump_(jump) {}
  [[nodiscard]] Instant now() const override {
    return until_jump_.fetch_sub(1) > 1 ? kStart : kStart + 2h;
  }
  [[nodiscard]] WallTime wall() const override { return {}; }
  void wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                  Instant /*until*/) const override {
    changed.wait_for(lock, 1ms);
  }

 private:
  mutable std::atomic<int> until_jump_;
};

// A process may be stopped anywhere, also between the server's reply and the check of it.
TEST_F(LeaseKeeper, IsLostWhereverARenewalStalls) {
  for (int jump = 1; jump < 30; ++jump) {
    const JumpingClock clock(jump);
    server_->say({"SET", "k", "mine"});
    const auto lease =
        Lease::keep({.client = client_options(), .key = "k", .value = "mine", .term = 1h},
                    kStart - 20min, clock, log_)
            .value();
    ASSERT_TRUE(eventually([&] { return lease->lost().stop_requested(); })) << jump;
    EXPECT_FALSE(lease->is_held());
  }
}

TEST_F(LeaseKeeper, SurvivesAShortServerOutage) {
  const auto lease = keep(1h, hand_);
  server_->kill();
  hand_.advance(20min);
  EXPECT_TRUE(eventually([&] { return log_.has("could not be renewed"); }));
  EXPECT_TRUE(lease->is_held());
  server_->restart();
  server_->say({"SET", "k", "mine", "PX", "600000"});  // as from its disk
  hand_.advance(4min);
  EXPECT_TRUE(eventually([&] { return log_.has("renewed again"); }));
  EXPECT_GT(left(), 600'000);
}

TEST_F(LeaseKeeper, EndsBeforeTheServerExpiresItWhenTheServerHangs) {
  std::int64_t before_the_end = 0;  // milliseconds
  const auto is_in_time = [&] { return before_the_end > 0 && before_the_end <= 1'500; };
  for (int tries = 0; tries < kMostTries && !is_in_time(); ++tries) {
    const Instant sent = clock_.now();
    ASSERT_FALSE(acquire_plain(*client(), "k", "mine", 2s).value().has_value());
    const std::int64_t end = client()->call({"PEXPIRETIME", "k"}).value().number;
    server_->freeze();
    const auto lease =
        Lease::keep({.client = client_options(), .key = "k", .value = "mine", .term = 2s}, sent,
                    clock_, log_)
            .value();
    std::atomic<std::int64_t> lost_at = 0;
    const std::stop_callback note(lease->lost(), [&] {
      lost_at =
          std::chrono::floor<std::chrono::milliseconds>(clock_.wall()).time_since_epoch().count();
    });
    EXPECT_TRUE(eventually([&] { return lost_at != 0; }));
    EXPECT_FALSE(lease->is_held());
    before_the_end = end - lost_at;
    server_->thaw();
  }
  EXPECT_GT(before_the_end, 0);
  EXPECT_LE(before_the_end, 1'500) << "and not at the first failure";
}

TEST_F(LeaseKeeper, ReleaseDeletesTheKeyOnceAndTheDestructorDoesNot) {
  auto lease = keep(1h, clock_);
  lease.reset();
  EXPECT_EQ(holder(), "mine");
  lease = keep(1h, clock_);
  lease->release();
  EXPECT_EQ(server_->say({"EXISTS", "k"}), ":0\r\n");
  EXPECT_FALSE(lease->is_held());
  EXPECT_FALSE(lease->lost().stop_requested()) << "given back is not lost";
  server_->say({"SET", "k", "mine"});
  lease->release();
  EXPECT_EQ(holder(), "mine") << "only once";
}

TEST_F(LeaseKeeper, ReleaseKeepsAnotherOwnersLeaseAndDoesNotWaitForADeadServer) {
  const auto lease = keep(1h, clock_);
  server_->say({"SET", "k", "other"});
  lease->release();
  EXPECT_EQ(holder(), "other");
  server_->say({"DEL", "k"});
  const auto late = keep(1h, clock_);
  server_->kill();
  late->release();
  EXPECT_TRUE(log_.has("could not be released"));
}

}  // namespace
}  // namespace tidemill::queue
