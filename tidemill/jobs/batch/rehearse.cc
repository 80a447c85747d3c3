#include "tidemill/base/try.h"
#include "tidemill/jobs/batch/batch.h"
#include "tidemill/jobs/batch/cut/batch_pipeline.h"
#include "tidemill/jobs/batch/cut/payload.h"

namespace tidemill::batch {

Result<BatchOutcome> rehearse(const BatchOptions& options, const BatchContext& batch_context,
                              command::Context& context) {
  const Instant began = context.clock.now();
  LET(const BatchRecipe recipe, recipe_of(options, batch_context.tables));
  const auto counts = open_counts(options, recipe, context);
  BatchPipeline pipeline(
      {.options = options, .recipe = recipe, .clock = context.clock, .counts = counts.get()});
  BatchOutcome outcome;
  outcome.ending = run::kComplete;
  outcome.target = "nowhere";
  Result<void> printed;
  auto drafted = pipeline.run(
      [&](BatchDraft&& draft) {
        for (const UnbatchedFile& row : draft.rows) {
          if (row.failure) {
            ++outcome.tally.of(engine::TaskState::dead);
          } else {
            ++outcome.totals.skipped[row.reason];
          }
        }
        if (!draft.batch) return true;
        ++outcome.totals.batches;
        outcome.totals.files += draft.batch->files.size();
        outcome.totals.tokens += draft.batch->tokens;
        outcome.totals.oversize += draft.batch->is_oversize ? 1 : 0;
        if (options.report == BatchOutput::json) return true;
        printed = context.console.out(
            payload_of(*draft.batch, recipe.roots, options.paths, options.is_inline) + "\n");
        return printed.has_value();
      },
      context.stop);
  TRY(printed);
  TRY(drafted);
  outcome.has_found_all = true;
  outcome.remembered = pipeline.remembered();
  outcome.elapsed = context.clock.now() - began;
  return outcome;
}

}  // namespace tidemill::batch
