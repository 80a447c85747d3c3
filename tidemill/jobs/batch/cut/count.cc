#include "tidemill/jobs/batch/cut/count.h"

#include <atomic>
#include <cstdint>
#include <limits>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/engine/progress.h"
#include "tidemill/jobs/batch/cut/mill.h"

namespace tidemill::batch {
namespace {

std::string shown(const Roots& roots, const Cursor& at) {
  const Root& root = roots.at(at.root);
  if (!root.only.empty()) return root.given;
  return root.given + (root.given.ends_with('/') ? "" : "/") + at.path;
}

engine::ProgressInputs progress_of(const Mill& mill, std::uint64_t done) {
  return {.counts = {.found = mill.found(),
                     .done = done,
                     .skipped = mill.skipped(),
                     .failed = mill.failed(),
                     .found_bytes = {mill.bytes_found()},
                     .settled_bytes = {mill.bytes_weighed()}},
          .is_total_known = mill.has_walked()};
}

}  // namespace

// Every file is a batch of its own.
Result<void> count_files(const Options& options, const std::string& tables,
                         const std::function<Result<void>(const Counted&)>& on_file,
                         const command::Context& context) {
  Options each = options;
  each.max_tokens = std::numeric_limits<std::uint64_t>::max();
  each.max_size = {std::numeric_limits<std::uint64_t>::max()};
  each.max_files = 1;
  LET(const Recipe recipe, recipe_of(each, tables));
  Mill mill({.options = each, .recipe = recipe, .clock = context.clock});
  std::atomic<std::uint64_t> done = 0;
  LET(const auto reporter,
      engine::ProgressReporter::start(
          {}, [&] { return progress_of(mill, done.load()); },
          [&](const engine::ProgressSnapshot& snapshot) { context.console.show(snapshot); },
          context.clock));
  Result<void> told;
  const auto tell = [&](const Counted& file) {
    if (file.skipped.empty() && !file.failure) ++done;
    if (told) told = on_file(file);
    return told.has_value();
  };
  const auto milled = mill.run(
      [&](Draft&& draft) {
        for (std::size_t i = 0; i <= draft.rows.size(); ++i) {
          if (i == draft.rows_before && draft.batch) {
            const Weighed& file = draft.batch->files.front();
            if (!tell({.path = shown(recipe.roots, {.root = file.root, .path = file.path}),
                       .tokens = file.tokens,
                       .bytes = file.size})) {
              return false;
            }
          }
          if (i == draft.rows.size()) break;
          PassedOver& row = draft.rows[i];
          if (!tell({.path = shown(recipe.roots, row.at),
                     .skipped = std::move(row.reason),
                     .failure = std::move(row.failure)})) {
            return false;
          }
        }
        return true;
      },
      context.stop);
  reporter->finish();
  TRY(told);
  return milled;
}

}  // namespace tidemill::batch
