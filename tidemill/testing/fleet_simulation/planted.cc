#include "tidemill/testing/fleet_simulation/planted.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tidemill/engine/memory_journal.h"

namespace tidemill::testing {

std::string_view name_of(PlantedFault fault) {
  static constexpr std::array<std::string_view, kPlantedFaults> kNames = {
      "none",
      "drains_before_commit",
      "reads_reports_by_cursor",
      "never_looks_for_missing",
      "ignores_parcels_before",
      "ignores_reports_before",
      "takes_back_too_early",
      "ignores_the_window",
      "counts_old_attempts",
      "last_result_wins",
      "stale_owner_commits",
      "retries_by_itself",
      "starts_without_contact",
      "runs_suspects_in_company",
      "forgets_lost_deliveries",
      "trusts_lost_answers",
      "blames_returned_tasks",
      "blames_after_reboot",
      "stale_may_send",
      "stale_may_take_back",
      "stale_may_drain",
      "anyone_may_give",
      "epochs_go_back",
      "recalls_held_parcels",
      "loses_reports",
      "confirms_for_all"};
  return kNames[static_cast<std::size_t>(fault)];
}

}  // namespace tidemill::testing

namespace tidemill::testing::simulation {

using namespace engine;

namespace {

class WrongFleet final : public Fleet {
 public:
  WrongFleet(PlantedFault fault, std::unique_ptr<Fleet> right, const Journal& journal)
      : fault_(fault), right_(std::move(right)), journal_(journal) {}

  [[nodiscard]] Result<FleetEpoch> open(FleetEpoch known) override {
    is_first_read_ = true;
    return right_->open(known);
  }
  [[nodiscard]] Result<void> send(std::span<const FleetParcel> parcels) override {
    return right_->send(parcels);
  }
  [[nodiscard]] Result<std::vector<FleetParcel>> parcels() override {
    auto all = right_->parcels();
    if (all && fault_ == PlantedFault::ignores_parcels_before) all->clear();
    return all;
  }
  [[nodiscard]] Result<std::vector<ParcelId>> missing(std::span<const ParcelId> ids) override {
    auto lost = right_->missing(ids);
    if (lost && fault_ == PlantedFault::never_looks_for_missing) lost->clear();
    return lost;
  }
  [[nodiscard]] Result<std::vector<ParcelReport>> reports(std::size_t limit) override {
    auto some = right_->reports(limit);
    if (!some) return some;
    if (fault_ == PlantedFault::drains_before_commit && !some->empty()) {
      std::vector<ReportId> ids;
      for (const ParcelReport& report : *some) ids.push_back(report.id);
      (void)right_->drain(ids);
    }
    if (fault_ == PlantedFault::reads_reports_by_cursor) {
      std::erase_if(*some, [&](const ParcelReport& report) { return report.id <= cursor_; });
      if (!some->empty()) cursor_ = some->back().id;
    }
    if (fault_ == PlantedFault::ignores_reports_before && is_first_read_) some->clear();
    if (fault_ == PlantedFault::counts_old_attempts) make_current(*some);
    is_first_read_ = false;
    return some;
  }
  [[nodiscard]] Result<void> drain(std::span<const ReportId> ids) override {
    return right_->drain(ids);
  }
  [[nodiscard]] Result<std::vector<TakenParcel>> take_back(
      std::chrono::milliseconds idle) override {
    return right_->take_back(fault_ == PlantedFault::takes_back_too_early ? idle / 20 : idle);
  }
  [[nodiscard]] Result<std::vector<ParcelId>> recall() override { return right_->recall(); }
  [[nodiscard]] Result<std::vector<WorkerCard>> roster() override {
    auto cards = right_->roster();
    if (cards && fault_ == PlantedFault::ignores_the_window) {
      for (WorkerCard& card : *cards) card.places *= 1'000;
    }
    return cards;
  }

 private:
  // As if nobody had written down which try a report is about.
  void make_current(std::vector<ParcelReport>& reports) const {
    for (ParcelReport& report : reports) {
      for (TaskReport& task : report.tasks) {
        const auto record = journal_.task(task.id).value();
        if (!record) continue;
        task.attempt = record->attempts + 1;
        task.crashes = record->crashes;
      }
    }
  }

  const PlantedFault fault_;
  const std::unique_ptr<Fleet> right_;
  const Journal& journal_;
  ReportId cursor_{};
  bool is_first_read_ = true;
};

class WrongMember final : public FleetMember {
 public:
  WrongMember(PlantedFault fault, std::unique_ptr<FleetMember> right)
      : fault_(fault), right_(std::move(right)) {}

  [[nodiscard]] Result<std::vector<FleetParcel>> receive(std::size_t limit) override {
    auto parcels = right_->receive(limit);
    if (parcels && fault_ == PlantedFault::runs_suspects_in_company) hide_crashes(*parcels);
    return parcels;
  }
  [[nodiscard]] Result<std::vector<FleetParcel>> held() override {
    auto parcels = right_->held();
    if (!parcels) return parcels;
    if (fault_ == PlantedFault::forgets_lost_deliveries) parcels->clear();
    if (fault_ == PlantedFault::runs_suspects_in_company) hide_crashes(*parcels);
    return parcels;
  }
  [[nodiscard]] Result<bool> give(ParcelId parcel, std::span<const TaskReport> reports) override {
    std::vector<TaskReport> sent(reports.begin(), reports.end());
    for (TaskReport& report : sent) {
      if (fault_ == PlantedFault::blames_returned_tasks && report.end == TaskEnd::returned) {
        report.end = TaskEnd::crashed;
      }
      if (const auto hidden = crashes_.find(report.id); hidden != crashes_.end()) {
        report.crashes = hidden->second;
      }
    }
    auto given = right_->give(parcel, sent);
    const bool is_lost = !given && is_unknown(given.error());
    if (is_lost && fault_ == PlantedFault::trusts_lost_answers) return true;
    return given;
  }
  [[nodiscard]] Result<std::vector<ParcelId>> confirm(const WorkerCard& card,
                                                      std::span<const ParcelId> ids) override {
    auto ours = right_->confirm(card, ids);
    const bool is_lost = !ours && is_unknown(ours.error());
    if (is_lost && fault_ == PlantedFault::starts_without_contact) {
      return std::vector(ids.begin(), ids.end());
    }
    return ours;
  }

 private:
  void hide_crashes(std::vector<FleetParcel>& parcels) {
    for (FleetParcel& parcel : parcels) {
      for (FleetTask& task : parcel.tasks) crashes_[task.id] = std::exchange(task.crashes, 0);
    }
  }

  const PlantedFault fault_;
  const std::unique_ptr<FleetMember> right_;
  std::map<TaskId, int> crashes_;
};

// The last result of a task stays, not the first.
class OverwritingJournal final : public Journal {
 public:
  [[nodiscard]] Result<void> commit(std::span<const Entry> batch) override {
    auto committed = right_.commit(batch);
    if (!committed) return committed;
    for (const Entry& entry : batch) {
      if (const auto* done = std::get_if<Done>(&entry)) results_[done->id] = done->result;
    }
    return committed;
  }
  [[nodiscard]] Result<Tally> tally() const override { return right_.tally(); }
  [[nodiscard]] Result<TaskId> next_id() const override { return right_.next_id(); }
  [[nodiscard]] Result<std::optional<TaskRecord>> task(TaskId id) const override {
    auto record = right_.task(id);
    const auto result = results_.find(id);
    if (record && *record && result != results_.end()) (*record)->outcome = result->second;
    return record;
  }
  [[nodiscard]] Result<std::optional<Letter>> letter(TaskId id) const override {
    return right_.letter(id);
  }
  [[nodiscard]] Result<std::optional<Checkpoint>> checkpoint(TaskId id) const override {
    return right_.checkpoint(id);
  }
  [[nodiscard]] Result<std::vector<TaskRecord>> pending(TaskId after,
                                                        std::size_t limit) const override {
    return right_.pending(after, limit);
  }
  [[nodiscard]] Result<std::vector<Letter>> letters(TaskId after,
                                                    std::size_t limit) const override {
    return right_.letters(after, limit);
  }

 private:
  MemoryJournal right_;
  std::map<TaskId, std::string> results_;
};

}  // namespace

std::unique_ptr<Journal> make_journal(PlantedFault fault) {
  if (fault == PlantedFault::last_result_wins) return std::make_unique<OverwritingJournal>();
  return std::make_unique<MemoryJournal>();
}

BrokenPromises broken_promises_of(PlantedFault fault) {
  return {.stale_may_send = fault == PlantedFault::stale_may_send,
          .stale_may_take_back = fault == PlantedFault::stale_may_take_back,
          .stale_may_drain = fault == PlantedFault::stale_may_drain,
          .anyone_may_give = fault == PlantedFault::anyone_may_give,
          .forgets_known_epoch = fault == PlantedFault::epochs_go_back,
          .recalls_held = fault == PlantedFault::recalls_held_parcels,
          .loses_reports = fault == PlantedFault::loses_reports,
          .confirms_for_all = fault == PlantedFault::confirms_for_all};
}

std::unique_ptr<Fleet> with_fault(PlantedFault fault, std::unique_ptr<Fleet> fleet,
                                  const Journal& journal) {
  return std::make_unique<WrongFleet>(fault, std::move(fleet), journal);
}

std::unique_ptr<FleetMember> with_fault(PlantedFault fault, std::unique_ptr<FleetMember> member) {
  return std::make_unique<WrongMember>(fault, std::move(member));
}

}  // namespace tidemill::testing::simulation
