// For tests: a scripted server behind an outlet, and a clock whose waits end at once.
//
//   FakeServer server;
//   server.play([](FakeServer::State& state, const FakeServer::Call& call) {
//     return call.kind == "send" && call.nth == 2 ? FakeServer::Fate::lost_after : …::done;
//   });
//   FakeOutlet outlet(server, "run-1");
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/state/queue/outlet.h"

namespace tidemill::batch {

// Thread-safe. A wait returns at once: time jumps to where the wait would end.
class JumpClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override { return Instant(Instant::duration(now_.load())); }
  [[nodiscard]] WallTime wall() const override {
    return WallTime(std::chrono::duration_cast<WallTime::duration>(now().time_since_epoch()));
  }
  void wait_until(std::unique_lock<std::mutex>& /*lock*/, std::condition_variable& /*changed*/,
                  Instant until) const override {
    Instant::rep now = now_.load();
    const Instant::rep then = until.time_since_epoch().count();
    while (now < then && !now_.compare_exchange_weak(now, then)) {
    }
    ++waits_;
  }

  [[nodiscard]] int waits() const { return waits_.load(); }

 private:
  mutable std::atomic<Instant::rep> now_ = Instant::duration(std::chrono::hours(1000)).count();
  mutable std::atomic<int> waits_ = 0;
};

// The server, which outlives producers. Thread-safe.
class FakeServer {
 public:
  struct Taken {
    std::uint64_t number = 0;
    std::string id{};
    std::string payload{};
    std::string run{};
    bool operator==(const Taken&) const = default;
  };
  struct State {
    std::vector<Taken> taken{};  // in order of arrival, including what was lost since
    std::optional<queue::Standing> standing{};
    std::uint64_t epoch = 0;   // of the last producer
    std::string holder{};      // another producer that holds the lease
    std::uint64_t queued = 0;  // not yet taken by a worker
    std::uint64_t most_queued = 0;
    std::map<std::uint64_t, queue::Arrival> known{};  // batches it does not add, by number
    int looks = 0;
    int opens = 0;
    int sends = 0;
    int depths = 0;
    int completes = 0;
    int closes = 0;
    std::vector<std::string> wrongs{};  // violations of the outlet's contract

    // The server was killed and has lost everything after this number.
    void rewind(std::uint64_t last, const std::string& run) {
      standing = queue::Standing{.last = last, .run = run};
      if (last == 0) standing.reset();
    }
    // Another producer takes over.
    void take_over(std::uint64_t last) {
      ++epoch;
      standing = queue::Standing{.last = last, .run = "another run", .cursor = "0/x"};
    }
  };
  struct Call {
    std::string_view kind;    // "look", "open", "send", "depth", "complete"
    int nth = 0;              // of its kind, from 1
    std::uint64_t first = 0;  // of the parcels
    std::stop_token stop{};
  };
  enum class Fate : std::uint8_t {
    done,
    lost_before,  // the connection is lost before the call has an effect
    lost_after,   // the call has its effect, but the answer is lost
  };
  // Called with the state locked.
  using Script = std::function<Fate(State&, const Call&)>;

  void play(Script script) { script_ = std::move(script); }  // before the first call
  [[nodiscard]] State state() { return *state_.lock(); }
  template <class Change>
  void change(Change change) {
    state_.update(change);
  }

 private:
  friend class FakeOutlet;
  [[nodiscard]] Fate fate_of(State& state, const Call& call) const {
    return script_ ? script_(state, call) : Fate::done;
  }

  Script script_;
  Guarded<State> state_;
};

// One thread.
class FakeOutlet final : public queue::Outlet {
 public:
  FakeOutlet(FakeServer& server, std::string run) : server_(server), run_(std::move(run)) {}

  [[nodiscard]] Result<std::optional<queue::Standing>> look(const std::stop_token& stop) override {
    auto state = server_.state_.lock();
    const auto fate =
        server_.fate_of(*state, {.kind = "look", .nth = ++state->looks, .stop = stop});
    if (fate != FakeServer::Fate::done) return lost();
    return state->standing;
  }

  [[nodiscard]] Result<std::optional<queue::Standing>> open(const std::stop_token& stop) override {
    auto state = server_.state_.lock();
    is_open_ = false;
    const auto fate =
        server_.fate_of(*state, {.kind = "open", .nth = ++state->opens, .stop = stop});
    if (fate != FakeServer::Fate::done) return lost();
    has_answered_ = true;
    if (!state->holder.empty()) {
      return fail(Cure::give_up, FailureKind::held, "lease", "held by " + state->holder);
    }
    epoch_ = ++state->epoch;
    is_open_ = true;
    return state->standing;
  }

  [[nodiscard]] Result<std::vector<queue::Arrival>> send(std::span<const queue::Parcel> parcels,
                                                         const std::stop_token& stop) override {
    auto state = server_.state_.lock();
    if (!is_open_) state->wrongs.emplace_back("sent while it was not open");
    if (parcels.empty()) state->wrongs.emplace_back("sent nothing");
    const auto fate = server_.fate_of(
        *state,
        {.kind = "send", .nth = ++state->sends, .first = parcels.front().number, .stop = stop});
    if (fate == FakeServer::Fate::lost_before) return lost();
    if (epoch_ != state->epoch) {
      return fail(Cure::give_up, FailureKind::superseded, "stale", "another producer took over");
    }
    const auto& standing = state->standing;
    std::uint64_t last = standing ? standing->last : 0;
    for (const queue::Parcel& parcel : parcels) {
      if (parcel.number != ++last) {
        state->wrongs.push_back("sent " + std::to_string(parcel.number) + ", not " +
                                std::to_string(last));
      }
      state->taken.push_back({.number = parcel.number,
                              .id = std::string(parcel.id),
                              .payload = std::string(parcel.payload),
                              .run = run_});
    }
    state->standing = queue::Standing{
        .last = parcels.back().number, .run = run_, .cursor = std::string(parcels.back().cursor)};
    state->queued += parcels.size();
    state->most_queued = std::max(state->most_queued, state->queued);
    if (fate == FakeServer::Fate::lost_after) return lost();
    std::vector<queue::Arrival> arrivals;
    for (const queue::Parcel& parcel : parcels) {
      const auto known = state->known.find(parcel.number);
      arrivals.push_back(known == state->known.end() ? queue::Arrival::added : known->second);
    }
    return arrivals;
  }

  [[nodiscard]] Result<std::uint64_t> depth(const std::stop_token& stop) override {
    auto state = server_.state_.lock();
    const auto fate =
        server_.fate_of(*state, {.kind = "depth", .nth = ++state->depths, .stop = stop});
    if (fate != FakeServer::Fate::done) return lost();
    return state->queued;
  }

  [[nodiscard]] Result<void> complete(const std::stop_token& stop) override {
    auto state = server_.state_.lock();
    const auto fate =
        server_.fate_of(*state, {.kind = "complete", .nth = ++state->completes, .stop = stop});
    if (fate == FakeServer::Fate::lost_before) return lost();
    if (epoch_ != state->epoch) {
      return fail(Cure::give_up, FailureKind::superseded, "stale", "another producer took over");
    }
    auto& standing = state->standing;
    if (standing) standing->is_complete = true;
    if (fate == FakeServer::Fate::lost_after) return lost();
    return {};
  }

  [[nodiscard]] bool has_answered() const override { return has_answered_; }
  void close() override {
    is_open_ = false;
    ++server_.state_.lock()->closes;
  }
  [[nodiscard]] std::string name() const override { return "a fake"; }

 private:
  [[nodiscard]] std::unexpected<Failure> lost() {
    is_open_ = false;
    return fail(Cure::retry, "connection", "lost");
  }

  FakeServer& server_;
  const std::string run_;
  std::uint64_t epoch_ = 0;
  bool is_open_ = false;
  bool has_answered_ = false;
};

}  // namespace tidemill::batch
