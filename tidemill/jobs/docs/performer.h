// Performer: does one task. The stage of the pipeline.
//
//   command   the plan, from its last checkpoint on; what is done carries the result for the
//   journal document  reads it and answers with what it saw; the clerk makes tasks of its commands
//   notice    puts the comment about a failed task on its document
//
// Each worker has its own connections; what they share (gates, the taxonomy) belongs to the
// servers.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/checkpoints.h"
#include "tidemill/engine/pipeline.h"
#include "tidemill/engine/task_context.h"
#include "tidemill/jobs/docs/command/decide.h"
#include "tidemill/jobs/docs/command/written.h"
#include "tidemill/jobs/docs/options.h"
#include "tidemill/jobs/docs/register.h"
#include "tidemill/jobs/docs/server/wire.h"

namespace tidemill::docs {

// One task on its way through the pipeline.
struct Piece {
  engine::TaskRecord task{};
  std::vector<std::string> warnings{};  // of steps that were not critical
};

struct Ran {
  std::string result{};          // of a command: text_of(DoneResult)
  std::optional<Sight> sight{};  // of a document
};

using DocsPipeline = engine::Pipeline<Piece, Ran>;

// Thread-safe: perform() by many workers, each with its own hand.
class Performer {
 public:
  struct Surroundings {
    const Options& options;
    const std::string& mark;  // of the run: task keys are derived from it
    const std::string& run_id;
    Server& outline;
    Server& assistant;
    TaxonomyCache& taxonomy;
    Written& written;
    engine::Checkpoints& checkpoints;
    const Clock& clock;
    std::stop_token stop{};
  };

  [[nodiscard]] static Result<std::unique_ptr<Performer>> make(const Surroundings& around);

  [[nodiscard]] Result<engine::Verdict<Ran>> perform(Piece& piece, engine::TaskContext& context);

 private:
  struct Hand {
    std::unique_ptr<Outline> outline;
    std::unique_ptr<Assistant> assistant;
  };

  explicit Performer(Surroundings around) : around_(std::move(around)) {}
  [[nodiscard]] Result<engine::Verdict<Ran>> command(Piece& piece, Hand& hand,
                                                     engine::TaskContext& context);
  [[nodiscard]] Result<engine::Verdict<Ran>> document(const Piece& piece, Hand& hand);
  [[nodiscard]] Result<engine::Verdict<Ran>> notice(const Piece& piece, Hand& hand,
                                                    const engine::TaskContext& context);

  const Surroundings around_;
  std::vector<Hand> hands_;
};

}  // namespace tidemill::docs
