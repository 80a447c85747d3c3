#include "tidemill/app/catalogue/hash_on_fleet.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "tidemill/app/catalogue/hash_journal.h"
#include "tidemill/base/hex.h"
#include "tidemill/base/host_name.h"
#include "tidemill/base/try.h"
#include "tidemill/base/varint.h"
#include "tidemill/engine/progress.h"
#include "tidemill/io/hash/hasher.h"
#include "tidemill/jobs/dupes/fleet/hash_recipe.h"
#include "tidemill/jobs/dupes/fleet/hash_tasks.h"
#include "tidemill/jobs/each/stopper.h"
#include "tidemill/state/fleet/board.h"
#include "tidemill/state/fleet/drive.h"
#include "tidemill/state/fleet/drive_progress.h"
#include "tidemill/state/fleet/redis_fleet.h"
#include "tidemill/state/fleet/roots.h"

namespace tidemill::app {
namespace {

constexpr std::size_t kReportsAtOnce = 32;  // in one transaction
constexpr int kAttempts = 3;                // of a file that cannot be read for now
constexpr std::size_t kMarkBytes = 8;

// "catalogue-hash-0123456789abcdef"
Result<std::string> name_of(const FleetHashing& work, const catalogue::About& about) {
  std::error_code ignored;
  const auto path = std::filesystem::weakly_canonical(work.catalogue, ignored);
  std::string text;
  const auto add = [&](std::string_view part) {
    append_varint(text, part.size());
    text += part;
  };
  add(host_name());
  add(about.machine_id);
  add(path.string());
  for (const dupes::WantedFile& line : work.wanted) add(dupes::wanted_line(line));
  LET(auto hasher, hash::Hasher::make(hash::Algorithm::sha256));
  const hash::Digest digest = hasher.of(std::as_bytes(std::span(text)));
  return "catalogue-hash-" + hex_of(digest.view().substr(0, kMarkBytes));
}

Result<fleet::PublishedRun> published_run(const FleetHashing& work, const std::string& name,
                                          const dupes::HashTasks& tasks) {
  const jobs::Recipe& recipe = dupes::hash_recipe();
  fleet::PublishedRun run{.name = name,
                          .id = work.id.empty() ? name : work.id,
                          .host = host_name(),
                          .user = std::to_string(::getuid()),
                          .recipe = {.name = std::string(recipe.name()),
                                     .version = recipe.version(),
                                     .digest = recipe.digest()},
                          .weight = work.call.weight,
                          .term = work.call.term};
  for (const dupes::HashTasks::Root& root : tasks.roots()) {
    LET(auto probed, fleet::probe(root.path));
    run.roots.push_back({.name = root.name, .path = root.path, .probe = std::move(probed)});
  }
  return run;
}

Result<void> feed(const dupes::HashTasks& tasks, std::size_t orders,
                  fleet::FleetDrive::Intake& intake) {
  for (std::size_t order = 0; order < orders; ++order) {
    const engine::TaskId id = tasks.id_of(order);
    if (id == 0 || tasks.orders_of(id).front() != order) continue;  // the same file again
    if (!intake.put({.id = id}, tasks.payload_of(order))) return {};
  }
  return {};
}

// After a stop the files in hand may finish; then their tasks are returned, and at last they are
// left behind. The results that arrive later wait for the next command.
each::Stopper::Duties stop_duties(fleet::FleetDrive& drive) {
  return {.stop_intake = [&] { drive.stop_sending(); },
          .end_all =
              [&](proc::StopUrge urge) {
                if (urge == proc::StopUrge::kill) return drive.leave();
                drive.withdraw();
              }};
}

}  // namespace

// Long, but straight: the tasks, the fleet, the work, the end.
// NOLINTNEXTLINE(readability-function-size)
Result<dupes::WantedCounts> hash_on_fleet(const FleetHashing& work, catalogue::Catalogue& catalogue,
                                          dupes::Failures& failures,
                                          const command::Context& context) {
  const redis_flags::FleetChoice& choice = work.call.choice;

  // The tasks.
  LET(const auto about, catalogue.about());
  LET(const std::string name, name_of(work, about));
  LET(auto orders, dupes::WantedOrders::of(work.wanted, catalogue, failures));
  LET(const auto tasks, dupes::HashTasks::of(orders.orders()));
  HashJournal journal(catalogue, orders, tasks);

  // The fleet. Also without a task: a coordinator that was killed may have left something there.
  LET(auto run, published_run(work, name, tasks));
  const fleet::FleetPlace place{
      .fleet = choice.fleet, .run = name, .key = choice.key, .term = work.call.term};
  LET(const auto server, fleet::RedisFleet::make(choice.client, place, context.clock));
  LET(const auto client, redis::Client::make(choice.client, context.clock));
  fleet::FleetBoard board(*client, choice.fleet, choice.key);
  if (auto first = board.publish(run); !first) {  // a wrong address is told at once
    return std::unexpected(redis_flags::with_advice(std::move(first).error(), choice));
  }

  // The work.
  fleet::FleetDrive drive(
      {.run = std::move(run),
       .dispatcher = {.retry = {.max_attempts = kAttempts},
                      .reports_at_once = kReportsAtOnce,
                      .term = work.call.term}},
      {.fleet = *server,
       .board = board,
       .journal = journal,
       .counts = [&] { return journal.counts(); },
       .clock = context.clock,
       .on_nobody =
           [&](const std::string& host, const std::string& why) {
             context.console.say(command::Tone::warning,
                                 fleet::nobody_text("redis:" + choice.fleet, host, why));
           },
       .on_silence =
           [&](const Failure* failure) {
             context.console.say(command::Tone::warning, fleet::silence_text(failure));
           }});
  each::Stopper stopper(stop_duties(drive), context.stop, context.kill, context.clock);
  if (const auto& failure = stopper.failure()) return std::unexpected(*failure);
  LET(const auto reporter,
      engine::ProgressReporter::start(
          {},
          [&] {
            const auto seen = drive.seen();
            return engine::ProgressInputs{
                .counts = journal.counts(),
                .is_total_known = true,
                .workers = fleet::rows_of(seen),
                .waits_for = fleet::waits_for(seen, "redis:" + choice.fleet)};
          },
          [&](const engine::ProgressSnapshot& seen) { context.console.show(seen); },
          context.clock));
  const auto report = drive.run([&](fleet::FleetDrive::Intake& intake) {
    return feed(tasks, orders.orders().size(), intake);
  });

  // The end.
  reporter->finish();
  const bool is_stopped = stopper.was_interrupted();
  const bool is_of_stop = is_stopped && report.fatal && report.fatal->cure == Cure::retry;
  if (report.fatal && !is_of_stop) {
    return std::unexpected(redis_flags::with_advice(*report.fatal, choice));
  }
  orders.left(journal.left());
  return orders.counts();
}

}  // namespace tidemill::app
