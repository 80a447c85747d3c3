#include "tidemill/testing/fleet_simulation/world.h"

#include <algorithm>
#include <deque>
#include <set>

#include "tidemill/base/try.h"
#include "tidemill/testing/fleet_simulation/planted.h"

namespace tidemill::testing::simulation {

using namespace engine;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t kPage = 32;
constexpr milliseconds kDeadline = kFaultTime + 10min;

DispatcherOptions dispatcher_options(PlantedFault planted) {
  const bool is_unbounded = planted == PlantedFault::ignores_the_window;
  return {.retry = {.max_attempts = kMostAttempts, .first_delay = 200ms, .max_delay = 2s},
          .most_crashes = kMostCrashes,
          .parcel_work = kParcelWork,
          .parcel_tasks = kParcelTasks,
          .window_parcels = is_unbounded ? 1'000'000 : kWindow,
          .tasks_ahead = 8,
          .reports_at_once = 3,
          .term = kTerm,
          .look_every = 1s};
}

TaskReport report_of(const FleetTask& task, TaskEnd end) {
  return {.id = task.id, .attempt = task.attempt, .crashes = task.crashes, .end = end};
}

}  // namespace

// The journal as one dispatcher process may use it: until another one opens it.
class FleetWorld::OwnedJournal final : public FleetJournal {
 public:
  OwnedJournal(FleetWorld& world, std::uint64_t owner, SimulatedNetwork& network)
      : world_(world), owner_(owner), network_(network) {}

  [[nodiscard]] Result<FleetEpoch> epoch() override {
    TRY(check_owner());
    return world_.recorded_epoch_;
  }
  [[nodiscard]] Result<void> record(FleetEpoch epoch) override {
    TRY(check_owner());
    if (network_.commits()) {
      world_.truth_.records(epoch);
      world_.recorded_epoch_ = epoch;
    }
    return network_.is_dead() ? died() : Result<void>();
  }
  [[nodiscard]] Result<std::optional<TaskRecord>> task(TaskId id) override {
    auto record = world_.journal_->task(id);
    // As if nobody had asked whether the task still waits for a result.
    const bool is_wrong = world_.planted_ == PlantedFault::last_result_wins;
    if (is_wrong && *record && (*record)->state == TaskState::done) {
      (*record)->state = TaskState::pending;
    }
    return record;
  }
  [[nodiscard]] Result<void> commit(std::span<const Entry> entries,
                                    std::span<const TaskReport* const> /*reports*/) override {
    TRY(check_owner());
    if (!network_.commits()) return died();
    for (const Entry& entry : entries) {
      world_.say("commit " + std::string(engine::name_of(entry)) + " of task " +
                 std::to_string(task_of(entry)));
      world_.truth_.commits(entry, world_.owner_ == owner_);
    }
    TRY(world_.journal_->commit(entries));
    return network_.is_dead() ? died() : Result<void>();
  }

 private:
  [[nodiscard]] Result<void> check_owner() const {
    if (world_.owner_ == owner_ || world_.planted_ == PlantedFault::stale_owner_commits) return {};
    return fail(Cure::give_up, FailureKind::superseded, "journal", "another process has opened it");
  }
  [[nodiscard]] static Result<void> died() { return fail(Cure::give_up, "process", "it died"); }

  FleetWorld& world_;
  const std::uint64_t owner_;
  SimulatedNetwork& network_;
};

struct FleetWorld::DispatcherProcess {
  std::uint64_t number = 0;
  SimulatedNetwork network;
  OwnedJournal journal;
  std::unique_ptr<Fleet> fleet;
  FleetDispatcher dispatcher;
  TaskId fed = 0;                 // the last task that was added
  std::deque<TaskRecord> page{};  // read from the journal, perhaps a while ago
  bool has_fed_all = false;
  bool is_gone = false;
  Instant paused_until{};
  std::optional<Instant> stops_at{};  // stopped in order; leaves then at the latest

  DispatcherProcess(FleetWorld& world, std::uint64_t a_number)
      : number(a_number),
        network(world.plan_.rates, {world.is_healed_, world.away_until_}, world.clock_,
                world.chance_),
        journal(world, a_number, network),
        fleet(with_fault(world.planted_, world.server_.connect(network), *world.journal_)),
        dispatcher(dispatcher_options(world.planted_), *fleet, journal, world.chance_.dice()) {}
};

struct FleetWorld::Execution {
  FleetTask task;
  Instant ends_at{};
};

struct FleetWorld::WorkerProcess {
  std::string name;
  SimulatedNetwork network;
  std::unique_ptr<FleetMember> member;
  FleetWorker worker;
  std::map<TaskId, Execution> running{};
  struct Predecessor {
    std::unique_ptr<FleetMember> member;
    std::vector<ParcelInHand> parcels;
  };
  std::vector<Predecessor> predecessors{};
  Instant paused_until{};
  std::optional<Instant> stops_at{};

  WorkerProcess(FleetWorld& world, const std::string& a_name, const std::string& host,
                std::uint32_t places)
      : name(a_name),
        network(world.plan_.rates, {world.is_healed_, world.away_until_}, world.clock_,
                world.chance_),
        member(with_fault(world.planted_, world.server_.join(a_name, network))),
        worker({.name = a_name, .host = host, .places = places, .term = kTerm}, *member) {}
};

struct FleetWorld::Host {
  std::string name;
  std::uint32_t places = 1;
  bool is_gone = false;
  std::shared_ptr<WorkerProcess> process{};
  std::vector<LeftBehind> left_behind{};
};

FleetWorld::FleetWorld(std::uint64_t seed, PlantedFault planted, SimulationTrace trace)
    : planted_(planted),
      trace_(std::move(trace)),
      chance_(seed),
      plan_(plan_of(seed, chance_)),
      journal_(make_journal(planted)),
      server_(clock_, broken_promises_of(planted)),
      truth_({.plan = plan_,
              .journal = *journal_,
              .clock = clock_,
              .server = server_,
              .say = [this](const std::string& what) { say(what); }}) {
  server_.observe(truth_);
}
FleetWorld::~FleetWorld() = default;

void FleetWorld::at(Instant when, std::function<void()> event) {
  events_.emplace(std::pair(when, ++last_event_), std::move(event));
}

void FleetWorld::say(const std::string& what) const {
  if (!trace_) return;
  const auto millis = std::chrono::duration_cast<milliseconds>(clock_.now() - began_).count();
  trace_(std::to_string(millis) + " ms: " + what);
}

SimulationReport FleetWorld::run() {
  say("profile " + std::string(plan_.profile) + ", " + std::to_string(plan_.tasks.size()) +
      " tasks, " + std::to_string(plan_.hosts.size()) + " hosts");
  std::vector<Entry> found;
  for (const PlannedTask& task : plan_.tasks) found.emplace_back(Found{.id = task.id});
  if (!journal_->commit(found)) truth_.break_promise("the tasks could not be found");

  for (std::size_t i = 0; i < plan_.hosts.size(); ++i) {
    hosts_.push_back(std::make_unique<Host>(
        Host{.name = "h" + std::to_string(i + 1), .places = plan_.hosts[i].places}));
    Host& host = *hosts_.back();
    after(chance_.between(0ms, 1'000ms), [this, &host] { start_worker(host); });
  }
  start_dispatcher();
  schedule_faults();
  after(kFaultTime, [this] {
    is_healed_ = true;
    say("everything heals");
  });
  after(kDeadline, [this] {
    const auto pending = journal_->tally().value().pending();
    truth_.break_promise("not finished in time: " + std::to_string(pending) + " tasks are pending");
  });
  while (!is_complete_ && truth_.violation().empty() && !events_.empty()) {
    auto next = events_.extract(events_.begin());
    clock_.advance(next.key().first - clock_.now());
    ++report_.events;
    next.mapped()();
  }
  if (is_complete_) truth_.finish();

  report_.violation = truth_.violation();
  report_.executions = truth_.executions();
  report_.repeated = truth_.repeated();
  report_.seconds = static_cast<std::uint64_t>((clock_.now() - began_) / 1s);
  say(report_.violation.empty() ? "complete" : "VIOLATION: " + report_.violation);
  return report_;
}

std::shared_ptr<FleetWorld::DispatcherProcess> FleetWorld::running_dispatcher() const {
  if (dispatchers_.empty() || dispatchers_.back()->is_gone) return nullptr;
  return dispatchers_.back();
}

void FleetWorld::start_dispatcher() {
  owner_ = ++last_process_;
  dispatchers_.push_back(std::make_shared<DispatcherProcess>(*this, owner_));
  say("dispatcher " + std::to_string(owner_) + " starts");
  step(dispatchers_.back());
}

// Somebody resumes the run a while after it has stopped.
void FleetWorld::watch_dispatchers() {
  after(chance_.between(200ms, 4'000ms), [this] {
    if (!running_dispatcher()) start_dispatcher();
  });
}

void FleetWorld::end(DispatcherProcess& process, std::string_view why) {
  process.is_gone = true;
  const DispatcherCounts& counts = process.dispatcher.counts();
  DispatcherCounts& sum = report_.dispatchers;
  sum.opened += counts.opened;
  sum.parcels_sent += counts.parcels_sent;
  sum.parcels_adopted += counts.parcels_adopted;
  sum.parcels_taken_back += counts.parcels_taken_back;
  sum.parcels_missing += counts.parcels_missing;
  sum.stale_reports += counts.stale_reports;
  sum.unknown_answers += counts.unknown_answers;
  say("dispatcher " + std::to_string(process.number) + " ends: " + std::string(why));
  watch_dispatchers();
}

void FleetWorld::feed(DispatcherProcess& process) {
  while (!process.has_fed_all && !process.stops_at && process.dispatcher.has_room()) {
    if (process.page.empty()) {
      const auto page = journal_->pending(process.fed, kPage).value();
      process.page.assign(page.begin(), page.end());
    }
    if (process.page.empty()) {
      process.has_fed_all = true;
      return process.dispatcher.add_no_more();
    }
    process.fed = process.page.front().id;
    process.dispatcher.add(process.page.front(), payload_of(process.fed));
    process.page.pop_front();
  }
}

void FleetWorld::step(const std::shared_ptr<DispatcherProcess>& process) {
  DispatcherProcess& p = *process;
  if (p.is_gone) return;
  if (clock_.now() < p.paused_until) return at(p.paused_until, [this, process] { step(process); });
  feed(p);
  const auto stepped = p.dispatcher.step(clock_.now(), clock_.wall());
  if (p.network.is_dead()) return end(p, "crash");
  if (!stepped) {
    const bool is_replaced = stepped.error().kind == FailureKind::superseded;
    if (!is_replaced) truth_.break_promise("the dispatcher failed: " + text_of(stepped.error()));
    return end(p, text_of(stepped.error()));
  }
  if (p.dispatcher.is_finished()) {
    is_complete_ = true;
    return end(p, "complete");
  }
  if (p.stops_at && (p.dispatcher.has_landed() || clock_.now() >= *p.stops_at)) {
    return end(p, "stopped");
  }
  after(chance_.between(40ms, 160ms), [this, process] { step(process); });
}

void FleetWorld::start_worker(Host& host) {
  if (host.is_gone || host.process) return;
  const std::string name = host.name + "/" + std::to_string(++last_process_);
  host.process = std::make_shared<WorkerProcess>(*this, name, host.name, host.places);
  for (LeftBehind& left : std::exchange(host.left_behind, {})) {
    host.process->predecessors.push_back(
        {.member = with_fault(planted_, server_.join(left.worker, host.process->network)),
         .parcels = std::move(left.parcels)});
  }
  say("worker " + name + " starts, " + std::to_string(host.places) + " places");
  step(host, host.process);
}

void FleetWorld::restart_worker(Host& host) {
  after(chance_.between(100ms, 6'000ms), [this, &host] { start_worker(host); });
}

void FleetWorld::step(Host& host, const std::shared_ptr<WorkerProcess>& process) {
  WorkerProcess& p = *process;
  if (host.process != process) return;
  const auto again = [this, &host, process] { step(host, process); };
  if (clock_.now() < p.paused_until) return at(p.paused_until, again);
  report_for_predecessors(p);
  if (!end_executions(host, p)) return;
  const auto stepped = p.worker.step(clock_.now());
  if (p.network.is_dead()) return crash(host);
  if (!stepped) truth_.break_promise(p.name + " failed: " + text_of(stepped.error()));
  for (const TaskId lost : p.worker.take_lost()) p.running.erase(lost);
  if (p.stops_at && (p.worker.is_empty() || clock_.now() >= *p.stops_at)) {
    say(p.name + " has handed back");
    return lose(host);
  }
  begin_executions(p);
  after(chance_.between(20ms, 80ms), again);
}

void FleetWorld::report_for_predecessors(WorkerProcess& process) {
  for (WorkerProcess::Predecessor& before : process.predecessors) {
    std::erase_if(before.parcels, [&](const ParcelInHand& parcel) {
      const auto given = before.member->give(parcel.parcel.id, last_report(parcel));
      return given || !is_unknown(given.error());
    });
  }
}

TaskReport FleetWorld::outcome_of(const FleetTask& task) {
  const PlannedTask& planned = plan_.tasks.at(task.id - 1);
  TaskReport report = report_of(task, TaskEnd::done);
  report.took = planned.takes;
  const auto fails = [&](Cure cure) {
    report.end = TaskEnd::failed;
    report.failure = {.cure = cure, .step = "work", .reason = "as planned", .not_before = 300ms};
  };
  switch (planned.behaviour) {
    case Behaviour::succeeds:
    case Behaviour::crashes:
      break;
    case Behaviour::succeeds_later:
      if (task.attempt <= planned.failures) fails(Cure::retry);
      break;
    case Behaviour::always_fails:
      fails(Cure::retry);
      break;
    case Behaviour::fails_for_good:
      fails(Cure::give_up);
      break;
    case Behaviour::is_skipped:
      report.end = TaskEnd::skipped;
      break;
    case Behaviour::puts_off:
      if (++put_off_[task.id] == 1) fails(Cure::later);
      break;
  }
  report.text = truth_.ends(task, report.end, report.failure);
  return report;
}

bool FleetWorld::end_executions(Host& host, WorkerProcess& process) {
  std::vector<FleetTask> ended;
  for (const auto& [id, execution] : process.running) {
    if (execution.ends_at <= clock_.now()) ended.push_back(execution.task);
  }
  for (FleetTask& task : ended) {
    if (plan_.tasks.at(task.id - 1).behaviour == Behaviour::crashes) {
      say(process.name + " is crashed by task " + std::to_string(task.id));
      crash(host);
      return false;
    }
    TaskReport report = outcome_of(task);
    say(process.name + " ends task " + std::to_string(task.id) + ", attempt " +
        std::to_string(task.attempt));
    const bool tries_again = planted_ == PlantedFault::retries_by_itself &&
                             report.end == TaskEnd::failed && report.failure.cure == Cure::retry &&
                             task.attempt < kMostAttempts;
    process.running.erase(task.id);
    if (tries_again) {
      ++task.attempt;
      truth_.starts(process.name, task, {});
      report = outcome_of(task);
    }
    process.worker.end(std::move(report));
  }
  return true;
}

void FleetWorld::begin_executions(WorkerProcess& process) {
  while (auto task = process.worker.start(clock_.now())) {
    std::set<TaskId> beside;
    for (const auto& [id, execution] : process.running) beside.insert(id);
    say(process.name + " starts task " + std::to_string(task->id) + ", attempt " +
        std::to_string(task->attempt));
    truth_.starts(process.name, *task, beside);
    const milliseconds takes = plan_.tasks.at(task->id - 1).takes;
    const TaskId id = task->id;
    process.running.insert_or_assign(
        id, Execution{.task = *std::move(task), .ends_at = clock_.now() + takes});
  }
}

std::size_t FleetWorld::tasks_in_hand(const WorkerProcess& process) const {
  std::size_t sum = 0;
  for (const ParcelInHand& parcel : process.worker.in_hand()) sum += parcel.parcel.tasks.size();
  return sum;
}

void FleetWorld::crash(Host& host) {
  const WorkerProcess& process = *host.process;
  say(process.name + " crashes");
  truth_.allow(tasks_in_hand(process));
  for (const auto& [id, execution] : process.running) truth_.crashed(id);
  host.left_behind.push_back({.worker = process.name, .parcels = process.worker.in_hand()});
  // What it had not reported of its own predecessors is still in their logs.
  for (const auto& before : process.predecessors) truth_.allow(before.parcels.size());
  host.process.reset();
  restart_worker(host);
}

void FleetWorld::lose(Host& host) {
  truth_.allow(tasks_in_hand(*host.process));
  host.process.reset();
  restart_worker(host);
}

void FleetWorld::schedule_faults() {
  const Rates& rates = plan_.rates;
  strike(rates.dispatcher_crash, [this] { crash_dispatcher(); });
  strike(rates.dispatcher_stop, [this] { stop_dispatcher(); });
  strike(rates.dispatcher_pause, [this] { pause_dispatcher(); });
  strike(rates.worker_kill, [this] { kill_worker(); });
  strike(rates.worker_pause, [this] { pause_worker(); });
  strike(rates.worker_stop, [this] { stop_worker(); });
  strike(rates.host_reboot, [this] { reboot_host(); });
  strike(rates.host_loss, [this] { lose_host(); });
  strike(rates.partition, [this] { partition(); });
  strike(rates.outage, [this] { stop_server(); });
  strike(rates.forget, [this] { forget(); });
  strike(rates.roll_back, [this] { roll_back(); });
}

void FleetWorld::strike(milliseconds mean, std::function<void()> fault) {
  if (mean == 0ms) return;
  after(chance_.between(mean / 4, mean * 7 / 4), [this, mean, fault = std::move(fault)] {
    if (is_healed_) return;
    ++report_.faults;
    fault();
    strike(mean, fault);
  });
}

FleetWorld::Host* FleetWorld::some_host() {
  Host& host = *hosts_[chance_.between(0, hosts_.size() - 1)];
  return host.process ? &host : nullptr;
}

void FleetWorld::crash_dispatcher() {
  if (const auto process = running_dispatcher()) process->network.die_after(chance_.between(0, 12));
}

void FleetWorld::stop_dispatcher() {
  const auto process = running_dispatcher();
  if (!process || process->stops_at) return;
  say("dispatcher " + std::to_string(process->number) + " is stopped");
  process->dispatcher.stop_sending();
  process->stops_at = clock_.now() + chance_.between(500ms, 5'000ms);
}

void FleetWorld::pause_dispatcher() {
  const auto process = running_dispatcher();
  if (!process) return;
  say("dispatcher " + std::to_string(process->number) + " is paused");
  process->paused_until = clock_.now() + chance_.between(1'000ms, 10'000ms);
  after(chance_.between(100ms, 3'000ms), [this] { start_dispatcher(); });
}

void FleetWorld::kill_worker() {
  if (Host* host = some_host()) host->process->network.die_after(chance_.between(0, 6));
}

void FleetWorld::pause_worker() {
  Host* host = some_host();
  if (host == nullptr) return;
  say(host->process->name + " is paused");
  truth_.allow(tasks_in_hand(*host->process));
  host->process->paused_until = clock_.now() + chance_.between(100ms, 3 * kTerm);
}

void FleetWorld::stop_worker() {
  Host* host = some_host();
  if (host == nullptr || host->process->stops_at) return;
  WorkerProcess& process = *host->process;
  say(process.name + " is stopped");
  for (const auto& [id, execution] : std::exchange(process.running, {})) {
    process.worker.end(report_of(execution.task, TaskEnd::returned));
  }
  process.worker.hand_back();
  process.stops_at = clock_.now() + 1s;
}

void FleetWorld::reboot_host() {
  Host* host = some_host();
  if (host == nullptr) return;
  say("host " + host->name + " reboots");
  if (planted_ == PlantedFault::blames_after_reboot) {
    host->left_behind.push_back(
        {.worker = host->process->name, .parcels = host->process->worker.in_hand()});
  } else {
    host->left_behind.clear();
  }
  lose(*host);
}

void FleetWorld::lose_host() {
  const auto left = std::ranges::count_if(hosts_, [](const auto& host) { return !host->is_gone; });
  Host* host = some_host();
  if (host == nullptr || left < 2) return;
  say("host " + host->name + " is gone for ever");
  host->is_gone = true;
  lose(*host);
}

void FleetWorld::partition() {
  const Instant until = clock_.now() + chance_.between(200ms, 3 * kTerm);
  if (chance_.happens(0.3)) {
    if (const auto process = running_dispatcher()) process->network.cut(until);
    return;
  }
  if (Host* host = some_host()) {
    say(host->process->name + " is cut off");
    truth_.allow(tasks_in_hand(*host->process));
    host->process->network.cut(until);
  }
}

void FleetWorld::stop_server() {
  say("the server is away");
  away_until_ = clock_.now() + chance_.between(100ms, 3 * kTerm);
}

void FleetWorld::forget() {
  say("the server forgets everything");
  truth_.allow(server_.sizes().tasks);
  server_.forget();
  if (chance_.happens(0.5)) server_.turn_clock_back(chance_.between(1s, 3'600'000ms));
}

void FleetWorld::roll_back() {
  truth_.allow(server_.sizes().tasks);
  after(chance_.between(50ms, 1'000ms), [this, memory = server_.remember()] {
    say("the server is rolled back");
    truth_.allow(server_.sizes().tasks);
    server_.roll_back(*memory);
  });
}

}  // namespace tidemill::testing::simulation

namespace tidemill::testing {

SimulationReport simulate_fleet(std::uint64_t seed, PlantedFault planted,
                                const SimulationTrace& trace) {
  return simulation::FleetWorld(seed, planted, trace).run();
}

}  // namespace tidemill::testing
