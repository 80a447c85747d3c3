// What a fleet costs, without commands: a coordinator and its worker processes on one machine, and
// a Redis, with tasks that do nothing. One line of JSON.
//
//   fleet_cost REDIS_URL FOLDER [NAME=VALUE...]
//
//   tasks=100000   that are measured; as many again as a few parcels have come before, to warm up
//   workers=2      processes
//   places=1       of each
//   parcel=64      tasks a parcel
//   reports=256    in one commit
//   worker=loop    or process (fleet_cost_worker.h)
//   wait=0         milliseconds that a task takes, in a thread; with worker=process
//   signed=1       0: without a key
//   single=0       1: one task at a time, to idle workers, for the latency
//   sync=full      off: without an fsync a commit, for the CPU time alone
//
// The Redis must be fresh, because its peak of memory cannot be set back; it is emptied. FOLDER
// must not have a journal yet. The tasks are in the journal before the clock starts (add_us is what
// that takes): what is measured is their way from there to the workers and back. CPU times are of
// all threads of a process; those of Redis are its own (INFO cpu).
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/macro/fleet_cost_worker.h"
#include "tidemill/base/dice.h"
#include "tidemill/base/guarded.h"
#include "tidemill/io/redis/address.h"
#include "tidemill/state/fleet/board.h"
#include "tidemill/state/fleet/drive.h"
#include "tidemill/state/fleet/run_journal.h"
#include "tidemill/state/journal/sqlite_journal.h"

namespace tidemill::fleet_cost {
namespace {

using engine::TaskId;
using std::chrono::nanoseconds;

struct Setting {
  std::string url{};
  std::string folder{};
  std::uint64_t tasks = 100'000;
  std::size_t workers = 2;
  std::size_t places = 1;
  std::size_t parcel = 64;
  std::size_t reports = 256;
  milliseconds wait{0};
  bool is_process = false;
  bool is_signed = true;
  bool is_single = false;
  bool is_synced = true;

  [[nodiscard]] std::uint64_t warm_up() const {
    return is_single ? 10 : 8 * parcel * workers * places;
  }
};

std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) {
    leave("not a number: " + std::string(text));
  }
  return number;
}

Setting setting_of(std::span<char*> words) {
  Setting setting{.url = words[0], .folder = words[1]};
  for (const std::string_view word : words.subspan(2)) {
    const std::size_t middle = word.find('=');
    const std::string_view name = word.substr(0, middle);
    const std::string_view value = middle == word.npos ? "" : word.substr(middle + 1);
    if (name == "worker") {
      setting.is_process = value == "process";
    } else if (name == "sync") {
      setting.is_synced = value == "full";
    } else if (name == "tasks") {
      setting.tasks = number_of(value);
    } else if (name == "workers") {
      setting.workers = number_of(value);
    } else if (name == "places") {
      setting.places = number_of(value);
    } else if (name == "parcel") {
      setting.parcel = number_of(value);
    } else if (name == "reports") {
      setting.reports = number_of(value);
    } else if (name == "wait") {
      setting.wait = milliseconds(number_of(value));
    } else if (name == "signed") {
      setting.is_signed = number_of(value) != 0;
    } else if (name == "single") {
      setting.is_single = number_of(value) != 0;
    } else {
      leave("unknown: " + std::string(word));
    }
  }
  if (setting.wait > milliseconds(0) && !setting.is_process) leave("wait needs worker=process");
  return setting;
}

double own_cpu_seconds(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The server, as it speaks about itself. One thread.
class Server {
 public:
  Server(const redis::ClientOptions& client, const Clock& clock)
      : client_(must(redis::Client::make(client, clock))) {}

  void call(std::initializer_list<std::string_view> words) { (void)must(client_->call(words)); }

  [[nodiscard]] double cpu_seconds() {
    const std::string info = must(client_->call({"INFO", "cpu"})).text;
    return field(info, "used_cpu_sys:") + field(info, "used_cpu_user:");
  }
  [[nodiscard]] double memory(std::string_view name) {
    return field(must(client_->call({"INFO", "memory"})).text, name);
  }
  // Command → calls. Those of scripts are counted, too.
  [[nodiscard]] std::map<std::string, double> calls() {
    const std::string info = must(client_->call({"INFO", "commandstats"})).text;
    constexpr std::string_view kStart = "cmdstat_";
    std::map<std::string, double> calls;
    for (std::size_t at = info.find(kStart); at != info.npos; at = info.find(kStart, at + 1)) {
      const std::size_t name = at + kStart.size();
      const std::size_t end = info.find(':', name);
      calls[info.substr(name, end - name)] = field(info.substr(end), "calls=");
    }
    return calls;
  }

 private:
  static double field(const std::string& info, std::string_view name) {
    const std::size_t at = info.find(name);
    if (at == info.npos) leave("INFO has no " + std::string(name));
    return std::strtod(info.c_str() + at + name.size(), nullptr);
  }

  const std::unique_ptr<redis::Client> client_;
};

struct Reading {
  std::chrono::steady_clock::time_point at{};
  double coordinator = 0;
  double workers = 0;
  double server = 0;
};

Reading read(const Workers& workers, Server& server) {
  return {.at = std::chrono::steady_clock::now(),
          .coordinator = own_cpu_seconds(CLOCK_PROCESS_CPUTIME_ID),
          .workers = workers.cpu_seconds(),
          .server = server.cpu_seconds()};
}

// Counts what is settled; the feed waits for it. One thread, but wait_for() and put() by any.
class CountingJournal final : public fleet::FleetRunJournal {
 public:
  explicit CountingJournal(journal::SqliteJournal& journal) : FleetRunJournal(journal) {}

  void expect(std::uint64_t count, std::function<void()> then) {
    last_ = count;
    at_last_ = std::move(then);
  }
  void put(TaskId id) { state_.lock()->put_at[id] = std::chrono::steady_clock::now(); }
  void wait_for(std::uint64_t settled) {
    state_.lock().wait([&](const State& state) { return state.settled >= settled; });
  }
  [[nodiscard]] std::uint64_t commits() const { return commits_; }
  // Sorted, in microseconds: from put() to the start at a worker, and to the commit.
  [[nodiscard]] std::vector<double>& starts() { return starts_; }
  [[nodiscard]] std::vector<double>& ends() { return ends_; }

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct State {
    std::uint64_t settled = 0;
    std::map<TaskId, Time> put_at{};
  };

  Result<void> store(std::span<const engine::Entry> entries,
                     std::span<const engine::TaskReport* const> reports) override {
    auto committed = journal().commit(entries);
    if (!committed) return committed;
    ++commits_;
    const Time now = std::chrono::steady_clock::now();
    bool is_last = false;
    state_.update([&](State& state) {
      state.settled += entries.size();
      is_last = state.settled == last_;
      for (const engine::TaskReport* report : reports) {
        const auto put = state.put_at.find(report->id);
        if (put == state.put_at.end()) continue;
        const Time started{nanoseconds(number_of(report->text))};
        starts_.push_back(std::chrono::duration<double, std::micro>(started - put->second).count());
        ends_.push_back(std::chrono::duration<double, std::micro>(now - put->second).count());
        state.put_at.erase(put);
      }
    });
    if (is_last) at_last_();
    return {};
  }

  Guarded<State> state_;
  std::uint64_t last_ = 0;
  std::function<void()> at_last_{};
  std::uint64_t commits_ = 0;
  std::vector<double> starts_;
  std::vector<double> ends_;
};

// As many bytes as a file of a tree: `archive/0012/IMG_00120042.jpeg`.
std::string subject_of(TaskId id) {
  char text[64];
  std::snprintf(text, sizeof text, "archive/%04llu/IMG_%08llu.jpeg",
                static_cast<unsigned long long>(id / 1'000), static_cast<unsigned long long>(id));
  return text;
}

void add_tasks(journal::SqliteJournal& journal, std::uint64_t count) {
  constexpr std::uint64_t kBatch = 10'000;
  std::vector<engine::Entry> batch;
  for (TaskId id = 1; id <= count; ++id) {
    batch.emplace_back(
        engine::Found{.id = id, .type = std::string(kRecipe), .subject = subject_of(id)});
    if (batch.size() < kBatch && id < count) continue;
    must(journal.commit(batch));
    batch.clear();
  }
}

void print_list(const char* name, std::vector<double>& values) {
  std::ranges::sort(values);
  const auto at = [&](double share) {
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
  };
  std::printf(", \"%s\": {\"p50\": %.0f, \"p99\": %.0f, \"most\": %.0f}", name, at(0.5), at(0.99),
              values.back());
}

class Bench {
 public:
  explicit Bench(const Setting& setting) : s_(setting) {
    auto address = redis::parse_address(s_.url, redis::Origin::hidden);
    if (!address) leave(text_of(address.error()));
    client_.address = *std::move(address);
    place_ = {.fleet = "bench", .run = "run-1"};
    if (s_.is_signed) {
      must(fleet::FleetKey::create(s_.folder + "/key"));
      place_.key = must(fleet::FleetKey::read(s_.folder + "/key"));
    }
  }

  void run() {
    const Workers workers(s_.workers, {.client = client_,
                                       .place = place_,
                                       .folder = s_.folder,
                                       .places = s_.places,
                                       .wait = s_.wait,
                                       .is_process = s_.is_process});
    Server server(client_, clock_);
    server.call({"FLUSHALL"});
    const double idle = server.memory("used_memory:");
    using enum journal::Synchronous;
    const auto journal =
        must(journal::SqliteJournal::open({.path = s_.folder + "/journal.db",
                                           .access = journal::Access::create,
                                           .synchronous = s_.is_synced ? full : off}));
    const auto began = std::chrono::steady_clock::now();
    const double cpu_before = own_cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
    add_tasks(*journal, s_.warm_up() + s_.tasks);
    const auto added = static_cast<double>(s_.warm_up() + s_.tasks);
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - began;
    add_cpu_ = 1e6 * (own_cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_before) / added;
    add_wall_ = took.count() / added;
    CountingJournal counting(*journal);
    counting.expect(s_.warm_up() + s_.tasks, [&] { end_ = read(workers, server); });
    const auto fleet = must(fleet::RedisFleet::make(client_, place_, clock_));
    const auto client = must(redis::Client::make(client_, clock_));
    fleet::FleetBoard board(*client, place_.fleet, place_.key);
    fleet::FleetDrive drive({.run = {.name = place_.run,
                                     .id = place_.run,
                                     .host = "bench",
                                     .recipe = {.name = std::string(kRecipe)}},
                             .dispatcher = {.parcel_work = std::chrono::hours(24),
                                            .parcel_tasks = s_.parcel,
                                            .reports_at_once = s_.reports}},
                            {.fleet = *fleet,
                             .board = board,
                             .journal = counting,
                             .counts = [&] { return counting.counts(); },
                             .clock = clock_});
    std::uint64_t sent_before = 0;
    std::uint64_t commits_before = 0;
    const auto report = drive.run([&](fleet::FleetDrive::Intake& intake) -> Result<void> {
      auto fed = feed(intake, *journal, counting, 0, s_.warm_up());
      if (!fed) return fed;
      counting.wait_for(s_.warm_up());
      counting.starts().clear();
      counting.ends().clear();
      commits_before = counting.commits();
      sent_before = drive.seen().counts.parcels_sent;
      Server own(client_, clock_);
      own.call({"CONFIG", "RESETSTAT"});
      start_ = read(workers, own);
      const double before = own_cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
      fed = feed(intake, *journal, counting, s_.warm_up(), s_.tasks);
      feed_ = own_cpu_seconds(CLOCK_THREAD_CPUTIME_ID) - before;
      return fed;
    });
    if (report.fatal) leave(text_of(*report.fatal));
    if (must(journal->tally()).done() != s_.warm_up() + s_.tasks) leave("tasks were lost");
    const auto counts = drive.seen().counts;
    if (counts.parcels_missing + counts.parcels_taken_back + counts.stale_reports > 0) {
      leave("parcels were sent twice");
    }
    print(server, idle, counting, counts.parcels_sent - sent_before,
          counting.commits() - commits_before);
  }

 private:
  // Reads the tasks in pages, as the feeder of a run does.
  [[nodiscard]] Result<void> feed(fleet::FleetDrive::Intake& intake,
                                  journal::SqliteJournal& journal, CountingJournal& counting,
                                  TaskId after, std::uint64_t count) {
    constexpr std::size_t kPage = 1'000;
    SeededDice dice(after);
    const TaskId last = after + count;
    while (after < last) {
      const auto page = must(journal.pending(after, std::min<std::size_t>(kPage, last - after)));
      for (const engine::TaskRecord& task : page) {
        after = task.id;
        if (s_.is_single) {
          counting.wait_for(after - 1);
          std::this_thread::sleep_for(milliseconds(5 + static_cast<int>(40 * dice.draw())));
          counting.put(after);
        }
        if (!intake.put(task, task.subject)) return {};
      }
    }
    return {};
  }

  void print(Server& server, double idle, CountingJournal& counting, std::uint64_t parcels,
             std::uint64_t commits) const {
    const double seconds = std::chrono::duration<double>(end_.at - start_.at).count();
    const auto tasks = static_cast<double>(s_.tasks);
    const auto micros = [&](double cpu) { return 1e6 * cpu / tasks; };
    const double coordinator = end_.coordinator - start_.coordinator;
    const double worked = end_.workers - start_.workers;
    const double served = end_.server - start_.server;
    std::printf(
        "{\"worker\": \"%s\", \"tasks\": %.0f, \"workers\": %zu, \"places\": %zu, \"parcel\": %zu, "
        "\"wait_ms\": %lld, \"seconds\": %.3f, \"tasks_a_second\": %.0f, ",
        s_.is_process ? "process" : "loop", tasks, s_.workers, s_.places, s_.parcel,
        static_cast<long long>(s_.wait.count()), seconds, tasks / seconds);
    std::printf(
        "\"cpu_us\": {\"coordinator\": %.3f, \"feed\": %.3f, \"worker\": %.3f, \"redis\": %.3f, "
        "\"all\": %.3f}, \"redis_core\": %.4f, ",
        micros(coordinator), micros(feed_), micros(worked), micros(served),
        micros(coordinator + worked + served), served / seconds);
    std::printf(
        "\"add_us\": {\"cpu\": %.3f, \"wall\": %.3f}, \"redis_peak_bytes\": %.0f, \"parcels\": "
        "%llu, \"tasks_a_parcel\": %.1f, \"commits\": "
        "%llu",
        add_cpu_, add_wall_, server.memory("used_memory_peak:") - idle,
        static_cast<unsigned long long>(parcels),
        tasks / static_cast<double>(std::max<std::uint64_t>(parcels, 1)),
        static_cast<unsigned long long>(commits));
    if (s_.is_single) {
      print_list("put_to_start_us", counting.starts());
      print_list("put_to_commit_us", counting.ends());
    }
    std::printf(", \"calls_a_parcel\": {");
    const char* comma = "";
    for (const auto& [name, calls] : server.calls()) {
      std::printf("%s\"%s\": %.2f", comma, name.c_str(),
                  calls / static_cast<double>(std::max<std::uint64_t>(parcels, 1)));
      comma = ", ";
    }
    std::printf("}}\n");
  }

  const Setting s_;
  SystemClock clock_;
  redis::ClientOptions client_{};
  fleet::FleetPlace place_{};
  Reading start_{};
  Reading end_{};
  double feed_ = 0;
  double add_cpu_ = 0;  // microseconds a task, to record it in the journal
  double add_wall_ = 0;
};

}  // namespace
}  // namespace tidemill::fleet_cost

int main(int argc, char** argv) {
  using namespace tidemill::fleet_cost;  // NOLINT: a program of one file
  if (argc < 3) {
    return std::fprintf(stderr, "usage: fleet_cost REDIS_URL FOLDER [NAME=VALUE...]\n"), 2;
  }
  Bench(setting_of({argv + 1, static_cast<std::size_t>(argc - 1)})).run();
  return 0;
}
