#include "tidemill/app/worker/worker_process.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

#include "tidemill/app/worker/predecessors.h"
#include "tidemill/base/hex.h"
#include "tidemill/base/host_name.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/io/files/private_files.h"

namespace tidemill::app {
namespace {

namespace fs = std::filesystem;
using command::Tone;
using std::chrono::milliseconds;

constexpr milliseconds kLook{1'000};            // between two looks at the board
constexpr std::chrono::minutes kAbandoned{10};  // a run whose coordinator is silent
constexpr milliseconds kRefused{10'000};        // until a refused run is tried again
constexpr milliseconds kRound{1'000};           // without any news
constexpr milliseconds kShow{100};              // between two looks of a display
constexpr milliseconds kStopRound{20};          // the same, while it stops
constexpr milliseconds kPause{250};             // after a call without an answer
constexpr milliseconds kSilence{2'000};         // before it is worth a message
// After a stop: when running commands are ended, and when they are killed.
constexpr milliseconds kTypedEnd{1'500};
constexpr milliseconds kTypedKill{4'000};
constexpr milliseconds kKill{700};
constexpr milliseconds kLeave{10'000};  // when the server does not answer any more

std::string new_consumer(const std::string& host) {
  std::random_device random;
  std::string name = host + ":" + std::to_string(::getpid()) + ":";
  for (int i = 0; i < 8; ++i) append_hex(name, static_cast<unsigned char>(random()));
  return name;
}

}  // namespace

WorkerProcess::WorkerProcess(Options options, Parts parts, std::string consumer)
    : options_(std::move(options)),
      parts_(std::move(parts)),
      consumer_(std::move(consumer)),
      host_(host_name()),
      own_folder_(options_.folder + "/" + consumer_) {}

WorkerProcess::~WorkerProcess() {
  watch_.reset();
  served_.clear();
  std::error_code ignored;
  if (lock_) fs::remove_all(own_folder_, ignored);
}

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::make(Options options, Parts parts) {
  std::unique_ptr<WorkerProcess> process(
      new WorkerProcess(std::move(options), std::move(parts), new_consumer(host_name())));
  TRY(process->prepare());
  return process;
}

Result<void> WorkerProcess::prepare() {
  LET(client_, redis::Client::make(options_.choice.client, parts_.clock));
  board_ =
      std::make_unique<fleet::FleetBoard>(*client_, options_.choice.fleet, options_.choice.key);
  LET(const auto first, board_->runs());  // a wrong address is told at once
  (void)first;
  LET(auto lock, make_worker_folder(options_.folder, consumer_, parts_.clock.wall()));
  lock_.emplace(std::move(lock));
  Predecessors(options_.folder, options_.choice.fleet, options_.choice.key,
               {.client = *client_, .board = *board_, .clock = parts_.clock, .log = parts_.log})
      .report(consumer_);
  LET(watch_, ParcelWatch::start(options_.choice.client, consumer_, parts_.clock,
                                 [this] { ended_.wake(); }));
  return {};
}

std::size_t WorkerProcess::busy() const {
  std::size_t count = 0;
  for (const auto& [name, served] : served_) count += served->in_threads();
  return count;
}

void WorkerProcess::refuse(const fleet::PublishedRun& run, const std::string& why, Instant now) {
  Refusal& refusal = refusals_[run.name];
  if (refusal.why != why) {
    parts_.console.say(
        Tone::warning,
        "Not working on " + text::printable(run.id.empty() ? run.name : run.id) + ": " + why + ".");
  }
  refusal = {.why = why, .run = run, .next_try = now + kRefused};
}

bool WorkerProcess::is_refused(const fleet::PublishedRun& run, Instant now) const {
  const auto refusal = refusals_.find(run.name);
  return refusal != refusals_.end() && refusal->second.run == run && now < refusal->second.next_try;
}

const jobs::Recipe* WorkerProcess::recipe_for(const fleet::PublishedRun& run,
                                              std::string& refusal) const {
  const auto found = std::ranges::find_if(parts_.recipes, [&](const jobs::Recipe* recipe) {
    return recipe->name() == run.recipe.name;
  });
  if (found == parts_.recipes.end()) {
    refusal = "this version of the program does not have the recipe " +
              text::printable(text_of(run.recipe));
    return nullptr;
  }
  const jobs::Recipe& recipe = **found;
  if (recipe.version() != run.recipe.version || recipe.digest() != run.recipe.digest) {
    refusal = "it needs the recipe " + text::printable(text_of(run.recipe)) +
              ", and this program has " +
              text_of(fleet::RecipeId{.name = std::string(recipe.name()),
                                      .version = recipe.version(),
                                      .digest = recipe.digest()});
    return nullptr;
  }
  return &recipe;
}

Result<std::unique_ptr<ServedRun>> WorkerProcess::serve(const fleet::PublishedRun& run) {
  std::string refusal;
  const jobs::Recipe* const recipe = recipe_for(run, refusal);
  if (recipe == nullptr) return fail(Cure::give_up, "recipe", refusal);
  jobs::StageSurroundings surroundings{
      .program = parts_.program,
      .clock = parts_.clock,
      .run = run.id,
      .mark = consumer_,
      .scratch = own_folder_ + "/" + run.name,
      .places = options_.places,
      .on_shortage = [this](const Failure& failure) {
        parts_.console.say(Tone::warning, "Tasks are delayed: " + text_of(failure) + ".");
      }};
  for (const fleet::FleetRoot& root : run.roots) {
    LET(auto folder, fleet::find_root(root, options_.map));
    surroundings.roots.push_back(std::move(folder));
  }
  TRY(files::make_private_folders(surroundings.scratch));
  return ServedRun::make(run, *recipe, std::move(surroundings),
                         {.client = *client_,
                          .place = {.fleet = options_.choice.fleet,
                                    .run = run.name,
                                    .key = options_.choice.key,
                                    .term = run.term},
                          .consumer = consumer_,
                          .host = host_,
                          .places = options_.places,
                          .clock = parts_.clock,
                          .log = parts_.log,
                          .ended = ended_});
}

// A run that is off the board is over: its tasks are ended. One that was published anew, is paused,
// or whose host is drained, finishes what is running.
void WorkerProcess::leave_unlisted(const std::vector<fleet::FleetBoard::Listed>& listed,
                                   bool is_drained) {
  for (auto& [name, served] : served_) {
    const auto found = std::ranges::find_if(
        listed, [&](const auto& entry) { return entry.is_genuine && entry.run.name == name; });
    if (found == listed.end()) {
      served->end_tasks(false);
    } else if (found->age > kAbandoned && served->worker().is_empty()) {
      served->leave();
    } else if (is_drained || found->is_paused || !served->takes_up(found->run)) {
      served->leave();
    }
  }
  std::erase_if(refusals_, [&](const auto& refusal) {
    return std::ranges::none_of(listed,
                                [&](const auto& entry) { return entry.run.name == refusal.first; });
  });
}

Result<void> WorkerProcess::look_at_board(Instant now) {
  LET(const auto listing, board_->runs());
  is_drained_ = std::ranges::find(listing.drained, host_) != listing.drained.end();
  leave_unlisted(listing.runs, is_drained_);
  for (const auto& listed : listing.runs) {
    const std::string& name = listed.run.name;
    const bool is_open = !is_drained_ && !listed.is_paused && listed.age <= kAbandoned;
    if (stopped_at_ || !is_open || served_.contains(name)) continue;
    if (listed.is_signed && !options_.choice.key.is_given()) {
      refuse(listed.run, "it is signed, and this worker has no key", now);
      continue;
    }
    if (!listed.is_genuine) {
      refuse(listed.run, "it is not signed with our key", now);
      continue;
    }
    const bool is_wanted =
        options_.only.empty() ||
        std::ranges::find(options_.only, listed.run.recipe.name) != options_.only.end();
    if (!is_wanted || is_refused(listed.run, now)) continue;
    auto served = serve(listed.run);
    if (!served) {
      refuse(listed.run, served.error().reason, now);
      continue;
    }
    refusals_.erase(name);
    double least = -1;
    for (const auto& [other, busy] : served_) {
      if (least < 0 || busy->served() < least) least = busy->served();
    }
    (*served)->begin_at(std::max(least, 0.0));
    served_.emplace(name, *std::move(served));
  }
  next_look_ = now + kLook;
  return announce();
}

Result<void> WorkerProcess::announce() {
  fleet::FleetHost card{.consumer = consumer_,
                        .host = host_,
                        .pid = ::getpid(),
                        .version = options_.version,
                        .places = static_cast<std::uint32_t>(options_.places),
                        .busy = static_cast<std::uint32_t>(busy()),
                        .done = totals_.done + totals_.failed};
  for (const jobs::Recipe* recipe : parts_.recipes) {
    card.recipes.push_back({.name = std::string(recipe->name()),
                            .version = recipe->version(),
                            .digest = recipe->digest()});
  }
  for (const auto& [run, refusal] : refusals_) {
    card.refusals.push_back({.run = run, .why = refusal.why});
  }
  return board_->announce(card);
}

Result<void> WorkerProcess::step_all(Instant now) {
  for (auto served = served_.begin(); served != served_.end();) {
    TRY(served->second->step(now));
    // What the watch brings has to be returned, too.
    if (!served->second->is_over() || watch_->may_bring(served->first)) {
      ++served;
      continue;
    }
    totals_.refused += served->second->worker().counts().refused;
    totals_.forged += served->second->member().forged();
    served = served_.erase(served);
    next_look_ = now;  // it may have been published anew
  }
  return {};
}

// Each run asks for parcels for its share of the places, as long as others have work, too.
void WorkerProcess::share_places(Instant now) {
  double weights = 0;
  for (const auto& [name, served] : served_) {
    if (served->is_active(now)) weights += std::max(served->run().weight, 1U);
  }
  for (const auto& [name, served] : served_) {
    const double own = std::max(served->run().weight, 1U);
    const double all = served->is_active(now) ? weights : weights + own;
    auto places = static_cast<std::size_t>(static_cast<double>(options_.places) * own / all);
    if (weights == 0 || (served->is_active(now) && weights == own)) places = options_.places;
    if (const auto limit = options_.limits.find(served->run().recipe.name);
        limit != options_.limits.end()) {
      places = std::min<std::size_t>(places, limit->second);
    }
    served->worker().set_places(static_cast<std::uint32_t>(std::max<std::size_t>(places, 1)));
  }
}

bool WorkerProcess::is_within_limit(const ServedRun& served) const {
  const std::string& recipe = served.run().recipe.name;
  const auto limit = options_.limits.find(recipe);
  if (limit == options_.limits.end()) return true;
  std::size_t running = 0;
  for (const auto& [name, other] : served_) {
    if (other->run().recipe.name == recipe) running += other->in_threads();
  }
  return running < limit->second;
}

// The run that was served least and was not tried yet.
ServedRun* WorkerProcess::next_to_start(std::vector<ServedRun*>& tried) {
  ServedRun* next = nullptr;
  ServedRun* alone = nullptr;
  for (const auto& [name, served] : served_) {
    if (served->worker().has_suspect()) alone = served.get();
    const bool was_tried = std::ranges::find(tried, served.get()) != tried.end();
    if (was_tried || !is_within_limit(*served)) continue;
    if (next == nullptr || served->served() < next->served()) next = served.get();
  }
  if (alone != nullptr) {
    const bool others_run = busy() > alone->in_threads();
    const bool was_tried = std::ranges::find(tried, alone) != tried.end();
    next = others_run || was_tried ? nullptr : alone;
  }
  if (next != nullptr) tried.push_back(next);
  return next;
}

void WorkerProcess::start_tasks(Instant now) {
  std::vector<ServedRun*> tried;
  while (busy() < options_.places) {
    ServedRun* const next = next_to_start(tried);
    if (next == nullptr) return;
    if (next->start(now)) tried.clear();
  }
}

void WorkerProcess::take_ended() {
  for (EndedTask& task : ended_.take()) {
    const auto served = served_.find(task.run);
    if (served == served_.end()) continue;
    switch (task.report.end) {
      case engine::TaskEnd::done:
      case engine::TaskEnd::skipped:
        ++totals_.done;
        break;
      case engine::TaskEnd::failed:
        ++totals_.failed;
        break;
      case engine::TaskEnd::crashed:
      case engine::TaskEnd::returned:
        ++totals_.returned;
        break;
    }
    served->second->end(std::move(task.report));
  }
}

// The first stop returns what was not started. Commands that run are ended: at once if the host
// goes down, after a moment if a person asked.
void WorkerProcess::obey_stop(Instant now) {
  if (!parts_.stop.stop_requested()) return;
  leave_all(now);
  const bool is_typed = parts_.is_typed && parts_.is_typed();
  const auto since = now - stopped_at_.value_or(now);
  const bool kills = parts_.kill.stop_requested() || since >= (is_typed ? kTypedKill : kKill);
  const bool ends = kills || !is_typed || since >= kTypedEnd;
  if (!ends) return;
  for (const auto& [name, served] : served_) served->end_tasks(kills);
}

void WorkerProcess::leave_all(Instant now) {
  if (!stopped_at_) stopped_at_ = now;
  for (const auto& [name, served] : served_) served->leave();
}

void WorkerProcess::take_arrivals() {
  auto arrivals = watch_->take();
  for (auto& [run, parcels] : arrivals.parcels) {
    const auto served = served_.find(run);
    if (served != served_.end()) served->second->worker().deliver(std::move(parcels));
  }
  if (!arrivals.is_in_doubt) return;
  for (const auto& [name, served] : served_) served->worker().doubt();
}

void WorkerProcess::show(Instant now) {
  if (now < next_show_) return;
  next_show_ = now + kShow;
  Seen seen{.totals = totals_, .runs = served_.size(), .is_silent = has_told_silence_};
  for (const auto& [name, served] : served_) served->add_rows(seen.rows);
  seen.rows.resize(std::max(seen.rows.size(), options_.places));
  *seen_.lock() = std::move(seen);
}

void WorkerProcess::wait(Instant now) {
  std::vector<fleet::FleetPlace> wanted;
  for (const auto& [name, served] : served_) {
    if (!served->is_leaving() && served->worker().wants_more()) wanted.push_back(served->place());
  }
  watch_->want(std::move(wanted));
  ended_.wait_until(parts_.clock, next_round(now));
}

Instant WorkerProcess::next_round(Instant now) const {
  if (stopped_at_) return now + kStopRound;
  Instant next = std::min(next_look_, now + kRound);
  for (const auto& [name, served] : served_) {
    const Instant due = served->worker().next_confirm();
    next = std::min(next, due > now ? due : now + kPause);
  }
  return next;
}

Result<void> WorkerProcess::look_if_due(Instant now) {
  if (now < next_look_ || stopped_at_) return {};
  const auto looked = look_at_board(now);
  if (!looked && looked.error().cure != Cure::retry) return std::unexpected(looked.error());
  notice_silence(looked ? nullptr : &looked.error(), now);
  if (!looked) next_look_ = now + kPause;
  return {};
}

bool WorkerProcess::is_idle_enough(Instant now) {
  if (!options_.until_idle) return false;
  if (busy() > 0 || !idle_since_) idle_since_ = now;
  return now - *idle_since_ >= *options_.until_idle;
}

Result<WorkerTotals> WorkerProcess::run() {
  const std::stop_callback on_stop(parts_.stop, [this] { ended_.wake(); });
  const std::stop_callback on_kill(parts_.kill, [this] { ended_.wake(); });
  for (;;) {
    const Instant now = parts_.clock.now();
    obey_stop(now);
    if (stopped_at_ && (served_.empty() || now - *stopped_at_ > kLeave)) break;
    TRY(look_if_due(now));
    take_ended();
    take_arrivals();
    share_places(now);
    TRY(step_all(now));
    start_tasks(now);
    show(now);
    if (is_idle_enough(now)) leave_all(now);
    wait(now);
  }
  next_show_ = {};
  show(parts_.clock.now());
  for (const auto& [name, served] : served_) served->leave();
  (void)step_all(parts_.clock.now());
  (void)board_->leave(consumer_);
  return totals_;
}

void WorkerProcess::notice_silence(const Failure* failure, Instant now) {
  if (failure == nullptr) {
    silent_since_.reset();
    if (std::exchange(has_told_silence_, false)) {
      parts_.console.say(Tone::good, "The fleet answers again.");
    }
    return;
  }
  if (!silent_since_) silent_since_ = now;
  if (has_told_silence_ || now - *silent_since_ < kSilence) return;
  has_told_silence_ = true;
  parts_.console.say(Tone::warning, "Waiting for the fleet: " + text_of(*failure) + ".");
}

}  // namespace tidemill::app
