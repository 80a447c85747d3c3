// Recipe: how a task of a job is done, whoever does it. A job that can run on a fleet declares its
// stage once: `tidemill worker` prepares it from the settings that the coordinator of a run has
// published, and performs tasks with it.
//
//   coordinator: settings, payloads ──► Redis ──► worker: prepare(settings), perform(payload)
//
// A recipe has a version. Workers with another version, or with other tables (digest), do not get
// its tasks: so a change of what settings, payloads or results mean needs a new version.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/fleet.h"
#include "tidemill/engine/task_context.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::jobs {

// How a task ended, and the text of its report (engine::TaskReport).
struct StageEnd {
  engine::TaskEnd end = engine::TaskEnd::returned;
  std::string text{};
  Failure failure{};  // of a failed one
};

// The stage of one run in one worker process. Thread-safe.
class RecipeStage {
 public:
  RecipeStage() = default;
  RecipeStage(const RecipeStage&) = delete;
  RecipeStage& operator=(const RecipeStage&) = delete;
  virtual ~RecipeStage() = default;

  [[nodiscard]] virtual StageEnd perform(const engine::FleetTask& task,
                                         engine::TaskContext& context) = 0;
  // Of an attempt; 0: none.
  [[nodiscard]] virtual std::chrono::milliseconds timeout() const { return {}; }

  // Ends a task soon, or all of them and those that start later. A task that was ended like this is
  // returned. `now`: without a chance to clean up.
  virtual void end_task(engine::TaskId id) = 0;
  virtual void end_all(bool now) = 0;
};

// What a worker process provides for a run.
struct StageSurroundings {
  const command::Program& program;
  const Clock& clock;
  std::string run{};                 // its id, for people
  std::string mark{};                // of this process: identifies its child processes
  std::vector<std::string> roots{};  // of the run, where they are on this host
  std::string scratch{};             // a folder of this process and this run
  std::size_t places = 1;            // tasks at once, at most
  std::function<void(const Failure&)> on_shortage{};  // of the machine; called once
};

// Immutable.
class Recipe {
 public:
  Recipe() = default;
  Recipe(const Recipe&) = delete;
  Recipe& operator=(const Recipe&) = delete;
  virtual ~Recipe() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::uint32_t version() const = 0;
  [[nodiscard]] virtual std::string digest() const { return {}; }  // of the tables it uses

  // A Failure says why this host cannot work on the run: a program that is not installed.
  [[nodiscard]] virtual Result<std::unique_ptr<RecipeStage>> prepare(
      std::string_view settings, StageSurroundings surroundings) const = 0;
};

}  // namespace tidemill::jobs
