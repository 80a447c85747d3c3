#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/engine/fleet/parcel_size.h"
#include "tidemill/engine/fleet/task_table.h"
#include "tidemill/engine/fleet_dispatcher.h"

namespace tidemill::engine {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kFewestParcels = 2;
constexpr int kReadsPerStep = 8;
constexpr milliseconds kDoubt{250};  // between two looks for missing parcels
// The longest times between two looks at the roster and at silent workers.
constexpr milliseconds kRosterAge{500};
constexpr milliseconds kSilenceAge{1'000};

}  // namespace

struct FleetDispatcher::State {
  State(const DispatcherOptions& an_options, Fleet& a_fleet, FleetJournal& a_journal, Dice& a_dice)
      : options(an_options), fleet(a_fleet), journal(a_journal), dice(a_dice) {}

  const DispatcherOptions options;
  Fleet& fleet;
  FleetJournal& journal;
  Dice& dice;

  FleetTaskTable tasks{{.retry = options.retry, .most_crashes = options.most_crashes}};
  ParcelSize size{{.work = options.parcel_work, .most = options.parcel_tasks}};
  DispatcherCounts counts{};
  bool has_all = false;
  bool is_sending = true;
  bool has_recalled = false;

  // What of the fleet is known since the last open(): first its parcels, then its reports.
  bool is_open = false;
  bool has_parcels = false;
  bool has_reports = false;
  bool is_drained = false;  // no report is left that was committed: there is room in the fleet
  FleetEpoch epoch = 0;
  std::uint64_t last_number = 0;
  std::vector<WorkerCard> roster{};
  std::size_t places = 0;  // of all of them

  std::optional<Instant> heard_at{};  // the last answer
  Instant in_touch_since{};           // answers since then, without a long gap
  Instant next_look{};
  Instant next_take_back{};
  Instant next_roster{};
};

// One step: the calls in their order. Each returns without an error if there was no answer; the
// next step tries again.
class FleetDispatcher::Round {
 public:
  Round(State& state, Instant now, WallTime wall) : s_(state), now_(now), wall_(wall) {}

  [[nodiscard]] Result<void> run() {
    s_.tasks.wake(now_);
    if (!s_.is_open) TRY(open());
    if (s_.is_open && !s_.has_parcels) TRY(adopt());
    if (s_.has_parcels) TRY(collect());
    if (!s_.has_reports) return {};
    TRY(look_at_roster());
    TRY(take_back());
    TRY(find_missing());
    return s_.is_sending ? send() : recall();
  }

 private:
  [[nodiscard]] Result<void> open();
  [[nodiscard]] Result<void> adopt();
  [[nodiscard]] Result<void> collect();
  [[nodiscard]] Result<void> settle(std::span<const ParcelReport> reports);
  [[nodiscard]] Result<void> look_at_roster();
  [[nodiscard]] Result<void> take_back();
  [[nodiscard]] Result<void> find_missing();
  [[nodiscard]] Result<void> recall();
  [[nodiscard]] Result<void> send();
  [[nodiscard]] Result<void> load(TaskId id, const std::string* payload);
  [[nodiscard]] std::size_t window() const;

  [[nodiscard]] bool is_in_touch() const {
    return s_.heard_at && now_ - *s_.heard_at <= s_.options.term / 3;
  }
  // False: no answer. Fails if there will never be one.
  template <class T>
  [[nodiscard]] Result<bool> heard(const Result<T>& answer);

  State& s_;
  const Instant now_;
  const WallTime wall_;
};

template <class T>
Result<bool> FleetDispatcher::Round::heard(const Result<T>& answer) {
  if (!answer && is_unknown(answer.error())) {
    ++s_.counts.unknown_answers;
    s_.next_look = std::min(s_.next_look, now_ + kDoubt);
    return false;
  }
  if (!is_in_touch()) s_.in_touch_since = now_;
  s_.heard_at = now_;
  if (answer) return true;
  if (!is_forgotten(answer.error())) return std::unexpected(answer.error());
  s_.is_open = s_.has_parcels = s_.has_reports = false;
  return false;
}

// Asks the journal first: a dispatcher that was replaced must not supersede its successor.
Result<void> FleetDispatcher::Round::open() {
  LET(const FleetEpoch known, s_.journal.epoch());
  const auto opened = s_.fleet.open(known);
  LET(const bool is_heard, heard(opened));
  if (!is_heard) return {};
  TRY(s_.journal.record(*opened));
  s_.epoch = *opened;
  s_.last_number = 0;
  s_.is_open = true;
  s_.next_look = now_;  // it may have forgotten what was in flight
  ++s_.counts.opened;
  return {};
}

Result<void> FleetDispatcher::Round::adopt() {
  const auto parcels = s_.fleet.parcels();
  LET(const bool is_heard, heard(parcels));
  if (!is_heard) return {};
  for (const FleetParcel& parcel : *parcels) {
    if (s_.tasks.is_in_flight(parcel.id)) continue;
    for (const FleetTask& task : parcel.tasks) TRY(load(task.id, &task.payload));
    s_.tasks.adopt_parcel(parcel);
    ++s_.counts.parcels_adopted;
  }
  s_.has_parcels = true;
  return {};
}

// A task that this dispatcher has not been given yet, but an earlier one has sent.
Result<void> FleetDispatcher::Round::load(TaskId id, const std::string* payload) {
  if (s_.tasks.knows(id)) return {};
  LET(const auto record, s_.journal.task(id));
  if (!record || record->state != TaskState::pending) return {};
  s_.tasks.adopt(*record, payload != nullptr ? std::optional(*payload) : std::nullopt);
  return {};
}

Result<void> FleetDispatcher::Round::collect() {
  for (int reads = 0; reads < kReadsPerStep; ++reads) {
    const auto reports = s_.fleet.reports(s_.options.reports_at_once);
    LET(const bool is_heard, heard(reports));
    s_.is_drained = is_heard && reports->empty();
    if (!is_heard) return {};
    if (!reports->empty()) {
      TRY(settle(*reports));
      std::vector<ReportId> ids;
      for (const ParcelReport& report : *reports) ids.push_back(report.id);
      LET(s_.is_drained, heard(s_.fleet.drain(ids)));
      if (!s_.is_drained && reports->size() == s_.options.reports_at_once) return {};
    }
    // A short answer may leave large reports for the next. That matters once: before anything is
    // sent, all of them must have been read.
    const bool may_be_the_last = reports->size() < s_.options.reports_at_once;
    if (reports->empty() || (s_.has_reports && may_be_the_last)) {
      s_.has_reports = s_.is_open;
      return {};
    }
  }
  return {};
}

Result<void> FleetDispatcher::Round::settle(std::span<const ParcelReport> reports) {
  std::vector<Entry> entries;
  std::vector<const TaskReport*> origins;  // of the entries
  std::unordered_set<TaskId> settled;      // here, but not in the journal yet
  for (const ParcelReport& report : reports) {
    for (const TaskReport& task : report.tasks) {
      if (!settled.contains(task.id)) TRY(load(task.id, nullptr));
      if (!s_.tasks.settle(report.parcel, task, now_, wall_, s_.dice, entries)) {
        ++s_.counts.stale_reports;
        continue;
      }
      origins.resize(entries.size(), &task);
      if (task.end == TaskEnd::done) s_.size.note(task.took);
      if (!s_.tasks.knows(task.id)) settled.insert(task.id);
    }
    s_.tasks.land(report.parcel);
  }
  return entries.empty() ? Result<void>() : s_.journal.commit(entries, origins);
}

// Fenced, and the only such call that is always due: it fails soon after another dispatcher has
// taken over, even if there is nothing to send.
Result<void> FleetDispatcher::Round::look_at_roster() {
  if (now_ < s_.next_roster) return {};
  auto cards = s_.fleet.roster();
  LET(const bool is_heard, heard(cards));
  if (!is_heard) return {};
  s_.roster = *std::move(cards);
  s_.places = 0;
  for (const WorkerCard& card : s_.roster) s_.places += card.places;
  s_.next_roster = now_ + std::min(s_.options.term / 10, kRosterAge);
  return {};
}

Result<void> FleetDispatcher::Round::take_back() {
  if (!s_.has_reports || now_ < s_.next_take_back) return {};
  if (!is_in_touch() || now_ - s_.in_touch_since < s_.options.term) return {};
  const auto taken = s_.fleet.take_back(s_.options.term);
  LET(const bool is_heard, heard(taken));
  if (!is_heard) return {};
  for (const TakenParcel& parcel : *taken) s_.tasks.land(parcel.id);
  s_.counts.parcels_taken_back += taken->size();
  s_.next_take_back = now_ + std::min(s_.options.term / 10, kSilenceAge);
  return {};
}

Result<void> FleetDispatcher::Round::find_missing() {
  if (!s_.has_reports || now_ < s_.next_look) return {};
  const auto ids = s_.tasks.parcels();
  s_.next_look = now_ + s_.options.look_every;
  if (ids.empty()) return {};
  const auto missing = s_.fleet.missing(ids);
  LET(const bool is_heard, heard(missing));
  if (!is_heard) return {};
  for (const ParcelId id : *missing) s_.tasks.land(id);
  s_.counts.parcels_missing += missing->size();
  return {};
}

Result<void> FleetDispatcher::Round::recall() {
  if (!s_.has_reports || s_.has_recalled) return {};
  const auto recalled = s_.fleet.recall();
  LET(s_.has_recalled, heard(recalled));
  if (!s_.has_recalled) return {};
  for (const ParcelId id : *recalled) s_.tasks.land(id);
  return {};
}

std::size_t FleetDispatcher::Round::window() const {
  return std::clamp(s_.size.parcels_a_place() * s_.places, kFewestParcels,
                    std::max(kFewestParcels, s_.options.window_parcels));
}

Result<void> FleetDispatcher::Round::send() {
  if (!s_.has_reports || !s_.is_drained) return {};
  std::vector<FleetParcel> parcels;
  while (s_.tasks.in_flight() < window() && s_.tasks.bytes_in_flight() < s_.options.window_bytes) {
    const std::size_t limit = s_.size.next(s_.tasks.ready(), s_.places, s_.has_all);
    FleetParcel parcel{.id = {.epoch = s_.epoch, .number = s_.last_number + 1},
                       .tasks = s_.tasks.take(limit, s_.options.parcel_bytes, s_.has_all)};
    if (parcel.tasks.empty()) break;
    ++s_.last_number;
    // In flight before it is sent: it may arrive even if the answer is lost.
    s_.tasks.launch(parcel.id, parcel.tasks);
    parcels.push_back(std::move(parcel));
  }
  if (parcels.empty()) return {};
  s_.counts.parcels_sent += parcels.size();
  TRY(heard(s_.fleet.send(parcels)));
  return {};
}

FleetDispatcher::FleetDispatcher(const DispatcherOptions& options, Fleet& fleet,
                                 FleetJournal& journal, Dice& dice)
    : state_(std::make_unique<State>(options, fleet, journal, dice)) {}
FleetDispatcher::~FleetDispatcher() = default;

bool FleetDispatcher::has_room() const {
  return state_->tasks.ahead() < state_->options.tasks_ahead;
}

void FleetDispatcher::add(const TaskRecord& task, std::string payload) {
  state_->tasks.add(task, std::move(payload));
}

void FleetDispatcher::add_no_more() { state_->has_all = true; }

void FleetDispatcher::stop_sending() { state_->is_sending = false; }

Result<void> FleetDispatcher::step(Instant now, WallTime wall) {
  return Round(*state_, now, wall).run();
}

bool FleetDispatcher::is_finished() const { return state_->has_all && state_->tasks.size() == 0; }

bool FleetDispatcher::has_landed() const {
  return state_->has_reports && state_->tasks.in_flight() == 0;
}

const DispatcherCounts& FleetDispatcher::counts() const { return state_->counts; }

const std::vector<WorkerCard>& FleetDispatcher::roster() const { return state_->roster; }

}  // namespace tidemill::engine
