#include "tidemill/testing/memory_fleet.h"

#include <algorithm>
#include <concepts>
#include <span>
#include <type_traits>
#include <utility>

#include "tidemill/base/try.h"

namespace tidemill::testing {

using namespace engine;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kCardLife{10'000};

Failure no_answer() {
  return {.cure = Cure::retry,
          .kind = FailureKind::timed_out,
          .step = "fleet",
          .reason = "no answer in time"};
}

Failure unknown_run() {
  return {.cure = Cure::retry,
          .kind = FailureKind::not_found,
          .step = "fleet",
          .reason = "the fleet does not know this run"};
}

Failure superseded(FleetEpoch newest) {
  return {.cure = Cure::give_up,
          .kind = FailureKind::superseded,
          .step = "fleet",
          .reason = "another dispatcher has opened epoch " + std::to_string(newest)};
}

}  // namespace

struct MemoryFleet::Memory {
  struct Held {
    FleetParcel parcel;
    Instant since{};  // when its holder confirmed it last
  };
  struct Card {
    WorkerCard card;
    Instant until{};
  };

  bool is_open = false;
  FleetEpoch epoch = 0;
  ParcelId last_sent{};
  ReportId last_report{};
  std::map<ParcelId, Held> parcels;
  std::map<ReportId, ParcelReport> reports;
  std::map<std::string, Card> cards;
};

// One end of a connection: passes calls to the fleet, as its network lets it.
class MemoryFleet::Side {
 protected:
  Side(MemoryFleet& fleet, FleetNetwork& network) : fleet_(fleet), network_(network) {}

  // `effect` owns its arguments: it may be executed after the caller has given up.
  template <std::invocable Effect>
  std::invoke_result_t<Effect> call(Effect effect) {
    fleet_.run_delayed();
    switch (network_.next()) {
      case CallFate::delivered:
        return effect();
      case CallFate::request_lost:
        break;
      case CallFate::reply_lost:
        (void)effect();
        break;
      case CallFate::repeated: {
        auto first = effect();
        (void)effect();
        return first;
      }
      case CallFate::delayed:
        fleet_.delay(network_.delay(), [effect]() mutable { (void)effect(); });
        break;
    }
    return std::unexpected(no_answer());
  }

  template <class T>
  static std::vector<T> copy_of(std::span<const T> values) {
    return {values.begin(), values.end()};
  }

  MemoryFleet& fleet_;

 private:
  FleetNetwork& network_;
};

class MemoryFleet::DispatcherSide final : public Fleet, private Side {
 public:
  DispatcherSide(MemoryFleet& fleet, FleetNetwork& network) : Side(fleet, network) {}

  [[nodiscard]] Result<FleetEpoch> open(FleetEpoch known) override {
    auto opened = call([&fleet = fleet_, known] { return fleet.open(known); });
    if (opened) epoch_ = *opened;
    return opened;
  }
  [[nodiscard]] Result<void> send(std::span<const FleetParcel> parcels) override {
    return call(
        [&fleet = fleet_, by = epoch_, copy = copy_of(parcels)] { return fleet.send(by, copy); });
  }
  [[nodiscard]] Result<std::vector<FleetParcel>> parcels() override {
    return call([&fleet = fleet_] { return fleet.parcels(); });
  }
  [[nodiscard]] Result<std::vector<ParcelId>> missing(std::span<const ParcelId> ids) override {
    return call([&fleet = fleet_, copy = copy_of(ids)] { return fleet.missing(copy); });
  }
  [[nodiscard]] Result<std::vector<ParcelReport>> reports(std::size_t limit) override {
    return call([&fleet = fleet_, limit] { return fleet.reports(limit); });
  }
  [[nodiscard]] Result<void> drain(std::span<const ReportId> ids) override {
    return call(
        [&fleet = fleet_, by = epoch_, copy = copy_of(ids)] { return fleet.drain(by, copy); });
  }
  [[nodiscard]] Result<std::vector<TakenParcel>> take_back(milliseconds idle) override {
    return call([&fleet = fleet_, by = epoch_, idle] { return fleet.take_back(by, idle); });
  }
  [[nodiscard]] Result<std::vector<ParcelId>> recall() override {
    return call([&fleet = fleet_, by = epoch_] { return fleet.recall(by); });
  }
  [[nodiscard]] Result<std::vector<WorkerCard>> roster() override {
    return call([&fleet = fleet_, by = epoch_] { return fleet.roster(by); });
  }

 private:
  FleetEpoch epoch_ = 0;
};

class MemoryFleet::WorkerSide final : public FleetMember, private Side {
 public:
  WorkerSide(MemoryFleet& fleet, FleetNetwork& network, std::string name)
      : Side(fleet, network), name_(std::move(name)) {}

  [[nodiscard]] Result<std::vector<FleetParcel>> receive(std::size_t limit) override {
    return call([&fleet = fleet_, name = name_, limit] { return fleet.receive(name, limit); });
  }
  [[nodiscard]] Result<std::vector<FleetParcel>> held() override {
    return call([&fleet = fleet_, name = name_] { return fleet.held(name); });
  }
  [[nodiscard]] Result<bool> give(ParcelId parcel, std::span<const TaskReport> reports) override {
    return call([&fleet = fleet_, name = name_, parcel, copy = copy_of(reports)] {
      return fleet.give(name, parcel, copy);
    });
  }
  [[nodiscard]] Result<std::vector<ParcelId>> confirm(const WorkerCard& card,
                                                      std::span<const ParcelId> ids) override {
    return call([&fleet = fleet_, name = name_, card, copy = copy_of(ids)] {
      return fleet.confirm(name, card, copy);
    });
  }

 private:
  const std::string name_;
};

MemoryFleet::MemoryFleet(const Clock& clock, BrokenPromises broken)
    : clock_(clock), broken_(broken), memory_(std::make_unique<Memory>()) {}
MemoryFleet::~MemoryFleet() = default;

std::unique_ptr<Fleet> MemoryFleet::connect(FleetNetwork& network) {
  return std::make_unique<DispatcherSide>(*this, network);
}

std::unique_ptr<FleetMember> MemoryFleet::join(std::string name, FleetNetwork& network) {
  return std::make_unique<WorkerSide>(*this, network, std::move(name));
}

void MemoryFleet::forget() { *memory_ = {}; }

void MemoryFleet::turn_clock_back(milliseconds by) { clock_offset_ -= by; }

std::shared_ptr<const MemoryFleet::Memory> MemoryFleet::remember() const {
  return std::make_shared<const Memory>(*memory_);
}

void MemoryFleet::roll_back(const Memory& memory) {
  *memory_ = memory;
  if (observer_ != nullptr) observer_->rolled_back(memory_->epoch);
}

MemoryFleet::Sizes MemoryFleet::sizes() const {
  Sizes sizes{.parcels = memory_->parcels.size(), .reports = memory_->reports.size()};
  for (const auto& [id, held] : memory_->parcels) sizes.tasks += held.parcel.tasks.size();
  for (const auto& [id, report] : memory_->reports) sizes.tasks += report.tasks.size();
  return sizes;
}

void MemoryFleet::delay(milliseconds by, std::function<void()> effect) {
  delayed_.emplace(std::pair(clock_.now() + by, ++delayed_count_), std::move(effect));
}

void MemoryFleet::run_delayed() {
  while (!delayed_.empty() && delayed_.begin()->first.first <= clock_.now()) {
    auto next = delayed_.extract(delayed_.begin());
    next.mapped()();
  }
}

std::uint64_t MemoryFleet::server_time() const {
  const auto since = std::chrono::duration_cast<milliseconds>(clock_.now().time_since_epoch());
  return static_cast<std::uint64_t>((since + clock_offset_).count());
}

std::optional<Failure> MemoryFleet::refusal_of(FleetEpoch by, bool is_checked) const {
  if (!memory_->is_open) return unknown_run();
  if (is_checked && by != memory_->epoch) return superseded(memory_->epoch);
  return std::nullopt;
}

Result<FleetEpoch> MemoryFleet::open(FleetEpoch known) {
  FleetEpoch epoch = std::max(memory_->epoch + 1, server_time());
  epoch = std::max(epoch, memory_->last_sent.epoch + 1);
  if (!broken_.forgets_known_epoch) epoch = std::max(epoch, known + 1);
  memory_->is_open = true;
  memory_->epoch = epoch;
  if (observer_ != nullptr) observer_->opened(epoch);
  return epoch;
}

Result<void> MemoryFleet::send(FleetEpoch by, const std::vector<FleetParcel>& parcels) {
  if (auto refused = refusal_of(by, !broken_.stale_may_send)) return std::unexpected(*refused);
  for (const FleetParcel& parcel : parcels) {
    const bool is_old = parcel.id <= memory_->last_sent || parcel.id.epoch != memory_->epoch;
    if (is_old && !broken_.stale_may_send) return std::unexpected(superseded(memory_->epoch));
    memory_->last_sent = std::max(memory_->last_sent, parcel.id);
    FleetParcel waiting = parcel;
    waiting.holder.clear();
    if (observer_ != nullptr) observer_->sent(waiting);
    memory_->parcels.insert_or_assign(parcel.id, Memory::Held{.parcel = std::move(waiting)});
  }
  return {};
}

Result<std::vector<FleetParcel>> MemoryFleet::parcels() const {
  if (!memory_->is_open) return std::unexpected(unknown_run());
  std::vector<FleetParcel> all;
  for (const auto& [id, held] : memory_->parcels) all.push_back(held.parcel);
  return all;
}

Result<std::vector<ParcelId>> MemoryFleet::missing(const std::vector<ParcelId>& ids) const {
  if (!memory_->is_open) return std::unexpected(unknown_run());
  std::vector<ParcelId> lost;
  for (const ParcelId id : ids) {
    const bool is_answered = std::ranges::any_of(
        memory_->reports, [&](const auto& entry) { return entry.second.parcel == id; });
    if (!is_answered && !memory_->parcels.contains(id)) lost.push_back(id);
  }
  return lost;
}

Result<std::vector<ParcelReport>> MemoryFleet::reports(std::size_t limit) const {
  if (!memory_->is_open) return std::unexpected(unknown_run());
  std::vector<ParcelReport> oldest;
  for (const auto& [id, report] : memory_->reports) {
    if (oldest.size() == limit) break;
    oldest.push_back(report);
  }
  return oldest;
}

Result<void> MemoryFleet::drain(FleetEpoch by, const std::vector<ReportId>& ids) {
  if (auto refused = refusal_of(by, !broken_.stale_may_drain)) return std::unexpected(*refused);
  for (const ReportId id : ids) {
    const auto found = memory_->reports.find(id);
    if (found == memory_->reports.end()) continue;
    if (observer_ != nullptr) observer_->drained(by, found->second);
    memory_->reports.erase(found);
  }
  return {};
}

Result<std::vector<TakenParcel>> MemoryFleet::take_back(FleetEpoch by, milliseconds idle) {
  if (auto refused = refusal_of(by, !broken_.stale_may_take_back)) return std::unexpected(*refused);
  std::vector<TakenParcel> taken;
  for (auto it = memory_->parcels.begin(); it != memory_->parcels.end();) {
    const auto& [parcel, since] = it->second;
    const auto silent = std::chrono::duration_cast<milliseconds>(clock_.now() - since);
    if (parcel.holder.empty() || silent < idle) {
      ++it;
      continue;
    }
    if (observer_ != nullptr) observer_->taken_back(by, parcel);
    taken.push_back({.id = parcel.id, .worker = parcel.holder, .idle = silent});
    it = memory_->parcels.erase(it);
  }
  return taken;
}

Result<std::vector<ParcelId>> MemoryFleet::recall(FleetEpoch by) {
  if (auto refused = refusal_of(by, true)) return std::unexpected(*refused);
  std::vector<ParcelId> recalled;
  for (auto it = memory_->parcels.begin(); it != memory_->parcels.end();) {
    const FleetParcel& parcel = it->second.parcel;
    if (!parcel.holder.empty() && !broken_.recalls_held) {
      ++it;
      continue;
    }
    if (observer_ != nullptr) observer_->recalled(by, parcel);
    recalled.push_back(parcel.id);
    it = memory_->parcels.erase(it);
  }
  return recalled;
}

Result<std::vector<WorkerCard>> MemoryFleet::roster(FleetEpoch by) const {
  if (auto refused = refusal_of(by, true)) return std::unexpected(*refused);
  std::vector<WorkerCard> cards;
  for (const auto& [name, kept] : memory_->cards) {
    if (kept.until > clock_.now()) cards.push_back(kept.card);
  }
  return cards;
}

Result<std::vector<FleetParcel>> MemoryFleet::receive(const std::string& name, std::size_t limit) {
  if (!memory_->is_open) return std::unexpected(unknown_run());
  std::vector<FleetParcel> received;
  for (auto& [id, held] : memory_->parcels) {
    if (received.size() == limit) break;
    if (!held.parcel.holder.empty()) continue;
    held.parcel.holder = name;
    held.since = clock_.now();
    received.push_back(held.parcel);
  }
  return received;
}

Result<std::vector<FleetParcel>> MemoryFleet::held(const std::string& name) const {
  if (!memory_->is_open) return std::unexpected(unknown_run());
  std::vector<FleetParcel> mine;
  for (const auto& [id, held] : memory_->parcels) {
    if (held.parcel.holder == name) mine.push_back(held.parcel);
  }
  return mine;
}

Result<bool> MemoryFleet::give(const std::string& name, ParcelId id,
                               const std::vector<TaskReport>& tasks) {
  if (!memory_->is_open) return std::unexpected(unknown_run());
  const auto found = memory_->parcels.find(id);
  const bool is_ours = found != memory_->parcels.end() && found->second.parcel.holder == name;
  if (!is_ours && !broken_.anyone_may_give) return false;
  const ReportId last = memory_->last_report;
  const ReportId next = server_time() > last.time
                            ? ReportId{.time = server_time()}
                            : ReportId{.time = last.time, .sequence = last.sequence + 1};
  ParcelReport report{.id = next, .parcel = id, .worker = name, .tasks = tasks};
  if (observer_ != nullptr) {
    observer_->given(found == memory_->parcels.end() ? FleetParcel{.id = id} : found->second.parcel,
                     report);
  }
  memory_->last_report = next;
  if (!broken_.loses_reports || ++gives_ % 5 != 0)
    memory_->reports.emplace(next, std::move(report));
  if (found != memory_->parcels.end()) memory_->parcels.erase(found);
  return true;
}

Result<std::vector<ParcelId>> MemoryFleet::confirm(const std::string& name, const WorkerCard& card,
                                                   const std::vector<ParcelId>& ids) {
  if (!memory_->is_open) return std::unexpected(unknown_run());
  if (observer_ != nullptr) observer_->confirmed(card);
  memory_->cards.insert_or_assign(name, Memory::Card{card, clock_.now() + kCardLife});
  std::vector<ParcelId> ours;
  for (auto& [id, held] : memory_->parcels) {
    if (held.parcel.holder.empty()) continue;
    if (broken_.confirms_for_all) held.since = clock_.now();
    if (held.parcel.holder != name) continue;
    if (std::ranges::find(ids, id) != ids.end()) held.since = clock_.now();
    ours.push_back(id);
  }
  return ours;
}

}  // namespace tidemill::testing
