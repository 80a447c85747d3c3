#include "tidemill/app/worker/served_run.h"

#include <algorithm>
#include <utility>

#include "tidemill/base/thread.h"
#include "tidemill/base/try.h"

namespace tidemill::app {
namespace {

using std::chrono::duration;
using std::chrono::duration_cast;
using std::chrono::microseconds;

constexpr std::chrono::seconds kActive{3};
constexpr std::chrono::milliseconds kPoll{100};  // parcels also arrive through the watch
constexpr double kRecent = 0.1;                  // of the last task in the average

engine::PoolOptions pool_options(const ServedRun::Setting& setting,
                                 std::chrono::milliseconds timeout) {
  engine::PoolOptions options;
  options.workers = setting.places;
  options.types = {{.name = "task", .timeout = timeout}};
  options.clock = &setting.clock;
  options.log = &setting.log;
  return options;
}

}  // namespace

Result<std::unique_ptr<ServedRun>> ServedRun::make(const fleet::PublishedRun& run,
                                                   const jobs::Recipe& recipe,
                                                   jobs::StageSurroundings surroundings,
                                                   const Setting& setting) {
  LET(auto stage, recipe.prepare(run.settings, std::move(surroundings)));
  const auto timeout = stage->timeout();
  std::unique_ptr<ServedRun> served(new ServedRun(run, std::move(stage), setting));
  LET(auto pool, engine::Pool::start(pool_options(setting, timeout)));
  served->pool_ = std::make_unique<engine::Pool>(std::move(pool));
  return served;
}

ServedRun::ServedRun(const fleet::PublishedRun& run, std::unique_ptr<jobs::RecipeStage> stage,
                     const Setting& setting)
    : run_(run),
      setting_(setting),
      stage_(std::move(stage)),
      member_(setting.client, setting.place, setting.consumer),
      worker_({.name = setting.consumer,
               .host = setting.host,
               .places = static_cast<std::uint32_t>(setting.places),
               .term = run.term,
               .poll = kPoll},
              member_) {}

ServedRun::~ServedRun() {
  stage_->end_all(true);
  if (!is_leaving_) return;
  (void)member_.leave();
}

bool ServedRun::takes_up(const fleet::PublishedRun& again) {
  const auto is_same_root = [](const fleet::FleetRoot& one, const fleet::FleetRoot& other) {
    return one.name == other.name && one.path == other.path;
  };
  const bool is_same = again.recipe == run_.recipe && again.settings == run_.settings &&
                       again.term == run_.term && again.id == run_.id &&
                       std::ranges::equal(again.roots, run_.roots, is_same_root);
  if (is_same) run_ = again;  // its files have changed since, or its weight
  return is_same;
}

Result<void> ServedRun::step(Instant now) {
  TRY(worker_.step(now));
  for (const engine::TaskId lost : worker_.take_lost()) stage_->end_task(lost);
  return {};
}

bool ServedRun::start(Instant now) {
  auto task = worker_.start(now);
  if (!task) return false;
  last_work_ = now;
  ++in_threads_;
  const auto attempt = static_cast<std::uint16_t>(std::clamp(task->attempt, 1, 0xffff));
  const engine::TaskTraits traits{.id = task->id};
  engine::Task running(
      [this, task = *std::move(task)](engine::TaskContext& context) -> Result<void> {
        const Instant began = setting_.clock.now();
        jobs::StageEnd ended;
        if (auto performed = contained([&] { ended = stage_->perform(task, context); });
            !performed) {
          ended = {.end = engine::TaskEnd::failed, .failure = std::move(performed).error()};
        }
        setting_.ended.put(
            {.run = setting_.place.run,
             .report = {.id = task.id,
                        .attempt = task.attempt,
                        .crashes = task.crashes,
                        .end = ended.end,
                        .text = std::move(ended.text),
                        .failure = std::move(ended.failure),
                        .took = duration_cast<microseconds>(setting_.clock.now() - began)}});
        return {};
      },
      traits);
  running.attempt = attempt;
  // Never full: at most `places` tasks run, and the capacity is ten times that.
  const auto admitted = pool_->submit(std::move(running));
  if (admitted == engine::Admission::accepted) return true;
  --in_threads_;
  worker_.end({.id = traits.id, .attempt = attempt});
  return false;
}

void ServedRun::end(engine::TaskReport report) {
  --in_threads_;
  const double seconds = duration<double>(report.took).count();
  average_ = average_ == 0 ? seconds : average_ + kRecent * (seconds - average_);
  served_ += seconds / std::max(run_.weight, 1U);
  worker_.end(std::move(report));
}

void ServedRun::leave() {
  if (std::exchange(is_leaving_, true)) return;
  worker_.hand_back();
}

void ServedRun::end_tasks(bool now) {
  leave();
  stage_->end_all(now);
}

void ServedRun::add_rows(std::vector<engine::WorkerStats>& rows) const {
  for (engine::WorkerStats& row : pool_->stats().workers) {
    if (row.running) rows.push_back(std::move(row));
  }
}

double ServedRun::served() const {
  return served_ + static_cast<double>(in_threads_) * average_ / std::max(run_.weight, 1U);
}

bool ServedRun::is_active(Instant now) const {
  return is_busy() || (last_work_ && now - *last_work_ < kActive);
}

}  // namespace tidemill::app
