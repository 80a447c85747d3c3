// CommandExecutor: executes one task. The stage of the pipeline.
//
//   command   runs the plan from its last checkpoint; returns the result for the journal
//   document  reads the document and returns its commands, which the result writer turns into tasks
//   notice    posts the comment about a failed task to its document
//
// Each worker has its own connections. They share the servers with their gates, and the taxonomy.
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
#include "tidemill/jobs/docs/command/step_tally.h"
#include "tidemill/jobs/docs/command/written.h"
#include "tidemill/jobs/docs/options.h"
#include "tidemill/jobs/docs/register.h"
#include "tidemill/jobs/docs/server/docs_server.h"

namespace tidemill::docs {

// One task on its way through the pipeline.
struct DocsItem {
  engine::TaskRecord task{};
  std::vector<std::string> warnings{};  // of steps that were not critical
};

struct DocsResult {
  std::string result{};                     // of a command: text_of(DoneResult)
  std::optional<DocumentSighting> sight{};  // of a document
};

using DocsPipeline = engine::Pipeline<DocsItem, DocsResult>;

// Thread-safe: workers call perform() concurrently, each with its own connections.
class CommandExecutor {
 public:
  struct Context {
    const DocsOptions& options;
    const std::string& mark;  // the run's mark: task keys are derived from it
    const std::string& run_id;
    DocsServer& outline;
    DocsServer& assistant;
    TaxonomyCache& taxonomy;
    Written& written;
    StepTally& tally;
    engine::Checkpoints& checkpoints;
    const Clock& clock;
    std::stop_token stop{};
  };

  [[nodiscard]] static Result<std::unique_ptr<CommandExecutor>> make(const Context& context);

  [[nodiscard]] Result<engine::Verdict<DocsResult>> perform(DocsItem& item,
                                                            engine::TaskContext& context);

 private:
  struct Clients {
    std::unique_ptr<Outline> outline;
    std::unique_ptr<Assistant> assistant;
  };

  explicit CommandExecutor(Context context) : context_(std::move(context)) {}
  [[nodiscard]] Result<engine::Verdict<DocsResult>> command(DocsItem& item, Clients& clients,
                                                            engine::TaskContext& context);
  [[nodiscard]] Result<engine::Verdict<DocsResult>> document(const DocsItem& item,
                                                             Clients& clients);
  [[nodiscard]] Result<engine::Verdict<DocsResult>> notice(const DocsItem& item, Clients& clients,
                                                           const engine::TaskContext& context);

  const Context context_;
  std::vector<Clients> clients_;
};

}  // namespace tidemill::docs
