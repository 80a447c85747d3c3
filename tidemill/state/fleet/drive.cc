#include "tidemill/state/fleet/drive.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "tidemill/base/dice.h"
#include "tidemill/base/thread.h"
#include "tidemill/base/try.h"
#include "tidemill/engine/limiter.h"

namespace tidemill::fleet {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kWait{20};
constexpr milliseconds kGlance{5};           // for a task, between two looks for reports
constexpr milliseconds kPause{200};          // after a call without an answer
constexpr milliseconds kSilence{2'000};      // before it is worth a message
constexpr milliseconds kLonely{5'000};       // without workers before that is
constexpr std::chrono::hours kAnnounced{1};  // hosts that have not announced themselves since
constexpr milliseconds kPublish{10'000};     // in case that the server has forgotten the run
constexpr std::size_t kMostAtOnce = 1'024;

engine::LimiterOptions limit_of(const std::optional<double>& rate) {
  if (!rate) return engine::LimiterOptions::unlimited();
  return {.per_second = *rate};
}

}  // namespace

bool FleetDrive::Intake::put(engine::TaskRecord task, std::string payload) {
  const Bytes size{payload.size() + task.subject.size() + sizeof(FedTask)};
  FedTask fed{.record = std::move(task), .payload = std::move(payload)};
  return drive_.channel_.push(std::move(fed), size) == engine::Push::sent;
}

bool FleetDrive::Intake::is_stopped() { return drive_.state_.lock()->urge != Urge::none; }

FleetDrive::FleetDrive(Options options, Parts parts)
    : options_(std::move(options)), parts_(std::move(parts)) {}

// The rounds of run(). One thread.
class FleetDrive::Loop {
 public:
  explicit Loop(FleetDrive& drive)
      : d_(drive),
        limiter_(limit_of(drive.options_.rate)),
        dispatcher_(drive.options_.dispatcher, drive.parts_.fleet, drive.parts_.journal, dice_) {}

  // False: the run is over, or was left.
  [[nodiscard]] Result<bool> round();
  void clean_up();

 private:
  [[nodiscard]] Result<void> publish(Instant now);
  [[nodiscard]] Result<void> obey(Urge urge);
  bool add_tasks(Instant now);
  void wait(bool has_added, Urge urge);
  void wait_for_task();
  void notice(const Failure* failure);
  void explain_idleness(Instant now);

  FleetDrive& d_;
  SeededDice dice_{static_cast<std::uint64_t>(Instant::clock::now().time_since_epoch().count())};
  engine::Limiter limiter_;
  engine::FleetDispatcher dispatcher_;
  std::vector<FedTask> fed_;  // taken from the channel, not added yet: the rate does not allow it
  std::size_t added_ = 0;     // of fed_
  Instant next_token_{};      // when the rate allows the next
  bool has_all_ = false;
  bool is_withdrawn_ = false;
  std::optional<Instant> next_publish_{};
  std::uint64_t opened_ = 0;
  std::uint64_t unknown_ = 0;  // answers, when it last waited
  Instant next_explanation_{Instant::max()};
  std::set<std::string> explained_;  // each reason once
  std::optional<Instant> silent_since_{};
  bool has_told_ = false;
};

Result<bool> FleetDrive::Loop::round() {
  const Clock& clock = d_.parts_.clock;
  const Instant now = clock.now();
  const Urge urge = d_.state_.lock()->urge;
  if (urge == Urge::leave) return false;
  TRY(obey(urge));
  if (urge < Urge::withdraw) TRY(publish(now));
  const bool has_added = urge == Urge::none && add_tasks(now);
  TRY(dispatcher_.step(now, clock.wall()));
  d_.state_.update([&](State& state) {
    state.seen.roster = dispatcher_.roster();
    state.seen.counts = dispatcher_.counts();
  });
  if (urge == Urge::none) explain_idleness(now);
  if (dispatcher_.is_finished()) return false;
  if (urge != Urge::none && dispatcher_.has_landed()) return false;
  wait(has_added, urge);
  return true;
}

Result<void> FleetDrive::Loop::obey(Urge urge) {
  if (urge == Urge::none) return {};
  dispatcher_.stop_sending();
  if (urge != Urge::withdraw || is_withdrawn_) return {};
  is_withdrawn_ = d_.parts_.board.withdraw(d_.options_.run.name).has_value();
  return {};
}

// Says it again after every open(): then the server has forgotten the run.
Result<void> FleetDrive::Loop::publish(Instant now) {
  const std::uint64_t opened = dispatcher_.counts().opened;
  if (next_publish_ && now < *next_publish_ && opened == opened_) return {};
  auto published = d_.parts_.board.publish(d_.options_.run);
  if (!published && published.error().cure != Cure::retry) return published;
  if (!published) return {};
  next_publish_ = now + kPublish;
  opened_ = opened;
  return {};
}

bool FleetDrive::Loop::add_tasks(Instant now) {
  bool has_added = false;
  while (dispatcher_.has_room()) {
    if (added_ == fed_.size()) {
      fed_.clear();
      added_ = 0;
      d_.channel_.pop_some_until(fed_, kMostAtOnce, d_.parts_.clock, now);
      if (fed_.empty()) break;
    }
    if (const auto rest = limiter_.take(now); rest > Instant::duration::zero()) {
      next_token_ = now + rest;
      break;
    }
    FedTask& task = fed_[added_++];
    dispatcher_.add(task.record, std::move(task.payload));
    has_added = true;
  }
  const bool is_empty = added_ == fed_.size();
  if (!has_all_ && is_empty && d_.state_.lock()->has_fed && d_.channel_.is_finished()) {
    dispatcher_.add_no_more();
    has_all_ = true;
  }
  return has_added;
}

// For a task, a report, or an order. A call that blocks at the server cannot be ended by a task,
// and lasts up to a tenth of a second: so it is for the time when no task can arrive, or none is
// wanted.
void FleetDrive::Loop::wait(bool has_added, Urge urge) {
  if (has_added) return;
  const std::uint64_t before = std::exchange(unknown_, dispatcher_.counts().unknown_answers);
  const bool is_heard = before == unknown_;
  if (is_heard && !has_all_ && urge == Urge::none && dispatcher_.has_room()) {
    notice(nullptr);
    return wait_for_task();
  }
  const auto heard = d_.parts_.fleet.wait(kWait, {});
  notice(heard ? nullptr : &heard.error());
  if (heard) return;
  const Clock& clock = d_.parts_.clock;
  (void)d_.state_.lock().wait_until(clock, clock.now() + kPause,
                                    [&](const State& state) { return state.urge != urge; });
}

// Until the source has one, or the rate allows the next; reports are looked for in between.
void FleetDrive::Loop::wait_for_task() {
  const Clock& clock = d_.parts_.clock;
  const Instant until = clock.now() + (dispatcher_.has_landed() ? kWait : kGlance);
  if (added_ == fed_.size()) {
    fed_.clear();
    added_ = 0;
    d_.channel_.pop_some_until(fed_, kMostAtOnce, clock, until);
    return;
  }
  (void)d_.state_.lock().wait_until(clock, std::min(until, next_token_),
                                    [](const State& state) { return state.urge != Urge::none; });
}

void FleetDrive::Loop::notice(const Failure* failure) {
  const Instant now = d_.parts_.clock.now();
  if (failure == nullptr) {
    silent_since_.reset();
    if (std::exchange(has_told_, false)) {
      d_.state_.update([](State& state) { state.seen.is_silent = false; });
      if (d_.parts_.on_silence) d_.parts_.on_silence(nullptr);
    }
    return;
  }
  if (!silent_since_) silent_since_ = now;
  if (has_told_ || now - *silent_since_ < kSilence) return;
  has_told_ = true;
  d_.state_.update([](State& state) { state.seen.is_silent = true; });
  if (d_.parts_.on_silence) d_.parts_.on_silence(failure);
}

// Without workers the run waits, and the user should know for what.
void FleetDrive::Loop::explain_idleness(Instant now) {
  if (!dispatcher_.roster().empty() || !d_.parts_.on_nobody) {
    next_explanation_ = Instant::max();
    return;
  }
  if (next_explanation_ == Instant::max()) next_explanation_ = now + kLonely;
  if (now < next_explanation_) return;
  next_explanation_ = now + kLonely;
  const auto hosts = d_.parts_.board.hosts(kAnnounced);
  if (!hosts) return;
  bool is_refused = false;
  for (const auto& [host, age] : *hosts) {
    for (const RunRefusal& refusal : host.refusals) {
      if (refusal.run != d_.options_.run.name) continue;
      is_refused = true;
      if (explained_.insert(refusal.why).second) d_.parts_.on_nobody(host.host, refusal.why);
    }
  }
  if (!is_refused && explained_.insert("").second) d_.parts_.on_nobody("", "");
}

// What has landed is in the journal, so nothing of it stays in Redis. If it cannot be removed, it
// is only in the way.
void FleetDrive::Loop::clean_up() {
  if (!is_withdrawn_) is_withdrawn_ = d_.parts_.board.withdraw(d_.options_.run.name).has_value();
  const bool has_all_back = dispatcher_.is_finished() || dispatcher_.has_landed();
  d_.has_cleaned_up_ = has_all_back && d_.parts_.fleet.remove().has_value() && is_withdrawn_;
}

engine::FlowReport FleetDrive::run(const Feed& feed) {
  engine::FlowReport report;
  std::optional<Failure> feed_failure;
  const auto end_feed = [&](std::optional<Failure> failure) {
    state_.update([&](State& state) {
      state.has_fed = !failure;
      if (failure) state.urge = std::max(state.urge, Urge::stop_sending);
      feed_failure = std::move(failure);
    });
    channel_.close();
  };
  auto feeding = start_thread(
      "the tasks",
      [&] {
        Intake intake(*this);
        auto fed = feed(intake);
        end_feed(fed ? std::nullopt : std::optional(std::move(fed).error()));
      },
      [&](Failure failure) { end_feed(std::move(failure)); });
  if (!feeding) {
    report.fatal = std::move(feeding).error();
    return report;
  }
  auto ended = contained([&]() -> Result<void> {
    Loop loop(*this);
    for (;;) {
      LET(const bool goes_on, loop.round());
      if (goes_on) continue;
      loop.clean_up();
      return {};
    }
  });
  (void)channel_.cancel();
  if (parts_.stop_feed) parts_.stop_feed();
  feeding->join();
  report.counts = parts_.counts();
  report.was_stopped = state_.lock()->urge != Urge::none;
  if (!ended) report.fatal = std::move(ended).error();
  if (!report.fatal) report.fatal = std::move(feed_failure);
  return report;
}

void FleetDrive::urge(Urge to) {
  state_.update([&](State& state) { state.urge = std::max(state.urge, to); });
  (void)channel_.cancel();
}

void FleetDrive::stop_sending() { urge(Urge::stop_sending); }
void FleetDrive::withdraw() { urge(Urge::withdraw); }
void FleetDrive::leave() { urge(Urge::leave); }

}  // namespace tidemill::fleet
