#include "tidemill/jobs/dupes/fleet/hash_recipe.h"

#include <fcntl.h>

#include <cerrno>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/jobs/dupes/fleet/hash_payload.h"
#include "tidemill/jobs/dupes/rehash/recorded_reader.h"
#include "tidemill/state/run/in_flight_log.h"

namespace tidemill::dupes {
namespace {

using engine::TaskEnd;
using jobs::StageEnd;

StageEnd failed(Failure failure) { return {.end = TaskEnd::failed, .failure = std::move(failure)}; }

// A file does not get its recorded stamp back.
Failure without_retry(Failure failure) {
  if (failure.kind == FailureKind::changed) failure.cure = Cure::give_up;
  return failure;
}

class HashStage final : public jobs::RecipeStage {
 public:
  [[nodiscard]] static Result<std::unique_ptr<HashStage>> make(
      const jobs::StageSurroundings& surroundings) {
    std::unique_ptr<HashStage> stage(new HashStage(surroundings));
    for (const std::string& root : surroundings.roots) {
      Descriptor top(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
      if (!top.is_open()) return cannot_enter(errno);
      stage->tops_.push_back({.path = root, .top = std::move(top)});
    }
    LET(stage->in_flight_, run::InFlightLog::make({.path = surroundings.scratch + "/slate",
                                                   .boot = run::boot_id(),
                                                   .workers = surroundings.places,
                                                   .outcomes = 2 * surroundings.places}));
    return stage;
  }

  [[nodiscard]] StageEnd perform(const engine::FleetTask& task,
                                 engine::TaskContext& context) override {
    std::stop_source stop;
    running_.update([&](Running& running) {
      running.tasks.insert_or_assign(task.id, stop);
      if (running.has_ended_all) stop.request_stop();
    });
    in_flight_->takes(context.worker(), task.id);
    StageEnd ended;
    {
      const std::stop_callback with_the_pool(context.stop(), [&] { stop.request_stop(); });
      ended = hash(task, context, stop.get_token());
    }
    in_flight_->takes(context.worker(), 0);
    running_.update([&](Running& running) { running.tasks.erase(task.id); });
    return ended;
  }

  void end_task(engine::TaskId id) override {
    auto running = running_.lock();
    const auto found = running->tasks.find(id);
    if (found != running->tasks.end()) found->second.request_stop();
  }

  // A read ends with its next buffer.
  void end_all(bool /*now*/) override {
    auto running = running_.lock();
    running->has_ended_all = true;
    for (auto& [id, stop] : running->tasks) stop.request_stop();
  }

 private:
  struct Top {
    std::string path{};
    Descriptor top{};
  };
  struct Running {
    std::map<engine::TaskId, std::stop_source> tasks{};
    bool has_ended_all = false;
  };

  explicit HashStage(const jobs::StageSurroundings& surroundings) : clock_(surroundings.clock) {
    for (std::size_t i = 0; i < surroundings.places; ++i) {
      readers_.push_back(std::make_unique<RecordedReader>(RecordedReader::StampOf::another_host));
    }
  }

  [[nodiscard]] StageEnd hash(const engine::FleetTask& task, const engine::TaskContext& context,
                              const std::stop_token& stop) {
    const auto payload = unpack_hash_payload(task.payload);
    if (!payload) return failed({.step = "payload", .reason = "the task cannot be read"});
    if (payload->root >= tops_.size()) {
      return failed(
          {.step = "root", .reason = "the task is in a folder that the run does not have"});
    }
    const Top& top = tops_[payload->root];
    const auto path = split(payload->path);
    if (!path) {
      return failed({.kind = FailureKind::untrusted,
                     .step = "root",
                     .reason = text::printable(payload->path) + " is not a file below " +
                               text::printable(top.path)});
    }
    const WallTime read_at = clock_.wall();
    const auto digest =
        unless_fresh(readers_[context.worker()]->read({.top = top.top.number(),
                                                       .folder = path->folder,
                                                       .name = path->name,
                                                       .stamp = payload->stamp,
                                                       .algorithm = payload->algorithm},
                                                      stop),
                     payload->stamp, read_at);
    if (digest) return {.end = TaskEnd::done, .text = std::string(digest->view())};
    if (digest.error().cure == Cure::resume) return {.end = TaskEnd::returned};
    return failed(without_retry(digest.error()));
  }

  const Clock& clock_;
  std::vector<Top> tops_{};                                 // the roots
  std::vector<std::unique_ptr<RecordedReader>> readers_{};  // one per thread
  std::unique_ptr<run::InFlightLog> in_flight_{};
  Guarded<Running> running_;
};

class HashRecipe final : public jobs::Recipe {
 public:
  [[nodiscard]] std::string_view name() const override { return "hash"; }
  [[nodiscard]] std::uint32_t version() const override { return 1; }

  [[nodiscard]] Result<std::unique_ptr<jobs::RecipeStage>> prepare(
      std::string_view /*settings*/, jobs::StageSurroundings surroundings) const override {
    LET(auto stage, HashStage::make(surroundings));
    return stage;
  }
};

}  // namespace

const jobs::Recipe& hash_recipe() {
  static const HashRecipe kRecipe;
  return kRecipe;
}

}  // namespace tidemill::dupes
