#include "tidemill/app/worker/parcel_watch.h"

#include <algorithm>
#include <chrono>

#include "tidemill/base/thread.h"
#include "tidemill/base/try.h"

namespace tidemill::app {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBlock{500};
constexpr milliseconds kPause{250};  // after a call without an answer, or of an unknown run

bool has_run(const auto& all, const std::string& run, auto name_of) {
  return std::ranges::find(all, run, name_of) != all.end();
}

}  // namespace

Result<std::unique_ptr<ParcelWatch>> ParcelWatch::start(redis::ClientOptions client,
                                                        std::string consumer, const Clock& clock,
                                                        std::function<void()> wake) {
  const milliseconds timeout = client.timeout;
  LET(auto connection, redis::Client::make(std::move(client), clock));
  std::unique_ptr<ParcelWatch> made(
      new ParcelWatch(std::move(connection), timeout, std::move(consumer), clock, std::move(wake)));
  // Without memory nothing arrives any more: the loop still asks at intervals.
  LET(made->thread_,
      start_thread("the parcels", [watch = made.get()] { watch->watch(); }, [](const Failure&) {}));
  return made;
}

ParcelWatch::ParcelWatch(std::unique_ptr<redis::Client> client, milliseconds timeout,
                         std::string consumer, const Clock& clock, std::function<void()> wake)
    : client_(std::move(client)),
      consumer_(std::move(consumer)),
      clock_(clock),
      wake_(std::move(wake)),
      inbox_(*client_, timeout) {}

ParcelWatch::~ParcelWatch() {
  state_.update([](State& state) { state.has_ended = true; });
  if (thread_.joinable()) thread_.join();
}

void ParcelWatch::want(std::vector<fleet::FleetPlace> runs) {
  state_.update([&](State& state) { state.wanted = std::move(runs); });
}

bool ParcelWatch::may_bring(const std::string& run) {
  const auto state = state_.lock();
  return state->arrivals.is_in_doubt || has_run(state->wanted, run, &fleet::FleetPlace::run) ||
         has_run(state->asked, run, &fleet::FleetPlace::run) ||
         has_run(state->arrivals.parcels, run, &RunParcels::first);
}

void ParcelWatch::watch() {
  Members members;
  for (;;) {
    std::vector<fleet::FleetPlace> wanted;
    {
      auto state = state_.lock();
      state.wait([](const State& s) { return s.has_ended || !s.wanted.empty(); });
      if (state->has_ended) return;
      wanted = state->wanted;
      state->asked = wanted;
    }
    wait_for(wanted, members);
  }
}

// For a while, or until the end.
void ParcelWatch::pause() {
  auto state = state_.lock();
  (void)state.wait_until(clock_, clock_.now() + kPause, [](const State& s) { return s.has_ended; });
}

void ParcelWatch::wait_for(const std::vector<fleet::FleetPlace>& wanted, Members& members) {
  Members kept;
  std::vector<fleet::RedisFleetMember*> asked;
  for (const fleet::FleetPlace& place : wanted) {
    auto& member = kept[place.run];
    if (auto known = members.find(place.run); known != members.end()) {
      member = std::move(known->second);
    } else {
      member = std::make_unique<fleet::RedisFleetMember>(*client_, place, consumer_);
    }
    asked.push_back(member.get());
  }
  members = std::move(kept);
  auto arrived = inbox_.wait(asked, kBlock, {});
  bool has_news = !arrived;
  bool is_forgotten = false;
  state_.update([&](State& state) {
    state.asked.clear();
    if (!arrived) {
      state.arrivals.is_in_doubt = true;
      return;
    }
    for (auto& delivery : *arrived) {
      is_forgotten = is_forgotten || delivery.is_forgotten;
      if (delivery.parcels.empty()) continue;
      has_news = true;
      const auto of = std::ranges::find_if(
          members, [&](const auto& member) { return member.second.get() == delivery.member; });
      state.arrivals.parcels.emplace_back(of->first, std::move(delivery.parcels));
    }
    // The loop asks again when it has looked at them.
    if (has_news) state.wanted.clear();
  });
  if (has_news) wake_();
  if (!arrived || is_forgotten) pause();
}

}  // namespace tidemill::app
