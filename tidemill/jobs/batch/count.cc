#include "tidemill/jobs/batch/count.h"

#include <limits>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/jobs/batch/mill.h"

namespace tidemill::batch {
namespace {

std::string shown(const Roots& roots, const Cursor& at) {
  const Root& root = roots.at(at.root);
  if (!root.only.empty()) return root.given;
  return root.given + (root.given.ends_with('/') ? "" : "/") + at.path;
}

}  // namespace

// Every file is a batch of its own.
Result<void> count_files(const Options& options, const std::string& tables,
                         const std::function<Result<void>(const Counted&)>& on_file,
                         const Clock& clock, const std::stop_token& stop) {
  Options each = options;
  each.max_tokens = std::numeric_limits<std::uint64_t>::max();
  each.max_size = {std::numeric_limits<std::uint64_t>::max()};
  each.max_files = 1;
  LET(const Recipe recipe, recipe_of(each, tables));
  Mill mill({.options = each, .recipe = recipe, .clock = clock});
  Result<void> told;
  const auto tell = [&](const Counted& file) {
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
      stop);
  TRY(told);
  return milled;
}

}  // namespace tidemill::batch
