// The worker processes of fleet_cost.cc: forked, with tasks that do nothing, or only wait.
//
//   loop      FleetWorker and ParcelWatch in one loop, tasks are done at once: the protocol alone
//   process   what `tidemill worker` runs, with a recipe that does nothing: with the board, the
//             pool and the way from its threads back to the loop
#pragma once

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tidemill/app/worker/ended_tasks.h"
#include "tidemill/app/worker/parcel_watch.h"
#include "tidemill/app/worker/worker_process.h"
#include "tidemill/engine/fleet_worker.h"
#include "tidemill/jobs/recipe.h"
#include "tidemill/state/fleet/redis_fleet.h"

namespace tidemill::fleet_cost {

using std::chrono::milliseconds;

// The figures would be worthless.
[[noreturn]] inline void leave(std::string_view why) {
  std::fprintf(stderr, "fleet_cost: %.*s\n", static_cast<int>(why.size()), why.data());
  std::exit(1);
}

template <class T>
T must(Result<T> result) {
  if (!result) leave(text_of(result.error()));
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

// The result of a task: when it began, on the clock of this machine.
[[nodiscard]] inline std::string stamp() {
  return std::to_string(std::chrono::steady_clock::now().time_since_epoch().count());
}

struct WorkerSetting {
  redis::ClientOptions client{};
  fleet::FleetPlace place{};
  std::string folder{};
  std::size_t places = 1;
  milliseconds wait{0};  // of a task; of a `process` only
  bool is_process = false;
};

inline constexpr std::string_view kRecipe = "nothing";

class NothingStage final : public jobs::RecipeStage {
 public:
  explicit NothingStage(milliseconds wait) : wait_(wait) {}
  [[nodiscard]] jobs::StageEnd perform(const engine::FleetTask& /*task*/,
                                       engine::TaskContext& /*context*/) override {
    jobs::StageEnd ended{.end = engine::TaskEnd::done, .text = stamp()};
    if (wait_ > milliseconds(0)) std::this_thread::sleep_for(wait_);
    return ended;
  }
  void end_task(engine::TaskId /*id*/) override {}
  void end_all(bool /*now*/) override {}

 private:
  const milliseconds wait_;
};

class NothingRecipe final : public jobs::Recipe {
 public:
  explicit NothingRecipe(milliseconds wait) : wait_(wait) {}
  [[nodiscard]] std::string_view name() const override { return kRecipe; }
  [[nodiscard]] std::uint32_t version() const override { return 1; }
  [[nodiscard]] Result<std::unique_ptr<jobs::RecipeStage>> prepare(
      std::string_view /*settings*/, jobs::StageSurroundings /*surroundings*/) const override {
    return std::make_unique<NothingStage>(wait_);
  }

 private:
  const milliseconds wait_;
};

class ErrorsOnly final : public command::Console {
 public:
  Result<void> out(std::string_view /*bytes*/) override { return {}; }
  Result<void> err(std::string_view /*bytes*/) override { return {}; }
  void say(command::Tone tone, std::string_view text) override {
    if (tone == command::Tone::plain || tone == command::Tone::good) return;
    std::fprintf(stderr, "worker: %.*s\n", static_cast<int>(text.size()), text.data());
  }
  void show(const engine::ProgressSnapshot& /*snapshot*/) override {}
};

inline void work_as_process(const WorkerSetting& setting, const std::stop_token& stop) {
  const NothingRecipe recipe(setting.wait);
  const command::Program program{.name = "fleet_cost"};
  ErrorsOnly console;
  SystemClock clock;
  SilentLog log;
  app::WorkerProcess::Options options;
  options.choice = {
      .fleet = setting.place.fleet, .client = setting.client, .key = setting.place.key};
  options.places = setting.places;
  options.folder = setting.folder + "/workers";
  const auto process = must(app::WorkerProcess::make(std::move(options), {.recipes = {&recipe},
                                                                          .program = program,
                                                                          .console = console,
                                                                          .clock = clock,
                                                                          .log = log,
                                                                          .stop = stop}));
  (void)must(process->run());
}

// The loop of app/worker/worker_process.h, reduced to one run.
inline void work_in_a_loop(const WorkerSetting& setting, const std::stop_token& stop) {
  constexpr milliseconds kFirst{20};  // until the run is there
  constexpr milliseconds kRound{1'000};
  const std::string name = "bench:" + std::to_string(::getpid());
  SystemClock clock;
  app::EndedTasks news;
  const auto client = must(redis::Client::make(setting.client, clock));
  fleet::RedisFleetMember member(*client, setting.place, name);
  engine::FleetWorker worker({.name = name,
                              .host = "bench",
                              .places = static_cast<std::uint32_t>(setting.places),
                              .term = setting.place.term,
                              .poll = milliseconds(100)},
                             member);
  const auto watch =
      must(app::ParcelWatch::start(setting.client, name, clock, [&] { news.wake(); }));
  const std::stop_callback on_stop(stop, [&] { news.wake(); });
  while (!stop.stop_requested()) {
    (void)news.take();
    auto arrivals = watch->take();
    for (auto& [run, parcels] : arrivals.parcels) worker.deliver(std::move(parcels));
    if (arrivals.is_in_doubt) worker.doubt();
    must(worker.step(clock.now()));
    bool has_worked = false;
    while (const auto task = worker.start(clock.now())) {
      worker.end({.id = task->id,
                  .attempt = task->attempt,
                  .crashes = task->crashes,
                  .end = engine::TaskEnd::done,
                  .text = stamp()});
      has_worked = true;
    }
    if (has_worked) continue;
    const bool is_known = worker.counts().received > 0;
    watch->want(worker.wants_more() ? std::vector{setting.place}
                                    : std::vector<fleet::FleetPlace>());
    news.wait_until(clock, clock.now() + (is_known ? kRound : kFirst));
  }
}

// The processes. Fork them before there are threads; they end with this object.
class Workers {
 public:
  Workers(std::size_t count, const WorkerSetting& setting) {
    for (std::size_t i = 0; i < count; ++i) {
      const pid_t pid = ::fork();
      if (pid < 0) leave("a worker process cannot be started");
      if (pid == 0) work(setting);
      pids_.push_back(pid);
    }
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() {
    for (const pid_t pid : pids_) ::kill(pid, SIGTERM);
    for (const pid_t pid : pids_) {
      int status = 0;
      ::waitpid(pid, &status, 0);
      if (status != 0) leave("a worker process has failed");
    }
  }

  [[nodiscard]] double cpu_seconds() const {
    double seconds = 0;
    for (const pid_t pid : pids_) {
      clockid_t clock{};
      timespec time{};
      if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) {
        leave("a worker process has ended early");
      }
      seconds += static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    }
    return seconds;
  }

 private:
  [[noreturn]] static void work(const WorkerSetting& setting) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &signals, nullptr);
    {
      std::stop_source stop;
      const std::jthread listener([&] {
        int signal = 0;
        sigwait(&signals, &signal);
        stop.request_stop();
      });
      if (setting.is_process) {
        work_as_process(setting, stop.get_token());
      } else {
        work_in_a_loop(setting, stop.get_token());
      }
    }
    std::_Exit(0);
  }

  std::vector<pid_t> pids_;
};

}  // namespace tidemill::fleet_cost
