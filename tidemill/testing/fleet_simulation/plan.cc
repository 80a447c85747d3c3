#include "tidemill/testing/fleet_simulation/plan.h"

namespace tidemill::testing::simulation {
namespace {

using namespace std::chrono_literals;

Behaviour behaviour_of(Chance& chance, bool may_crash) {
  const std::uint64_t draw = chance.between(1, 100);
  if (draw <= 72) return Behaviour::succeeds;
  if (draw <= 82) return Behaviour::succeeds_later;
  if (draw <= 86) return Behaviour::always_fails;
  if (draw <= 90) return Behaviour::fails_for_good;
  if (draw <= 94) return Behaviour::is_skipped;
  if (draw <= 97) return Behaviour::puts_off;
  return may_crash ? Behaviour::crashes : Behaviour::succeeds;
}

std::vector<PlannedTask> tasks_of(Chance& chance, std::uint64_t places, bool may_crash) {
  std::vector<PlannedTask> tasks;
  const std::uint64_t count = chance.between(5, 15) + places * chance.between(2, 20);
  const milliseconds longest = chance.happens(0.5) ? 300ms : 2'000ms;
  for (engine::TaskId id = 1; id <= count; ++id) {
    PlannedTask task{.id = id,
                     .behaviour = behaviour_of(chance, may_crash),
                     .failures = static_cast<int>(chance.between(1, kMostAttempts - 1)),
                     .takes = chance.between(1ms, longest)};
    if (chance.happens(0.02)) task.takes = chance.between(kTerm, 2 * kTerm);
    tasks.push_back(task);
  }
  return tasks;
}

void lose_calls(Rates& rates, Chance& chance) {
  rates.request_lost = 0.01 * static_cast<double>(chance.between(0, 10));
  rates.reply_lost = 0.01 * static_cast<double>(chance.between(0, 10));
  rates.repeated = 0.01 * static_cast<double>(chance.between(0, 10));
}

void stop_server(Rates& rates, Chance& chance) {
  if (chance.happens(0.5)) rates.outage = chance.between(5s, 20s);
}

void disturb_dispatchers(Rates& rates, Chance& chance) {
  if (chance.happens(0.7)) rates.dispatcher_crash = chance.between(1s, 8s);
  if (chance.happens(0.5)) rates.dispatcher_stop = chance.between(4s, 15s);
  if (chance.happens(0.5)) rates.dispatcher_pause = chance.between(4s, 15s);
}

void disturb_workers(Rates& rates, Chance& chance) {
  if (chance.happens(0.7)) rates.worker_kill = chance.between(2s, 10s);
  if (chance.happens(0.5)) rates.worker_pause = chance.between(3s, 15s);
  if (chance.happens(0.5)) rates.worker_stop = chance.between(3s, 15s);
  if (chance.happens(0.4)) rates.host_reboot = chance.between(5s, 20s);
  if (chance.happens(0.3)) rates.host_loss = chance.between(10s, 30s);
}

void disturb_server(Rates& rates, Chance& chance) {
  if (chance.happens(0.7)) rates.forget = chance.between(2s, 15s);
  if (chance.happens(0.7)) rates.roll_back = chance.between(2s, 15s);
}

}  // namespace

Plan plan_of(std::uint64_t seed, Chance& chance) {
  static constexpr std::string_view kProfiles[] = {"calm",   "dispatchers", "losses", "workers",
                                                   "server", "partitions",  "mixed",  "everything"};
  const auto profile = seed % 8;
  const bool is_mixed = profile >= 6;
  Plan plan{.profile = kProfiles[profile]};
  Rates& rates = plan.rates;
  if (profile == 1 || is_mixed) disturb_dispatchers(rates, chance);
  if (profile == 2 || is_mixed) lose_calls(rates, chance);
  if (profile == 2 || profile == 4 || is_mixed) stop_server(rates, chance);
  if (profile == 3 || is_mixed) disturb_workers(rates, chance);
  if (profile == 4 || is_mixed) disturb_server(rates, chance);
  if (profile == 5 || is_mixed) rates.partition = chance.between(2s, 10s);
  if (profile == 5 || profile == 7)
    rates.delayed = 0.01 * static_cast<double>(chance.between(0, 5));

  std::uint64_t places = 0;
  for (std::uint64_t host = chance.between(1, 4); host > 0; --host) {
    plan.hosts.push_back({.places = static_cast<std::uint32_t>(chance.between(1, 4))});
    places += plan.hosts.back().places;
  }
  plan.tasks = tasks_of(chance, places, profile == 3 || is_mixed);

  plan.repeats_nothing = profile <= 2;
  plan.repeats_are_bounded = rates.delayed == 0;  // a late send adds a parcel that is not counted
  plan.keeps_not_before = profile == 0 || profile == 2 || profile == 3;
  plan.takes_nothing_back = profile <= 2;
  plan.keeps_window = profile <= 2;
  plan.drains_what_it_read = rates.delayed == 0 || rates.roll_back == 0ms;
  plan.keeps_suspects_alone = profile == 3;
  return plan;
}

}  // namespace tidemill::testing::simulation
